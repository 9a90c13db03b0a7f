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
import random
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol, TypeAlias, runtime_checkable

from kalah._kalah import (
    BuiltinPlayer,
    Game,
    KalahError,
    Move,
    Position,
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


@runtime_checkable
class Player(Protocol):
    """A player: an object that chooses moves.

    It may also have an attribute `name`, its name in records, and a method `new_game(seed)`, which
    is called before a game with a number of 64 bits that determines the random choices.
    """

    def choose(self, position: Position, /, *, time: float | None = None) -> MoveLike:
        """Return a move for the side to move, if possible within `time` seconds."""
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
        """Return the result as a line of text."""
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
    seed: int | None = None,
    time: float | None = None,
) -> Game:
    """Play a game and return it.

    `south` begins as South; a swap exchanges the sides. `start` is a position or its text under
    `rules`, 6x4 under `cs32` by default, or a `Game`, of which a copy is continued. `seed`
    determines the random choices of built-in players, and `time` is the time in seconds for each
    move, which built-in players obey. A player that takes longer does not lose.

    A player that answers with an illegal move, or with a text that is no move, loses: the game ends
    with `Termination.ILLEGAL` and a comment. An exception of a player is raised again, with the
    game so far in its attribute `game`. So is the `TypeError` for an answer of another type.

    >>> import kalah
    >>> kalah.play_game("level:1", "random", start="3x2", seed=1).is_over
    True
    """
    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
    contestants = _Contestant(south), _Contestant(north)
    return _play(contestants, seeds, _opening(start, rules), time)


def play_match(
    first: PlayerLike,
    second: PlayerLike,
    *,
    games: int = DEFAULT_GAMES,
    openings: int | Iterable[PositionLike | Game] = DEFAULT_OPENING_PLIES,
    start: PositionLike | None = None,
    rules: RulesLike | None = None,
    seed: int | None = None,
    time: float | None = None,
    on_game: Callable[[MatchGame], None] | None = None,
) -> MatchResult:
    """Play a match and return its result.

    `games` is even: both games of a pair begin with the same opening, with sides exchanged.
    `openings` are games or positions, which are repeated if there are fewer than pairs, or a
    number: each pair then begins with this many random plies from `start` under `rules`, 6x4 under
    `cs32` by default. `seed` determines them and the random choices of built-in players. `on_game`
    is called after each game. The other arguments and the ends of games are those of `play_game`.

    An exception of a player or of `on_game` is raised again, with the result so far in its
    attribute `match_result`.

    Raises `KalahError` for an odd number of games, and if there is no opening.

    >>> import kalah
    >>> result = kalah.play_match("minimax:3", "random", games=20, start="4x3", seed=1)
    >>> result.wins + result.ties + result.losses
    20
    >>> result.estimate.elo > 0
    True
    """
    if not isinstance(games, int):
        raise TypeError(f"games: expected an integer, not {type(games).__name__}")
    if games < 0 or games % 2:
        raise KalahError(f"games: expected an even number, not {games}")
    if seed is None:
        seed = secrets.randbits(SEED_BITS)
    generator = random.Random(seed)  # noqa: S311  # a game is no secret
    if isinstance(openings, int):
        openings = random_openings(
            start,
            rules,
            plies=openings,
            count=max(games // 2, 1),
            seed=generator.getrandbits(SEED_BITS),
        )
    if isinstance(openings, str) or not isinstance(openings, Iterable):
        kind = type(openings).__name__
        raise TypeError(f"openings: expected an integer or an iterable of games, not {kind}")
    opening_games = [_opening(opening, rules) for opening in openings]
    if not opening_games:
        raise KalahError("openings: expected at least one opening")
    contestants = _Contestant(first), _Contestant(second)
    names = contestants[0].name, contestants[1].name
    finished: list[MatchGame] = []
    try:
        for number in range(games):
            opening = opening_games[number // 2 % len(opening_games)]
            is_exchanged = number % 2 == 1
            seeds = generator.getrandbits(SEED_BITS), generator.getrandbits(SEED_BITS)
            players = (contestants[1], contestants[0]) if is_exchanged else contestants
            game = _play(players, seeds, opening.copy(), time)
            game.headers["Round"] = f"{number // 2 + 1}.{number % 2 + 1}"
            finished.append(MatchGame(game, Side.NORTH if is_exchanged else Side.SOUTH))
            if on_game is not None:
                on_game(finished[-1])
    except BaseException as error:
        _set_attribute(error, "match_result", MatchResult(names, seed, tuple(finished)))
        raise
    return MatchResult(names, seed, tuple(finished))


def parse_openings(text: str) -> list[Game]:
    r"""Return the games of a list of openings, such as those of the folder `data/openings`.

    Raises `ParseError` for a text that is no such list.

    >>> from kalah.players import parse_openings
    >>> [len(game) for game in parse_openings("rules standard\nboard 6x4\n+4 A a\n? CF b\n")]
    [2, 3]
    """
    return [game for game, _ in _parse_openings(text)]


class _Contestant:
    """A player of any kind, with its name."""

    def __init__(self, player: PlayerLike) -> None:
        chosen: Any = BuiltinPlayer(player) if isinstance(player, str) else player
        method = getattr(chosen, "choose", None)
        function = chosen if callable(chosen) else None
        if method is None and function is None:
            kind = type(player).__name__
            raise TypeError(
                f"player: expected a str, an object with choose or a function, not {kind}"
            )
        self._method: Callable[..., MoveLike] | None = method
        self._function: Callable[..., MoveLike] | None = function
        self._player = chosen
        name = getattr(chosen, "name", None) or getattr(chosen, "__name__", None)
        self.name = str(name or type(chosen).__name__)

    def new_game(self, seed: int) -> None:
        new_game = getattr(self._player, "new_game", None)
        if new_game is not None:
            new_game(seed)

    def choose(self, position: Position, time: float | None) -> MoveLike:
        if self._method is not None:
            return self._method(position, time=time)
        if self._function is not None:
            return self._function(position)
        raise AssertionError


def _opening(start: PositionLike | Game | None, rules: RulesLike | None) -> Game:
    """Return a copy of a game without its ending, or a game from a position."""
    if not isinstance(start, Game):
        return Game(start, rules)
    game = start.copy()
    if game.outcome is None:
        game.end(Termination.UNFINISHED)
    if len(game) > 0 and not any(plies == len(game) for plies, _ in game.comments):
        game.add_comment("the opening")
    return game


def _play(
    players: tuple[_Contestant, _Contestant],
    seeds: tuple[int, int],
    game: Game,
    time: float | None,
) -> Game:
    """Play a game between the players that begin as South and as North."""
    game.headers["South"], game.headers["North"] = players[0].name, players[1].name
    side, player = Side.SOUTH, players[0]
    try:
        for player, seed in zip(players, seeds, strict=True):
            player.new_game(seed)
        while not game.is_over:
            side = game.position.to_move
            player = players[game.player_on(side) is Side.NORTH]
            move = player.choose(game.position, time)
            try:
                game.push(move)
            except KalahError as error:
                _lose(game, side, move, error)
                break
    except BaseException as error:
        error.add_note(f"in ply {len(game) + 1}, in which {player.name} is to move as {side.value}")
        _set_attribute(error, "game", game)
        raise
    return game


def _lose(game: Game, side: Side, move: MoveLike, error: KalahError) -> None:
    """End a game in which the player on `side` answered with an illegal move."""
    began_as = game.player_on(side).value.capitalize()
    text = f"`{move}`" if isinstance(move, Move | str) else repr(move)
    comment = f"illegal move by {began_as}: {text} in {game.position}: {error}"
    game.add_comment(comment.replace("{", "(").replace("}", ")"))
    game.end(Termination.ILLEGAL, side.opponent)


def _set_attribute(error: BaseException, name: str, value: object) -> None:
    # A class of exceptions can refuse attributes.
    with suppress(AttributeError, TypeError):
        setattr(error, name, value)
