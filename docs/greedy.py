#!/usr/bin/env python3
"""A whole engine for docs/engine-protocol.md: it sows whatever banks the most seeds at once."""

import copy
import sys

PRESETS = {
    "cs32": "ends=stuck,capture=opposite,swap=no,first-bonus=yes",
    "standard": "ends=row,capture=opposite,swap=no,first-bonus=yes",
    "empty-capture": "ends=row,capture=always,swap=no,first-bonus=yes",
    "mankalah": "ends=row,capture=opposite,swap=yes,first-bonus=no",
}


class Game:
    """Side 0 is South, side 1 North; houses are numbered from 0 in their owner's sowing order."""

    def __init__(self, text):
        text, _, moves = text.partition(" moves ")
        text, _, rules = text.partition(" rules ")
        self.rules = PRESETS.get(rules.strip() or "cs32", rules)
        if text.startswith("startpos"):
            houses, seeds = map(int, text.split()[1].split("x"))
            self.stores, self.rows = [0, 0], [[seeds] * houses, [seeds] * houses]
            self.side, self.ply = 0, 1
        else:
            numbers, _, words = text.strip(" <").partition(">")
            houses, south, north, *seeds = map(int, numbers.split(","))
            self.stores, self.rows = [south, north], [seeds[:houses], seeds[houses:]]
            self.side = 1 if "n" in words.split() else 0
            self.ply = 1 if "ply=1" in words else 2
        for word in moves.split():
            for letter in [word] if word == "swap" else word:
                if letter != "swap":
                    self.sow(ord(letter.upper()) - ord("A"))
                self.ply += 1

    def sow(self, house):
        own, other = self.rows[self.side], self.rows[1 - self.side]
        houses = len(own)
        seeds, own[house] = own[house], 0
        pit = house
        for _ in range(seeds):
            pit = (pit + 1) % (2 * houses + 1)
            if pit < houses:
                own[pit] += 1
            elif pit == houses:
                self.stores[self.side] += 1
            else:
                other[pit - houses - 1] += 1
        if pit == houses and (self.ply > 1 or "first-bonus=yes" in self.rules):
            return
        if pit < houses and own[pit] == 1:
            opposite = houses - 1 - pit
            if other[opposite] or "capture=always" in self.rules:
                self.stores[self.side] += 1 + other[opposite]
                own[pit] = other[opposite] = 0
        self.side = 1 - self.side

    def is_over(self):
        ends_with_any = "ends=row" in self.rules and not any(self.rows[1 - self.side])
        return ends_with_any or not any(self.rows[self.side])

    def best(self):
        def banked(house):
            after = copy.deepcopy(self)
            after.sow(house)
            return after.stores[self.side] + (after.side == self.side)

        if self.is_over():
            return "none"
        house = max((h for h, seeds in enumerate(self.rows[self.side]) if seeds), key=banked)
        return chr(ord("aA"[self.side == 0]) + house)


game, waits = Game("startpos 6x4"), False
for line in sys.stdin:
    word, _, rest = " ".join(line.split()).partition(" ")
    if word == "uki":
        print("id name Greedy\nid author the Kalah project\nukiok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "position":
        try:
            game = Game(rest + " ")
        except (ValueError, IndexError) as reason:
            print("error", rest, "is no position:", reason, flush=True)
    elif word == "go" and "infinite" in rest.split():
        waits = True
    elif word == "go" or (word == "stop" and waits):
        print("bestmove", game.best(), flush=True)
        waits = False
    elif word == "quit":
        break
    elif word not in ("", "newgame", "stop"):
        print("error", word, "is nothing that is done here", flush=True)
