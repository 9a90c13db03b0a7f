/** A list of many items in pages: one page of items, and controls for the other pages. */

import { errorText, isAbort } from "../engine/errors.js";
import { texts } from "../texts/texts.js";
import { button, html, setText } from "../ui/dom.js";

/** The number of items of a page. */
const PAGE_SIZE = 25;

/**
 * Returns the number of the page that is nearest to a number, from 1.
 *
 * @param {number} page
 * @param {number} total the number of items
 * @param {number} [size] the number of items of a page
 */
function nearestPage(page, total, size = PAGE_SIZE) {
  const last = Math.max(1, Math.ceil(total / size));
  return Math.min(Math.max(Math.trunc(page) || 1, 1), last);
}

/**
 * The contents of a list: how its items are loaded and drawn.
 *
 * @template T
 * @typedef {object} ListContents
 * @property {string} label
 * @property {(first: number, end: number, signal: AbortSignal) => Promise<T[]>} load returns the
 *   items from `first` to before `end`
 * @property {(item: T, index: number) => HTMLElement} draw returns the content of an item
 */

/**
 * Creates the controls for the other pages.
 *
 * @param {{ onStep: (by: number) => void, onPage: (page: number) => void }} events
 */
function createPager({ onStep, onPage }) {
  const range = html("span", { class: "note", role: "status" });
  const field = html("input", {
    type: "number",
    class: "count",
    min: 1,
    inputmode: "numeric",
    "aria-label": texts.pages.page,
    onchange: () => onPage(Number(field.value)),
  });
  const last = html("span", { class: "note" });
  const back = button(texts.pages.previous, () => onStep(-1), { class: "small" });
  const ahead = button(texts.pages.next, () => onStep(1), { class: "small" });
  const element = html(
    "div",
    { class: "tools", role: "group", "aria-label": texts.pages.pages },
    back,
    field,
    last,
    ahead,
    range,
  );
  return {
    element,
    range,
    /** @param {number} page @param {number} total the number of items */
    draw(page, total) {
      const pages = nearestPage(Infinity, total);
      element.hidden = total <= PAGE_SIZE;
      field.value = String(page);
      field.max = String(pages);
      setText(last, texts.pages.of(pages));
      back.setAttribute("aria-disabled", String(page === 1));
      ahead.setAttribute("aria-disabled", String(page * PAGE_SIZE >= total));
    },
  };
}

/**
 * Creates an empty list.
 *
 * @template T
 * @param {ListContents<T>} contents
 */
export function createPagedList({ label, load, draw }) {
  let total = 0;
  let page = 1;
  let control = new AbortController();
  const list = html("ul", { class: "games", "aria-label": label });
  const pager = createPager({
    onStep: (by) => void show(page + by),
    onPage: (number) => void show(number),
  });
  const element = html("div", { hidden: true }, list, pager.element);

  /** @param {number} wanted the number of a page, from 1 */
  async function show(wanted) {
    control.abort();
    control = new AbortController();
    const { signal } = control;
    page = nearestPage(wanted, total);
    const first = (page - 1) * PAGE_SIZE;
    const end = Math.min(first + PAGE_SIZE, total);
    element.hidden = total === 0;
    pager.draw(page, total);
    list.setAttribute("aria-busy", "true");
    try {
      const items = await load(first, end, signal);
      signal.throwIfAborted();
      const entries = items.map((item, index) => html("li", {}, draw(item, first + index)));
      list.replaceChildren(...entries);
      setText(pager.range, texts.pages.range(first + 1, end, total));
      list.setAttribute("aria-busy", "false");
    } catch (error) {
      if (!signal.aborted && !isAbort(error)) {
        list.replaceChildren();
        setText(pager.range, errorText(error));
        list.setAttribute("aria-busy", "false");
      }
    }
  }

  return {
    element,
    /**
     * Shows the first page of new items, or the current page again.
     *
     * @param {number} count the number of all items
     * @param {{ samePage?: boolean }} [options]
     */
    show(count, { samePage = false } = {}) {
      total = count;
      return show(samePage ? page : 1);
    },
  };
}
