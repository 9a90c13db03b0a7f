"""Checks of arguments, with errors that name the argument and quote its value."""

import datetime
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np

from kalah._kalah import KalahError

MAX_SEED: Final = 2**64 - 1
"""The greatest seed of random choices."""

MAX_SECONDS: Final = 10**9
"""The greatest number of seconds, as in the extension."""

MAX_QUOTED_DIGITS: Final = 40
"""The number of digits of an integer that a message quotes, as in the extension."""

MAX_QUOTED: Final = 80
"""The number of characters of a value that a message quotes."""


def any_integer(value: Any, name: str) -> int:
    """Returns an integer as an `int`, also one of NumPy. A `bool` is no integer.

    >>> from kalah._arguments import any_integer
    >>> any_integer(1.5, "action")
    Traceback (most recent call last):
        ...
    TypeError: action: expected an integer, not float
    """
    if isinstance(value, bool | np.bool_) or not hasattr(type(value), "__index__"):
        raise type_error(value, name, "an integer")
    try:
        return int(value.__index__())
    except TypeError:
        # An array of NumPy has `__index__`, which works for one integer only.
        raise type_error(value, name, "an integer") from None


def integer(value: Any, name: str, lowest: int, highest: int) -> int:
    """Returns an integer of a range as an `int`.

    >>> from kalah._arguments import integer
    >>> integer(11, "games", 0, 10)
    Traceback (most recent call last):
        ...
    kalah.KalahError: games: expected 0 to 10, not 11
    """
    number = any_integer(value, name)
    if not lowest <= number <= highest:
        raise KalahError(f"{name}: expected {lowest} to {highest}, not {_quoted_integer(number)}")
    return number


def check_choice(value: object, name: str, choices: Sequence[str]) -> None:
    """Raises `KalahError` for a text that is not one of the choices.

    >>> from kalah._arguments import check_choice
    >>> check_choice("east", "side", ["south", "north", "random"])
    Traceback (most recent call last):
        ...
    kalah.KalahError: side: expected south, north or random, not `east`
    """
    if not isinstance(value, str):
        raise type_error(value, name, "str")
    if value not in choices:
        expected = f"{', '.join(choices[:-1])} or {choices[-1]}"
        raise KalahError(f"{name}: expected {expected}, not {quoted(value)}")


def seconds(value: Any, name: str) -> float:
    """Returns the seconds of a number or a `timedelta`, at most a billion.

    >>> from kalah._arguments import seconds
    >>> seconds(-1, "time")
    Traceback (most recent call last):
        ...
    kalah.KalahError: time: expected 0 to 1000000000 seconds, not -1
    """
    if isinstance(value, datetime.timedelta):
        value = value.total_seconds()
    number = _float(value, name, "seconds or timedelta")
    if not 0 <= number <= MAX_SECONDS:
        raise KalahError(f"{name}: expected 0 to {MAX_SECONDS} seconds, not {quoted_value(value)}")
    return number


def number(value: Any, name: str) -> float:
    """Returns a number as a `float`.

    >>> from kalah._arguments import number
    >>> number("10", "sprt.elo1")
    Traceback (most recent call last):
        ...
    TypeError: sprt.elo1: expected a number, not str
    """
    return _float(value, name, "a number")


def _float(value: Any, name: str, expected: str) -> float:
    """Returns a number as a `float`, infinite if it is an integer that is too large for one."""
    is_number = hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    if isinstance(value, bool | np.bool_) or not is_number:
        raise type_error(value, name, expected)
    try:
        return float(value)
    except TypeError:
        raise type_error(value, name, expected) from None
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def text(value: Any, name: str) -> str:
    """Returns a `str` that can be encoded.

    >>> from kalah._arguments import text
    >>> text(3, "name")
    Traceback (most recent call last):
        ...
    TypeError: name: expected str, not int
    """
    if not isinstance(value, str):
        raise type_error(value, name, "str")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise KalahError(f"{name}: expected characters, not {quoted(value)}") from None
    return value


def function(value: Any, name: str) -> Callable[..., Any]:
    """Returns an object that can be called.

    >>> from kalah._arguments import function
    >>> function(3, "on_game")
    Traceback (most recent call last):
        ...
    TypeError: on_game: expected a function, not int
    """
    if not callable(value):
        raise type_error(value, name, "a function")
    return value  # type: ignore[no-any-return]


@contextmanager
def named(argument: str, *, inner: str = "position") -> Iterator[None]:
    """Puts the name of an argument before the errors of a function, which may call it `inner`."""
    try:
        yield
    except KalahError as error:
        text = str(error).removeprefix(f"{argument}: ").removeprefix(f"{inner}: ")
        raise type(error)(f"{argument}: {text}") from None


def type_error(value: Any, name: str, expected: str) -> TypeError:
    """Returns the error for a value of a type that an argument does not take."""
    return TypeError(f"{name}: expected {expected}, not {type(value).__name__}")


def quoted(text: str) -> str:
    r"""Returns the quotation of a text in a message, on one line and without surrogates.

    >>> from kalah._arguments import quoted
    >>> quoted("a\nb\ud800")
    '`a\\nb\\ud800`'
    """
    text = str.__str__(text)
    if len(text) > MAX_QUOTED:
        text = text[:MAX_QUOTED] + "..."
    return f"`{text if text.isprintable() else text.encode('unicode_escape').decode()}`"


def quoted_value(value: object) -> str:
    """Returns the quotation of any value in a message: a text, a number, or its class.

    >>> from kalah._arguments import quoted_value
    >>> quoted_value(10**5000), quoted_value([1, 2])
    ('an integer of more than 40 digits', '`[1, 2]`')
    """
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return _quoted_integer(int(value))
    if isinstance(value, float):
        return repr(float(value))
    try:
        text = repr(value)
    except Exception:
        # The method of a class can fail, and so does that of a list of very long integers.
        return f"an object of class {type(value).__name__}"
    return quoted(text)


def _quoted_integer(number: int) -> str:
    if abs(number) < 10**MAX_QUOTED_DIGITS:
        return str(number)
    return f"an integer of more than {MAX_QUOTED_DIGITS} digits"
