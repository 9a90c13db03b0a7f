/** The tools of the list of moves that change the game: comments, promotion and removal. */

import { editInExploreMode } from "../../game/modes.js";
import * as game from "../../game/tree.js";
import { texts } from "../../texts/texts.js";
import { button, html, setText } from "../../ui/dom.js";

/** @import { App, GameTree } from "../../types/app.d.ts" */

/** The text between two comments in the editor of comments. */
const COMMENT_SEPARATOR = "\n\n";

/** The character that ends a comment in a record, so that no comment can contain it. */
const END_OF_COMMENT = "}";

/**
 * Splits a text at empty lines into comments.
 *
 * @param {string} text
 * @returns {string[] | null} `null` if the text contains {@link END_OF_COMMENT}
 */
export function parseComments(text) {
  return text.includes(END_OF_COMMENT)
    ? null
    : text
        .split(/\n\s*\n/)
        .map((comment) => comment.trim())
        .filter(Boolean);
}

/**
 * Makes the current line the main line, from the start on.
 *
 * @param {GameTree} tree
 * @returns {GameTree}
 */
function promoteCurrentLine(tree) {
  const length = game.path(tree).length;
  let promoted = tree;
  for (let ply = 1; ply <= length; ply += 1) {
    promoted = game.promoteBranch(promoted, game.path(promoted).slice(0, ply));
  }
  return promoted;
}

/**
 * Creates the field for the comments on a node.
 *
 * @param {App} app
 */
function createCommentField(app) {
  const problem = html("p", { id: "comment-problem", class: "note wrong", role: "status" });
  const field = html("textarea", {
    rows: 2,
    "aria-label": texts.moves.commentLabel,
    "aria-describedby": problem.id,
    oninput: drawProblem,
  });
  /** The path of the node whose comments the field shows. */
  let shown = "";

  function drawProblem() {
    const isWrong = parseComments(field.value) === null;
    setText(problem, isWrong ? texts.moves.noBrace(END_OF_COMMENT) : "");
    field.setAttribute("aria-invalid", String(isWrong));
  }

  function save() {
    const comments = parseComments(field.value);
    drawProblem();
    if (comments) {
      editInExploreMode(app, (tree) => game.setComments(tree, game.path(tree), comments));
    } else {
      field.focus();
    }
  }

  return {
    field,
    problem,
    saveButton: button(texts.moves.saveComment, save, { class: "small" }),
    /** @param {GameTree} tree */
    draw(tree) {
      const here = `at ${game.path(tree).join("-")}`;
      const comments = (game.currentNode(tree) ?? tree).comments.join(COMMENT_SEPARATOR);
      // A comment that a person is writing stays.
      if (shown !== here || (document.activeElement !== field && field.value !== comments)) {
        shown = here;
        field.value = comments;
        drawProblem();
      }
    },
  };
}

/**
 * Creates the tools.
 *
 * @param {App} app
 */
export function createEditing(app) {
  const promote = button(
    texts.moves.makeMainLine,
    () => editInExploreMode(app, promoteCurrentLine),
    { class: "small" },
  );
  const remove = button(
    texts.moves.deleteFromHere,
    () => editInExploreMode(app, (tree) => game.removeBranch(tree, game.path(tree))),
    { class: "small" },
  );
  const comments = createCommentField(app);
  const element = html(
    "details",
    {
      hidden: true,
      ontoggle: () => element.open && element.scrollIntoView({ block: "nearest" }),
    },
    html("summary", {}, texts.moves.edit),
    comments.field,
    comments.problem,
    html("div", { class: "tools" }, comments.saveButton, promote, remove),
  );
  return {
    element,
    /** @param {GameTree} tree */
    draw(tree) {
      const path = game.path(tree);
      remove.hidden = path.length === 0;
      promote.hidden = !path.some((index) => index > 0);
      comments.draw(tree);
    },
  };
}
