import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { EngineError, errorText } from "../../../engine/errors.js";
import { DE_DETAILS } from "../../../texts/de-details.js";
import { createTranslator } from "../../../texts/details.js";
import { EN_DETAILS } from "../../../texts/en-details.js";
import { detailText } from "../../../texts/from-server.js";

const CRATES = fileURLToPath(new URL("../../../../crates/", import.meta.url));

/** The sources with the messages that a page can show, all of which have a translation. */
const MESSAGE_FILES = [
  "app/api/src/error.rs",
  "app/server/src/games/command_error.rs",
  "app/server/src/rooms/state/room_error.rs",
  "app/store/src/name.rs",
  "core/kalah/src/labels.rs",
  "core/kalah/src/position/setup.rs",
  "core/kalah/src/record/error.rs",
  "core/kalah/src/record/tags.rs",
  "core/kalah/src/rules/mod.rs",
  "core/kalah/src/types.rs",
];

/** Messages about requests that the page does not send. */
const OF_OTHER_CLIENTS = [
  "{0}",
  "there is no request `{0}`",
  "time {0}",
  "time `{requested}` is more than the maximum of {}",
  "`{0}` is not an opponent: expected `level:1` to `level:10` or `smart`",
  "rating `{number}` is not from {} to {}",
  "min_rating `{min}` is greater than max_rating `{max}`",
  "termination {0}",
  "ply {ply} of the list, counted from 0: its parent `{parent}` does not precede it",
  "there are {found} analyses of {expected} positions",
  "analysis {index} of the list, counted from 0: move `{mv}` is not legal",
  "analysis {index} of the list, counted from 0: the bounds {lower} to {upper} are not within -{total} to {total}",
  "invalid labels {0}: expected letters, columns or yale",
];

/** The folders whose sources contain all messages that have a translation. */
const CRATE_FOLDERS = ["app/api", "app/net", "app/server", "app/store", "core/kalah"];

/**
 * Returns the Rust source of a file with its string literals in one line, and without its tests.
 *
 * @param {string} path
 */
const sourceOf = (path) =>
  (readFileSync(path, "utf8").split(/\n#\[cfg\(test\)\]\s*mod /)[0] ?? "").replace(/\\\n\s*/g, "");

/**
 * Returns the messages of the errors that a file defines.
 *
 * @param {string} file
 */
const messagesIn = (file) =>
  [...sourceOf(join(CRATES, file)).matchAll(/#\[error\(\s*"((?:[^"\\]|\\.)*)"/g)].map(
    ([, text = ""]) => text.replace(/\s+/g, " "),
  );

/**
 * Returns a message with each combination of examples for its values: a quotation, a word, and
 * another message.
 *
 * @param {string} message
 * @returns {string[]}
 */
function examplesOf(message) {
  const place = /\{[^{}]*\}/.exec(message.replace(/\{\{|\}\}/g, "__"));
  if (!place) {
    return [message.replace(/\{\{/g, "{").replace(/\}\}/g, "}").replace(/\\(.)/g, "$1")];
  }
  const [before, after] = [
    message.slice(0, place.index),
    message.slice(place.index + place[0].length),
  ];
  return ["`x y`", "5", "the game is over"].flatMap((value) => examplesOf(before + value + after));
}

/** @param {string} folder @returns {string[]} the Rust files of a folder and its subfolders */
const rustFiles = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? rustFiles(path) : path.endsWith(".rs") ? [path] : [];
  });

const translate = createTranslator(DE_DETAILS);

test("each message that a page can show is translated", () => {
  const messages = MESSAGE_FILES.flatMap(messagesIn);
  assert.ok(messages.length > 90);
  const isTranslated = (/** @type {string} */ message) =>
    examplesOf(message).some((example) => translate(example) !== null);
  assert.deepEqual(
    messages.filter((message) => !isTranslated(message) && !OF_OTHER_CLIENTS.includes(message)),
    [],
  );
});

test("each translation is that of a message of the server", () => {
  const sources = CRATE_FOLDERS.flatMap((folder) => rustFiles(join(CRATES, folder, "src")))
    .map(sourceOf)
    .join("\n")
    .replace(/\{\{/g, "{")
    .replace(/\}\}/g, "}")
    .replace(/\\(.)/g, "$1")
    .replace(/ +/g, " ");
  for (const [template] of [...DE_DETAILS, ...EN_DETAILS]) {
    for (const part of template.split(/\{[*-]?\}/)) {
      assert.ok(sources.includes(part), `${template}: ${part}`);
    }
  }
});

test("a translation contains the values of its message", () => {
  for (const [template, translation] of [...DE_DETAILS, ...EN_DETAILS]) {
    const places = template.match(/\{[*-]?\}/g) ?? [];
    const used = [...translation.matchAll(/\{(\d)\}/g)].map(([, place]) => Number(place));
    assert.deepEqual(
      used.sort(),
      places.flatMap((place, index) => (place === "{-}" ? [] : [index])),
      template,
    );
  }
});

test("messages of the server are German on the German page, and unknown ones are left out", () => {
  const german = (/** @type {string} */ message) => detailText(message, "de");
  assert.equal(
    german("ply 1: there is no house `Z`: South's houses are A to F"),
    "Zug 1: Es gibt keine Mulde „Z“: Die Mulden von Süd sind A bis F",
  );
  assert.equal(
    german(
      "position `6y4`, character 2: expected a start such as 6x4, or '<m,south store,north store,south houses,north houses> s|n'",
    ),
    "Stellung „6y4“, Zeichen 2: Hier muss ein Anfang wie 6x4 stehen, oder <m,Speicher von Süd,Speicher von Nord,Mulden von Süd,Mulden von Nord> und dann s oder n",
  );
  assert.equal(
    german("turn 1: sowing `h`: it is South's turn"),
    "In Zug 1 ist Süd am Zug, aber „h“ ist eine Mulde der anderen Seite",
  );
  assert.equal(
    german("turn 2...: sowing `a`: house a is empty"),
    "Zug 2..., Mulde „a“: Mulde a ist leer",
  );
  // A part without a translation is not shown either.
  assert.equal(german("ply 1: the moon is full"), "");
  assert.equal(german("the moon is too large"), "");
  assert.equal(detailText("the moon is `full`"), "the moon is “full”");
  assert.equal(
    detailText("turn 1: sowing `h`: it is South's turn"),
    "in turn 1 it is South's turn, and “h” is a house of the other side",
  );
});

test("errors have texts for players, and those of the browser are named as such", () => {
  const problem = { type: "about:blank", title: "Conflict", status: 409, detail: "it is `x`" };
  const error = EngineError.fromText(JSON.stringify(problem), 409, "");
  assert.equal(errorText(error), "Not possible now: it is “x”");
  assert.equal(errorText(new Error("Take another one.")), "Take another one.");
  assert.equal(errorText("Analysis is off"), "Analysis is off");
  assert.equal(
    errorText(new TypeError("x is null")),
    "Something went wrong on the page: x is null.",
  );
});
