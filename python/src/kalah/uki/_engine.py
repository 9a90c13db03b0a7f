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
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Final, Self, SupportsIndex

from kalah import _arguments
from kalah._kalah import Game, IllegalMoveError, KalahError, Move, Position
from kalah._side import Side
from kalah.typing import PositionLike
from kalah.uki._messages import (
    MAX_DEPTH,
    MAX_LINE_BYTES,
    MAX_NUMBER,
    WDL_TOTAL,
    Clocks,
    Go,
    Option,
    OptionValue,
    Spin,
    String,
    find_option,
    limited_seconds,
    parse_declaration,
    parse_integer,
    parse_number,
    parse_time,
    position_command,
    value_text,
)
from kalah.uki._server import read_lines, split_lines

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

PUT_INTERVAL: Final = 0.1
"""The seconds between two checks whether an engine with too many lines has ended."""

MAX_WAITING_LINES: Final = 10_000
"""The number of lines that are read before they are needed. More wait in the engine."""


class EngineError(KalahError):
    """A failure of an engine. Its message has the last lines between the host and the engine."""


class EngineExitError(EngineError):
    """The program of the engine has ended."""


class EngineTimeoutError(EngineError):
    """The engine has not answered in time. Its program was ended.

    The message has the time and the answer that was awaited.
    """


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
    hashfull: int | None = None
    """The part of the hash table that is in use, in thousandths."""
    wdl: tuple[int, int, int] | None = None
    """The probabilities that the side to move wins, ties and loses, in thousandths."""


@dataclasses.dataclass(frozen=True)
class PlayResult:
    """The move of an engine, and the last progress that it reported before."""

    move: Move
    """The move."""
    info: Info
    """The depth, score and line that the engine reported last."""


class _Refusal(Exception):  # noqa: N818  # it never leaves this module
    """The engine answers a search with `error`."""


class Engine:
    """A program that speaks the engine protocol.

    `command` is the program with its arguments, or one text that is split like the words of a
    shell. `options` are set before the first search. `timeout` is the time, in seconds or as a
    `timedelta`, that the engine may take to start, and to answer beyond the time of a search. `cwd`
    is the folder in which the program runs, and `env` its environment, by default those of the
    host.

    The program ends at the end of a `with` block, or with `close`, else when the host ends:

        with kalah.uki.Engine(["kalah", "engine"], options={"Threads": 2}) as engine:
            result = engine.play("6x4", time=0.1)
            print(result.move, result.info.margin)

    An engine is also a player of `kalah.play_game` and `kalah.play_match`.

    Raises a subclass of `OSError` if the program cannot be started, and `EngineError` if it exits,
    does not answer in time, or answers with anything but messages of the protocol. After such an
    error the program has ended. All methods can be called from any thread; each waits for the one
    before, except `stop` and `close`.
    """

    def __init__(
        self,
        command: str | Sequence[str | os.PathLike[str]],
        *,
        options: Mapping[str, OptionValue | None] | None = None,
        timeout: float | datetime.timedelta = DEFAULT_TIMEOUT,
        cwd: str | os.PathLike[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._command = _parse_command(command)
        self._timeout = _positive_seconds(timeout, "timeout")
        _check_mapping(options, "options")
        if cwd is not None:
            _check_system_text(cwd, "cwd")
        environment = _checked_environment(env)
        self._lock = threading.RLock()
        self._write_lock = threading.Lock()
        self._last_lines: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self._last_errors: collections.deque[str] = collections.deque(maxlen=LAST_LINES)
        self._lines: queue.Queue[str | KalahError | None] = queue.Queue(MAX_WAITING_LINES)
        self._is_searching = False
        self._is_ended = threading.Event()
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
            env=environment,
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
        """Sets options of the engine; the value of a button is `None`.

        Raises `KalahError` for an option that the engine does not have, or a value that it does not
        accept.
        """
        if options is None:
            raise _arguments.type_error(options, "options", "a mapping")
        _check_mapping(options, "options")
        with self._lock:
            self._check_idle()
            commands = [self._option_command(name, value) for name, value in options.items()]
            for command in commands:
                self._send(command)
            self.ping()

    def _option_command(self, name: str, value: OptionValue | None) -> str:
        if not isinstance(name, str):
            raise _arguments.type_error(name, "options", "names of class str")
        known = find_option(self._options, name)
        text = value_text(known, self._options[known], value)
        command = f"setoption name {known}" + ("" if text is None else f" value {text}")
        if len(command.encode()) > MAX_LINE_BYTES:
            raise KalahError(f"{known}: expected a text for a line of {MAX_LINE_BYTES} bytes")
        return command

    def ping(self) -> None:
        """Waits until the engine responds."""
        with self._lock:
            self._check_idle()
            self._send("isready")
            refusal = None
            wait = _Wait(self._timeout, "readyok")
            while True:
                words = self._next_message(wait)
                if words == ["readyok"]:
                    break
                if words[0] == "error" and refusal is None:
                    refusal = " ".join(words[1:])
            if refusal is not None:
                raise self._error(EngineError, f"it refuses a command: {refusal}")

    def new_game(self, seed: SupportsIndex | None = None) -> None:
        """Announces that the following positions are unrelated to the previous ones.

        `seed`, 0 to 2⁶⁴ - 1, sets the option `Seed` of an engine that has it. For an option with a
        smaller range the seed is reduced to that range.
        """
        with self._lock:
            self._check_idle()
            if seed is not None:
                number = _arguments.integer(seed, "seed", 0, _arguments.MAX_SEED)
                for name, option in self._options.items():
                    if name.lower() == "seed":
                        self._set_seed(name, option, number)
            self._send("newgame")
            self.ping()

    def _set_seed(self, name: str, option: Option, seed: int) -> None:
        if isinstance(option, Spin):
            self.configure({name: option.min + seed % (option.max - option.min + 1)})
        elif isinstance(option, String):
            self.configure({name: str(seed)})

    def play(
        self,
        position: PositionLike | Game,
        *,
        time: float | datetime.timedelta | None = None,
        nodes: SupportsIndex | None = None,
        depth: SupportsIndex | None = None,
        clocks: Clocks | None = None,
        infinite: bool = False,
        on_info: Callable[[Info], object] | None = None,
        timeout: float | datetime.timedelta | None = None,
    ) -> PlayResult:
        """Returns the move of the engine for a position or a game, and its last report.

        The first limit that is reached ends the search: `time` in seconds or as a `timedelta`,
        `nodes`, `depth` in turns, or the `clocks`. Without any the engine decides. With `infinite`,
        and no other limit, it searches until `stop` is called, for example by `on_info`, which is
        called with each report of the engine and can call no other method of it.

        `timeout` is the time, in seconds or as a `timedelta`, after which the engine counts as
        stalled. By default it is the time of the search plus the `timeout` of the engine; a search
        that is limited otherwise has none.

        Raises `IllegalMoveError` if the game is over or the engine answers with an illegal move,
        `KalahError` for an argument that is out of its range, and `EngineError`.
        """
        game = _game(position)
        go = _go(time, nodes, depth, clocks, infinite=infinite)
        word, info = self._search(game, go, on_info, timeout)
        try:
            if word == "none":
                raise IllegalMoveError("no move")
            game.push(word)
        except KalahError as error:
            answer = f"{_shorten(self.name)} answers with {_shorten(word)}"
            message = f"{answer} in {game.position}: {error}"
            raise IllegalMoveError(message) from None
        return PlayResult(game.peek(), info)

    def analyse(
        self,
        position: PositionLike | Game,
        *,
        time: float | datetime.timedelta | None = None,
        nodes: SupportsIndex | None = None,
        depth: SupportsIndex | None = None,
        infinite: bool = False,
        on_info: Callable[[Info], object] | None = None,
        timeout: float | datetime.timedelta | None = None,
    ) -> Info:
        """Returns the last report of a search of a position or a game.

        The arguments are those of `play`. A position in which the game is over has an empty report.
        """
        game = _game(position)
        go = _go(time, nodes, depth, None, infinite=infinite)
        return self._search(game, go, on_info, timeout)[1]

    def choose(
        self, position: Position, /, *, time: float | datetime.timedelta | None = None
    ) -> str:
        """Returns the word with which the engine answers, for `kalah.play_game`.

        It can be an illegal move, with which the engine loses its game.
        """
        game = _game(position)
        return self._search(game, _go(time, None, None, None, infinite=False), None, None)[0]

    def stop(self) -> None:
        """Ends the search that another thread or the caller of `on_info` has begun."""
        self._send("stop")

    def close(self) -> None:
        """Ends the program."""
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
        """Returns the engine."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Ends the program."""
        self.close()

    def __repr__(self) -> str:
        """Returns the class and the command."""
        return f"Engine({self._command!r})"

    def _handshake(self) -> None:
        self._send("uki")
        wait = _Wait(self._timeout, "ukiok")
        while True:
            words = self._next_message(wait)
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

    def _check_idle(self) -> None:
        """Raises `KalahError` in a function that the search of this engine calls."""
        if self._is_searching:
            raise KalahError("the engine is searching: on_info can call stop and close only")

    def _search(
        self,
        game: Game,
        go: Go,
        on_info: Callable[[Info], object] | None,
        timeout: float | datetime.timedelta | None,
    ) -> tuple[str, Info]:
        if on_info is not None:
            _arguments.function(on_info, "on_info")
        seconds = None if timeout is None else _positive_seconds(timeout, "timeout")
        if seconds is None:
            limit = _seconds(go, game.position)
            seconds = None if limit is None else limit + self._timeout
        with self._lock:
            self._check_idle()
            self._send(position_command(game))
            # Late messages about the previous position come before the answer to this.
            self.ping()
            self._is_searching = True
            try:
                self._send(str(go))
                return self._wait_for_move(game.position, on_info, seconds)
            except _Refusal as refusal:
                self._abort_search(is_refused=True)
                raise self._error(EngineError, f"it refuses a command: {refusal}") from None
            except BaseException:
                if self._failure is None:
                    self._abort_search()
                raise
            finally:
                self._is_searching = False

    def _wait_for_move(
        self, position: Position, on_info: Callable[[Info], object] | None, timeout: float | None
    ) -> tuple[str, Info]:
        info = Info()
        wait = _Wait(timeout, "bestmove")
        while True:
            words = self._next_message(wait)
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
                    raise _Refusal(" ".join(text))

    def _abort_search(self, *, is_refused: bool = False) -> None:
        """Stops a search and reads its move, or ends an engine that does not answer soon."""
        try:
            self._send("stop")
            self._send("isready")
            is_ready, has_moved = False, is_refused
            wait = _Wait(STOP_TIMEOUT, "bestmove")
            while not (is_ready and has_moved):
                words = self._next_message(wait)
                is_ready |= words == ["readyok"]
                has_moved |= words[0] == "bestmove"
        except EngineError:
            self._kill()
        except BaseException:
            # A second Ctrl-C: the state of the engine is unknown.
            self._kill()
            raise

    def _next_message(self, wait: "_Wait") -> list[str]:
        """Returns the words of the next line of the engine that has any."""
        while True:
            if self._failure is not None:
                raise self._failure
            left = wait.left()
            try:
                # An engine that writes without end has always a line.
                if left == 0:
                    raise queue.Empty
                line = self._lines.get(timeout=left)
            except queue.Empty:
                message = f"it has not answered `{wait.awaited}` within {wait.seconds:g} s"
                raise self._fail(EngineTimeoutError, message) from None
            if line is None:
                raise self._fail(EngineExitError, self._exit_text())
            if isinstance(line, KalahError):
                raise self._fail(ProtocolError, str(line))
            self._last_lines.append(f"< {line}")
            words = line.split()
            if words and not _is_message(words):
                raise self._fail(ProtocolError, "it wrote a line that is no message")
            if words:
                return words

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
                self._put(line)
        self._put(None)

    def _put(self, line: str | KalahError | None) -> None:
        """Stores a line as soon as there is space, if the engine runs by then."""
        while not self._is_ended.is_set():
            with contextlib.suppress(queue.Full):
                self._lines.put(line, timeout=PUT_INTERVAL)
                return
        # A thread that waits for a line finds that the engine has ended.
        with contextlib.suppress(queue.Full):
            self._lines.put_nowait(None)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in split_lines(_pipe(self._process.stderr)):
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
        """Ends the program, and return the error that all later calls raise, too."""
        self._failure = self._error(kind, message)
        self._kill()
        return self._failure

    def _error(self, kind: type[EngineError], message: str) -> EngineError:
        lines = [_shorten(line) for line in [*self._last_lines, *self._last_errors]]
        text = f"the engine {_shorten(self.name)}: {_shorten(message)}"
        if lines:
            legend = "the last lines (> host, < engine, ! standard error):"
            text = "\n".join([f"{text}; {legend}", *lines])
        return kind(text)

    def _kill(self) -> None:
        """Ends the program and the programs that it has started."""
        self._is_ended.set()
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


@dataclasses.dataclass
class _Wait:
    """The time in seconds, `None` without a limit, for an answer with the word `awaited`."""

    seconds: float | None
    awaited: str

    def __post_init__(self) -> None:
        self._start = time.monotonic()

    def left(self) -> float | None:
        """Returns the time that is left, at least 0."""
        if self.seconds is None:
            return None
        left = self.seconds - (time.monotonic() - self._start)
        return min(max(left, 0.0), threading.TIMEOUT_MAX)


def _parse_command(command: Any) -> list[str]:
    """Returns the program and its arguments."""
    words = command
    if isinstance(command, str):
        try:
            words = shlex.split(command)
        except ValueError:
            message = f"command: expected closed quotes, not {_arguments.quoted(command)}"
            raise KalahError(message) from None
    if isinstance(words, bytes) or not isinstance(words, Sequence):
        raise _arguments.type_error(command, "command", "str or a sequence of words")
    if not words:
        raise KalahError("command: expected a program, not nothing")
    for word in words:
        _check_system_text(word, "command")
    return [os.fspath(word) for word in words]


def _check_system_text(value: Any, name: str) -> None:
    """Raises an exception for a value that is no text or path of the system."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        raise _arguments.type_error(value, name, "str or a path")
    try:
        is_valid = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_valid = False
    if not is_valid:
        expected = "characters without NUL and surrogates"
        raise KalahError(f"{name}: expected {expected}, not {_arguments.quoted(text)}")


def _checked_environment(env: Mapping[str, str] | None) -> dict[str, str] | None:
    _check_mapping(env, "env")
    if env is None:
        return None
    environment = dict(env)
    for name, value in environment.items():
        _check_system_text(name, "env")
        _check_system_text(value, "env")
        if not name or "=" in name:
            quoted = _arguments.quoted(name)
            raise KalahError(f"env: expected a name of a variable, not {quoted}")
    return environment


def _check_mapping(value: Any, name: str) -> None:
    if value is not None and not isinstance(value, Mapping):
        raise _arguments.type_error(value, name, "a mapping")


def _positive_seconds(value: Any, name: str) -> float:
    seconds = _arguments.seconds(value, name)
    if seconds == 0:
        raise KalahError(f"{name}: expected more than 0 seconds, not 0")
    return seconds


def _game(position: Any) -> Game:
    """Returns a game that the caller may change."""
    if isinstance(position, Game):
        return position.copy()
    return Game(Position(position))


def _go(
    time: float | datetime.timedelta | None,
    nodes: SupportsIndex | None,
    depth: SupportsIndex | None,
    clocks: Clocks | None,
    *,
    infinite: bool,
) -> Go:
    """Returns the limits of a search, which are checked."""
    if not isinstance(infinite, bool):
        raise _arguments.type_error(infinite, "infinite", "bool")
    if clocks is not None and not isinstance(clocks, Clocks):
        raise _arguments.type_error(clocks, "clocks", "Clocks")
    limits = {"time": time, "nodes": nodes, "depth": depth, "clocks": clocks}
    given = [name for name, limit in limits.items() if limit is not None]
    if infinite and given:
        raise KalahError(f"infinite: expected no other limit with it, not {', '.join(given)}")
    return Go(
        None if time is None else limited_seconds(time, "time"),
        None if nodes is None else _arguments.integer(nodes, "nodes", 1, MAX_NUMBER),
        None if depth is None else _arguments.integer(depth, "depth", 1, MAX_DEPTH),
        clocks,
        infinite,
    )


def _seconds(go: Go, position: Position) -> float | None:
    """Returns the maximum time of a search."""
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
    depth = nodes = nps = gain = seconds = hashfull = None
    wdl: tuple[int, int, int] | None = None
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
            case "hashfull":
                hashfull = parse_number(value, MAX_NUMBER)
            case "wdl":
                wdl = _parse_wdl(value, next(rest, ""), next(rest, ""))
            case "time":
                seconds = parse_time(value)
            case "score":
                if value not in ("gain", "exact"):
                    raise KalahError(f"`{value}`: expected gain or exact")
                is_exact = value == "exact"
                gain = parse_integer(next(rest, ""))
    margin = None if gain is None else gain + position.lead
    return Info(
        depth, nodes, nps, seconds, gain, is_exact, margin, line, hashfull=hashfull, wdl=wdl
    )


def _parse_wdl(*words: str) -> tuple[int, int, int]:
    """Returns the probabilities of a win, a tie and a loss."""
    win, tie, loss = (parse_number(word, WDL_TOTAL) for word in words)
    if win + tie + loss != WDL_TOTAL:
        raise KalahError(f"`{' '.join(words)}`: expected numbers that add up to {WDL_TOTAL}")
    return win, tie, loss


def _parse_line(words: list[str], position: Position) -> tuple[Move, ...]:
    """Returns the moves of a principal variation up to the first illegal one."""
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
