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
import random
import secrets
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, Protocol, SupportsIndex, TypeAlias, runtime_checkable

from kalah import _arguments
from kalah._kalah import (
    BuiltinPlayer,
    Game,
    KalahError,
    Position,
    _estimate,
    _parse_openings,
    random_openings,
)
from kalah._side import Side
from kalah.players._contestant import Contestant, play, set_attribute
from kalah.players._openings import match_openings, parsed_rules, start_game
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
    contestants = Contestant(south, "south"), Contestant(north, "north")
    seed = _seed(seed)
    seconds = None if time is None else _arguments.seconds(time, "time")
    opening = start_game(start, parsed_rules(rules))
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
    return play(contestants, seeds, opening, seconds)


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
    contestants = Contestant(first, "first"), Contestant(second, "second")
    games = _arguments.integer(games, "games", 0, MAX_GAMES)
    if games % 2:
        raise KalahError(f"games: expected an even number, not {games}")
    seed = _seed(seed)
    seconds = None if time is None else _arguments.seconds(time, "time")
    if on_game is not None:
        _arguments.function(on_game, "on_game")
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    opening_games = match_openings(openings, start, parsed_rules(rules), games, generator)
    names = contestants[0].name, contestants[1].name
    finished: list[MatchGame] = []
    try:
        for number in range(games):
            opening = opening_games[number // 2 % len(opening_games)]
            is_exchanged = number % 2 == 1
            seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
            players = (contestants[1], contestants[0]) if is_exchanged else contestants
            game = play(players, seeds, opening.copy(), seconds)
            game.headers["Round"] = f"{number // 2 + 1}.{number % 2 + 1}"
            finished.append(MatchGame(game, Side.NORTH if is_exchanged else Side.SOUTH))
            if on_game is not None:
                on_game(finished[-1])
    except BaseException as error:
        set_attribute(error, "match_result", MatchResult(names, seed, tuple(finished)))
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


def _seed(seed: SupportsIndex | None) -> int:
    """Returns a seed, which is random by default."""
    if seed is None:
        return secrets.randbits(SEED_BITS)
    return _arguments.integer(seed, "seed", 0, _arguments.MAX_SEED)
