"""A Kalah bot that speaks UKI. It receives the current position, so that it needs no rules."""

import sys


def score(own, other, house):
    """Returns how good it is to sow a house.

    PUT YOUR IDEAS HERE. `own` and `other` are the rows of the player to move and of the opponent,
    each in its owner's sowing order: house 0 is the farthest from its owner's store.
    """
    houses = len(own)
    last = (house + own[house]) % (2 * houses + 1)
    if last == houses:
        return 100 + house  # The last seed falls into the store: a bonus turn.
    if last < houses and own[last] == 0 and other[houses - 1 - last] > 0:
        return 1 + other[houses - 1 - last]  # A capture.
    return house / 100


def choose(own, other):
    """Returns the house to sow, None if all own houses are empty."""
    legal = [house for house, seeds in enumerate(own) if seeds > 0]
    return max(legal, key=lambda house: score(own, other, house), default=None)


def read_position(words):
    """Parses `position <houses,stores,South's houses,North's houses> s rules ...`.

    Returns the own row, the opponent's row, and whether South is to move.
    """
    houses, _, _, *rows = map(int, words[1].strip("<>").split(","))
    if houses < 1 or len(rows) != 2 * houses:
        raise ValueError
    south, north = rows[:houses], rows[houses:]
    return (south, north, True) if words[2] == "s" else (north, south, False)


def main():
    own, other, is_south = [], [], True
    for line in sys.stdin:
        words = line.split()
        command = words[0] if words else ""
        if command == "uki":
            print("id name My bot")
            print("option name Position type combo default now var now var moves")
            print("ukiok", flush=True)
        elif command == "isready":
            print("readyok", flush=True)
        elif command == "position":
            try:
                own, other, is_south = read_position(words)
            except (IndexError, ValueError):
                print("error not a position", flush=True)
        elif command == "go":
            house = choose(own, other)
            if house is None:
                print("bestmove none", flush=True)
            else:
                # Every line has to be flushed, or the host never sees it.
                print("bestmove", chr(ord("A" if is_south else "a") + house), flush=True)
        elif command == "quit":
            break


if __name__ == "__main__":
    main()
