"""Kalah as an environment of PettingZoo with the extra `kalah[pettingzoo]`.

>>> import kalah.pettingzoo
>>> env = kalah.pettingzoo.env(houses=6, seeds=4, rules="standard")

The agents are the two players: `player_0` begins as South and `player_1` as North. A swap moves no
seed. It exchanges the sides of the two players: after it, `player_1` is South and `player_0` is
North, which is to move. After a bonus turn the same agent is selected again.

The observation of an agent has `observation`, its houses in sowing order, its store, the houses of
the other side in that side's sowing order, and the other store; and `action_mask`, which is all
zeros for the agent that is not selected. Action `a` sows house `a + 1` of the agent, and the last
action is the swap if the rules have one.

The rewards are 0 until the end of the game.
"""

import functools
import warnings
from typing import TYPE_CHECKING, Any, Final

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
)
from kalah._environments.registration import register_environments
from kalah._imports.extras import missing
from kalah._kalah import KalahError
from kalah._side import Side
from kalah.typing import RulesLike

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

    from kalah._environments.single_game import FRAMES_PER_SECOND, SingleGame, observation_box
except ModuleNotFoundError as _error:
    raise ImportError(missing("pettingzoo", "pettingzoo")) from _error

if TYPE_CHECKING:
    # The package has no types.
    class _AECEnv:
        def __getattr__(self, name: str) -> Any: ...
else:
    _AECEnv = AECEnv

__all__ = ["KalahAECEnv", "env", "parallel_env", "raw_env"]

AGENTS: Final = ("player_0", "player_1")

register_environments()


class KalahAECEnv(SingleGame, _AECEnv):
    """A game of Kalah between two agents, without the wrappers of `env`.

    `houses` and `seeds` are those of the start, by default 6 and 4, and `rules` are the rules, by
    default `standard`. `reward` is `win` for rewards of 1, 0 and -1 at the end of the game, or
    `margin` for the margin in seeds. After `max_cycles` turns of each agent the game is truncated;
    a bonus turn belongs to the turn before. `render_mode` is `human`, `rgb_array` or `None`.

    A copy of the environment, or its pickle, goes on with the game. `reset` has no options, and
    warns of those that it is given.

    >>> from kalah.pettingzoo import KalahAECEnv
    >>> env = KalahAECEnv(houses=6, seeds=4, rules="standard")
    >>> env.reset()
    >>> env.step(2)
    >>> env.agent_selection  # a bonus turn
    'player_0'
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["human", "rgb_array"],
        "name": "kalah_v0",
        "is_parallelizable": False,
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        houses: int = 6,
        seeds: int = 4,
        rules: RulesLike = "standard",
        *,
        reward: Reward = "win",
        max_cycles: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_reward(reward)
        max_cycles = _checked_cycles(max_cycles)
        self._set_game(houses, seeds, rules, reward, render_mode)
        self._max_turns = None if max_cycles is None else 2 * max_cycles
        self._max_plies: int | None = None
        self._plies = self._turns = 0
        self.possible_agents: list[str] = list(AGENTS)
        self.agents: list[str] = list(AGENTS)
        # The agents that have South and North.
        self._owners = {Side.SOUTH: AGENTS[0], Side.NORTH: AGENTS[1]}
        actions = action_count(self._start)
        self.observation_spaces: dict[str, spaces.Dict] = {
            agent: spaces.Dict(
                {
                    "observation": observation_box(self._start),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in AGENTS
        }
        self.action_spaces: dict[str, spaces.Discrete] = {
            agent: spaces.Discrete(actions) for agent in AGENTS
        }

    def side(self, agent: str) -> Side:
        """Returns the side of an agent, which a swap changes.

        >>> from kalah.pettingzoo import KalahAECEnv
        >>> env = KalahAECEnv(rules="mankalah")
        >>> env.reset()
        >>> env.step(0)
        >>> env.step(6)  # player_1 swaps
        >>> env.side("player_1"), env.agent_selection
        (<Side.SOUTH: 'south'>, 'player_0')
        """
        _arguments.check_choice(agent, "agent", AGENTS)
        return Side.SOUTH if self._owners[Side.SOUTH] == agent else Side.NORTH

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        del seed  # The game has no chance.
        if options:
            # The tests of PettingZoo give all environments an option that none has.
            names = ", ".join(map(repr, options))
            warnings.warn(f"options: expected none, not {names}", stacklevel=2)
        self._position = self._start
        self._owners = {Side.SOUTH: AGENTS[0], Side.NORTH: AGENTS[1]}
        self._plies = self._turns = 0
        self.agents = list(AGENTS)
        self.rewards: dict[str, float] = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations: dict[str, bool] = dict.fromkeys(AGENTS, False)
        self.truncations: dict[str, bool] = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self.agent_selection: str = self._owners[self._position.to_move]

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        position = self._position
        if agent == self.agent_selection:
            mask = legal_mask(position)
        else:
            mask = np.zeros(action_count(position), np.int8)
        return {"observation": observe(position, self.side(agent)), "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = self._position
        action = _arguments.any_integer(action, "action")
        position = self._position = play_action(before, action)
        if action == before.houses:
            self._owners = {side: self._owners[side.opponent] for side in Side}
        self._cumulative_rewards[agent] = 0.0
        self.agent_selection = self._owners[position.to_move]
        self._plies += 1
        self._turns += self.agent_selection != agent
        if position.is_over:
            self.terminations = dict.fromkeys(AGENTS, True)
            for side, owner in self._owners.items():
                self.rewards[owner] = float(final_reward(position, side, self._reward))
            self._accumulate_rewards()
        elif self._is_truncated():
            self.truncations = dict.fromkeys(AGENTS, True)
        if self.render_mode == "human":
            self.render()

    def _is_truncated(self) -> bool:
        return (self._max_turns is not None and self._turns >= self._max_turns) or (
            self._max_plies is not None and self._plies >= self._max_plies
        )

    def render(self) -> NDArray[np.uint8] | None:
        names = {side: f"{self._owners[side]} ({side.value})" for side in Side}
        return self._show(names)


def _checked_cycles(max_cycles: int | None) -> int | None:
    if max_cycles is None:
        return None
    max_cycles = _arguments.any_integer(max_cycles, "max_cycles")
    if max_cycles < 1:
        raise KalahError(f"max_cycles: expected at least 1, not {max_cycles}")
    return max_cycles


def _forwarded(name: str) -> property:
    """Returns a property with the attribute of the environment without wrappers."""

    def value(wrapper: Any) -> Any:
        # `BaseWrapper.__getattr__` follows, which passes each wrapper and can refuse the access.
        if not wrapper._has_reset:
            raise AttributeError(name)
        return getattr(wrapper.unwrapped, name)

    return property(value)


class _DirectAttributes:
    """Reads the attributes of the game directly: through all wrappers it is five times slower."""

    env: Any
    _has_reset = True

    agents = _forwarded("agents")
    agent_selection = _forwarded("agent_selection")
    terminations = _forwarded("terminations")
    truncations = _forwarded("truncations")
    rewards = _forwarded("rewards")
    infos = _forwarded("infos")
    _cumulative_rewards = _forwarded("_cumulative_rewards")

    @functools.cached_property
    def unwrapped(self) -> KalahAECEnv:
        raw: KalahAECEnv = self.env.unwrapped
        return raw

    def __str__(self) -> str:
        return str(self.unwrapped)


class _TerminateIllegal(_DirectAttributes, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    pass


class _AssertOutOfBounds(_DirectAttributes, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]
    pass


class _OrderEnforcing(_DirectAttributes, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    _has_reset = False

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:  # noqa: FBT001, FBT002
        agent = self.agent_selection
        raw = self.unwrapped
        return (
            self.observe(agent) if observe else None,
            raw._cumulative_rewards[agent],
            raw.terminations[agent],
            raw.truncations[agent],
            raw.infos[agent],
        )


def raw_env(**arguments: Any) -> KalahAECEnv:
    """Returns the environment without wrappers. The arguments are those of `KalahAECEnv`.

    >>> import kalah.pettingzoo
    >>> kalah.pettingzoo.raw_env(houses=4).possible_agents
    ['player_0', 'player_1']
    """
    return KalahAECEnv(**arguments)


def env(**arguments: Any) -> "AECEnv[str, dict[str, NDArray[Any]], int]":
    """Returns the environment with the wrappers of PettingZoo's classic games.

    The arguments are those of `KalahAECEnv`. An agent that makes an illegal move loses: its reward
    is -1, or with `reward="margin"` minus the number of all seeds, and that of the other agent is
    0.

    >>> import kalah.pettingzoo
    >>> env = kalah.pettingzoo.env(rules="standard")
    >>> env.reset()
    >>> observation, reward, termination, truncation, info = env.last()
    >>> observation["observation"]
    array([4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0], dtype=uint8)
    """
    raw = KalahAECEnv(**arguments)
    return _wrapped(raw)


def _wrapped(raw: KalahAECEnv) -> "AECEnv[str, dict[str, NDArray[Any]], int]":
    loss = -greatest_reward(raw._start, raw._reward)
    return _OrderEnforcing(_AssertOutOfBounds(_TerminateIllegal(raw, illegal_reward=loss)))


def parallel_env(
    *, max_cycles: int | None = None, **arguments: Any
) -> "ParallelEnv[str, dict[str, NDArray[Any]], int]":
    """Returns the environment in the parallel form of PettingZoo's turn-based games.

    Each step takes an action of both agents and makes one ply, with the action of the agent to
    move. `max_cycles` is a number of steps, and the other arguments are those of `KalahAECEnv`.

    >>> import kalah.pettingzoo
    >>> env = kalah.pettingzoo.parallel_env(rules="standard")
    >>> observations, infos = env.reset()
    >>> observations["player_1"]["action_mask"]
    array([0, 0, 0, 0, 0, 0], dtype=int8)
    """
    raw = KalahAECEnv(**arguments)
    raw._max_plies = _checked_cycles(max_cycles)
    return turn_based_aec_to_parallel(_wrapped(raw))
