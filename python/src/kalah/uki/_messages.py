"""Messages of the engine protocol: options, limits and positions."""

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, SupportsIndex, TypeAlias

from kalah import _arguments
from kalah._kalah import Game, KalahError, Position

MAX_LINE_BYTES: Final = 16_384
"""The maximum length of a line, without its end."""

MAX_NUMBER: Final = 2**64 - 1
"""The greatest number of the protocol, which is also that of its milliseconds."""

MAX_DEPTH: Final = 2**32 - 1

WDL_TOTAL: Final = 1000
"""The sum of the probabilities of a win, a tie and a loss."""

_NUMBER: Final = re.compile(r"[0-9]+", re.ASCII)

MILLISECONDS: Final = 1000
"""Milliseconds of a second."""

OptionValue: TypeAlias = int | bool | str
"""The value of an option: an `int` of a `Spin`, a `bool` of a `Check`, or else a `str`."""


def one_line(value: Any, name: str) -> str:
    """Returns a text with single blanks between its words, which a line can have."""
    return " ".join(_arguments.text(value, name).split())


def one_word(value: Any, name: str) -> str:
    """Returns a text that is one word."""
    text = one_line(value, name)
    if text != value or len(text.split()) != 1:
        raise KalahError(f"{name}: expected one word, not {_arguments.quoted_value(value)}")
    return text


def limited_seconds(value: Any, name: str) -> float:
    """Returns the seconds of a number or a `timedelta`, whose milliseconds the protocol has."""
    seconds = _arguments.seconds(value, name)
    if seconds > MAX_NUMBER / MILLISECONDS:
        most = MAX_NUMBER // MILLISECONDS
        raise KalahError(f"{name}: expected at most {most} seconds, not {seconds}")
    return seconds


def milliseconds(seconds: float) -> int:
    """Returns the whole milliseconds of a time."""
    return min(round(seconds * MILLISECONDS), MAX_NUMBER)


@dataclasses.dataclass(frozen=True)
class Spin:
    """An option that is a whole number from `min` to `max`."""

    default: int
    min: int
    max: int

    def __post_init__(self) -> None:
        """Raises an exception for a value that is no whole number of 64 bits and a sign."""
        for name in ("default", "min", "max"):
            number = _arguments.integer(getattr(self, name), name, -MAX_NUMBER, MAX_NUMBER)
            object.__setattr__(self, name, number)

    def _check(self) -> None:
        if not self.min <= self.default <= self.max:
            raise KalahError(f"expected {self.min} to {self.max} as default, not {self.default}")

    def _declaration(self) -> str:
        return f"spin default {self.default} min {self.min} max {self.max}"

    def _parse(self, text: str) -> OptionValue:
        with suppress(KalahError):
            if self.min <= parse_integer(text) <= self.max:
                return parse_integer(text)
        raise KalahError(f"expected {self.min} to {self.max}, not {text}")


@dataclasses.dataclass(frozen=True)
class Check:
    """An option that is on or off."""

    default: bool

    def __post_init__(self) -> None:
        """Raises `TypeError` for a default that is no `bool`."""
        if not isinstance(self.default, bool):
            raise _arguments.type_error(self.default, "default", "bool")

    def _check(self) -> None:
        pass

    def _declaration(self) -> str:
        return f"check default {str(self.default).lower()}"

    def _parse(self, text: str) -> OptionValue:
        if text in ("true", "false"):
            return text == "true"
        raise KalahError(f"expected true or false, not {text}")


@dataclasses.dataclass(frozen=True)
class Combo:
    """An option that is one of several words."""

    default: str
    choices: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raises an exception for values that are no words."""
        one_word(self.default, "default")
        if isinstance(self.choices, str) or not isinstance(self.choices, Sequence):
            raise _arguments.type_error(self.choices, "choices", "a sequence of words")
        choices = [one_word(word, f"choices[{n}]") for n, word in enumerate(self.choices)]
        object.__setattr__(self, "choices", tuple(choices))

    def _check(self) -> None:
        if self.default not in self.choices:
            words = ", ".join(self.choices) or "a choice"
            raise KalahError(f"expected {words} as default, not {self.default}")

    def _declaration(self) -> str:
        return f"combo default {self.default}" + "".join(f" var {word}" for word in self.choices)

    def _parse(self, text: str) -> OptionValue:
        if text in self.choices:
            return text
        raise KalahError(f"expected {', '.join(self.choices)}, not {text}")


@dataclasses.dataclass(frozen=True)
class String:
    """An option that is a text on one line."""

    default: str

    def __post_init__(self) -> None:
        """Raises an exception for a default that is no text."""
        one_line(self.default, "default")

    def _check(self) -> None:
        pass

    def _declaration(self) -> str:
        return f"string default {one_line(self.default, 'default')}".rstrip()

    def _parse(self, text: str) -> OptionValue:
        return text


@dataclasses.dataclass(frozen=True)
class Button:
    """An option without a value, which starts an action."""

    def _check(self) -> None:
        pass

    def _declaration(self) -> str:
        return "button"

    def _parse(self, text: str) -> OptionValue:
        raise KalahError(f"expected no value, not {text}")


Option: TypeAlias = Spin | Check | Combo | String | Button
"""An option of an engine, with its default."""


def declaration(name: str, option: Option) -> str:
    """Returns the line in which an engine declares an option."""
    return f"option name {name} type {option._declaration()}"


def parse_declaration(words: list[str]) -> tuple[str, Option]:
    """Returns the option that the words after `option` declare."""
    match words:
        case ["name", name, "type", "spin", "default", default, "min", least, "max", most]:
            return name, Spin(parse_integer(default), parse_integer(least), parse_integer(most))
        case ["name", name, "type", "check", "default", "true" | "false" as default]:
            return name, Check(default == "true")
        case ["name", name, "type", "combo", "default", default, *rest]:
            if rest and len(rest) % 2 == 0 and set(rest[::2]) == {"var"}:
                return name, Combo(default, tuple(rest[1::2]))
        case ["name", name, "type", "string", "default", *rest]:
            return name, String(" ".join(rest))
        case ["name", name, "type", "button"]:
            return name, Button()
    raise KalahError("expected an option with name, type and default")


def find_option(options: Mapping[str, Option], name: str) -> str:
    """Returns the name of an option as it was declared; case does not matter."""
    for known in options:
        if known.lower() == name.lower():
            return known
    known_names = ", ".join(options) or "none"
    quoted = _arguments.quoted(name)
    raise KalahError(f"there is no option {quoted}: the options are {known_names}")


def value_text(name: str, option: Option, value: OptionValue | None) -> str | None:
    """Returns the text of a value of an option, which is checked."""
    if isinstance(option, Button):
        if value is None:
            return None
        raise KalahError(f"{name}: expected no value, not {_arguments.quoted_value(value)}")
    if value is None:
        raise KalahError(f"{name}: expected a value, not None")
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str):
        text = one_line(value, name)
    elif isinstance(value, SupportsIndex):
        least, most = -MAX_NUMBER, MAX_NUMBER
        if isinstance(option, Spin):
            least, most = option.min, option.max
        text = str(_arguments.integer(value, name, least, most))
    else:
        raise _arguments.type_error(value, name, "int, bool or str")
    try:
        option._parse(text)
    except KalahError as error:
        raise KalahError(f"{name}: {error}") from None
    return text


@dataclasses.dataclass(frozen=True)
class Clocks:
    """The seconds that both sides have left, and the seconds that each of their turns adds."""

    south: float
    north: float
    south_increment: float = 0.0
    north_increment: float = 0.0

    def __post_init__(self) -> None:
        """Raises an exception for a value that is no time."""
        for field in dataclasses.fields(self):
            seconds = limited_seconds(getattr(self, field.name), field.name)
            object.__setattr__(self, field.name, seconds)


@dataclasses.dataclass
class Go:
    """The limits of a search."""

    movetime: float | None = None
    """The time in seconds."""
    nodes: int | None = None
    depth: int | None = None
    clocks: Clocks | None = None
    infinite: bool = False

    def __str__(self) -> str:
        """Returns the command."""
        words: list[object] = ["go"]
        if self.movetime is not None:
            words += ["movetime", milliseconds(self.movetime)]
        if self.nodes is not None:
            words += ["nodes", self.nodes]
        if self.depth is not None:
            words += ["depth", self.depth]
        if self.clocks is not None:
            clocks = dataclasses.astuple(self.clocks)
            for name, seconds in zip(("stime", "ntime", "sinc", "ninc"), clocks, strict=True):
                words += [name, milliseconds(seconds)]
        if self.infinite:
            words.append("infinite")
        return " ".join(map(str, words))

    @classmethod
    def parse(cls, words: list[str]) -> "Go":
        """Returns the limits that the words after `go` are."""
        readers: dict[str, Callable[[str], float]] = {
            "movetime": parse_time,
            "nodes": lambda word: parse_number(word, MAX_NUMBER),
            "depth": lambda word: parse_number(word, MAX_DEPTH),
            "stime": parse_time,
            "ntime": parse_time,
            "sinc": parse_time,
            "ninc": parse_time,
        }
        limits: dict[str, float] = {}
        infinite = False
        rest = iter(words)
        for name in rest:
            if name in limits or (name == "infinite" and infinite):
                raise KalahError(f"`{name}` is repeated")
            if name == "infinite":
                infinite = True
            elif name in readers:
                value = next(rest, None)
                if value is None:
                    raise KalahError(f"`{name}`: expected a number after it")
                limits[name] = readers[name](value)
            else:
                expected = ", ".join(readers)
                raise KalahError(f"`{name}`: expected {expected} or infinite")
        return cls(
            limits.get("movetime"),
            int(limits["nodes"]) if "nodes" in limits else None,
            int(limits["depth"]) if "depth" in limits else None,
            _clocks(limits),
            infinite,
        )


def _clocks(limits: dict[str, float]) -> Clocks | None:
    names = "stime", "ntime", "sinc", "ninc"
    if not any(name in limits for name in names):
        return None
    if "stime" not in limits or "ntime" not in limits:
        raise KalahError("expected both stime and ntime")
    return Clocks(*(limits.get(name, 0.0) for name in names))


def parse_number(word: str, most: int) -> int:
    """Returns a whole number up to `most`."""
    if not _NUMBER.fullmatch(word):
        raise KalahError(f"`{word}`: expected a whole number")
    # Python limits the digits of a number that it converts.
    digits = word.lstrip("0") or "0"
    if len(digits) > len(str(most)) or int(digits) > most:
        raise KalahError(f"`{word}`: expected at most {most}")
    return int(digits)


def parse_integer(word: str) -> int:
    """Returns a whole number with an optional sign."""
    sign = -1 if word.startswith("-") else 1
    return sign * parse_number(word[1:] if word.startswith(("+", "-")) else word, MAX_NUMBER)


def parse_time(word: str) -> float:
    """Returns a time in seconds; a negative one is 0."""
    if word.startswith("-") and _NUMBER.fullmatch(word[1:]):
        return 0.0
    return parse_number(word, MAX_NUMBER) / MILLISECONDS


def position_command(game: Game | Position) -> str:
    """Returns the command that sends a game, or only its position if its plies are too many."""
    if isinstance(game, Game) and len(game) > 0:
        moves = " ".join(map(str, game.moves))
        command = f"position {game.start} rules {game.start.rules} moves {moves}"
        if len(command) <= MAX_LINE_BYTES:
            return command
    position = game.position if isinstance(game, Game) else game
    return f"position {position} rules {position.rules}"


def parse_position(words: list[str]) -> Game:
    """Returns the game that the words after `position` describe."""
    start_words, rules, moves = list(words), "cs32", ""
    if "moves" in start_words:
        index = start_words.index("moves")
        moves = " ".join(start_words[index + 1 :])
        del start_words[index:]
    if "rules" in start_words:
        index = start_words.index("rules")
        match start_words[index + 1 :]:
            case [rules]:
                del start_words[index:]
            case _:
                raise KalahError("expected one word after rules")
    match start_words:
        case ["startpos", start] if re.fullmatch(r"[0-9]+x[0-9]+", start, re.ASCII):
            return Game(start, rules, moves=moves)
        case [literal, *_] if literal.startswith("<"):
            return Game(" ".join(start_words), rules, moves=moves)
    raise KalahError("expected a position: startpos MxN, or <m,S,N,...> and the side to move")
