/** Games as files on the device. */

import { saveText } from "../ui/dom.js";
import { gameRecord } from "./records.js";

/** @import { App, GameTree } from "../types/app.d.ts" */

/** The name of the file of a game. */
const FILE_NAME = "game.kgn";

/**
 * Saves the record of a game as a file.
 *
 * @param {App} app
 * @param {GameTree} tree
 */
export async function saveGame(app, tree) {
  saveText(FILE_NAME, await gameRecord(app, app.state(), tree, new Date()));
}
