"""Kalah as an environment of Gymnasium with the extra `kalah[gymnasium]`.

>>> import gymnasium
>>> env = gymnasium.make("kalah:Kalah-v0", opponent="level:2", rules="standard")
>>> observation, info = env.reset(seed=1)
>>> observation
array([4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], dtype=uint8)

The learner plays against an opponent, whose plies are part of a step. An observation has the
learner's houses in sowing order, its store, the opponent's houses in that side's sowing order, and
the opponent's store. Action `a` sows house `a + 1`, and the last action is the swap if the rules
have one; `info["action_mask"]` has 1 for each legal action. An illegal action loses the game, and
`info["illegal_action"]` tells so.

The reward is 0 until the end of a game. Then it is 1, 0 or -1, or with `reward="margin"` the margin
of the learner in seeds. If the opponent ends a game before the learner's first ply, which happens
on the smallest boards only, the first step ends it with any action. A step before the first reset
raises `gymnasium.error.ResetNeeded`.
"""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalah import _arguments
from kalah._environments.player_view import (
    Reward,
    action_count,
    check_reward,
    final_reward,
    greatest_reward,
    legal_mask,
    observe,
    play_action,
    start_position,
)
from kalah._environments.registration import register_environments
from kalah._imports.extras import missing
from kalah._kalah import IllegalMoveError, KalahError, Position, VectorEnv
from kalah._side import Side
from kalah.players import PlayerLike
from kalah.players._contestant import Contestant
from kalah.typing import RulesLike

try:
    import gymnasium
    from gymnasium import spaces
    from gymnasium.error import ResetNeeded
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

    from kalah._environments.single_game import FRAMES_PER_SECOND, SingleGame, observation_box
except ModuleNotFoundError as _error:
    raise ImportError(missing("gymnasium", "gymnasium")) from _error

__all__ = ["KalahEnv", "KalahVectorEnv", "VectorOpponent"]

LearnerSide: TypeAlias = Literal["south", "north", "random"]
VectorOpponent: TypeAlias = Callable[[NDArray[Any], NDArray[np.int8]], NDArray[np.integer[Any]]]
"""A function from the observations and the masks of games to an action for each of them."""

SIDES: Final = (Side.SOUTH, Side.NORTH)
LEARNER_SIDES: Final = ("south", "north", "random")
AUTORESET_MODES: Final = ("NextStep", "SameStep")
#: The maximum of `kalah.VectorEnv`.
MAX_GAMES: Final = 1 << 28
#: Seeds of a game of the opponent and of a `VectorEnv`.
SEED_BITS: Final = 63

register_environments()


def _check_options(options: dict[str, Any] | None) -> None:
    """Refuses options of a reset: the environments have none."""
    if options:
        raise KalahError(f"options: expected none, not {', '.join(map(repr, options))}")


def _needs_reset(method: str) -> ResetNeeded:
    return ResetNeeded(f"Cannot call `env.{method}()` before calling `env.reset()`")


class KalahEnv(SingleGame, gymnasium.Env[NDArray[Any], np.int64]):
    """A game of Kalah against an opponent.

    `opponent` is the text of a built-in player, an object with a method `choose`, or a function
    from a position to a move, as in `kalah.play_game`. `houses`, `seeds` and `rules` are those of
    the start, by default 6, 4 and `standard`. `side` is the learner's side at the start: `south`,
    which begins, `north`, or `random`. A swap exchanges the sides. `render_mode` is `ansi`,
    `human`, `rgb_array` or `None`.

    A copy of the environment, or its pickle, goes on with the game, and has a copy of the opponent.
    `reset` has no options.

    >>> from kalah.gymnasium import KalahEnv
    >>> env = KalahEnv(opponent="first", side="north", rules="standard")
    >>> observation, info = env.reset()
    >>> observation, reward, terminated, truncated, info = env.step(5)
    >>> print(env.position)
    <6,0,1,0,7,6,5,5,4,4,4,4,4,4,0> n
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "human", "rgb_array"],
        "render_fps": FRAMES_PER_SECOND,
    }
    action_space: spaces.Space[np.int64]
    observation_space: spaces.Space[NDArray[Any]]

    def __init__(
        self,
        opponent: PlayerLike = "random",
        houses: int = 6,
        seeds: int = 4,
        rules: RulesLike = "standard",
        *,
        side: LearnerSide = "south",
        reward: Reward = "win",
        render_mode: str | None = None,
    ) -> None:
        check_reward(reward)
        _arguments.check_choice(side, "side", LEARNER_SIDES)
        self._set_game(houses, seeds, rules, reward, render_mode)
        self._opponent = Contestant(opponent, "opponent")
        self._has_reset = False
        self._learner_side: LearnerSide = side
        self._side = Side.SOUTH
        self.action_space = spaces.Discrete(action_count(self._start))
        self.observation_space = observation_box(self._start)

    @property
    def side(self) -> Side:
        """The side of the learner."""
        return self._side

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        _check_options(options)
        super().reset(seed=seed, options=options)
        self._has_reset = True
        self._opponent.new_game(int(self.np_random.integers(1 << SEED_BITS)))
        self._position = self._start
        if self._learner_side == "random":
            self._side = SIDES[self.np_random.integers(2)]
        else:
            self._side = Side(self._learner_side)
        self._play_opponent()
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(
        self, action: np.int64 | int
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        if not self._has_reset:
            raise _needs_reset("step")
        action = _arguments.any_integer(action, "action")
        position = self._position
        if position.is_over:
            reward = float(final_reward(position, self._side, self._reward))
            return self._observation(), reward, True, False, self._info()
        try:
            after = play_action(position, action)
        except IllegalMoveError:
            info = {**self._info(), "illegal_action": True}
            loss = -float(greatest_reward(position, self._reward))
            return self._observation(), loss, True, False, info
        self._continue(after, is_swap=action == position.houses)
        self._play_opponent()
        position = self._position
        reward = 0.0
        if position.is_over:
            reward = float(final_reward(position, self._side, self._reward))
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, position.is_over, False, self._info()

    def _continue(self, position: Position, *, is_swap: bool) -> None:
        """Continues with the position after a ply."""
        self._position = position
        if is_swap:
            self._side = self._side.opponent

    def _play_opponent(self) -> None:
        while not self._position.is_over and self._position.to_move is not self._side:
            position = self._position
            move = self._opponent.choose(position, None)
            try:
                after = position.play(move)
            except (TypeError, KalahError) as error:
                message = f"opponent: {self._opponent.name} chose {move!r} in {position}: {error}"
                raise type(error)(message) from None
            self._continue(after, is_swap=str(move) == "swap")

    def _observation(self) -> NDArray[Any]:
        return observe(self._position, self._side)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": legal_mask(self._position)}

    def render(self) -> Any:
        if self.render_mode == "ansi":
            return str(self._position)
        names = {
            self._side: f"learner ({self._side.value})",
            self._side.opponent: f"{self._opponent.name} ({self._side.opponent.value})",
        }
        return self._show(names)


def _action_numbers(name: str, actions: Any, count: int) -> NDArray[np.int64]:
    """Returns a copy of the actions of `count` games."""
    numbers = np.asarray(actions)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected an array of integers, not of {numbers.dtype}")
    if numbers.shape != (count,):
        raise KalahError(f"{name}: expected actions of shape {(count,)}, not {numbers.shape}")
    return numbers.astype(np.int64)


def _is_legal(mask: NDArray[np.bool_], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Returns which actions are legal in their games."""
    exists: NDArray[np.bool_] = (numbers >= 0) & (numbers < mask.shape[1])
    legal = mask[np.arange(len(numbers)), np.where(exists, numbers, 0)]
    exists &= legal
    return exists


class KalahVectorEnv(gymnasium.vector.VectorEnv[NDArray[Any], NDArray[Any], NDArray[Any]]):
    """Many games of Kalah in the memory of a `kalah.VectorEnv`, each against an opponent.

    `opponent` is `random`, or a function from the observations and the masks of the games in which
    the opponent is to move to an action for each of them. `autoreset_mode` is `NextStep`, by
    default, or `SameStep`: then `info["final_obs"]` and `info["final_info"]` have the last
    observations and masks of the games that have ended. `threads` is the number of threads. The
    other arguments are those of `KalahEnv`.

    >>> import gymnasium, numpy
    >>> envs = gymnasium.make_vec("kalah:Kalah-v0", num_envs=3, rules="standard")
    >>> observation, info = envs.reset(seed=1)
    >>> actions = [envs.single_action_space.sample(mask) for mask in info["action_mask"]]
    >>> observation, reward, terminated, truncated, info = envs.step(numpy.array(actions))
    >>> observation.shape, info["action_mask"].shape
    ((3, 14), (3, 6))
    """

    metadata: dict[str, Any]
    action_space: spaces.Space[Any]
    observation_space: spaces.Space[Any]
    single_action_space: spaces.Space[Any]
    single_observation_space: spaces.Space[Any]

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Literal["random"] | VectorOpponent = "random",
        houses: int = 6,
        seeds: int = 4,
        rules: RulesLike = "standard",
        *,
        side: LearnerSide = "south",
        reward: Reward = "win",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
    ) -> None:
        check_reward(reward)
        _arguments.check_choice(side, "side", LEARNER_SIDES)
        if not callable(opponent) and not (isinstance(opponent, str) and opponent == "random"):
            raise KalahError(f"opponent: expected `random` or a function, not {opponent!r}")
        mode = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        _arguments.check_choice(mode, "autoreset_mode", AUTORESET_MODES)
        self._autoreset = AutoresetMode(mode)
        self.metadata = {"autoreset_mode": self._autoreset}
        num_envs = _arguments.integer(num_envs, "num_envs", 1, MAX_GAMES)
        start = start_position(houses, seeds, rules)
        houses = start.houses
        self._env = VectorEnv(num_envs, start=start, auto_reset=False, threads=threads)
        self._has_reset = False
        self._opponent = opponent if callable(opponent) else None
        self._learner_side: LearnerSide = side
        self._reward: Reward = reward
        self._houses = houses
        self._has_swap = start.rules.swap
        self._loss = -float(greatest_reward(start, reward))
        # An observation from the other side.
        half = houses + 1
        self._turned = np.r_[half : 2 * half, 0:half]
        self.num_envs = num_envs
        self.single_action_space = spaces.Discrete(action_count(start))
        self.single_observation_space = observation_box(start)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        # 0 for South and 1 for North.
        self._sides = np.zeros(num_envs, np.uint8)
        # The games that end with this step, and those that have ended by an illegal action.
        self._ended = np.zeros(num_envs, np.bool_)
        # Results that no caller keeps.
        self._unused_observation = self._env.observe()
        self._unused_reward = np.zeros(num_envs, np.int32)
        self._over = np.zeros(num_envs, np.bool_)
        self._all_games = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        _check_options(options)
        super().reset(seed=seed, options=options)
        self._has_reset = True
        self._env.reset(
            seed=int(self.np_random.integers(1 << SEED_BITS)), observation=self._unused_observation
        )
        self._ended[:] = False
        self._begin(self._all_games)
        self._play_opponents()
        return self._env.observe(), self._info()

    def step(
        self, actions: NDArray[Any]
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        if not self._has_reset:
            raise _needs_reset("step")
        numbers = _action_numbers("actions", actions, self.num_envs)
        # For the learner this number is an illegal action like others.
        numbers[numbers == VectorEnv.NO_ACTION] = self._env.actions
        if self._ended.any():
            self._env.reset_games(self._ended)
            self._begin(self._ended)
            numbers[self._ended] = VectorEnv.NO_ACTION
        illegal = self._make_plies(numbers)
        if self._has_swap:
            self._sides ^= numbers == self._houses
        self._play_opponents()

        observation = self._env.observe()
        rewards = np.zeros(self.num_envs)
        terminated = self._over.copy()
        info = self._info()
        (over,) = self._over.nonzero()
        if over.size:
            self._end_games(over, observation, rewards)
        if illegal is not None:
            terminated |= illegal
            rewards[illegal] = self._loss
            info["illegal_action"] = illegal
            info["_illegal_action"] = illegal
        if self._autoreset is AutoresetMode.SAME_STEP and terminated.any():
            observation, info = self._begin_after(terminated, observation, info)
        else:
            self._ended = terminated.copy()
        return observation, rewards, terminated, np.zeros(self.num_envs, np.bool_), info

    def _begin(self, games: NDArray[np.bool_]) -> None:
        """Sets the sides of the learner in the games that begin."""
        if self._learner_side == "random":
            count = int(np.count_nonzero(games))
            self._sides[games] = self.np_random.integers(2, size=count, dtype=np.uint8)
        else:
            self._sides[games] = self._learner_side == "north"

    def _make_plies(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        """Makes the plies, and returns the games with illegal actions, if there are any.

        Those games make no ply, and their elements of `numbers` change.
        """
        results: dict[str, Any] = {
            "observation": self._unused_observation,
            "reward": self._unused_reward,
            "done": self._over,
        }
        try:
            self._env.step_some(numbers, **results)
        except IllegalMoveError:
            legal = self._env.legal_mask()
            is_open = legal.any(axis=1) & (numbers != VectorEnv.NO_ACTION)
            illegal: NDArray[np.bool_] = is_open & ~_is_legal(legal, numbers)
            numbers[illegal] = VectorEnv.NO_ACTION
            self._env.step_some(numbers, **results)
            return illegal
        return None

    def _play_opponents(self) -> None:
        """Makes the opponents' plies until the learner is to move in each game or it is over."""
        if self._opponent is None:
            self._env.play_opponent(self._sides, done=self._over)
            return
        mask = self._env.legal_mask()
        while True:
            waiting = (self._env.to_move() != self._sides) & mask.any(axis=1)
            if not waiting.any():
                break
            observation = self._env.observe()
            numbers = np.full(self.num_envs, VectorEnv.NO_ACTION, np.int64)
            chosen = self._opponent(observation[waiting], mask[waiting].view(np.int8))
            numbers[waiting] = _action_numbers("opponent", chosen, int(waiting.sum()))
            illegal = waiting & ~_is_legal(mask, numbers)
            if illegal.any():
                game = int(illegal.argmax())
                raise IllegalMoveError(
                    f"opponent: action {numbers[game]} is illegal in {self._env.position(game)}"
                )
            self._env.step_some(numbers)
            if self._has_swap:
                self._sides ^= numbers == self._houses
            self._env.legal_mask(mask=mask)
        np.logical_not(mask.any(axis=1), out=self._over)

    def _end_games(
        self, over: NDArray[np.intp], observation: NDArray[Any], rewards: NDArray[np.float64]
    ) -> None:
        """Writes the observations of finished games, as the learner sees them, and the rewards."""
        rows = observation[over]
        is_other = self._env.to_move()[over] != self._sides[over]
        rows[is_other] = rows[is_other][:, self._turned]
        observation[over] = rows
        margins = rows[:, self._houses].astype(np.float64) - rows[:, -1]
        rewards[over] = margins if self._reward == "margin" else np.sign(margins)

    def _info(self) -> dict[str, Any]:
        return {
            "action_mask": self._env.legal_mask().view(np.int8),
            "_action_mask": self._all_games,
        }

    def _begin_after(
        self, ended: NDArray[np.bool_], observation: NDArray[Any], info: dict[str, Any]
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begins the games anew that have ended, and returns the observation and the info."""
        final = np.full(self.num_envs, None, dtype=object)
        for game in ended.nonzero()[0]:
            final[game] = observation[game].copy()
        mask = np.where(ended[:, None], info["action_mask"], np.int8(0))
        final_info = {**info, "action_mask": mask, "_action_mask": ended}
        self._env.reset_games(ended)
        self._begin(ended)
        self._play_opponents()
        begun: dict[str, Any] = {
            **self._info(),
            "final_obs": final,
            "_final_obs": ended,
            "final_info": final_info,
            "_final_info": ended,
        }
        return self._env.observe(), begun
