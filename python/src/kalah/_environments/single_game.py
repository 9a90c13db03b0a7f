"""The parts that the environments of Gymnasium and PettingZoo share: observations and pictures."""

from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from kalah import _arguments
from kalah._environments.player_view import Reward, observation_dtype, start_position
from kalah._kalah import Position
from kalah._side import Side
from kalah.typing import RulesLike

FRAMES_PER_SECOND: Final = 2


def observation_box(start: Position) -> spaces.Box:
    """Returns the space of the observations of a game."""
    return spaces.Box(0, start.total, (2 * start.houses + 2,), observation_dtype(start))


class SingleGame:
    """The position of an environment of one game, and its pictures."""

    metadata: dict[str, Any]

    def _set_game(
        self, houses: int, seeds: int, rules: RulesLike, reward: Reward, render_mode: str | None
    ) -> None:
        """Checks the arguments except `reward`, and sets the start of the game."""
        if render_mode is not None:
            _arguments.check_choice(render_mode, "render_mode", self.metadata["render_modes"])
        self._start = start_position(houses, seeds, rules)
        self._position = self._start
        self._reward: Reward = reward
        self.render_mode = render_mode
        self._window: Any = None

    def __getstate__(self) -> dict[str, Any]:
        # A copy opens a window of its own.
        return {**self.__dict__, "_window": None}

    @property
    def position(self) -> Position:
        """The position."""
        return self._position

    def _show(self, names: dict[Side, str]) -> NDArray[np.uint8] | None:
        """Returns a picture of the position, or shows it in the window in the mode `human`."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs an environment with a render_mode")
            return None
        from kalah._display.picture import Window, board_picture

        picture = board_picture(self._position, names)
        if self.render_mode != "human":
            return picture
        if self._window is None:
            self._window = Window("Kalah", FRAMES_PER_SECOND)
        self._window.show(picture)
        return None

    def close(self) -> None:
        """Closes the window."""
        if self._window is not None:
            self._window.close()
            self._window = None
