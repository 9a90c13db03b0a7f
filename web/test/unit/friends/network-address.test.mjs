import assert from "node:assert/strict";
import { test } from "node:test";

import { describedIn } from "../../../friends/network-address.js";

test("the address of a page that is not English names its language", () => {
  const address = "https://kalah.example/puzzle/2,0,0,4,1,0,3,n/standard";
  assert.equal(describedIn(address, "en"), address);
  assert.equal(describedIn(address, "de"), `${address}?lang=de`);
});
