/** The content of the dialog "Share": the link to the game, its picture, and a board for other sites. */

import { errorText } from "../engine/errors.js";
import { createShareLink } from "../friends/share-link.js";
import {
  friendFragment,
  parseFragment,
  puzzleFragment,
  sharedFragment,
  withFragment,
} from "../records/link.js";
import { saveGame } from "../records/files.js";
import { gameRecord, linkFragment } from "../records/records.js";
import { gameResult, path } from "../game/tree.js";
import { texts } from "../texts/texts.js";
import { button, copyToClipboard, detailsSection, html, setText } from "../ui/dom.js";
import { createPicturePart } from "./picture-part.js";
import { keepRecord, sharingSettings } from "./shared-records.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */

/** The page that shows a board in a frame of another site: the file of a site, and its path on a server. */
const EMBED = "embed.html";

/** The size of the frame in the HTML for other sites, in pixels. */
const FRAME = { width: 640, height: 480 };

/**
 * The content of the dialog, and what is shared.
 *
 * @typedef {object} ShareForm
 * @property {App} app
 * @property {ReturnType<typeof createShareLink>} link
 * @property {HTMLElement} about
 * @property {{ element: HTMLButtonElement, note: HTMLElement }} short
 * @property {HTMLButtonElement} save
 * @property {HTMLTextAreaElement} embed
 * @property {number} shown the number of times that the dialog was opened; only the last one counts
 */

/**
 * Returns the fragment of the page's address and a word about it if it is what a person shares: that of
 * a running game with a friend, or of a puzzle.
 *
 * @param {State} state
 * @param {GameTree} tree
 */
function addressOf({ mode }, tree) {
  const link = parseFragment(window.location.hash);
  if (mode === "explore") {
    return null;
  }
  if (link.kind === "friend" && gameResult(tree) === null) {
    return { fragment: friendFragment(link.game), about: texts.sharing.aboutRunningGame };
  }
  return link.kind === "puzzle"
    ? { fragment: puzzleFragment(link), about: texts.sharing.aboutPuzzle }
    : null;
}

/** Returns a word about the link to a game. @param {string} fragment */
const aboutGame = (fragment) =>
  parseFragment(fragment).kind === "record" ? texts.sharing.aboutLink : texts.sharing.aboutMoves;

/**
 * Returns the HTML of a frame with the board of a fragment.
 *
 * @param {App} app
 * @param {string} fragment
 */
function frameHtml({ hasFriendGames }, fragment) {
  const page = hasFriendGames ? EMBED.replace(".html", "") : EMBED;
  const { href } = new URL(page, withFragment(document.baseURI, ""));
  const frame = html("iframe", {
    src: `${href}${fragment}`,
    title: texts.sharing.frameTitle,
    ...FRAME,
    loading: "lazy",
  });
  return frame.outerHTML;
}

/**
 * Returns the length of the record of a game in UTF-8, in bytes.
 *
 * @param {App} app
 * @param {State} state
 * @param {GameTree} tree
 */
async function byteLength(app, state, tree) {
  const record = await gameRecord(app, state, tree, new Date());
  return new TextEncoder().encode(record).length;
}

/**
 * Shows the link to the game on the board.
 *
 * @param {ShareForm} form
 */
async function showLink(form) {
  const { app, link, about, short, save, embed } = form;
  const state = app.state();
  const { tree } = state;
  form.shown += 1;
  const { shown } = form;
  if (!tree) {
    return;
  }
  try {
    const ofAddress = addressOf(state, tree);
    const { fragment, isWhole } = await linkFragment(app, state, tree);
    if (shown !== form.shown) {
      return;
    }
    const aboutFragment = isWhole ? aboutGame(fragment) : texts.sharing.withoutComments;
    const { hasCode } = link.draw(ofAddress?.fragment ?? fragment);
    setText(about, ofAddress?.about ?? aboutFragment);
    embed.value = frameHtml(app, fragment);
    save.hidden = isWhole;
    const isOffered = app.hasFriendGames && !ofAddress && isWhole && state.analysisLock === null;
    short.element.hidden = true;
    setText(short.note, "");
    const settings = isOffered ? await sharingSettings() : null;
    const isShort = settings?.enabled && (await byteLength(app, state, tree)) <= settings.max_bytes;
    if (isShort && shown === form.shown) {
      short.element.hidden = false;
      setText(short.note, texts.sharing.aboutShort(settings.days));
      if (!hasCode) {
        link.code.replaceChildren(texts.sharing.shortForQrCode);
      }
    }
  } catch (error) {
    if (shown !== form.shown) {
      return;
    }
    // The page with its line for errors is behind the dialog.
    setText(about, errorText(error));
    setText(short.note, "");
    link.clear();
    embed.value = "";
    short.element.hidden = true;
    save.hidden = false;
  }
}

/**
 * Keeps the game on the server, and shows its short address.
 *
 * @param {ShareForm} form
 */
async function shorten({ app, link, about, short }) {
  const state = app.state();
  if (state.tree) {
    try {
      const { id } = await keepRecord(await gameRecord(app, state, state.tree, new Date()));
      link.draw(sharedFragment(id, path(state.tree)));
      setText(about, texts.sharing.shortReady);
      short.element.hidden = true;
      link.field.select();
    } catch (error) {
      setText(about, errorText(error));
    }
  }
}

/** Saves the game as a file. @param {ShareForm} form */
async function saveFile({ app, about }) {
  const { tree } = app.state();
  try {
    await (tree && saveGame(app, tree));
  } catch (error) {
    setText(about, errorText(error));
  }
}

/** Creates the part with the board for other sites. @param {ShareForm} form */
function embedPart({ app, embed }) {
  const copy = button(
    texts.common.copy,
    () => void copyToClipboard(copy, embed.value, (error) => app.actions.showError(error)),
    { class: "small", "aria-label": texts.sharing.copyFrame },
  );
  return detailsSection(
    texts.sharing.embedTitle,
    html("p", { class: "note" }, texts.sharing.aboutFrame),
    embed,
    html("div", { class: "tools" }, copy),
  );
}

/**
 * Creates the content of the dialog.
 *
 * @param {App} app
 */
export function createShareForm(app) {
  const link = createShareLink(app, {
    label: texts.sharing.link,
    message: texts.sharing.message,
  });
  const shortNote = html("p", { class: "note" });
  /** @type {ShareForm} */
  const form = {
    app,
    link,
    about: html("p", { class: "note", role: "status" }),
    short: {
      element: button(texts.sharing.shorten, () => void shorten(form), { class: "small" }),
      note: shortNote,
    },
    save: button(texts.records.save, () => void saveFile(form), { class: "small" }),
    embed: html("textarea", {
      rows: 4,
      readonly: true,
      class: "full-width",
      "aria-label": texts.sharing.frame,
      onfocus: () => form.embed.select(),
    }),
    shown: 0,
  };
  const picture = createPicturePart(app);
  const element = html(
    "div",
    { class: "dialog-body" },
    html(
      "div",
      { class: "share-link" },
      form.about,
      link.field,
      html("div", { class: "tools" }, link.share, link.copy, form.short.element, form.save),
      shortNote,
      link.note,
    ),
    detailsSection(texts.friends.qrCode, link.code),
    picture.element,
    embedPart(form),
  );
  return {
    element,
    /** Shows the game on the board. */
    show() {
      picture.show();
      void showLink(form);
    },
  };
}
