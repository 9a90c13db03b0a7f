/** Other versions of a published page, for tests of its updates. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The digits of a hash in the name of a file. */
const HASH = /[0-9a-f]{16}/;

/** @param {string} text */
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

/**
 * The changes of a version: functions that return the changed text of a file.
 *
 * @typedef {object} Changes
 * @property {(text: string) => string} document
 * @property {(text: string) => string} script
 * @property {(text: string) => string} [worker]
 */

/**
 * Returns the texts of the document and the service worker of a page in a folder, and a function that
 * replaces a text in both of them.
 *
 * @param {string} folder
 */
async function readPage(folder) {
  const texts = {
    document: await readFile(join(folder, "index.html"), "utf8"),
    serviceWorker: await readFile(join(folder, "sw.js"), "utf8"),
  };
  /** @param {string} from @param {string} to */
  const replace = (from, to) => {
    assert.ok(texts.document.includes(from), from);
    texts.document = texts.document.replaceAll(from, to);
    texts.serviceWorker = texts.serviceWorker.replaceAll(from, to);
  };
  return { texts, replace };
}

/**
 * Changes the page in a folder to another version, with the names and hashes of its files.
 *
 * @param {string} folder
 * @param {Changes} changes
 */
export async function publishVersion(folder, changes) {
  const { texts, replace } = await readPage(folder);
  /** @param {string} before @param {string} after */
  const replaceHash = (before, after) => {
    assert.notEqual(after, before);
    assert.ok(texts.serviceWorker.includes(sha256(before)), "a file is not in the list");
    texts.serviceWorker = texts.serviceWorker.replaceAll(sha256(before), sha256(after));
  };

  const script = / src="(app-[^"]+)"/.exec(texts.document)?.[1] ?? "";
  const before = await readFile(join(folder, script), "utf8");
  const after = changes.script(before);
  const renamed = script.replace(HASH, sha256(after).slice(0, 16));
  await writeFile(join(folder, renamed), after);
  await rm(join(folder, script));
  replace(script, renamed);
  replaceHash(before, after);

  const worker = / data-worker="([^"]+)"/.exec(texts.document)?.[1];
  if (worker && changes.worker) {
    const text = await readFile(join(folder, worker), "utf8");
    const changed = changes.worker(text);
    await writeFile(join(folder, worker), changed);
    const engine = dirname(dirname(worker));
    const renamedEngine = engine.replace(HASH, sha256(changed).slice(0, 16));
    await rename(join(folder, engine), join(folder, renamedEngine));
    replace(engine, renamedEngine);
    replaceHash(text, changed);
  }

  texts.document = changes.document(texts.document);
  texts.serviceWorker = texts.serviceWorker
    .replace(/("index.html": ")[0-9a-f]+/, `$1${sha256(texts.document)}`)
    .replace(/(const VERSION = ")[0-9a-f]+/, `$1${sha256(texts.document)}`);
  await writeFile(join(folder, "index.html"), texts.document);
  await writeFile(join(folder, "sw.js"), texts.serviceWorker);
}
