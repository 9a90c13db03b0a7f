/** The part of the dialog "Share" with the picture of the position: its preview and its files. */

import { texts } from "../texts/texts.js";
import { button, html, saveBlob, setText } from "../ui/dom.js";
import { pictureOf } from "./picture.js";
import { animationOf, pngOf } from "./pixels.js";

/** @import { App, GameTree, State } from "../types/app.d.ts" */
/** @import { Picture } from "./picture.js" */

/** The names of the files. */
const FILES = { svg: "kalah.svg", png: "kalah.png", gif: "kalah.gif" };

/**
 * The picture that the part shows.
 *
 * @typedef {{ picture: Picture, state: State, tree: GameTree }} Shown
 */

/** @param {Picture} picture */
const svgBlob = ({ svg }) => new Blob([svg], { type: "image/svg+xml" });

/**
 * Opens the device's menu for sharing with a PNG.
 *
 * @param {Blob} png
 */
async function sharePng(png) {
  const file = new File([png], FILES.png, { type: png.type });
  try {
    await navigator.share({ title: texts.page.title, files: [file] });
  } catch (error) {
    // The person has closed the menu.
    if (!(error instanceof DOMException && error.name === "AbortError")) {
      throw error;
    }
  }
}

/** Returns whether the device's menu for sharing accepts pictures. */
const canSharePictures = () =>
  navigator.canShare?.({ files: [new File([], FILES.png, { type: "image/png" })] }) ?? false;

/**
 * Creates the button that saves the animation of the game, with its progress.
 *
 * @param {App} app
 * @param {() => Shown | null} shown
 */
function createAnimation(app, shown) {
  let control = new AbortController();
  const progress = html("progress", { max: 1, value: 0, "aria-label": texts.sharing.animation });
  const save = button(texts.sharing.animation, () => void start(), { class: "small" });
  progress.hidden = true;

  async function start() {
    const now = shown();
    if (!now || !progress.hidden) {
      return;
    }
    control = new AbortController();
    const { signal } = control;
    progress.hidden = false;
    try {
      const onProgress = (/** @type {number} */ share) => void (progress.value = share);
      saveBlob(FILES.gif, await animationOf(now.state, now.tree, { signal, onProgress }));
    } catch (error) {
      app.actions.showError(error);
    } finally {
      progress.hidden = true;
    }
  }
  return { elements: [save, progress], save, stop: () => control.abort() };
}

/**
 * Creates the part.
 *
 * @param {App} app
 */
export function createPicturePart(app) {
  let shown = /** @type {Shown | null} */ (null);
  const preview = html("img", { class: "picture-preview", alt: "" });
  const animation = createAnimation(app, () => shown);
  /** @param {string} label @param {(picture: Picture) => Promise<void> | void} use */
  const pictureButton = (label, use) =>
    button(
      label,
      async () => {
        try {
          await (shown && use(shown.picture));
        } catch (error) {
          app.actions.showError(error);
        }
      },
      { class: "small" },
    );
  const share = pictureButton(texts.sharing.sharePicture, async (picture) =>
    sharePng(await pngOf(picture)),
  );
  share.hidden = !canSharePictures();
  const title = html("h3", {}, texts.sharing.picture);
  const note = html("p", { class: "note" });
  const element = html(
    "div",
    { class: "share-picture" },
    title,
    preview,
    html(
      "div",
      { class: "tools" },
      share,
      pictureButton(texts.sharing.savePng, async (picture) =>
        saveBlob(FILES.png, await pngOf(picture)),
      ),
      pictureButton(texts.sharing.saveSvg, (picture) => saveBlob(FILES.svg, svgBlob(picture))),
      ...animation.elements,
    ),
    note,
  );
  return {
    element,
    /** Shows the picture of the position on the board. */
    show() {
      animation.stop();
      const state = app.state();
      const { tree } = state;
      shown = tree && { picture: pictureOf(state, tree), state, tree };
      element.hidden = shown === null;
      if (shown) {
        const { svg, width, height } = shown.picture;
        preview.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
        Object.assign(preview, { width, height, alt: texts.sharing.pictureOf });
        animation.save.hidden = shown.tree.line.length === 0;
        setText(note, animation.save.hidden ? "" : texts.sharing.aboutAnimation);
      }
    },
  };
}
