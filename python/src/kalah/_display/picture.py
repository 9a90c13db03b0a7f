"""The board as a picture of pixels, for the environments of other projects."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kalah._imports.extras import missing
from kalah._kalah import Position
from kalah._side import Side

try:
    from PIL import Image, ImageDraw, ImageFont
except ModuleNotFoundError as _error:
    # The extras of both environments have it.
    raise ImportError(missing("Pillow", "gymnasium` or `pettingzoo")) from _error

# Lengths are in pixels.
HOUSE_WIDTH: Final = 72
HOUSE_RADIUS: Final = 32
STORE_WIDTH: Final = 80
MARGIN: Final = 12
NAME_HEIGHT: Final = 28
#: A picture is drawn larger by this factor, and then made smaller, so that edges are smooth.
OVERSAMPLING: Final = 2

BACKGROUND: Final = (246, 241, 231)
PIT: Final = (232, 222, 203)
OUTLINE: Final = (150, 136, 110)
TO_MOVE_OUTLINE: Final = (178, 58, 30)
TEXT: Final = (34, 34, 34)


def board_picture(position: Position, names: Mapping[Side, str]) -> NDArray[np.uint8]:
    """Returns the board with the shape (height, width, 3).

    North's row is above and runs from right to left, South's below from left to right, and each
    store is where the row of its owner ends. The houses of the side to move have a red outline.
    `names` has a text for each side.

    >>> import kalah
    >>> from kalah._display.picture import board_picture
    >>> board_picture(kalah.Position("6x4"), {side: side.value for side in kalah.Side}).shape
    (224, 616, 3)
    """
    width = 2 * (STORE_WIDTH + MARGIN) + position.houses * HOUSE_WIDTH
    height = 2 * (MARGIN + NAME_HEIGHT + HOUSE_WIDTH)
    image = Image.new("RGB", (width * OVERSAMPLING, height * OVERSAMPLING), BACKGROUND)
    picture = _Picture(ImageDraw.Draw(image))
    top, bottom = NAME_HEIGHT + MARGIN, height - NAME_HEIGHT - MARGIN
    for side in Side:
        is_north = side is Side.NORTH
        is_to_move = not position.is_over and position.to_move is side
        left = MARGIN if is_north else width - MARGIN - STORE_WIDTH
        store = (left + 4, top + 4, left + STORE_WIDTH - 4, bottom - 4)
        picture.pit(store, str(position.store(side)), is_to_move=False)
        label = names[side] + (" to move" if is_to_move else "")
        picture.text(width / 2, top / 2 if is_north else height - top / 2, label, 18)
        y = top + HOUSE_WIDTH / 2 if is_north else bottom - HOUSE_WIDTH / 2
        for index, seeds in enumerate(position.row(side)):
            column = position.houses - 1 - index if is_north else index
            x = MARGIN + STORE_WIDTH + column * HOUSE_WIDTH + HOUSE_WIDTH / 2
            box = (x - HOUSE_RADIUS, y - HOUSE_RADIUS, x + HOUSE_RADIUS, y + HOUSE_RADIUS)
            picture.pit(box, str(seeds), is_to_move=is_to_move)
    return np.asarray(image.resize((width, height), Image.Resampling.LANCZOS), dtype=np.uint8)


class _Picture:
    """Draws in the lengths of the picture."""

    def __init__(self, draw: "ImageDraw.ImageDraw") -> None:
        self._draw = draw

    def pit(self, box: tuple[float, float, float, float], text: str, *, is_to_move: bool) -> None:
        x0, y0, x1, y1 = (length * OVERSAMPLING for length in box)
        self._draw.rounded_rectangle(
            (x0, y0, x1, y1),
            radius=HOUSE_RADIUS * OVERSAMPLING,
            fill=PIT,
            outline=TO_MOVE_OUTLINE if is_to_move else OUTLINE,
            width=(3 if is_to_move else 2) * OVERSAMPLING,
        )
        self.text((box[0] + box[2]) / 2, (box[1] + box[3]) / 2, text, 24)

    def text(self, x: float, y: float, text: str, size: int) -> None:
        font = ImageFont.load_default(size * OVERSAMPLING)
        place = (x * OVERSAMPLING, y * OVERSAMPLING)
        self._draw.text(place, text, fill=TEXT, font=font, anchor="mm")


class Window:
    """A window of pygame with a picture."""

    def __init__(self, title: str, frames_per_second: int) -> None:
        """Imports pygame; the window opens with the first picture."""
        try:
            import pygame
        except ModuleNotFoundError as error:
            raise ImportError(missing("pygame-ce", "gymnasium` or `pettingzoo")) from error
        self._pygame: Any = pygame
        self._title = title
        self._frames_per_second = frames_per_second
        self._screen: Any = None
        self._clock: Any = None

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Displays a picture, and waits so that at most the frames a second are shown."""
        size = picture.shape[1], picture.shape[0]
        if self._screen is None:
            self._pygame.display.init()
            self._pygame.display.set_caption(self._title)
            self._screen = self._pygame.display.set_mode(size)
            self._clock = self._pygame.time.Clock()
        surface = self._pygame.surfarray.make_surface(picture.transpose(1, 0, 2))
        self._screen.blit(surface, (0, 0))
        self._pygame.event.pump()
        self._pygame.display.update()
        self._clock.tick(self._frames_per_second)

    def close(self) -> None:
        """Closes the window."""
        if self._screen is not None:
            self._pygame.display.quit()
            self._screen = None
