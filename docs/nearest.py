"""A UKI engine that needs no rules: it receives the current position, and sows the last house that
gives a bonus turn, or else the fullest one."""

import sys

rows, houses, is_south = [], 0, True
for line in sys.stdin:
    words = line.split()
    if words == ["uki"]:
        print("id name Nearest")
        print("option name Position type combo default now var now var moves")
        print("ukiok", flush=True)
    elif words == ["isready"]:
        print("readyok", flush=True)
    elif words[:1] == ["position"]:
        # position <houses,South's store,North's store,South's houses,North's houses> s or n ...
        try:
            houses, _, _, *rows = map(int, words[1].strip("<>").split(","))
            is_south = words[2] == "s"
        except (IndexError, ValueError):
            print("error not a position", flush=True)
    elif words[:1] == ["go"]:
        own = rows[:houses] if is_south else rows[houses:]
        bonus = [house for house, seeds in enumerate(own) if seeds == houses - house]
        house = bonus[-1] if bonus else own.index(max(own))
        letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[house]
        move = letter if is_south else letter.lower()
        print("bestmove", move if any(own) else "none", flush=True)
    elif words == ["quit"]:
        break
