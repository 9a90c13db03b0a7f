import assert from "node:assert/strict";
import { test } from "node:test";

import { highlightSymbol, reasonsText, reasonText } from "../../../review/reasons.js";
import { de } from "../../../texts/de.js";
import { en } from "../../../texts/en.js";

/** @import { Reason, ReasonKind } from "../../../types/api.d.ts" */

const LETTERS = /** @type {const} */ ({ houses: 6, labels: "letters" });
const COLUMNS = /** @type {const} */ ({ houses: 6, labels: "columns" });

/**
 * The fields of each kind: houses, and the least seeds and bonus turns.
 *
 * @type {Record<ReasonKind, { houses: number, seeds?: number, turns?: number }[]>}
 */
const KINDS = {
  "gave-last-seeds": [{ houses: 0, seeds: 1 }],
  "missed-capture": [{ houses: 2, seeds: 1 }],
  "left-capture": [{ houses: 2, seeds: 2 }],
  "missed-bonus-turn": [{ houses: 1 }],
  "gave-bonus-turns": [{ houses: 0, turns: 2 }],
  beautiful: [{ houses: 1 }, { houses: 1, seeds: 1 }],
  "only-win": [{ houses: 0 }],
  "only-tie": [{ houses: 0 }],
  starved: [{ houses: 0, seeds: 1 }],
  captured: [{ houses: 0, seeds: 2 }],
  "bonus-turns": [{ houses: 0, turns: 2 }],
};

const HOUSES = ["A", "B", "C", "D", "E", "F", "a", "b", "c", "d", "e", "f"];

/** The numbers of seeds and of bonus turns, from a least one on. @param {number | undefined} least */
const numbers = (least) =>
  least === undefined ? [null] : [0, 1, 2, 3, 9, 10, 40].map((more) => least + more);

/** Returns all reasons of each kind, with all houses and some numbers. @returns {Reason[]} */
const allReasons = () =>
  Object.entries(KINDS).flatMap(([name, forms]) => {
    const kind = /** @type {ReasonKind} */ (name);
    return forms.flatMap(({ houses, seeds: leastSeeds, turns: leastTurns }) =>
      (houses > 0 ? HOUSES : [null]).flatMap((house) =>
        (houses > 1 ? HOUSES : [null]).flatMap((other) =>
          numbers(leastSeeds).flatMap((seeds) =>
            numbers(leastTurns).map((turns) => ({ kind, house, other_house: other, seeds, turns })),
          ),
        ),
      ),
    );
  });

test("each reason has a whole sentence of its own in both languages", () => {
  const reasons = allReasons();
  assert.ok(reasons.length > 2_000);
  for (const { reasons: sentences } of [en, de]) {
    for (const notation of [LETTERS, COLUMNS]) {
      /** @type {Map<string, string>} */
      const known = new Map();
      for (const reason of reasons) {
        const text = reasonText(reason, notation, { tellsBetterMove: true, sentences });
        const context = `${JSON.stringify(reason)}: ${text}`;
        assert.doesNotMatch(text, /undefined|null|NaN|\$|\{|\[/, context);
        assert.match(text, /^\p{Lu}.*[^ .]\.$/u, context);
        assert.doesNotMatch(text, / {2}| \./, context);
        for (const number of [reason.seeds, reason.turns]) {
          // One seed has words without a number in some sentences.
          assert.ok(number === null || number === 1 || text.includes(String(number)), context);
        }
        assert.equal(known.get(text) ?? reason.kind, reason.kind, context);
        known.set(text, reason.kind);
      }
    }
  }
});

test("one seed and several have their own words", () => {
  for (const { reasons: sentences } of [en, de]) {
    for (const kind of /** @type {const} */ (["gave-last-seeds", "starved", "missed-capture"])) {
      const [one, two] = [1, 2].map((seeds) =>
        reasonText({ kind, house: "A", other_house: "A", seeds, turns: null }, LETTERS, {
          tellsBetterMove: true,
          sentences,
        }),
      );
      assert.notEqual(one, two);
      assert.doesNotMatch(String(one), /1 seeds|last 1|letzten 1/);
      assert.doesNotMatch(String(two), /2 seed\b/);
    }
  }
});

test("the names of houses are those of the settings", () => {
  /** @type {Reason} */
  const reason = {
    kind: "left-capture",
    house: "b",
    other_house: "C",
    seeds: 5,
    turns: null,
  };
  const form = { tellsBetterMove: true, sentences: en.reasons };
  assert.equal(reasonText(reason, LETTERS, form), "It left house b open to a capture of 5 seeds.");
  assert.equal(reasonText(reason, COLUMNS, form), "It left column 5 open to a capture of 5 seeds.");
});

test("a sentence that does not tell the better move names no house of it", () => {
  const missed = allReasons().filter(({ kind }) => kind.startsWith("missed"));
  for (const { reasons: sentences } of [en, de]) {
    for (const reason of missed) {
      const text = reasonText(reason, COLUMNS, { tellsBetterMove: false, sentences });
      assert.doesNotMatch(text, /house|column|Mulde|Spalte/, text);
    }
  }
});

test("reasons of a cost that is not proven are estimates", () => {
  /** @type {Reason} */
  const reason = {
    kind: "missed-bonus-turn",
    house: "C",
    other_house: null,
    seeds: null,
    turns: null,
  };
  const form = { tellsBetterMove: true, sentences: en.reasons };
  const text = (/** @type {number} */ lower) =>
    reasonsText(
      { reasons: [reason], grade: "mistake", cost: { lower, upper: 9, exact: false } },
      LETTERS,
      form,
    );
  assert.equal(text(2), "It missed a bonus turn with house C.");
  assert.equal(text(0), "By estimate: It missed a bonus turn with house C.");
  const none = { reasons: [], grade: null, cost: { lower: 0, upper: 0, exact: true } };
  assert.equal(reasonsText(none, LETTERS, form), "");
});

test("beautiful moves and only moves have a symbol", () => {
  const of = (/** @type {ReasonKind[]} */ ...kinds) =>
    highlightSymbol({
      reasons: kinds.map((kind) => ({
        kind,
        house: null,
        other_house: null,
        seeds: null,
        turns: null,
      })),
    });
  assert.deepEqual(
    [of("beautiful", "only-win"), of("only-win"), of("captured", "only-tie"), of("captured"), of()],
    ["!!", "!", "!", "", ""],
  );
});
