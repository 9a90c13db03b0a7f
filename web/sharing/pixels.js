/** Pictures as pixels: a PNG of a position, and the animation of a game as GIF. */

import { canRedo, goTo, redo } from "../game/tree.js";
import { applyPalette, GIFEncoder, quantize } from "../vendor/gifenc.js";
import { pictureOf } from "./picture.js";

/** @import { GameTree, State } from "../types/app.d.ts" */
/** @import { Picture } from "./picture.js" */

/** The pixels of a PNG for each unit of its picture: wide enough for most screens, below a megabyte. */
const PNG_SCALE = 1.5;

/** The width of an animation in pixels. */
const ANIMATION_WIDTH = 640;

/** The times of a position and of the last one, in milliseconds. */
const FRAME_MS = 900;
const LAST_FRAME_MS = 3_000;

/** The number of colours of an animation; GIF allows 256. */
const COLOURS = 256;

/** The largest number of positions of an animation. */
export const MAX_FRAMES = 400;

/**
 * Draws a picture on a canvas.
 *
 * @param {Picture} picture
 * @param {number} scale
 */
async function draw({ svg, width, height }, scale) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { willReadFrequently: true })
  );
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { canvas, context };
}

/**
 * Returns a picture as PNG.
 *
 * @param {Picture} picture
 * @returns {Promise<Blob>}
 */
export async function pngOf(picture) {
  const { canvas } = await draw(picture, PNG_SCALE);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) =>
      blob ? resolve(blob) : reject(new RangeError("the picture is too large")),
    );
  });
}

/**
 * Returns the positions of the current line of a game, from its start.
 *
 * @param {GameTree} tree
 * @returns {GameTree[]}
 */
export function framesOf(tree) {
  const frames = [goTo(tree, [])];
  for (let at = frames[0]; at && canRedo(at) && frames.length < MAX_FRAMES;) {
    at = redo(at);
    frames.push(at);
  }
  return frames;
}

/**
 * Returns the animation of the current line of a game as GIF.
 *
 * @param {State} state
 * @param {GameTree} tree
 * @param {{ signal: AbortSignal, onProgress: (share: number) => void }} options
 * @returns {Promise<Blob>}
 */
export async function animationOf(state, tree, { signal, onProgress }) {
  const frames = framesOf(tree);
  const encoder = GIFEncoder();
  let palette = /** @type {number[][]} */ ([]);
  for (const [index, frame] of frames.entries()) {
    signal.throwIfAborted();
    const picture = pictureOf(state, frame);
    const { canvas, context } = await draw(picture, ANIMATION_WIDTH / picture.width);
    const { width, height } = canvas;
    const { data } = context.getImageData(0, 0, width, height);
    palette = index === 0 ? quantize(data, COLOURS) : palette;
    encoder.writeFrame(applyPalette(data, palette), width, height, {
      // All frames share the palette of the first one.
      ...(index === 0 && { palette }),
      delay: index === frames.length - 1 ? LAST_FRAME_MS : FRAME_MS,
    });
    onProgress((index + 1) / frames.length);
  }
  encoder.finish();
  return new Blob([encoder.bytes()], { type: "image/gif" });
}
