/** The messages of the server that the page words in another way in English: see `details.js`. */

/** @import { DetailTexts } from "./details.js" */

/** @type {DetailTexts} */
export const EN_DETAILS = [
  [
    "turn {}: sowing {}: it is {}'s turn",
    "in turn {0} it is {2}'s turn, and {1} is a house of the other side",
  ],
];
