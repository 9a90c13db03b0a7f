"""Players, and games and matches between them.

A player is the text of a built-in player such as `level:3`, an object with a method `choose`, or a
function from a position to a move:

>>> import kalah
>>> def greedy(position):
...     def store(move):
...         return position.play(move).store(position.to_move)
...     return max(position.legal_moves, key=store)
>>> game = kalah.play_game(greedy, "first", start="4x3")
>>> game.headers["South"], game.result
('greedy', '13-11')
"""

import dataclasses
import datetime
import itertools
import random
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, NamedTuple, Protocol, SupportsIndex, TypeAlias, runtime_checkable

import numpy as np

from kalah import _arguments
from kalah._kalah import (
    BuiltinPlayer,
    Game,
    KalahError,
    Move,
    Position,
    Rules,
    _estimate,
    _parse_openings,
    random_openings,
)
from kalah._side import Side
from kalah._termination import Termination
from kalah.typing import MoveLike, PositionLike, RulesLike

__all__ = [
    "BuiltinPlayer",
    "Estimate",
    "Interval",
    "MatchGame",
    "MatchResult",
    "Player",
    "PlayerLike",
    "parse_openings",
    "play_game",
    "play_match",
    "random_openings",
]

DEFAULT_GAMES: Final = 100
DEFAULT_OPENING_PLIES: Final = 4
SEED_BITS: Final = 64

MAX_GAMES: Final = 2_000_000
"""The maximum number of games of a match, which is that of random openings times two."""

MAX_OPENING_PLIES: Final = 1000
"""The maximum number of plies of random openings, as in `random_openings`."""


@runtime_checkable
class Player(Protocol):
    """A player: an object that chooses moves.

    It may also have an attribute `name`, its name in records, and a method `new_game(seed)`, which
    is called before a game with a number of 64 bits that determines the random choices.
    """

    def choose(self, position: Position, /, *, time: float | None = None) -> MoveLike:
        """Returns a move for the side to move, if possible within `time` seconds."""
        ...


PlayerLike: TypeAlias = str | Player | Callable[[Position], MoveLike]
"""A text such as `level:3`, an object with `choose`, or a function from a position to a move."""


class Interval(NamedTuple):
    """A 95 % confidence interval."""

    lower: float
    upper: float


@dataclasses.dataclass(frozen=True)
class Estimate:
    """The strength of the first player of a match, estimated from pairs of games.

    The intervals rest on the central limit theorem and are unreliable with fewer than 20 pairs.
    """

    score: float
    """The fraction of the points, 0 to 1."""
    score_interval: Interval
    """The interval of the expected fraction of the points."""
    elo: float
    """The Elo difference with this expected score; infinite if a player made all points."""
    elo_interval: Interval
    """The Elo differences at the ends of `score_interval`."""
    superiority: float
    """The likelihood that the first player is the stronger one, 0 to 1."""


@dataclasses.dataclass(frozen=True)
class MatchGame:
    """A game of a match."""

    game: Game
    """The game. Its headers `South` and `North` name the players by the sides they began on."""
    first_began_as: Side
    """The side on which the first player of the match began."""

    @property
    def score(self) -> float:
        """The points of the first player: 1 for a win, 0.5 for a tie and 0 for a loss."""
        if self.game.winner is None:
            return 0.5
        return float(self.game.player_on(self.game.winner) is self.first_began_as)

    @property
    def margin(self) -> int | None:
        """The seeds by which the first player is ahead at the end.

        It is `None` for a game that ended before its end by the rules.
        """
        outcome = self.game.outcome
        if outcome is None:
            return None
        side = Side.SOUTH if self.game.player_on(Side.SOUTH) is self.first_began_as else Side.NORTH
        return outcome.margin(side)


@dataclasses.dataclass(frozen=True)
class MatchResult:
    """The result of a match, seen from its first player.

    The games with the numbers 2n and 2n + 1, counted from 0, are a pair: they begin with the same
    opening, and the first player begins the first of them as South.
    """

    names: tuple[str, str]
    """The names of the first and the second player."""
    seed: int
    """The seed of the match, with which it can be repeated."""
    games: tuple[MatchGame, ...]
    """The games in the order in which they were played."""

    @property
    def wins(self) -> int:
        """The number of games that the first player won."""
        return sum(game.score == 1 for game in self.games)

    @property
    def ties(self) -> int:
        """The number of ties."""
        return sum(game.score == 0.5 for game in self.games)

    @property
    def losses(self) -> int:
        """The number of games that the first player lost."""
        return sum(game.score == 0 for game in self.games)

    @property
    def score(self) -> float:
        """The points of the first player: a win is 1 and a tie 0.5."""
        return sum(game.score for game in self.games)

    @property
    def margin(self) -> int:
        """The seeds of the first player minus those of the second, in all games with a margin."""
        return sum(game.margin or 0 for game in self.games)

    @property
    def pairs(self) -> tuple[int, int, int, int, int]:
        """The numbers of pairs in which the first player made 0, 0.5, 1, 1.5 and 2 points."""
        counts = [0] * 5
        for one, other in zip(self.games[::2], self.games[1::2], strict=False):
            counts[round(2 * (one.score + other.score))] += 1
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    @property
    def estimate(self) -> Estimate | None:
        """The strength of the first player, or `None` before the end of the first pair."""
        estimate = _estimate(self.pairs)
        if estimate is None:
            return None
        (score, *score_interval), (elo, *elo_interval), superiority = estimate
        return Estimate(score, Interval(*score_interval), elo, Interval(*elo_interval), superiority)

    def __str__(self) -> str:
        """Returns the result as a line of text."""
        text = (
            f"{self.names[0]} against {self.names[1]}: {self.wins} wins, {self.ties} ties, "
            f"{self.losses} losses, {self.margin:+} seeds"
        )
        estimate = self.estimate
        if estimate is None:
            return text
        lower, upper = estimate.elo_interval
        return f"{text}, Elo {estimate.elo:+.1f} (95 %: {lower:+.1f} to {upper:+.1f})"


def play_game(
    south: PlayerLike,
    north: PlayerLike,
    *,
    start: PositionLike | Game | None = None,
    rules: RulesLike | None = None,
    seed: SupportsIndex | None = None,
    time: float | datetime.timedelta | None = None,
) -> Game:
    """Plays a game and returns it.

    `south` begins as South; a swap exchanges the sides. `start` is a position or its text under
    `rules`, 6x4 under `cs32` by default, or a `Game`, of which a copy is continued. `seed`, 0 to
    2⁶⁴ - 1, determines the random choices of built-in players. `time` is the time for each move, in
    seconds or as a `timedelta`, which built-in players obey. Other players receive it in seconds,
    and do not lose if they take longer.

    A player that returns anything but a legal move loses: the game ends with `Termination.ILLEGAL`
    and a comment that quotes the answer. An exception of a player is raised again, with the game so
    far in its attribute `game`.

    Raises `TypeError` for a value that is no player, and `KalahError` for `rules` that contradict
    `start`.

    >>> import kalah
    >>> kalah.play_game("level:1", "random", start="3x2", seed=1).is_over
    True
    >>> game = kalah.play_game("first", lambda position: None, start="6x4")
    >>> game.termination, game.comments[0][1][:33]
    (<Termination.ILLEGAL: 'illegal'>, 'illegal move by North: `None` in ')
    """
    contestants = _Contestant(south, "south"), _Contestant(north, "north")
    seed = _seed(seed)
    seconds = None if time is None else _arguments.seconds(time, "time")
    opening = _start(start, _rules(rules))
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
    return _play(contestants, seeds, opening, seconds)


def play_match(
    first: PlayerLike,
    second: PlayerLike,
    *,
    games: SupportsIndex = DEFAULT_GAMES,
    openings: SupportsIndex | Iterable[PositionLike | Game] = DEFAULT_OPENING_PLIES,
    start: PositionLike | None = None,
    rules: RulesLike | None = None,
    seed: SupportsIndex | None = None,
    time: float | datetime.timedelta | None = None,
    on_game: Callable[[MatchGame], object] | None = None,
) -> MatchResult:
    """Plays a match and returns its result.

    `games` is even and at most 2,000,000: both games of a pair begin with the same opening, with
    sides exchanged. `openings` is the number of random plies from `start` with which each pair
    begins, 0 to 1000; `start` is a position or its text under `rules`, 6x4 under `cs32` by default.
    Or `openings` are games or positions, with texts under `rules`, and are repeated if there are
    fewer than pairs; `start` is not given then.

    `seed` determines random openings and the random choices of built-in players. `on_game` is
    called after each game. `time` and the ends of games are those of `play_game`.

    An exception of a player or of `on_game` is raised again, with the result so far in its
    attribute `match_result`.

    Raises `TypeError` for a value that is no player, and `KalahError` for an odd number of games,
    for arguments that contradict each other, and if there is no opening.

    >>> import kalah
    >>> result = kalah.play_match("minimax:3", "random", games=20, start="4x3", seed=1)
    >>> result.wins + result.ties + result.losses
    20
    >>> result.estimate.elo > 0
    True
    """
    contestants = _Contestant(first, "first"), _Contestant(second, "second")
    games = _arguments.integer(games, "games", 0, MAX_GAMES)
    if games % 2:
        raise KalahError(f"games: expected an even number, not {games}")
    seed = _seed(seed)
    seconds = None if time is None else _arguments.seconds(time, "time")
    if on_game is not None:
        _arguments.function(on_game, "on_game")
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    opening_games = _openings(openings, start, _rules(rules), games, generator)
    names = contestants[0].name, contestants[1].name
    finished: list[MatchGame] = []
    try:
        for number in range(games):
            opening = opening_games[number // 2 % len(opening_games)]
            is_exchanged = number % 2 == 1
            seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
            players = (contestants[1], contestants[0]) if is_exchanged else contestants
            game = _play(players, seeds, opening.copy(), seconds)
            game.headers["Round"] = f"{number // 2 + 1}.{number % 2 + 1}"
            finished.append(MatchGame(game, Side.NORTH if is_exchanged else Side.SOUTH))
            if on_game is not None:
                on_game(finished[-1])
    except BaseException as error:
        _set_attribute(error, "match_result", MatchResult(names, seed, tuple(finished)))
        raise
    return MatchResult(names, seed, tuple(finished))


def parse_openings(text: str) -> list[Game]:
    r"""Returns the games of a list of openings, such as the files of the folder `data/openings`.

    The first line is `rules` and the rules, the second `board` and the start, and each further line
    an opening: the proven margin of South after it, such as `+2`, or `?`, and then its moves. `#`
    begins a comment, and empty lines are skipped.

    Raises `ParseError`, which has the number and the text of the line, for any other text, and if
    two openings lead to the same position.

    >>> from kalah.players import parse_openings
    >>> [len(game) for game in parse_openings("rules standard\nboard 6x4\n+4 A a\n? CF b\n")]
    [2, 3]
    >>> parse_openings("rules standard\nboard 6x4\n? A A\n")
    Traceback (most recent call last):
        ...
    kalah.ParseError: line 3, `? A A`: turn 1...: sowing `A`: it is North's turn
    """
    return [game for game, _ in _parse_openings(text)]


class _Contestant:
    """A player of any kind, with its name. `argument` is the argument that has the player."""

    def __init__(self, player: PlayerLike, argument: str = "player") -> None:
        chosen: Any = player
        if isinstance(player, str):
            with _named(argument, inner="spec"):
                chosen = BuiltinPlayer(player)
        if isinstance(chosen, type):
            raise TypeError(
                f"{argument}: expected an instance of {chosen.__name__}, not the class itself"
            )
        # The method `choose` of NumPy's arrays has nothing to do with players.
        is_array = isinstance(chosen, np.ndarray | np.generic)
        method = None if is_array else getattr(chosen, "choose", None)
        if method is None and not callable(chosen):
            expected = "str, an object with a method choose, or a function"
            raise _arguments.type_error(player, argument, expected)
        if method is not None and not callable(method):
            raise _arguments.type_error(method, f"{argument}.choose", "a method")
        self._new_game: Callable[[int], object] | None = getattr(chosen, "new_game", None)
        if self._new_game is not None and not callable(self._new_game):
            raise _arguments.type_error(self._new_game, f"{argument}.new_game", "a method")
        self._choose: Callable[[Position, float | None], MoveLike]
        if method is None:
            self._choose = lambda position, _: chosen(position)
        else:
            self._choose = lambda position, time: method(position, time=time)
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", None)
        self.name = _arguments.text(name or type(chosen).__name__, f"{argument}.name")

    def new_game(self, seed: int) -> None:
        if self._new_game is not None:
            self._new_game(seed)

    def choose(self, position: Position, time: float | None) -> MoveLike:
        return self._choose(position, time)


@contextmanager
def _named(argument: str, *, inner: str = "position") -> Iterator[None]:
    """Puts the name of an argument before the errors of a function, which may call it `inner`."""
    try:
        yield
    except KalahError as error:
        text = str(error).removeprefix(f"{argument}: ").removeprefix(f"{inner}: ")
        raise type(error)(f"{argument}: {text}") from None


def _seed(seed: SupportsIndex | None) -> int:
    """Returns a seed, which is random by default."""
    if seed is None:
        return secrets.randbits(SEED_BITS)
    return _arguments.integer(seed, "seed", 0, _arguments.MAX_SEED)


def _rules(rules: RulesLike | None) -> Rules | None:
    if rules is None or isinstance(rules, Rules):
        return rules
    if not isinstance(rules, str):
        raise _arguments.type_error(rules, "rules", "Rules or str")
    with _named("rules", inner="text"):
        return Rules(rules)


def _start(start: PositionLike | Game | None, rules: Rules | None) -> Game:
    """Returns the game that the arguments `start` and `rules` describe."""
    return Game(None, rules) if start is None else _opening(start, rules, "start")


def _opening(start: PositionLike | Game, rules: Rules | None, argument: str) -> Game:
    """Returns a copy of a game without its ending, or a game from a position."""
    if not isinstance(start, Game | Position | str):
        raise _arguments.type_error(start, argument, "Game, Position or str")
    if isinstance(start, str):
        with _named(argument):
            start = Position(start, rules)
    if isinstance(start, Position):
        _check_rules(rules, start, "position")
        return Game(start)
    _check_rules(rules, start.position, "game")
    game = start.copy()
    if game.outcome is None:
        game.end(Termination.UNFINISHED)
    if len(game) > 0 and not any(plies == len(game) for plies, _ in game.comments):
        game.add_comment("the opening")
    return game


def _check_rules(rules: Rules | None, position: Position, kind: str) -> None:
    if rules is not None and rules != position.rules:
        raise KalahError(f"rules: expected those of the {kind}, {position.rules}, not {rules}")


def _openings(
    openings: SupportsIndex | Iterable[PositionLike | Game],
    start: PositionLike | None,
    rules: Rules | None,
    games: int,
    generator: random.Random,
) -> list[Game]:
    """Returns the openings of a match, at least one."""
    if isinstance(start, Game):
        raise _arguments.type_error(start, "start", "Position or str")
    start_position = _start(start, rules).position
    # An array of NumPy has `__index__` and is iterable.
    if isinstance(openings, SupportsIndex) and not isinstance(openings, Iterable):
        plies = _arguments.integer(openings, "openings", 0, MAX_OPENING_PLIES)
        if start_position.is_over:
            raise KalahError(f"start: the game is over in {start_position}")
        seed = generator.getrandbits(SEED_BITS)
        count = max(games // 2, 1)
        with _named("openings", inner="plies"):
            return random_openings(start_position, plies=plies, count=count, seed=seed)
    expected = "an integer, or games or positions in a list"
    if isinstance(openings, str | bytes | Game):
        raise _arguments.type_error(openings, "openings", expected)
    try:
        iterator = iter(openings)
    except TypeError:
        raise _arguments.type_error(openings, "openings", expected) from None
    if start is not None:
        raise KalahError("start: expected nothing, because openings has games or positions")
    # An iterator may be endless.
    used = itertools.islice(iterator, max(games // 2, 1))
    opening_games = [
        _opening(opening, rules, f"openings[{number}]") for number, opening in enumerate(used)
    ]
    if not opening_games:
        raise KalahError("openings: expected at least one opening")
    return opening_games


def _play(
    players: tuple[_Contestant, _Contestant],
    seeds: tuple[int, int],
    game: Game,
    time: float | None,
) -> Game:
    """Plays a game between the players that begin as South and as North."""
    game.headers["South"], game.headers["North"] = players[0].name, players[1].name
    side, player = Side.SOUTH, players[0]
    try:
        for player, seed in zip(players, seeds, strict=True):
            player.new_game(seed)
        while game.outcome is None:
            side = game.position.to_move
            player = players[game.player_on(side) is Side.NORTH]
            move = player.choose(game.position, time)
            try:
                game.push(move)
            except (KalahError, TypeError) as error:
                _lose(game, side, move, error)
                break
    except BaseException as error:
        error.add_note(f"in ply {len(game) + 1}, in which {player.name} is to move as {side.value}")
        _set_attribute(error, "game", game)
        raise
    return game


def _lose(game: Game, side: Side, answer: object, error: Exception) -> None:
    """Ends a game in which the player on `side` returned anything but a legal move."""
    began_as = game.player_on(side).value.capitalize()
    text = f"`{answer}`" if isinstance(answer, Move) else _arguments.quoted_value(answer)
    comment = f"illegal move by {began_as}: {text} in {game.position}: {error}"
    game.add_comment(comment.replace("{", "(").replace("}", ")"))
    game.end(Termination.ILLEGAL, side.opponent)


def _set_attribute(error: BaseException, name: str, value: object) -> None:
    # A class of exceptions can refuse attributes.
    with suppress(AttributeError, TypeError):
        setattr(error, name, value)
