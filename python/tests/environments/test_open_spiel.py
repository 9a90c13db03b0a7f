"""The game of OpenSpiel: OpenSpiel's own tests, its own mancala, and games against the rules."""

import os
import random
from typing import Any

import numpy as np
import pytest

import kalah
import optional
from environments.player_view import RULES, action_numbers, expected_observation
from kalah import Position, Side

pyspiel: Any = optional.require("pyspiel")
adapter: Any = optional.require("kalah.open_spiel")

SIZES = [(6, 4), (1, 3), (2, 2), (4, 3), (10, 10), (26, 2)]
GAMES = 4
#: Games against OpenSpiel's mancala; `KALAH_MANCALA_GAMES=10000` plays more.
MANCALA_GAMES = int(os.environ.get("KALAH_MANCALA_GAMES", "300"))
SOUTH_STORE, FIELDS = 7, 14


def load(houses: int, seeds: int, rules: str, utility: str = "win") -> Any:
    parameters = {"houses": houses, "seeds": seeds, "rules": rules, "utility": utility}
    return pyspiel.load_game("kalah", parameters)


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
def test_random_sim_test_of_open_spiel_passes(houses: int, seeds: int, rules: str) -> None:
    for utility in ["win", "margin"]:
        game = load(houses, seeds, rules, utility)
        pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
def test_random_games_agree_with_the_rules(houses: int, seeds: int, rules: str) -> None:
    rng = random.Random(f"{houses}x{seeds} {rules}")
    for number in range(GAMES):
        utility = "margin" if number % 2 else "win"
        state = load(houses, seeds, rules, utility).new_initial_state()
        game = kalah.Game(Position.start(houses, seeds, rules))
        while not game.is_over:
            position = game.position
            owner = game.player_on(position.to_move)
            assert state.current_player() == (0 if owner is Side.SOUTH else 1)
            assert state.position == position
            moves = list(position.legal_moves)
            numbers = action_numbers(position)
            assert state.legal_actions() == numbers
            assert [state.action_to_string(action) for action in numbers] == [
                str(move) for move in moves
            ]
            tensor = state.observation_tensor(state.current_player())
            seen = expected_observation(position, position.to_move)
            assert tensor == [*seen, 1, 0, moves[-1].is_swap]
            use_swap = number % 3 == 0 and moves[-1].is_swap
            index = len(moves) - 1 if use_swap else rng.randrange(len(moves))
            state.apply_action(numbers[index])
            game.push(moves[index])
        assert state.is_terminal()
        assert len(game) <= state.get_game().max_game_length()
        assert game.outcome is not None
        for began_as, value in zip(Side, state.returns(), strict=True):
            side = Side.SOUTH if game.player_on(Side.SOUTH) is began_as else Side.NORTH
            margin = game.outcome.margin(side)
            assert value == (margin if utility == "margin" else np.sign(margin))


def test_the_mancala_of_open_spiel_has_the_rules_standard() -> None:
    rng = random.Random(7)
    mancala = pyspiel.load_game("mancala")
    for _ in range(MANCALA_GAMES):
        state = mancala.new_initial_state()
        position = Position.start(6, 4, "standard")
        while not state.is_terminal():
            assert not position.is_over
            player = state.current_player()
            assert position.to_move is list(Side)[player]
            board = [int(seeds) for seeds in state.observation_tensor(0)[:FIELDS]]
            assert (*board[1:SOUTH_STORE],) == position.row(Side.SOUTH)
            assert (*board[SOUTH_STORE + 1 :],) == position.row(Side.NORTH)
            assert board[SOUTH_STORE] == position.store(Side.SOUTH)
            assert board[0] == position.store(Side.NORTH)
            first = player * SOUTH_STORE
            fields = [first + (move.house or 0) for move in position.legal_moves]
            assert state.legal_actions() == fields
            action = rng.choice(fields)
            state.apply_action(action)
            position = position.play(action - first)
        assert position.outcome is not None
        assert state.returns()[0] == np.sign(position.outcome.margin(Side.SOUTH))


def test_parameters_are_read_from_the_text_of_a_game() -> None:
    game = pyspiel.load_game("kalah(houses=5,seeds=3)")
    assert (game.num_distinct_actions(), game.max_utility(), game.min_utility()) == (5, 1, -1)
    assert game.start == Position.start(5, 3, "standard")
    game = pyspiel.load_game("kalah(rules=mankalah,utility=margin)")
    assert (game.num_distinct_actions(), game.max_utility()) == (7, 48)
    assert "kalah" in pyspiel.registered_names()


def test_a_swap_exchanges_the_sides_of_the_players() -> None:
    state = load(6, 4, "mankalah").new_initial_state()
    state.apply_action(0)
    assert state.current_player() == 1
    state.apply_action(6)
    assert (state.current_player(), state.side(0)) == (0, Side.NORTH)
    copied = state.clone()
    copied.apply_action(0)
    assert str(copied) != str(state)
    assert str(state).endswith("swapped")


def test_wrong_parameters_are_refused() -> None:
    for parameters, message in [
        ({"utility": "seeds"}, "utility: expected win or margin, not `seeds`"),
        ({"rules": "chess"}, "chess"),
        ({"seeds": 0}, "seeds: expected at least 1, not 0"),
    ]:
        with pytest.raises((kalah.KalahError, RuntimeError), match=message):
            pyspiel.load_game("kalah", parameters)


def test_wrong_actions_and_players_are_refused() -> None:
    state = load(3, 3, "standard").new_initial_state()
    state.apply_action(0)
    before = str(state)
    with pytest.raises(kalah.IllegalMoveError, match="action 0 is illegal: house A is empty"):
        state.apply_action(0)
    with pytest.raises(kalah.IllegalMoveError, match="action: expected 0 to 2, not 3"):
        state.apply_action(3)
    assert str(state) == before
    with pytest.raises(kalah.KalahError, match="action: expected 0 to 2, not 99"):
        state.action_to_string(0, 99)
    with pytest.raises(kalah.KalahError, match="player: expected 0 or 1, not 2"):
        state.side(2)
