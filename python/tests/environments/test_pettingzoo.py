"""The environment of PettingZoo: PettingZoo's own tests, and games against the rules."""

import copy
import functools
import pickle
import random
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kalah
import optional
from environments.player_view import RULES, SIZES, action_numbers, expected_observation
from kalah import Position, Side

pettingzoo: Any = optional.require("pettingzoo", "gymnasium", "PIL", "pygame")
adapter: Any = optional.require("kalah.pettingzoo")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    suites: Any = optional.require("pettingzoo.test")

GAMES = 8
#: Observations are dictionaries, which PettingZoo's tests also report for its own games, and the
#: tests give options that no game has.
EXPECTED_WARNINGS = [
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    "options: expected none, not 'options'",
]


@pytest.mark.parametrize(("houses", "seeds"), [(6, 4), (2, 2), (26, 30)])
@pytest.mark.parametrize("rules", RULES)
def test_api_test_and_seed_test_of_pettingzoo_pass(houses: int, seeds: int, rules: str) -> None:
    arguments = {"houses": houses, "seeds": seeds, "rules": rules}
    with warnings.catch_warnings():
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message)
        suites.api_test(adapter.env(**arguments), num_cycles=100)
        suites.api_test(adapter.env(**arguments, reward="margin", max_cycles=3), num_cycles=20)
    suites.seed_test(functools.partial(adapter.env, **arguments), num_cycles=50)


def test_max_cycles_test_of_pettingzoo_passes() -> None:
    # It draws actions without the mask and expects agents that alternate. On this board, every
    # action is legal in the first plies, and none gives a bonus turn.
    board = {"houses": 1, "seeds": 38, "rules": "standard"}
    module = types.SimpleNamespace(
        env=functools.partial(adapter.env, **board),
        parallel_env=functools.partial(adapter.parallel_env, **board),
    )
    suites.max_cycles_test(module)


def test_render_test_of_pettingzoo_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    suites.render_test(functools.partial(adapter.env, rules="mankalah"))


@pytest.mark.skipif(
    not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on"
)
def test_the_environments_are_registered() -> None:
    env = pettingzoo.make("aec", "kalah/Kalah-v0", houses=3, seeds=2, rules="standard")
    assert str(env) == "kalah_v0"
    env.reset()
    assert env.last()[0]["observation"].tolist() == [2, 2, 2, 0, 2, 2, 2, 0]
    parallel = pettingzoo.make("parallel", "kalah/Kalah-v0")
    assert parallel.possible_agents == ["player_0", "player_1"]


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
def test_random_games_agree_with_the_rules(houses: int, seeds: int, rules: str) -> None:
    rng = random.Random(f"{houses}x{seeds} {rules}")
    for number in range(GAMES):
        reward = "margin" if number % 2 else "win"
        env = adapter.env(houses=houses, seeds=seeds, rules=rules, reward=reward)
        env.reset()
        game = kalah.Game(Position.start(houses, seeds, rules))
        while not game.is_over:
            position = game.position
            agent = env.agent_selection
            owner = game.player_on(position.to_move)
            assert agent == ("player_0" if owner is Side.SOUTH else "player_1")
            observation, cumulative, terminated, truncated, _ = env.last()
            assert not cumulative
            assert not terminated
            assert not truncated
            seen = observation["observation"].tolist()
            assert seen == expected_observation(position, position.to_move), str(game)
            moves = list(position.legal_moves)
            numbers = action_numbers(position)
            assert observation["action_mask"].nonzero()[0].tolist() == numbers
            other = env.observe("player_1" if agent == "player_0" else "player_0")
            assert other["observation"].tolist() == expected_observation(
                position, position.to_move.opponent
            )
            assert not other["action_mask"].any()
            use_swap = number % 3 == 0 and moves[-1].is_swap
            index = len(moves) - 1 if use_swap else rng.randrange(len(moves))
            env.step(numbers[index])
            game.push(moves[index])
        outcome = game.outcome
        assert outcome is not None
        for began_as, agent in zip(Side, ["player_0", "player_1"], strict=True):
            side = Side.SOUTH if game.player_on(Side.SOUTH) is began_as else Side.NORTH
            margin = outcome.margin(side)
            assert env.terminations[agent]
            assert env.rewards[agent] == (margin if reward == "margin" else np.sign(margin))
        for _ in range(2):
            env.step(None)
        assert not env.agents


def test_a_swap_exchanges_the_sides_of_the_agents() -> None:
    env = adapter.raw_env(rules="mankalah")
    env.reset()
    env.step(0)
    assert env.agent_selection == "player_1"
    before = env.observe("player_1")["observation"].tolist()
    env.step(6)
    assert env.agent_selection == "player_0"
    assert env.side("player_0") is Side.NORTH
    assert env.observe("player_0")["observation"].tolist() == before
    assert env.observe("player_0")["action_mask"].tolist() == [1] * 6 + [0]


def test_an_illegal_action_loses() -> None:
    for reward, loss in [("win", -1), ("margin", -48)]:
        env = adapter.env(rules="standard", reward=reward)
        env.reset()
        env.step(2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            env.step(2)
        assert env.terminations == {"player_0": True, "player_1": True}
        assert env.rewards == {"player_0": loss, "player_1": 0}
    raw = adapter.raw_env(rules="standard")
    raw.reset()
    raw.step(2)
    with pytest.raises(kalah.IllegalMoveError, match="house C is empty"):
        raw.step(2)


def test_attributes_are_refused_before_the_reset() -> None:
    env = adapter.env()
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        _ = env.agent_selection
    env.reset()
    assert env.agent_selection == "player_0"


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("make", [adapter.raw_env, adapter.env])
def test_a_copy_goes_on_with_the_game(
    make: Callable[..., Any], copied: Callable[[Any], Any]
) -> None:
    env = make(rules="mankalah", reward="margin", max_cycles=40)
    rng = random.Random(4)
    env.reset()
    while env.agents:
        again = copied(env)
        assert again.unwrapped.position == env.unwrapped.position
        mask = env.last()[0]["action_mask"]
        action = None if env.terminations[env.agent_selection] else rng.choice(mask.nonzero()[0])
        before = env.unwrapped.position
        again.step(action)
        assert env.unwrapped.position == before, "the copy is a game of its own"
        env.step(action)
        assert again.agents == env.agents
        assert again.rewards == env.rewards
        for agent in env.agents:
            assert again.unwrapped.side(agent) is env.unwrapped.side(agent)
            for key, value in env.observe(agent).items():
                assert again.observe(agent)[key].tolist() == value.tolist()


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
def test_a_copy_of_the_parallel_form_goes_on_with_the_game(copied: Callable[[Any], Any]) -> None:
    env = adapter.parallel_env(max_cycles=4)
    env.reset()
    env.step({"player_0": 0, "player_1": 0})
    again = copied(env)
    for _ in range(3):
        results = [one.step({"player_0": 1, "player_1": 1}) for one in (env, again)]
        assert str(results[0]) == str(results[1])
    assert not again.agents


def test_a_new_copy_begins_with_a_reset() -> None:
    again = copy.deepcopy(adapter.env())
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        _ = again.agent_selection
    again.reset()
    assert again.unwrapped.position == Position.start(6, 4, "standard")


def test_a_reset_warns_of_options() -> None:
    for env in (adapter.raw_env(), adapter.env(), adapter.parallel_env()):
        env.reset(options={})
        with pytest.warns(UserWarning, match="options: expected none, not 'position'"):
            env.reset(options={"position": "6x4"})


def test_max_cycles_counts_turns() -> None:
    env = adapter.raw_env(rules="standard", max_cycles=1)
    env.reset()
    for action in [2, 0]:
        env.step(action)
        assert not any(env.truncations.values())
    env.step(5)
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


def test_wrong_arguments_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"reward": "seeds"}, "reward: expected win or margin, not `seeds`"),
        ({"max_cycles": 0}, "max_cycles: expected at least 1, not 0"),
        ({"seeds": 0}, "seeds: expected at least 1, not 0"),
        ({"render_mode": "text"}, "render_mode: expected human or rgb_array, not `text`"),
        ({"houses": 27}, "houses: expected 1 to 26, not 27"),
    ]
    for arguments, message in cases:
        with pytest.raises(kalah.KalahError, match=message):
            adapter.env(**arguments)
    with pytest.raises(kalah.KalahError, match="max_cycles: expected at least 1, not 0"):
        adapter.parallel_env(max_cycles=0)
    with pytest.raises(TypeError, match="max_cycles: expected an integer, not float"):
        adapter.env(max_cycles=1.5)
    with pytest.raises(kalah.KalahError, match="agent: expected player_0 or player_1, not `x`"):
        adapter.raw_env().side("x")


@pytest.mark.parametrize(
    ("action", "error", "message"),
    [
        (None, TypeError, "action: expected an integer, not NoneType"),
        (1.5, TypeError, "action: expected an integer, not float"),
        (True, TypeError, "action: expected an integer, not bool"),
        (-1, kalah.IllegalMoveError, "action: expected 0 to 5, not -1"),
        (6, kalah.IllegalMoveError, "action: expected 0 to 5, not 6"),
    ],
)
def test_wrong_actions_are_refused(action: Any, error: type[Exception], message: str) -> None:
    env = adapter.raw_env()
    env.reset()
    start = env.position
    with pytest.raises(error, match=message):
        env.step(action)
    assert env.position == start
