import assert from "node:assert/strict";
import { test } from "node:test";

import { createEventParser } from "../../../engine/event-stream.js";

const STREAM = [
  ": a comment",
  "",
  "event: queued",
  'data: {"place":2}',
  "",
  "event:snapshot",
  "data:one",
  "data: two",
  "id: 7",
  "retry: 10",
  "",
  "data",
  "data:  three",
  "",
  "event: without data",
  "",
  "event: done",
  "data: Gr\u00f6\u00dfe",
  "",
  "event: incomplete",
  "data: x",
];

const EVENTS = [
  ["queued", '{"place":2}'],
  ["snapshot", "one\ntwo"],
  ["message", "\n three"],
  ["done", "Gr\u00f6\u00dfe"],
];

/** @param {string[]} parts */
function parse(parts) {
  /** @type {string[][]} */
  const events = [];
  const push = createEventParser((name, data) => events.push([name, data]));
  parts.forEach(push);
  return events;
}

for (const [name, ending] of [
  ["a line feed", "\n"],
  ["a carriage return and a line feed", "\r\n"],
  ["a carriage return", "\r"],
]) {
  test(`events whose lines end with ${name} are split anywhere`, () => {
    const text = STREAM.join(String(ending));
    assert.deepEqual(parse([text]), EVENTS);
    assert.deepEqual(parse([...text]), EVENTS);
    for (let at = 0; at <= text.length; at += 1) {
      assert.deepEqual(parse([text.slice(0, at), text.slice(at)]), EVENTS, `split at ${at}`);
    }
  });
}
