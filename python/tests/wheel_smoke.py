"""Uses an installed wheel as a program of a user does; it needs no other package than NumPy."""

import importlib.metadata

import kalah


def main() -> None:
    """Plays a game of first legal moves, prints the outcome, and compares the version."""
    position = kalah.Position.start(6, 4, rules="standard")
    while moves := position.legal_moves:
        position = position.play(moves[0])
    assert position.outcome is not None
    assert position._repr_svg_().startswith("<svg")
    assert kalah.perft("6x4", 5, rules="standard") == 4690
    assert kalah.__version__ == importlib.metadata.version("kalah")
    print(position.outcome)


if __name__ == "__main__":
    main()
