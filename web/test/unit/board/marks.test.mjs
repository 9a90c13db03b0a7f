import assert from "node:assert/strict";
import { test } from "node:test";

import { markParts } from "../../../board/marks.js";

test("the parts of a mark are the sign of an estimate, the sign of the score, and its digits", () => {
  assert.deepEqual(markParts("~\u221210"), { about: "~", sign: "\u2212", digits: "10" });
  assert.deepEqual(markParts("+8"), { about: "", sign: "+", digits: "8" });
  assert.deepEqual(markParts("\u2265+8"), { about: "\u2265", sign: "+", digits: "8" });
  assert.deepEqual(markParts("0"), { about: "", sign: "", digits: "0" });
});
