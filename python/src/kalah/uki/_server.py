"""A function as an engine: the protocol on standard input and output."""

import codecs
import contextlib
import io
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import IO, Any, Final, SupportsIndex, TypeAlias

from kalah import _arguments
from kalah._kalah import Game, IllegalMoveError, KalahError, Move, Position
from kalah._side import Side
from kalah.typing import MoveLike
from kalah.uki._messages import (
    MAX_DEPTH,
    MAX_LINE_BYTES,
    MAX_NUMBER,
    MILLISECONDS,
    Button,
    Clocks,
    Go,
    Option,
    OptionValue,
    declaration,
    find_option,
    one_line,
    one_word,
    parse_position,
)

DEFAULT_TIME: Final = 5.0
"""The seconds for a move without a limit."""

# The shares of a clock are those of `kalah engine`, see docs/engine-protocol.md.
MAX_OVERHEAD: Final = 0.05
OVERHEAD_SHARE: Final = 0.1
SEEDS_PER_MOVE: Final = 3
MIN_MOVES: Final = 8
MAX_MOVES: Final = 24
INCREMENT_SHARE: Final = 0.75

MAX_GAIN: Final = 65_535
"""The seeds of the largest boards."""

QUIT_TIMEOUT: Final = 5.0
"""The seconds for which the end of the engine waits for the move of a search."""

READ_BYTES: Final = 65_536

MAX_READ_BYTES: Final = MAX_LINE_BYTES + 2
"""The bytes of a line that are read: a carriage return, and one byte that is too much."""

COMMANDS: Final = "uki, isready, newgame, setoption, position, go, stop or quit"
SEARCH_IN_PROGRESS: Final = (
    "a search is in progress: only isready, uki, stop and quit are allowed before its bestmove"
)


class Limits:
    """The limits of a search, which a host sends with `go`."""

    def __init__(
        self,
        go: Go,
        position: Position,
        options: Mapping[str, OptionValue],
        write: Callable[[str], None],
    ) -> None:
        self._stop = threading.Event()
        self._start = time.monotonic()
        self._write = write
        self.time: float | None = _time_for_move(go, position)
        """The seconds for the move, less a reserve; `None` if only other limits apply."""
        self.nodes: int | None = go.nodes
        """The number of positions to search."""
        self.depth: int | None = go.depth
        """The number of turns to look ahead."""
        self.clocks: Clocks | None = go.clocks
        """The clocks, of which `time` is a share."""
        self.infinite: bool = go.infinite
        """Whether the search lasts until the host stops it."""
        self.options: Mapping[str, OptionValue] = MappingProxyType(dict(options))
        """The values of the options."""

    @property
    def elapsed(self) -> float:
        """The seconds since the search began."""
        return time.monotonic() - self._start

    @property
    def stopped(self) -> bool:
        """Whether the host has stopped the search, or its time is over."""
        return self._stop.is_set() or (self.time is not None and self.elapsed >= self.time)

    def info(
        self,
        *,
        depth: SupportsIndex | None = None,
        nodes: SupportsIndex | None = None,
        gain: SupportsIndex | None = None,
        exact: bool = False,
        line: str | Iterable[Move] = "",
    ) -> None:
        """Reports the progress of the search to the host.

        `depth` is the number of turns looked ahead, and `nodes` the number of positions searched.
        `gain` is the number of seeds that the side to move will still bank, minus that of the other
        side, proven if `exact`. `line` has the best moves: a list, or a text with blanks between
        them.

        Raises `TypeError` and `KalahError` for values that the protocol does not have.
        """
        if depth is not None:
            depth = _arguments.integer(depth, "depth", 0, MAX_DEPTH)
        if nodes is not None:
            nodes = _arguments.integer(nodes, "nodes", 0, MAX_NUMBER)
        if gain is not None:
            gain = _arguments.integer(gain, "gain", -MAX_GAIN, MAX_GAIN)
        moves = _line_text(line)
        elapsed = self.elapsed
        words: list[object] = ["info"]
        if depth is not None:
            words += ["depth", depth]
        if nodes is not None:
            words += ["nodes", nodes]
            if elapsed > 0:
                words += ["nps", min(round(nodes / elapsed), MAX_NUMBER)]
        words += ["time", round(elapsed * MILLISECONDS)]
        if gain is not None:
            words += ["score", "exact" if exact else "gain", f"{gain:+}" if gain else 0]
        if moves:
            words += ["line", moves]
        self._write(" ".join(map(str, words)))


def _line_text(line: Any) -> str:
    """Returns the text of a principal variation."""
    if not isinstance(line, str):
        if not isinstance(line, Iterable):
            raise _arguments.type_error(line, "line", "str or moves in a list")
        line = " ".join(map(str, line))
    text = one_line(line, "line")
    for word in text.split():
        for letter in [word] if word == "swap" else word:
            try:
                Move(letter)
            except KalahError as error:
                raise KalahError(f"line: {error}") from None
    return text


def _time_for_move(go: Go, position: Position) -> float | None:
    times = []
    if go.movetime is not None:
        times.append(go.movetime - _overhead(go.movetime))
    if go.clocks is not None:
        times.append(_clock_share(go.clocks, position))
    if not times and not go.infinite and go.nodes is None and go.depth is None:
        return DEFAULT_TIME
    return min(times, default=None)


def _overhead(seconds: float) -> float:
    return min(seconds * OVERHEAD_SHARE, MAX_OVERHEAD)


def _clock_share(clocks: Clocks, position: Position) -> float:
    is_south = position.to_move is Side.SOUTH
    left = clocks.south if is_south else clocks.north
    increment = clocks.south_increment if is_south else clocks.north_increment
    left -= _overhead(left)
    moves = min(max(position.seeds_in_play // SEEDS_PER_MOVE, MIN_MOVES), MAX_MOVES)
    return min(left / moves + increment * INCREMENT_SHARE, left / 2)


ChooseFunction: TypeAlias = Callable[[Position, Limits], MoveLike]


def serve(
    choose: ChooseFunction,
    *,
    name: str,
    author: str = "",
    options: Mapping[str, Option] | None = None,
    on_option: Callable[[str, OptionValue | None], None] | None = None,
    new_game: Callable[[], None] | None = None,
    stdin: IO[bytes] | None = None,
    stdout: IO[bytes] | None = None,
) -> None:
    r"""Runs an engine until the host ends it.

    `choose` gets a position, in which the game is not over, and the limits of the search, and
    returns a move. It runs on a thread of its own and should return soon after `limits.stopped` is
    true; without other limits, that is the case after five seconds.

    `name` and `author` are texts, and `options` maps names of one word to options, which the host
    can set. Their values are in `limits.options`. `on_option` is called with the name and the new
    value of an option, which is `None` for a button; a `ValueError` that it raises is the answer to
    the host, and the option keeps its value. `new_game` is called before a game that is unrelated
    to the previous one.

    The engine reads the protocol from `stdin` and writes to `stdout`, binary streams that are the
    standard ones by default. While it runs, `print` writes to standard error, because standard
    output belongs to the protocol.

    An exception of `choose` ends the engine, and `serve` raises it. So does a returned value that
    is no legal move, with `IllegalMoveError`.

    Raises `TypeError` and `KalahError` for other wrong arguments.

    >>> import io
    >>> import kalah.uki
    >>> def choose(position, limits):
    ...     return position.legal_moves[0]
    >>> lines = io.BytesIO(b"position startpos 6x4 moves C\ngo depth 1\nquit\n")
    >>> answers = io.BytesIO()
    >>> kalah.uki.serve(choose, name="First", stdin=lines, stdout=answers)
    >>> answers.getvalue()
    b'bestmove A\n'
    """
    _arguments.function(choose, "choose")
    identity = {"name": one_line(name, "name"), "author": one_line(author, "author")}
    if not identity["name"]:
        raise KalahError("name: expected a text that is not empty")
    declared = _declared(options)
    for function, argument in [(on_option, "on_option"), (new_game, "new_game")]:
        if function is not None:
            _arguments.function(function, argument)
    stream = _input(stdin)
    target = _output(stdout)
    server = _Server(choose, identity, declared, on_option, new_game, target)
    # A host that has ended without `quit` reads nothing more.
    with contextlib.redirect_stdout(sys.stderr), contextlib.suppress(BrokenPipeError):
        server.run(stream)


def _declared(options: Mapping[str, Option] | None) -> dict[str, Option]:
    """Returns options that a line can declare."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise _arguments.type_error(options, "options", "a mapping")
    declared: dict[str, Option] = {}
    for name, option in options.items():
        one_word(name, "options")
        if not isinstance(option, Option):
            kinds = "Spin, Check, Combo, String or Button"
            raise _arguments.type_error(option, f"options: {name}", kinds)
        if any(name.lower() == other.lower() for other in declared):
            raise KalahError(f"options: expected one option {name}, in upper or lower case")
        try:
            option._check()
        except KalahError as error:
            raise KalahError(f"options: {name}: {error}") from None
        if len(declaration(name, option).encode()) > MAX_LINE_BYTES:
            raise KalahError(f"options: {name}: expected a line of {MAX_LINE_BYTES} bytes")
        declared[name] = option
    return declared


def _input(stdin: Any) -> IO[bytes] | io.FileIO:
    """Returns the binary stream of the host's lines."""
    if stdin is None:
        # The interpreter ends while a thread reads, which the lock of a buffered reader would
        # prevent.
        return io.FileIO(_file_number(sys.stdin, "stdin"), closefd=False)
    if isinstance(stdin, io.TextIOBase) or not hasattr(stdin, "read"):
        raise _arguments.type_error(stdin, "stdin", "a binary stream")
    return stdin  # type: ignore[no-any-return]


def _output(stdout: Any) -> IO[bytes]:
    """Returns the binary stream of the answers."""
    if stdout is None:
        number = _file_number(sys.stdout, "stdout")
        sys.stdout.flush()
        return io.BufferedWriter(io.FileIO(number, "wb", closefd=False))
    has_methods = hasattr(stdout, "write") and hasattr(stdout, "flush")
    if isinstance(stdout, io.TextIOBase) or not has_methods:
        raise _arguments.type_error(stdout, "stdout", "a binary stream")
    return stdout  # type: ignore[no-any-return]


def _file_number(stream: Any, name: str) -> int:
    """Returns the number of the file of a standard stream, which a notebook does not have."""
    try:
        return int(stream.fileno())
    except (AttributeError, OSError, ValueError):
        message = f"{name}: expected a binary stream, because sys.{name} is no file here"
        raise KalahError(message) from None


class _Search:
    """A search, and its move once it is chosen."""

    def __init__(self, position: Position, limits: Limits) -> None:
        self.position = position
        self.limits = limits
        self.is_stopped = False
        self.best: str | None = None

    def stop(self) -> None:
        self.is_stopped = True
        self.limits._stop.set()

    @property
    def can_answer(self) -> bool:
        return self.best is not None and (self.is_stopped or not self.limits.infinite)


class _MoveChosen:
    """The event that a search has ended: with a move, or with an exception."""

    def __init__(self, best: str | BaseException) -> None:
        self.best = best


class _ReadError:
    """The event that the input cannot be read."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


_Event: TypeAlias = str | KalahError | _MoveChosen | _ReadError | None
"""A line, a line that is refused, the end of a search, a failure, or the end of the input."""


class _Server:
    def __init__(
        self,
        choose: ChooseFunction,
        identity: Mapping[str, str],
        options: Mapping[str, Option],
        on_option: Callable[[str, OptionValue | None], None] | None,
        new_game: Callable[[], None] | None,
        output: IO[bytes],
    ) -> None:
        self._choose = choose
        self._identity = identity
        self._options = dict(options)
        self._values: dict[str, OptionValue] = {
            key: option.default for key, option in options.items() if not isinstance(option, Button)
        }
        self._on_option = on_option
        self._new_game = new_game
        self._output = output
        self._output_lock = threading.Lock()
        self._events: queue.Queue[_Event] = queue.Queue()
        self._game = Game()
        self._search: _Search | None = None

    def run(self, stream: IO[bytes] | io.FileIO) -> None:
        reader = threading.Thread(target=self._read, args=(stream,), daemon=True)
        reader.start()
        while True:
            event = self._events.get()
            if event is None or (isinstance(event, str) and event.split() == ["quit"]):
                self._quit()
                return
            if isinstance(event, _ReadError):
                raise event.error
            if isinstance(event, _MoveChosen):
                self._finish_search(event)
                continue
            try:
                if isinstance(event, KalahError):
                    raise event
                self._handle(event.split())
            except KalahError as error:
                self._write(f"error {_one_line(str(error))}")

    def _read(self, stream: IO[bytes] | io.FileIO) -> None:
        try:
            for line in read_lines(stream):
                self._events.put(line)
            self._events.put(None)
        except BaseException as error:
            self._events.put(_ReadError(error))

    def _handle(self, words: list[str]) -> None:
        match words:
            case []:
                pass
            case ["uki"]:
                for key, text in self._identity.items():
                    if text:
                        self._write(f"id {key} {text}")
                for name, option in self._options.items():
                    self._write(declaration(name, option))
                self._write("ukiok")
            case ["isready"]:
                self._write("readyok")
            case ["stop"]:
                if self._search is not None:
                    self._search.stop()
                    self._answer()
            case ["newgame" | "setoption" | "position" | "go", *_] if self._search is not None:
                raise KalahError(SEARCH_IN_PROGRESS)
            case ["newgame"]:
                if self._new_game is not None:
                    self._new_game()
            case ["setoption", "name", name]:
                self._set_option(name, None)
            case ["setoption", "name", name, "value", *rest]:
                self._set_option(name, " ".join(rest))
            case ["setoption", *_]:
                raise KalahError("expected setoption name NAME value VALUE")
            case ["position", *rest]:
                self._game = parse_position(rest)
            case ["go", *rest]:
                self._start_search(Go.parse(rest))
            case ["uki" | "isready" | "newgame" | "stop" | "quit" as command, word, *_]:
                raise KalahError(f"`{word}`: expected nothing after {command}")
            case [word, *_]:
                raise KalahError(f"`{word}`: expected {COMMANDS}")

    def _set_option(self, name: str, text: str | None) -> None:
        known = find_option(self._options, name)
        option = self._options[known]
        value = None
        if text is not None:
            try:
                value = option._parse(text)
            except KalahError as error:
                raise KalahError(f"{known}: {error}") from None
        elif not isinstance(option, Button):
            raise KalahError(f"{known}: expected a value")
        if self._on_option is not None:
            try:
                self._on_option(known, value)
            except ValueError as error:
                raise KalahError(f"{known}: {error}") from error
        if value is not None:
            self._values[known] = value

    def _start_search(self, go: Go) -> None:
        position = self._game.position
        limits = Limits(go, position, self._values, self._write)
        self._search = _Search(position, limits)
        if position.is_over:
            self._finish_search(_MoveChosen("none"))
            return
        threading.Thread(target=self._run_search, args=(position, limits), daemon=True).start()

    def _run_search(self, position: Position, limits: Limits) -> None:
        try:
            answer = self._choose(position, limits)
            self._events.put(_MoveChosen(_move_text(position, answer)))
        except BaseException as error:
            self._events.put(_MoveChosen(error))

    def _finish_search(self, event: _MoveChosen) -> None:
        if isinstance(event.best, BaseException):
            raise event.best
        if self._search is not None:
            self._search.best = event.best
            self._answer()

    def _answer(self) -> None:
        """Sends the move of the search, if it has one and may answer."""
        search = self._search
        if search is not None and search.can_answer:
            self._search = None
            self._write(f"bestmove {search.best}")

    def _quit(self) -> None:
        search = self._search
        if search is None:
            return
        search.stop()
        self._answer()
        deadline = time.monotonic() + QUIT_TIMEOUT
        while self._search is not None:
            try:
                event = self._events.get(timeout=max(deadline - time.monotonic(), 0.0))
            except queue.Empty:
                return
            if isinstance(event, _MoveChosen):
                self._finish_search(event)

    def _write(self, line: str) -> None:
        with self._output_lock:
            self._output.write(line.encode() + b"\n")
            self._output.flush()


def _move_text(position: Position, answer: MoveLike) -> str:
    """Returns the text of a legal move."""
    game = Game(position)
    try:
        game.push(answer)
    except (KalahError, TypeError) as error:
        text = str(answer) if isinstance(answer, Move) else answer
        quoted = _arguments.quoted_value(text)
        message = f"choose returned {quoted} in {position}: {error}"
        raise IllegalMoveError(message) from None
    return str(game.peek())


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_lines(stream: IO[bytes] | io.FileIO) -> Iterator[str | KalahError]:
    """Yields the lines of a stream; a line that is too long or no text is an error.

    A byte order mark before the first line is skipped.
    """
    for number, line in enumerate(split_lines(stream)):
        yield _decode(line if number else line.removeprefix(codecs.BOM_UTF8))


def split_lines(stream: IO[bytes] | io.FileIO) -> Iterator[bytes]:
    """Yields the lines of a stream without their ends, each up to `MAX_READ_BYTES`."""
    read = getattr(stream, "read1", stream.read)
    pending = b""
    is_skipped = False
    while chunk := read(READ_BYTES):
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            if not is_skipped:
                yield line[:MAX_READ_BYTES]
            is_skipped = False
        if len(pending) >= MAX_READ_BYTES:
            # The rest of the line is skipped.
            if not is_skipped:
                yield pending[:MAX_READ_BYTES]
            pending, is_skipped = b"", True
    if pending and not is_skipped:
        yield pending


def _decode(line: bytes) -> str | KalahError:
    line = line.rstrip(b"\r")
    if len(line) > MAX_LINE_BYTES:
        return KalahError(f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        return line.decode()
    except UnicodeDecodeError:
        return KalahError("the line is not UTF-8 text")
