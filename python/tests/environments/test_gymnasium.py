"""The environments of Gymnasium: Gymnasium's own tests, and games against the rules."""

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import kalah
import optional
from environments.player_view import RULES, SIZES, action_numbers, expected_observation
from kalah import Position, Side
from kalah.players import BuiltinPlayer

gymnasium: Any = optional.require("gymnasium", "PIL", "pygame")
adapter: Any = optional.require("kalah.gymnasium")
env_checker: Any = optional.require("gymnasium.utils.env_checker")

SIDES = ["south", "north", "random"]
GAMES = 6


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("rules", RULES)
def test_check_env_of_gymnasium_passes(
    rules: str, side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for opponent, reward in [("random", "win"), ("level:1", "margin")]:
        env = gymnasium.make(
            "kalah:Kalah-v0",
            opponent=opponent,
            rules=rules,
            side=side,
            reward=reward,
            render_mode="rgb_array",
        )
        env_checker.check_env(env.unwrapped)


class Recorder:
    """A random opponent that knows every position before its moves."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.moves: list[tuple[Position, kalah.Move]] = []

    def __call__(self, position: Position) -> kalah.Move:
        """Returns a random legal move, or a swap where it is legal."""
        moves = position.legal_moves
        move = moves[-1] if moves[-1].is_swap else self.rng.choice(moves)
        self.moves.append((position, move))
        return move


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("side", ["south", "north"])
def test_random_games_agree_with_the_rules(houses: int, seeds: int, rules: str, side: str) -> None:
    rng = random.Random(f"{houses}x{seeds} {rules} {side}")
    opponent = Recorder(rng)
    env = adapter.KalahEnv(opponent, houses, seeds, rules, side=side, reward="margin")
    for _ in range(GAMES):
        opponent.moves.clear()
        observation, info = env.reset()
        game = kalah.Game(Position.start(houses, seeds, rules))
        learner = Side(side)
        reward, terminated = 0.0, False
        while True:
            for position, move in opponent.moves:
                assert position == game.position
                assert game.player_on(position.to_move) is learner.opponent
                game.push(move)
            opponent.moves.clear()
            position = game.position
            now = Side.SOUTH if game.player_on(Side.SOUTH) is learner else Side.NORTH
            assert env.position == position
            assert env.side is now
            assert observation.tolist() == expected_observation(position, now)
            if game.is_over:
                if not terminated:  # The opponent has ended the game before the first ply.
                    _, reward, terminated, _, _ = env.step(0)
                assert terminated
                assert game.outcome is not None
                assert reward == game.outcome.margin(now)
                break
            assert not terminated
            assert reward == 0
            assert position.to_move is now
            moves = list(position.legal_moves)
            numbers = action_numbers(position)
            assert info["action_mask"].nonzero()[0].tolist() == numbers
            index = rng.randrange(len(moves))
            game.push(moves[index])
            observation, reward, terminated, _, info = env.step(numbers[index])


def turned(row: NDArray[Any]) -> NDArray[Any]:
    return np.roll(row, row.size // 2)


class VectorRecorder:
    """A random opponent of many games that keeps what it has seen."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(3)
        self.calls = 0

    def __call__(self, observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns a random legal action for each game."""
        self.calls += 1
        assert mask.any(axis=1).all()
        assert observation.shape[0] == mask.shape[0]
        actions: NDArray[np.int64] = (mask * self.rng.random(mask.shape)).argmax(axis=1)
        return actions


@pytest.mark.parametrize(("houses", "seeds"), SIZES)
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_vector_games_agree_with_the_rules(houses: int, seeds: int, rules: str, mode: str) -> None:
    count = 5
    for side in SIDES:
        for opponent in ["random", VectorRecorder()]:
            envs = adapter.KalahVectorEnv(
                count,
                opponent,
                houses,
                seeds,
                rules,
                side=side,
                reward="margin",
                autoreset_mode=mode,
            )
            rng = np.random.default_rng(5)
            observation, info = envs.reset(seed=2)
            total = 2 * houses * seeds
            ended = np.zeros(count, np.bool_)
            for _ in range(30):
                assert (observation.sum(axis=1) == total).all()
                mask = info["action_mask"]
                assert mask.dtype == np.int8
                for game in range(count):
                    position = envs._env.position(game)
                    own = observation[game][:houses]
                    if ended[game] and mode == "NextStep":
                        assert position.is_over
                        continue
                    if position.is_over:  # The opponent has ended the game at its begin.
                        continue
                    now = Side.NORTH if envs._sides[game] else Side.SOUTH
                    assert position.to_move is now
                    assert observation[game].tolist() == expected_observation(position, now)
                    legal = [i for i in range(houses) if own[i]]
                    assert [i for i in mask[game].nonzero()[0] if i < houses] == legal
                actions = np.argmax(mask * rng.random(mask.shape), axis=1)
                observation, reward, terminated, truncated, info = envs.step(actions)
                assert not truncated.any()
                for game in terminated.nonzero()[0]:
                    if mode == "SameStep":
                        last = info["final_obs"][game]
                        assert info["_final_obs"][game]
                    else:
                        last = observation[game]
                    assert not last[:houses].any()
                    assert reward[game] == int(last[houses]) - int(last[-1])
                assert not reward[~terminated].any()
                ended = terminated


def test_vector_games_follow_single_games_with_the_same_actions() -> None:
    """The first legal action of both players, in both environments."""

    def first_actions(observation: NDArray[Any], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        del observation
        actions: NDArray[np.int64] = mask.argmax(axis=1)
        return actions

    for rules in RULES:
        for side in ["south", "north"]:
            single = adapter.KalahEnv("first", rules=rules, side=side)
            envs = adapter.KalahVectorEnv(2, first_actions, rules=rules, side=side)
            row, single_info = single.reset()
            observation, info = envs.reset()
            terminated = False
            while not terminated:
                assert (observation == row).all()
                assert (info["action_mask"] == single_info["action_mask"]).all()
                action = int(np.argmax(single_info["action_mask"]))
                row, reward, terminated, _, single_info = single.step(action)
                observation, rewards, ends, _, info = envs.step(np.array([action] * 2))
                assert (rewards == reward).all()
                assert (ends == terminated).all()
            assert (observation == row).all()


def test_the_vector_entry_point_and_gymnasiums_own_vectors_can_be_made() -> None:
    envs = gymnasium.make_vec(
        "kalah:Kalah-v0", num_envs=7, vectorization_mode="vector_entry_point", rules="mankalah"
    )
    assert isinstance(envs.unwrapped, adapter.KalahVectorEnv)
    observation, info = envs.reset(seed=4)
    assert observation in envs.observation_space
    assert info["action_mask"].shape == (7, 7)
    same, _ = envs.reset(seed=4)
    assert (same == observation).all()
    sync = gymnasium.make_vec("kalah:Kalah-v0", num_envs=2, vectorization_mode="sync")
    sync.reset(seed=1)
    assert sync.step(np.array([0, 1]))[0].shape == (2, 14)


def test_an_illegal_action_loses() -> None:
    env = adapter.KalahEnv("first", rules="standard")
    env.reset()
    env.step(2)
    _, reward, terminated, _, info = env.step(2)
    assert (reward, terminated, info["illegal_action"]) == (-1, True, True)
    for mode in ["NextStep", "SameStep"]:
        envs = adapter.KalahVectorEnv(3, rules="standard", reward="margin", autoreset_mode=mode)
        envs.reset(seed=1)
        envs.step(np.array([2, 2, 2]))
        _, reward, terminated, _, info = envs.step(np.array([2, 0, 99]))
        assert reward.tolist() == [-48, 0, -48]
        assert terminated.tolist() == [True, False, True]
        info = info if mode == "NextStep" else info["final_info"]
        assert info["illegal_action"].tolist() == [True, False, True]


def test_players_and_render_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for mode, kind in [("ansi", str), ("rgb_array", np.ndarray), ("human", type(None))]:
        env = gymnasium.make("kalah:Kalah-v0", opponent="level:1", render_mode=mode)
        env.reset(seed=1)
        env.step(0)
        assert isinstance(env.render(), kind)
        env.close()


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


class Counter:
    """An opponent that plays its legal moves in turn."""

    def __init__(self) -> None:
        self.count = 0

    def choose(self, position: Position, *, time: float | None) -> kalah.Move:
        """Returns the next legal move."""
        del time
        self.count += 1
        return position.legal_moves[self.count % len(position.legal_moves)]


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize(
    "opponent", ["random", "level:1", "level:4", BuiltinPlayer("random", seed=1), Counter()]
)
def test_a_copy_goes_on_with_the_game(copied: Callable[[Any], Any], opponent: Any) -> None:
    env = gymnasium.make("kalah:Kalah-v0", opponent=opponent, side="random")
    rng = random.Random(7)
    _, info = env.reset(seed=5)
    is_over = False
    while not is_over:
        action = int(rng.choice(info["action_mask"].nonzero()[0]))
        again = copied(env)
        # The first copy shares nothing with the environment, so that it plays the same moves again.
        other = copied(env).step(action)
        row, reward, is_over, _, info = env.step(action)
        assert again.unwrapped.position != env.unwrapped.position
        for result in (other, again.step(action)):
            assert result[0].tolist() == row.tolist()
            assert result[1:3] == (reward, is_over)


def test_unknown_options_of_a_reset_are_refused() -> None:
    for env in (adapter.KalahEnv(), adapter.KalahVectorEnv(2)):
        env.reset(options={})
        with pytest.raises(kalah.KalahError, match="options: expected none, not 'position', 'x'"):
            env.reset(options={"position": "6x4", "x": 1})


def test_the_rules_are_standard_by_default() -> None:
    assert adapter.KalahEnv()._start == Position.start(6, 4, "standard")
    assert adapter.KalahVectorEnv(1)._env.position(0) == Position.start(6, 4, "standard")


def test_wrong_arguments_are_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"reward": "seeds"}, "reward: expected win or margin, not `seeds`"),
        ({"side": "east"}, "side: expected south, north or random, not `east`"),
        ({"seeds": 0}, "seeds: expected at least 1, not 0"),
    ]
    for arguments, message in cases:
        for make in [adapter.KalahEnv, adapter.KalahVectorEnv]:
            with pytest.raises(kalah.KalahError, match=message):
                make(**arguments)
    with pytest.raises(kalah.KalahError, match="expected `random` or a function"):
        adapter.KalahVectorEnv(2, "level:2")
    with pytest.raises(kalah.KalahError, match="expected NextStep or SameStep"):
        adapter.KalahVectorEnv(2, autoreset_mode="Disabled")
    with pytest.raises(kalah.KalahError, match="autoreset_mode: expected NextStep or SameStep"):
        adapter.KalahVectorEnv(2, autoreset_mode="x")
    for num_envs in [0, 10**30]:
        with pytest.raises(
            kalah.KalahError, match=f"num_envs: expected 1 to 268435456, not {num_envs}"
        ):
            adapter.KalahVectorEnv(num_envs)
    with pytest.raises(kalah.KalahError, match="opponent: `x` is not a player"):
        adapter.KalahEnv("x")
    with pytest.raises(TypeError, match="opponent: expected"):
        adapter.KalahEnv(4)
    with pytest.raises(kalah.KalahError, match="render_mode: expected ansi, human or rgb_array"):
        adapter.KalahEnv(render_mode="x")


def test_a_step_before_the_reset_is_refused() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="step"):
        adapter.KalahEnv().step(0)
    with pytest.raises(gymnasium.error.ResetNeeded, match="step"):
        adapter.KalahVectorEnv(2).step(np.zeros(2, np.int64))


def test_actions_that_are_no_integers_are_refused() -> None:
    env = adapter.KalahEnv()
    env.reset()
    for action, kind in [(None, "NoneType"), (1.5, "float"), ("1", "str")]:
        with pytest.raises(TypeError, match=f"action: expected an integer, not {kind}"):
            env.step(action)
    envs = adapter.KalahVectorEnv(2)
    observation, _ = envs.reset()
    with pytest.raises(TypeError, match="actions: expected an array of integers, not of float64"):
        envs.step(np.zeros(2))
    with pytest.raises(kalah.KalahError, match=r"actions: expected actions of shape \(2,\)"):
        envs.step(np.zeros(3, np.int64))
    assert (envs._env.observe() == observation).all()


def test_the_number_of_no_action_is_an_illegal_action() -> None:
    envs = adapter.KalahVectorEnv(2, rules="standard")
    envs.reset(seed=1)
    _, reward, terminated, _, info = envs.step(np.array([-1, 0]))
    assert reward.tolist() == [-1, 0]
    assert terminated.tolist() == [True, False]
    assert info["illegal_action"].tolist() == [True, False]


def test_an_illegal_action_of_another_game_does_not_lose_a_finished_game() -> None:
    # South has one move, which ends the game, before the first ply of the learner.
    envs = adapter.KalahVectorEnv(2, houses=1, seeds=1, rules="standard", side="north")
    _, info = envs.reset(seed=1)
    assert not info["action_mask"].any()
    envs._env.set_position(1, "<1,0,0,1,2> n")
    _, _, terminated, _, info = envs.step(np.array([0, 9]))
    assert terminated.tolist() == [True, True]
    assert info["illegal_action"].tolist() == [False, True]


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        ([-1, -1], kalah.IllegalMoveError, "opponent: action -1 is illegal in <6,"),
        ([0, 99], kalah.IllegalMoveError, "opponent: action 99 is illegal in <6,"),
        ([0.5, 0], TypeError, "opponent: expected an array of integers, not of float64"),
        ([0], kalah.KalahError, "opponent: expected actions of shape"),
        (None, TypeError, "opponent: expected an array of integers"),
    ],
)
def test_wrong_actions_of_an_opponent_are_refused(
    answer: Any, error: type[Exception], message: str
) -> None:
    envs = adapter.KalahVectorEnv(2, lambda _, __: answer, side="north")
    with pytest.raises(error, match=message):
        envs.reset(seed=1)


def test_an_illegal_move_of_an_opponent_names_it() -> None:
    def cheat(position: Position) -> str:
        del position
        return "Z"

    env = adapter.KalahEnv(cheat, side="north")
    with pytest.raises(kalah.KalahError, match="opponent: cheat chose 'Z' in <6,0,0"):
        env.reset()
