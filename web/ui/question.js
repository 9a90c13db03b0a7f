/** A question with two answers, in a dialog. */

import { html } from "./dom.js";

/** The number of questions so far, for the ids of their titles. */
let count = 0;

/**
 * Asks a question and resolves to whether the answer is yes. Esc answers no.
 *
 * @param {string} question
 * @param {{ yes: string, no: string, text?: string }} options the answers, and an explanation
 * @returns {Promise<boolean>}
 */
export function ask(question, { yes, no, text = "" }) {
  count += 1;
  const id = `question-${count}`;
  const dialog = html(
    "dialog",
    { class: "question", "aria-labelledby": id },
    html("div", { class: "dialog-head" }, html("h2", { id }, question)),
    html(
      "form",
      { class: "dialog-body", method: "dialog" },
      text ? html("p", {}, text) : null,
      html(
        "div",
        { class: "buttons" },
        html("button", { class: "main", value: "yes" }, yes),
        html("button", { value: "no", autofocus: true }, no),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
