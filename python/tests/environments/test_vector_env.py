"""The environment of many games."""

import gc
import itertools
import resource
import sys
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kalah

SIZES = [(1, 1), (2, 3), (3, 2), (6, 4), (7, 3), (8, 2), (6, 30)]
RULES = ["cs32", "standard", "empty-capture", "mankalah"]


def observe(position: kalah.Position) -> list[int]:
    """Returns the observation of a position."""
    own, other = position.to_move, position.to_move.opponent
    return [
        *position.row(own),
        position.store(own),
        *position.row(other),
        position.store(other),
    ]


def mask_of(position: kalah.Position, actions: int) -> list[bool]:
    legal = [
        actions - 1 if move.is_swap else (move.house or 0) - 1 for move in position.legal_moves
    ]
    return [action in legal for action in range(actions)]


def test_the_rules_are_standard_by_default() -> None:
    start = kalah.Position.start(6, 4, "standard")
    assert kalah.VectorEnv(1).position(0) == start
    assert kalah.VectorEnv(1, start="6x4").position(0) == start
    # A position has its own rules.
    assert kalah.VectorEnv(1, start=kalah.Position("6x4")).position(0) == kalah.Position("6x4")


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
def test_games_follow_the_rules(houses: int, seeds: int, rules: str) -> None:
    games = 40
    env = kalah.VectorEnv(games, houses, seeds, rules, seed=1, auto_reset=False)
    positions = [kalah.Position.start(houses, seeds, rules=rules)] * games
    observation = env.reset()
    for _ in range(300):
        assert observation.tolist() == [observe(position) for position in positions]
        mask = env.legal_mask()
        assert mask.tolist() == [mask_of(position, env.actions) for position in positions]
        actions = env.sample_actions()
        observation, reward, done = env.step(actions)
        for game, before in enumerate(positions):
            if before.is_over:
                assert (reward[game], done[game]) == (0, True)
                continue
            side = before.to_move
            is_swap = actions[game] == before.houses
            after = before.play("swap" if is_swap else int(actions[game]) + 1)
            positions[game] = after
            lead = after.store(side) - after.store(side.opponent)
            assert reward[game] == lead - before.lead
            assert done[game] == after.is_over
        if all(position.is_over for position in positions):
            break
        sides = ["south" if side == 0 else "north" for side in env.to_move()]
        assert all(
            position.is_over or side == position.to_move.value
            for side, position in zip(sides, positions, strict=True)
        )
    assert [env.position(game) for game in range(games)] == positions


@pytest.mark.parametrize("rules", RULES)
def test_rewards_add_up_to_the_margin(rules: str) -> None:
    env = kalah.VectorEnv(200, rules=rules, seed=5)
    env.reset()
    totals = np.zeros(200, np.int64)
    finished = 0
    for _ in range(400):
        sign = 1 - 2 * env.to_move().astype(np.int64)
        position = env.position(0)
        actions = env.sample_actions()
        _, reward, done = env.step(actions)
        totals += sign * reward
        if done[0] and not position.is_over:
            house = int(actions[0]) + 1
            last = position.play("swap" if house > 6 else house)
            outcome = last.outcome
            assert outcome is not None
            assert totals[0] == outcome.margin(kalah.Side.SOUTH)
        finished += int(done.sum())
        totals[done] = 0
    assert finished > 0


def test_arrays_of_the_caller_are_filled() -> None:
    env, twin = (kalah.VectorEnv(16, seed=2) for _ in range(2))
    observation = np.empty((16, 14), np.uint8)
    mask, actions = np.empty((16, 6), np.bool_), np.empty(16, np.int64)
    reward, done = np.empty(16, np.int32), np.empty(16, np.bool_)
    side = np.empty(16, np.uint8)
    assert env.reset(observation=observation) is observation
    twin.reset()
    for _ in range(50):
        assert env.sample_actions(actions=actions) is actions
        expected = twin.sample_actions()
        assert (actions == expected).all()
        results = env.step(actions, observation=observation, reward=reward, done=done)
        assert [
            result is given
            for result, given in zip(results, (observation, reward, done), strict=True)
        ]
        for result, other in zip(results, twin.step(expected), strict=True):
            assert (result == other).all()
        assert (env.legal_mask(mask=mask) == twin.legal_mask()).all()
        assert (env.to_move(side=side) == twin.to_move()).all()


def test_games_depend_on_the_seed_only() -> None:
    def play(threads: int, seed: int) -> NDArray[Any]:
        env = kalah.VectorEnv(100, seed=seed, threads=threads, random_plies=4)
        env.reset()
        return np.stack([env.step(env.sample_actions())[0] for _ in range(100)])

    assert (play(1, 7) == play(3, 7)).all()
    assert (play(1, 7) != play(1, 8)).any()
    env = kalah.VectorEnv(100, seed=8, random_plies=4)
    env.sample_actions()
    again = env.reset(seed=7)
    assert (again == kalah.VectorEnv(100, seed=7, random_plies=4).observe()).all()


def test_openings_are_drawn() -> None:
    openings = ["<3,1,0,2,2,1,2,2,2> s", "<3,0,1,2,2,2,1,2,2> n"]
    env = kalah.VectorEnv(300, houses=3, seeds=2, openings=openings, seed=1)
    positions = {str(env.position(game)) for game in range(300)}
    assert positions == set(openings)


@pytest.mark.parametrize("rules", RULES)
def test_exact_gains_are_those_of_the_solver(rules: str) -> None:
    env = kalah.VectorEnv(30, 3, 3, rules, seed=3, random_plies=3, exact=True, auto_reset=False)
    engine = kalah.Engine()
    known = 0
    for _ in range(12):
        gains = env.exact_gains()
        mask = env.legal_mask()
        for game, action in itertools.product(range(30), range(env.actions)):
            gain = gains[game, action]
            if gain == kalah.VectorEnv.UNKNOWN_GAIN:
                continue
            assert mask[game, action]
            position = env.position(game)
            move = "swap" if action == position.houses else action + 1
            assert gain == engine.analyse(position)[move].margin - position.lead
            known += 1
        env.step(env.sample_actions())
    assert known > 300


def test_large_boards_count_in_16_bits() -> None:
    env = kalah.VectorEnv(2, houses=6, seeds=30)
    assert env.observation_dtype == "uint16"
    assert env.reset().dtype == np.uint16
    assert env.observation_shape == (2, 14)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda env: env.step([0]), kalah.KalahError, "actions: expected 4 elements, not 1"),
        (lambda env: env.step([0.5] * 4), TypeError, "actions: expected integers"),
        (lambda env: env.step([[0], [0, 1]]), TypeError, "actions: expected integers: "),
        (
            lambda env: env.step(np.array([2**63, 0, 0, 0], np.uint64)),
            kalah.KalahError,
            f"actions: expected integers up to {2**63 - 1}, not {2**63}",
        ),
        (
            lambda env: env.step([0] * 4, reward=np.frombuffer(bytearray(17), np.int32, 4, 1)),
            kalah.KalahError,
            "reward: expected an aligned array",
        ),
        (lambda env: env.step(None), TypeError, "actions: expected integers"),
        (lambda env: env.step([9] * 4), kalah.IllegalMoveError, "game 0: there is no action 9"),
        (lambda env: env.step([0, 0, -1, 0]), kalah.IllegalMoveError, "game 2: there is no action"),
        (lambda env: env.step(np.zeros((2, 2), int)), kalah.KalahError, "actions: expected one"),
        (
            lambda env: env.step([0] * 4, observation=np.zeros((4, 14), np.int8)),
            TypeError,
            "observation: expected a NumPy array of uint8 with 2 dimensions",
        ),
        (
            lambda env: env.step([0] * 4, observation=np.zeros((4, 15), np.uint8)),
            kalah.KalahError,
            "observation: expected shape [4, 14], not [4, 15]",
        ),
        (
            lambda env: env.observe(observation=np.zeros((14, 4), np.uint8).T),
            kalah.KalahError,
            "observation: expected a C-contiguous array",
        ),
        (lambda env: env.exact_gains(), kalah.KalahError, "exact_gains needs an endgame table"),
        (lambda env: env.position(4), kalah.KalahError, "game: expected 0 to 3, not 4"),
        (
            lambda env: env.set_position(1, "5x4"),
            kalah.KalahError,
            "position: it has 5 houses a side",
        ),
        (
            lambda env: env.play_opponent(np.full(4, 7, np.uint8)),
            kalah.KalahError,
            "player: expected elements 0 and 1, not 7",
        ),
        (lambda _: kalah.VectorEnv(0), kalah.KalahError, "games: expected 1 to"),
        (lambda _: kalah.VectorEnv(1, openings=[]), kalah.KalahError, "openings: there are no"),
        (lambda _: kalah.VectorEnv(1, openings="6x4"), TypeError, "openings: expected an iterable"),
        (
            lambda _: kalah.VectorEnv(1, openings=["6x4", "5x4"]),
            kalah.KalahError,
            "openings: position 1 cannot be a start: it has 5 houses a side",
        ),
        (
            lambda _: kalah.VectorEnv(1, openings=["6x"]),
            kalah.ParseError,
            "openings: position `6x`",
        ),
        (lambda _: kalah.VectorEnv(1, openings=[4]), TypeError, "openings: expected Position"),  # type: ignore[list-item]
        (
            lambda _: kalah.VectorEnv(1, exact=kalah.Table.build(2, 2)),
            kalah.KalahError,
            "exact: expected a table for 6 houses a side under the rules standard, not for 2",
        ),
        (lambda _: kalah.VectorEnv(1, start=4), TypeError, "start: expected Position or str"),  # type: ignore[arg-type]
        (lambda _: kalah.VectorEnv(1, start="x"), kalah.ParseError, "start: position `x`"),
        (lambda _: kalah.VectorEnv(1, auto_reset=0), TypeError, "auto_reset: expected bool"),  # type: ignore[arg-type]
        (lambda _: kalah.VectorEnv(1, seeds=0), kalah.KalahError, "seeds: expected at least 1"),
        (
            lambda _: kalah.VectorEnv(1, seeds=10**30),
            kalah.KalahError,
            f"seeds: expected 0 to 5461, not {10**30}",
        ),
        (lambda _: kalah.VectorEnv(1, openings=4), TypeError, "openings: expected an iterable"),  # type: ignore[arg-type]
        (lambda _: kalah.VectorEnv(1, exact=4), TypeError, "exact: expected bool or Table"),  # type: ignore[arg-type]
        (lambda _: kalah.VectorEnv(1, start="<1,3,5,0,0> s"), kalah.KalahError, "start: the game"),
        (lambda _: kalah.VectorEnv(1, 6, start="6x4"), TypeError, "start: expected either start"),
    ],
)
def test_refused_calls_change_nothing(
    call: Callable[[Any], Any], error: type[Exception], text: str
) -> None:
    env = kalah.VectorEnv(4, seed=1)
    before = env.observe()
    with pytest.raises(error) as caught:
        call(env)
    assert text in str(caught.value)
    assert (env.observe() == before).all()


def test_read_only_and_repeated_arrays_are_refused() -> None:
    env = kalah.VectorEnv(4, seed=1)
    observation = np.zeros((4, 14), np.uint8)
    observation.flags.writeable = False
    with pytest.raises(kalah.KalahError, match="observation: the array is read-only"):
        env.observe(observation=observation)
    with pytest.raises(kalah.KalahError, match="observation"):
        env.step([0] * 4, observation=observation)
    # The plies were not made.
    assert (env.to_move() == 0).all()
    pair = np.zeros(4, np.int64)
    with pytest.raises(kalah.KalahError, match="reward: the array is in use"):
        env.step(pair, reward=pair.view(np.int32)[:4])
    shared = np.zeros(4, np.int64)
    with pytest.raises(TypeError, match="reward"):
        env.step(shared, reward=shared)  # type: ignore[arg-type]


def test_threads_share_an_environment() -> None:
    env = kalah.VectorEnv(64, seed=1)

    def play() -> None:
        for _ in range(200):
            env.legal_mask()
            env.observe()
            env.reset()

    threads = [threading.Thread(target=play) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert env.observe().sum() == 64 * 48


@pytest.mark.skipif(sys.platform == "win32", reason="the module resource exists on Unix only")
def test_memory_stays_level_over_millions_of_plies() -> None:
    env = kalah.VectorEnv(1024, seed=1)

    def play(steps: int) -> None:
        for _ in range(steps):
            env.step(env.sample_actions())
            env.legal_mask()

    play(100)
    gc.collect()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    play(10_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 32 * 1024
