"""The tags of a game's record."""

from collections.abc import Iterator, MutableMapping

from kalah._kalah import Game


class Headers(MutableMapping[str, str]):
    """The tags of the record of a game: a mapping whose changes change the game.

    >>> import kalah
    >>> headers = kalah.Game().headers
    >>> headers["South"] = "Marge"
    >>> headers.pop("Result"), "Result" in headers, list(headers)
    ('*', False, ['South', 'Rules', 'Position', 'Termination'])
    """

    def __init__(self, game: Game) -> None:
        self._game = game

    def __getitem__(self, name: str) -> str:
        value = self._game._tag(name)
        if value is None:
            raise KeyError(name)
        return value

    def __setitem__(self, name: str, value: str) -> None:
        self._game._set_tag(name, value)

    def __delitem__(self, name: str) -> None:
        if name not in self:
            raise KeyError(name)
        self._game._remove_tag(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._game._tag_names())

    def __len__(self) -> int:
        return len(self._game._tag_names())

    def __repr__(self) -> str:
        return f"Headers({dict(self)!r})"
