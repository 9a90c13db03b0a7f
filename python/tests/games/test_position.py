"""Rules, moves and positions, against the reference implementation and published counts."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import kalah
from games.reference import ALL_RULES, PRESETS, ReferencePosition, ReferenceRules, SideName
from kalah import Side

REPOSITORY = Path(__file__).resolve().parents[3]
PERFT_FILE = REPOSITORY / "crates/core/kalah/tests/data/perft.txt"

SIZES = [(houses, seeds) for houses in range(1, 10) for seeds in range(1, 8)]
SIDE_NAMES: list[SideName] = ["south", "north"]


def assert_agrees(position: kalah.Position, reference: ReferencePosition) -> None:
    """Asserts that every property of a position equals that of the reference."""
    assert str(position) == reference.text
    assert [str(move) for move in position.legal_moves] == reference.legal_moves
    assert position.is_over == reference.is_over
    assert position.to_move.value == reference.to_move
    assert position.houses == len(reference.rows["south"])
    in_play = sum(map(sum, reference.rows.values()))
    assert position.seeds_in_play == in_play
    assert position.total == in_play + sum(reference.stores.values())
    for name in SIDE_NAMES:
        side = Side(name)
        assert position.row(side) == reference.rows[name]
        assert position.store(side) == reference.stores[name]
    mover = position.to_move
    assert position.lead == position.store(mover) - position.store(mover.opponent)
    if reference.is_over:
        south, north = reference.stores["south"], reference.stores["north"]
        outcome = position.outcome
        assert outcome is not None
        assert (outcome.south, outcome.north) == (south, north)
        assert outcome.margin(Side.SOUTH) == -outcome.margin(Side.NORTH) == south - north
        winners = {1: Side.SOUTH, 0: None, -1: Side.NORTH}
        assert outcome.winner is winners[(south > north) - (south < north)]
    else:
        assert position.outcome is None


def play_random_game(
    position: kalah.Position, reference: ReferencePosition, generator: random.Random
) -> int:
    """Plays a random game in both implementations, and returns the number of plies."""
    plies = 0
    assert_agrees(position, reference)
    while moves := reference.legal_moves:
        move = generator.choice(moves)
        position, reference = position.play(move), reference.play(move)
        assert_agrees(position, reference)
        plies += 1
    return plies


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.text)
def test_random_games_agree_with_the_reference(rules: ReferenceRules) -> None:
    generator = random.Random(1)
    for houses, seeds in SIZES:
        for _ in range(3):
            start = kalah.Position.start(houses, seeds, rules=rules.text)
            play_random_game(start, ReferencePosition.start(houses, seeds, rules), generator)


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.text)
def test_games_from_random_boards_agree_with_the_reference(rules: ReferenceRules) -> None:
    generator = random.Random(2)
    for _ in range(150):
        houses = generator.randint(1, 9)
        max_seeds = generator.choice([1, 2, 5, 40])

        def row(houses: int = houses, max_seeds: int = max_seeds) -> tuple[int, ...]:
            return tuple(
                generator.choice([0, generator.randint(0, max_seeds)]) for _ in range(houses)
            )

        reference = ReferencePosition(
            rules,
            {"south": row(), "north": row()},
            {"south": generator.randint(0, 50), "north": generator.randint(0, 50)},
            generator.choice(SIDE_NAMES),
            3,
        )
        position = kalah.Position(reference.text, rules=rules.text)
        play_random_game(position, reference.swept_if_over(), generator)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_fields_of_the_reference(name: str) -> None:
    rules, expected = kalah.Rules(name), PRESETS[name]
    assert rules == kalah.Rules(expected.text)
    assert str(rules) == rules.name == name
    assert rules.ends == expected.ends
    assert rules.capture == expected.capture
    assert rules.swap is expected.swap
    assert rules.first_bonus is expected.first_bonus
    assert getattr(kalah.Rules, name.upper().replace("-", "_")) == rules


@pytest.mark.parametrize("rules", ALL_RULES, ids=lambda rules: rules.text)
def test_every_combination_of_rules_survives_its_text(rules: ReferenceRules) -> None:
    parsed = kalah.Rules(rules.text)
    assert kalah.Rules(str(parsed)) == parsed
    assert eval(repr(parsed), {"Rules": kalah.Rules}) == parsed
    assert (parsed.name is None) == (rules not in PRESETS.values())


def perft_rows() -> list[tuple[str, int, int, list[int]]]:
    """Returns the rows of the counts that two other implementations agree on."""
    rows = []
    for line in PERFT_FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            rules, houses, seeds, *counts = line.split()
            rows.append((rules, int(houses), int(seeds), [int(count) for count in counts]))
    assert rows
    return rows


@pytest.mark.parametrize(("rules", "houses", "seeds", "counts"), perft_rows())
def test_perft_gives_the_published_counts(
    rules: str, houses: int, seeds: int, counts: list[int]
) -> None:
    start = kalah.Position.start(houses, seeds, rules=rules)
    assert kalah.perft(start, 0) == 1
    for depth, count in enumerate(counts, start=1):
        assert kalah.perft(start, depth) == count
        assert kalah.perft(f"{houses}x{seeds}", depth, rules=rules) == count


def test_perft_counts_swaps_and_follows_no_finished_game() -> None:
    assert kalah.perft("6x4", 2, rules="mankalah") == 6 * 7
    assert kalah.perft("<1,3,5,0,0> s", 0) == 1
    assert kalah.perft("<1,3,5,0,0> s", 1) == 0
    # A depth beyond every game is no problem for the stack.
    assert kalah.perft("2x2", 2**32 - 1) == 0
    assert kalah.perft("1x32767", 2**32 - 1) == 0


def reachable_positions(count: int) -> list[kalah.Position]:
    """Returns positions of random games under all rules."""
    generator = random.Random(3)
    positions: list[kalah.Position] = []
    while len(positions) < count:
        houses, seeds = generator.choice(SIZES)
        rules = generator.choice(ALL_RULES).text
        position = kalah.Position.start(houses, seeds, rules=rules)
        for _ in range(generator.randint(0, 30)):
            if moves := position.legal_moves:
                position = position.play(generator.choice(moves))
        positions.append(position)
    return positions


POSITIONS = reachable_positions(300)


def test_text_and_representation_give_the_position_back() -> None:
    for position in POSITIONS:
        again = kalah.Position(str(position), rules=position.rules)
        assert again == position
        assert hash(again) == hash(position)
        assert again.legal_moves == position.legal_moves
        assert eval(repr(position), {"Position": kalah.Position}) == position


def test_turned_exchanges_the_sides_and_twice_changes_nothing() -> None:
    for position in POSITIONS:
        turned = position.turned()
        assert turned.turned() == position
        assert turned.to_move is position.to_move.opponent
        assert turned.rules == position.rules
        assert turned.lead == position.lead
        for side in Side:
            assert turned.row(side) == position.row(side.opponent)
            assert turned.store(side) == position.store(side.opponent)
        moves, turned_moves = position.legal_moves, turned.legal_moves
        assert [str(move).swapcase() for move in moves if not move.is_swap] == [
            str(move) for move in turned_moves if not move.is_swap
        ]
        for move, turned_move in zip(moves, turned_moves, strict=True):
            assert position.play(move).turned() == turned.play(turned_move)


def test_play_leaves_its_position_unchanged() -> None:
    for position in POSITIONS:
        before = str(position)
        for move in position.legal_moves:
            assert position.play(move) != position
        assert str(position) == before


def test_letter_number_and_object_mean_the_same_move() -> None:
    for position in POSITIONS:
        for move in position.legal_moves:
            after = position.play(move)
            assert position.play(str(move)) == after
            assert position.play(kalah.Move(str(move))) == after
            if move.house is not None:
                assert position.play(move.house) == after


def test_equal_positions_are_one_key_and_others_differ() -> None:
    texts = {(str(position), str(position.rules)) for position in POSITIONS}
    assert len(set(POSITIONS)) == len(texts)
    start = kalah.Position.start(6, 4)
    assert start == kalah.Position("6x4", rules="cs32") == kalah.Position(start)
    assert start != kalah.Position("6x4", rules="standard")
    assert start != kalah.Position("<6,0,0,4,4,4,4,4,4,4,4,4,4,4,4> n")
    others: list[object] = ["6x4", None, 1]
    assert all(start != other for other in others)


def test_default_start_is_the_board_of_the_assignment() -> None:
    start = kalah.Position.start()
    assert start == kalah.Position.start(6, 4, rules=kalah.Rules.CS32)
    assert start == kalah.Position.start(houses=None, seeds=None, rules=None)


@given(st.text("0123456789<>,snplyx= =12", max_size=40))
def test_texts_are_positions_or_parse_errors(text: str) -> None:
    try:
        position = kalah.Position(text)
    except kalah.ParseError as error:
        assert str(error)
    else:
        assert kalah.Position(str(position)) == position


def test_moves_are_ordered_by_side_and_house() -> None:
    letters = [*"ABCDEFGHIJKLMNOPQRSTUVWXYZ", *"abcdefghijklmnopqrstuvwxyz"]
    moves = [kalah.Move(letter) for letter in [*letters, "swap"]]
    assert len(set(moves)) == 53
    for move in moves:
        assert eval(repr(move), {"Move": kalah.Move}) == move
        assert kalah.Move(str(move)) == move
    for side, side_letters in ((Side.SOUTH, letters[:26]), (Side.NORTH, letters[26:])):
        side_moves = [kalah.Move(letter) for letter in side_letters]
        assert all(first < second for first, second in pairwise(side_moves))
        assert [move.house for move in side_moves] == list(range(1, 27))
        assert {move.side for move in side_moves} == {side}
    swap = kalah.Move("swap")
    assert swap.is_swap
    assert swap.side is None
    assert swap.house is None
    with pytest.raises(TypeError):
        swap < "A"  # type: ignore[operator]


def test_outcomes_are_values() -> None:
    outcome = kalah.Outcome(30, 18)
    assert outcome == kalah.Outcome(south=30, north=18)
    assert hash(outcome) == hash(kalah.Outcome(30, 18))
    assert outcome != kalah.Outcome(18, 30)
    assert eval(repr(outcome), {"Outcome": kalah.Outcome}) == outcome
    assert outcome.winner is Side.SOUTH
    assert kalah.Outcome(65535, 0).margin(Side.NORTH) == -65535
