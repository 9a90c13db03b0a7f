"""A program that speaks the engine protocol, as a child process."""

import collections
import contextlib
import dataclasses
import datetime
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import IO, Final, Self

from kalah._kalah import Game, IllegalMoveError, KalahError, Move, Position
from kalah._side import Side
from kalah.typing import PositionLike
from kalah.uki._messages import (
    MAX_DEPTH,
    MAX_NUMBER,
    MILLISECONDS,
    Clocks,
    Go,
    Option,
    OptionValue,
    find_option,
    parse_declaration,
    parse_integer,
    parse_number,
    parse_time,
    position_command,
    value_text,
)
from kalah.uki._server import read_lines

DEFAULT_TIMEOUT: Final = 30.0
"""The seconds that an engine may take for an answer. Some engines load large tables first."""

STOP_TIMEOUT: Final = 1.0
"""The seconds that an engine may take for its move after `stop`, when the host is interrupted."""

EXIT_TIMEOUT: Final = 2.0
"""The seconds that an engine may take to exit."""

LAST_LINES: Final = 8
"""The number of lines that an error quotes, of the protocol and of standard error."""

MAX_QUOTED: Final = 200
"""The number of characters of a line that an error quotes."""


class EngineError(KalahError):
    """A failure of an engine. Its message has the last lines between the host and the engine."""


class EngineExitError(EngineError):
    """The program of the engine has ended."""


class EngineTimeoutError(EngineError):
    """The engine has not answered in time. Its program was ended."""


class ProtocolError(EngineError):
    """The engine has written a line that is no message of the protocol. Its program was ended."""


@dataclasses.dataclass(frozen=True)
class Info:
    """The progress of a search, as far as the engine reports it."""

    depth: int | None = None
    """The number of turns looked ahead."""
    nodes: int | None = None
    """The number of positions searched."""
    nps: int | None = None
    """The number of positions searched per second."""
    time: float | None = None
    """The seconds since the search began."""
    gain: int | None = None
    """The seeds that the side to move will still bank, minus those of the other side."""
    is_exact: bool = False
    """Whether the gain is proven."""
    margin: int | None = None
    """The margin of the side to move at the end: the gain plus its lead."""
    line: tuple[Move, ...] = ()
    """The principal variation."""
    text: str | None = None
    """A text for people."""


@dataclasses.dataclass(frozen=True)
class PlayResult:
    """The move of an engine, and the last progress that it reported before."""

    move: Move
    """The move."""
    info: Info
    """The depth, score and line that the engine reported last."""


class Engine:
    """A program that speaks the engine protocol.

    `command` is the program with its arguments, or one text that is split like the words of a
    shell. `options` are set before the first search. `timeout` is the time in seconds that the
    engine may take to start, and to answer beyond the time of a search.

    The program ends at the end of a `with` block, or with `close`:

        with kalah.uki.Engine(["kalah", "engine"], options={"Threads": 2}) as engine:
            result = engine.play("6x4", time=0.1)
            print(result.move, result.info.margin)

    An engine is also a player of `kalah.play_game` and `kalah.play_match`.

    Raises a subclass of `OSError` if the program cannot be started, and `EngineError` if it exits,
    does not answer in time, or answers with anything but messages of the protocol. After such an
    error the program has ended. All methods can be called from any thread; each waits for the one
    before.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, OptionValue] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._command = shlex.split(command) if isinstance(command, str) else list(command)
        self._timeout = timeout
        self._lock = threading.RLock()
        self._write_lock = threading.Lock()
        self._last_lines: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self._last_errors: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self._lines: queue.Queue[str | KalahError | None] = queue.Queue()
        self._failure: EngineError | None = None
        self._name = ""
        self._author = ""
        self._options: dict[str, Option] = {}
        self._process = subprocess.Popen(  # noqa: S603  # the caller chooses the program
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=None if env is None else dict(env),
            # Ctrl-C interrupts the host, which stops the engine.
            start_new_session=True,
        )
        self._readers = [
            threading.Thread(target=self._read_output, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        try:
            self._handshake()
            self.configure(options or {})
        except BaseException:
            self._kill()
            raise

    @property
    def name(self) -> str:
        """The name of the engine, or its command if it has none."""
        return self._name or " ".join(self._command)

    @property
    def author(self) -> str:
        """The author of the engine, or an empty text."""
        return self._author

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that the engine declares, by name."""
        return dict(self._options)

    def configure(self, options: Mapping[str, OptionValue | None]) -> None:
        """Set options of the engine; the value of a button is `None`.

        Raises `KalahError` for an option that the engine does not have, or a value that it does not
        accept.
        """
        with self._lock:
            for name, value in options.items():
                known = find_option(self._options, name)
                text = value_text(known, self._options[known], value)
                self._send(f"setoption name {known}" + ("" if text is None else f" value {text}"))
            self.ping()

    def ping(self) -> None:
        """Wait until the engine responds."""
        with self._lock:
            self._send("isready")
            refusal = None
            for words in self._messages(self._timeout):
                if words == ["readyok"]:
                    break
                if words[0] == "error" and refusal is None:
                    refusal = " ".join(words[1:])
            if refusal is not None:
                raise self._error(EngineError, f"it refuses a command: {refusal}")

    def new_game(self, seed: int | None = None) -> None:
        """Announce that the following positions are unrelated to the previous ones.

        `seed` is the value of the option `Seed`, if the engine has it.
        """
        with self._lock:
            if seed is not None and any(name.lower() == "seed" for name in self._options):
                with contextlib.suppress(KalahError):
                    self.configure({"Seed": seed})
            self._send("newgame")
            self.ping()

    def play(
        self,
        position: PositionLike | Game,
        *,
        time: float | datetime.timedelta | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        clocks: Clocks | None = None,
        infinite: bool = False,
        on_info: Callable[[Info], None] | None = None,
        timeout: float | None = None,
    ) -> PlayResult:
        """Return the move of the engine for a position or a game, and its last report.

        The first limit that is reached ends the search: `time` in seconds or as a `timedelta`,
        `nodes`, `depth` in turns, or the `clocks`. Without any the engine decides. With `infinite`
        it searches until `stop` is called, for example by `on_info`, which is called with each
        report of the engine.

        `timeout` is the time in seconds after which the engine counts as stalled. By default it is
        the time of the search plus the `timeout` of the engine; a search that is limited otherwise
        has none.

        Raises `IllegalMoveError` if the game is over or the engine answers with an illegal move,
        and `EngineError`.
        """
        game = _game(position)
        go = Go(_to_seconds(time), nodes, depth, clocks, infinite)
        word, info = self._search(game, go, on_info, timeout)
        try:
            if word == "none":
                raise IllegalMoveError("no move")
            game.push(word)
        except KalahError as error:
            message = f"{self.name} answers with {word} in {game.position}: {error}"
            raise IllegalMoveError(message) from None
        return PlayResult(game.peek(), info)

    def analyse(
        self,
        position: PositionLike | Game,
        *,
        time: float | datetime.timedelta | None = None,
        nodes: int | None = None,
        depth: int | None = None,
        infinite: bool = False,
        on_info: Callable[[Info], None] | None = None,
        timeout: float | None = None,
    ) -> Info:
        """Return the last report of a search of a position or a game.

        The arguments are those of `play`. A position in which the game is over has an empty report.
        """
        go = Go(_to_seconds(time), nodes, depth, None, infinite)
        return self._search(_game(position), go, on_info, timeout)[1]

    def choose(
        self, position: Position, /, *, time: float | datetime.timedelta | None = None
    ) -> str:
        """Return the answer of the engine as it came, for `kalah.play_game`."""
        return self._search(_game(position), Go(_to_seconds(time)), None, None)[0]

    def stop(self) -> None:
        """End the search that another thread or the caller of `on_info` has begun."""
        self._send("stop")

    def close(self) -> None:
        """End the program."""
        if self._process.poll() is None:
            with contextlib.suppress(EngineError):
                self._send("quit")
            with contextlib.suppress(OSError):
                _pipe(self._process.stdin).close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_TIMEOUT)
        if self._failure is None:
            self._failure = self._error(EngineExitError, "it was closed")
        self._kill()

    def __enter__(self) -> Self:
        """Return the engine."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the program."""
        self.close()

    def __repr__(self) -> str:
        """Return the class and the command."""
        return f"Engine({self._command!r})"

    def _handshake(self) -> None:
        self._send("uki")
        for words in self._messages(self._timeout):
            match words:
                case ["ukiok"]:
                    return
                case ["id", "name", *text]:
                    self._name = " ".join(text)
                case ["id", "author", *text]:
                    self._author = " ".join(text)
                case ["option", *declaration]:
                    try:
                        name, option = parse_declaration(declaration)
                    except KalahError as error:
                        raise self._fail(ProtocolError, f"{' '.join(words)}: {error}") from None
                    self._options[name] = option
                case ["error", *text]:
                    raise self._fail(EngineError, f"it refuses uki: {' '.join(text)}")

    def _search(
        self,
        game: Game,
        go: Go,
        on_info: Callable[[Info], None] | None,
        timeout: float | None,
    ) -> tuple[str, Info]:
        _check(go)
        with self._lock:
            self._send(position_command(game))
            # Late messages about the previous position come before the answer to this.
            self.ping()
            self._send(str(go))
            if timeout is None:
                seconds = _seconds(go, game.position)
                timeout = None if seconds is None else seconds + self._timeout
            try:
                return self._wait_for_move(game.position, on_info, timeout)
            except EngineError:
                raise
            except BaseException:
                self._abort_search()
                raise

    def _wait_for_move(
        self, position: Position, on_info: Callable[[Info], None] | None, timeout: float | None
    ) -> tuple[str, Info]:
        info = Info()
        for words in self._messages(timeout):
            match words:
                case ["bestmove", word]:
                    return word, info
                case ["info", "string", *text]:
                    if on_info is not None:
                        on_info(Info(text=" ".join(text)))
                case ["info", *parts]:
                    try:
                        report = _parse_info(parts, position)
                    except KalahError as error:
                        raise self._fail(ProtocolError, f"{' '.join(words)}: {error}") from None
                    # The last report with a score has the result of the search.
                    if report.gain is not None or info.gain is None:
                        info = report
                    if on_info is not None:
                        on_info(report)
                case ["error", *text]:
                    self._abort_search(is_refused=True)
                    raise self._error(EngineError, f"it refuses a command: {' '.join(text)}")
        raise AssertionError

    def _abort_search(self, *, is_refused: bool = False) -> None:
        """Stop a search and read its move, or end an engine that does not answer soon."""
        try:
            self._send("stop")
            self._send("isready")
            is_ready, has_moved = False, is_refused
            for words in self._messages(STOP_TIMEOUT):
                is_ready |= words == ["readyok"]
                has_moved |= words[0] == "bestmove"
                if is_ready and has_moved:
                    return
        except EngineError:
            self._kill()

    def _messages(self, timeout: float | None) -> Iterator[list[str]]:
        """Yield the words of each line of the engine."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            if self._failure is not None:
                raise self._failure
            left = None if deadline is None else deadline - time.monotonic()
            try:
                if left is not None and left <= 0:
                    raise queue.Empty
                line = self._lines.get(timeout=left)
            except queue.Empty:
                message = f"it has not answered for {timeout:g} s"
                raise self._fail(EngineTimeoutError, message) from None
            if line is None:
                raise self._fail(EngineExitError, self._exit_text())
            if isinstance(line, KalahError):
                raise self._fail(ProtocolError, str(line))
            self._last_lines.append(f"< {line}")
            words = line.split()
            if not words:
                continue
            if not _is_message(words):
                raise self._fail(ProtocolError, "it wrote a line that is no message")
            yield words

    def _send(self, line: str) -> None:
        if self._failure is not None:
            raise self._failure
        with self._write_lock:
            self._last_lines.append(f"> {line}")
            try:
                _pipe(self._process.stdin).write(line.encode() + b"\n")
            except OSError:
                raise self._fail(EngineExitError, self._exit_text()) from None

    def _read_output(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in read_lines(_pipe(self._process.stdout)):
                self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in _pipe(self._process.stderr):
                self._last_errors.append("! " + line.decode(errors="replace").rstrip())

    def _exit_text(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(EXIT_TIMEOUT)
            # The last lines of standard error say why.
            self._readers[1].join(EXIT_TIMEOUT)
            if code < 0:
                return f"it was ended by signal {-code}"
            return f"it exited with code {code}"
        return "it has closed its output"

    def _fail(self, kind: type[EngineError], message: str) -> EngineError:
        """End the program, and return the error that all later calls raise, too."""
        self._failure = self._error(kind, message)
        self._kill()
        return self._failure

    def _error(self, kind: type[EngineError], message: str) -> EngineError:
        lines = [_shorten(line) for line in [*self._last_lines, *self._last_errors]]
        text = f"the engine {self.name}: {_shorten(message)}"
        if lines:
            legend = "the last lines (> host, < engine, ! standard error):"
            text = "\n".join([f"{text}; {legend}", *lines])
        return kind(text)

    def _kill(self) -> None:
        """End the program and the programs that it has started."""
        if os.name == "posix":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        if self._failure is None:
            self._failure = self._error(EngineExitError, "it was ended")
        for reader in self._readers:
            reader.join(EXIT_TIMEOUT)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise AssertionError
    return stream


def _game(position: PositionLike | Game) -> Game:
    return position.copy() if isinstance(position, Game) else Game(position)


def _to_seconds(time: float | datetime.timedelta | None) -> float | None:
    return time.total_seconds() if isinstance(time, datetime.timedelta) else time


def _check(go: Go) -> None:
    for name, seconds in [("time", go.movetime)]:
        if seconds is not None and not 0 <= seconds <= MAX_NUMBER / MILLISECONDS:
            raise KalahError(f"{name}: expected a number of seconds from 0, not {seconds}")
    for name, number, most in [("nodes", go.nodes, MAX_NUMBER), ("depth", go.depth, MAX_DEPTH)]:
        if number is not None and not 1 <= number <= most:
            raise KalahError(f"{name}: expected 1 to {most}, not {number}")


def _seconds(go: Go, position: Position) -> float | None:
    """Return the maximum time of a search."""
    times = [] if go.movetime is None else [go.movetime]
    if go.clocks is not None:
        is_south = position.to_move is Side.SOUTH
        times.append(go.clocks.south if is_south else go.clocks.north)
    return min(times, default=None)


MESSAGES: Final = {
    "id": range(3, 10_000),
    "option": range(5, 10_000),
    "ukiok": range(1, 2),
    "readyok": range(1, 2),
    "info": range(1, 10_000),
    "bestmove": range(2, 3),
    "error": range(2, 10_000),
}
"""The messages of an engine, with the numbers of their words."""


def _is_message(words: list[str]) -> bool:
    return len(words) in MESSAGES.get(words[0], ())


def _parse_info(words: list[str], position: Position) -> Info:
    depth = nodes = nps = gain = seconds = None
    is_exact = False
    line: tuple[Move, ...] = ()
    rest = iter(words)
    for word in rest:
        if word == "line":
            line = _parse_line(list(rest), position)
            break
        value = next(rest, None)
        if value is None:
            raise KalahError(f"`{word}`: expected a word after it")
        match word:
            case "depth":
                depth = parse_number(value, MAX_DEPTH)
            case "nodes":
                nodes = parse_number(value, MAX_NUMBER)
            case "nps":
                nps = parse_number(value, MAX_NUMBER)
            case "time":
                seconds = parse_time(value)
            case "score":
                if value not in ("gain", "exact"):
                    raise KalahError(f"`{value}`: expected gain or exact")
                is_exact = value == "exact"
                gain = parse_integer(next(rest, ""))
    margin = None if gain is None else gain + position.lead
    return Info(depth, nodes, nps, seconds, gain, is_exact, margin, line)


def _parse_line(words: list[str], position: Position) -> tuple[Move, ...]:
    """Return the moves of a principal variation up to the first illegal one."""
    letters = [letter for word in words for letter in ([word] if word == "swap" else word)]
    moves = [Move(letter) for letter in letters]
    game = Game(position)
    with contextlib.suppress(IllegalMoveError):
        for move in moves:
            game.push(move)
    return game.moves


def _shorten(text: str) -> str:
    text = text.encode("unicode_escape").decode() if not text.isprintable() else text
    return text if len(text) <= MAX_QUOTED else text[:MAX_QUOTED] + "..."
