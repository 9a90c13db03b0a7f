"""The agent function of Kaggle, and games of the environment where it is installed."""

import importlib.util
import json
import random
from typing import Any

import pytest

import kalah
from kalah import Position, Side
from kalah.kaggle import agent, make_agent

GAMES = 50


def observation(position: Position, player: int) -> dict[str, Any]:
    board = [position.store(Side.NORTH), *position.row(Side.SOUTH)]
    board += [position.store(Side.SOUTH), *position.row(Side.NORTH)]
    to_move = -4 if position.is_over else int(position.to_move is Side.NORTH)
    state = {"board": board, "current_player": to_move, "is_terminal": position.is_over}
    return {"playerId": player, "observationString": json.dumps(state)}


def test_random_games_agree_with_the_rules() -> None:
    rng = random.Random(2)
    seen: list[Position] = []

    def choose(position: Position) -> kalah.Move:
        seen.append(position)
        return rng.choice(position.legal_moves)

    play = make_agent(choose)
    for _ in range(GAMES):
        position = Position.start(6, 4, "standard")
        while not position.is_over:
            player = int(position.to_move is Side.NORTH)
            waiting = play(observation(position, 1 - player), {})
            assert waiting == {"submission": -1}
            submission = play(observation(position, player), {})["submission"]
            assert str(seen[-1]) == str(position)
            position = position.play(submission - 7 * player)
        assert play(observation(position, 0)) == {"submission": -1}


def test_the_default_agent_wins_against_the_first_legal_move() -> None:
    opponent = make_agent("first")
    position = Position.start(6, 4, "standard")
    while not position.is_over:
        player = int(position.to_move is Side.NORTH)
        choose = agent if player == 0 else opponent
        submission = choose(observation(position, player))["submission"]
        position = position.play(submission - 7 * player)
    assert position.outcome is not None
    assert position.outcome.winner is Side.SOUTH


def test_an_observation_without_a_state_gets_no_submission() -> None:
    states: list[Any] = ["", None, {}]
    for state in states:
        assert agent({"playerId": 0, "observationString": state}) == {"submission": -1}


def test_a_board_of_another_game_is_refused() -> None:
    state = {"board": [0] * 10, "current_player": 0}
    with pytest.raises(kalah.KalahError, match="board: expected 14 numbers, not 10"):
        agent({"playerId": 0, "observationString": state})


# The package needs an older Gymnasium than the other tests, so it has an environment of its own.
@pytest.mark.skipif(
    importlib.util.find_spec("kaggle_environments") is None,
    reason="kaggle_environments is not installed",
)
@pytest.mark.filterwarnings("ignore")
def test_the_environment_of_kaggle_accepts_all_submissions() -> None:
    import kaggle_environments

    configuration = {"includeLegalActions": True}
    for players in [("level:2", "first"), ("random", "level:3"), ("random", "random")]:
        env = kaggle_environments.make("open_spiel_mancala", configuration)
        env.run([make_agent(player) for player in players])
        assert [state.status for state in env.state] == ["DONE", "DONE"]
        state = json.loads(env.state[0].observation["observationString"])
        assert state["is_terminal"]
        assert sum(state["board"]) == 48
