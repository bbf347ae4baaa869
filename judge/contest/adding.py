"""Adds games to a ledger as they are played, or to what stands in for one where none is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Raw

from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.ledger import Ledger, Rated, Repeated
from judge.contest.ledger.tally import Tally
from judge.contest.results import result_of
from judge.documents.game import GameRecord
from judge.documents.ledger import AnyEntry, Game


class NoLedger:
    """Stands in for a ledger where none is wanted: it counts games and forgets them."""

    def __init__(self) -> None:
        self.tally = Tally()

    def is_played(self, key: bytes | None, *, final: bool = False) -> bool:
        return False

    def ids(self) -> Iterable[str]:
        return ()

    def contest_seed(self, seed: int) -> int:
        return seed

    def order(self, give: Callable[[Tally], AnyEntry | None]) -> None:
        entry = give(self.tally)
        if entry is not None:
            self.tally.enter(entry)

    def add(self, record: GameRecord, *, numbered: bool = False) -> Rated:
        game = Game(key=None, result=result_of(record), record=Raw(b"null"))
        names = game.result.names
        before = tuple(map(self.tally.points_of, names))
        self.tally.enter(game, ConditionSet.of(record))
        return Rated(record, before, tuple(map(self.tally.points_of, names)))

    def add_all(self, records: Sequence[GameRecord], *, numbered: bool = False) -> list[Rated]:
        return [self.add(record) for record in records]


class Adding:
    """Adds games as they are given, one by one; those of a match all at once, with the first."""

    def __init__(self, ledger: Ledger | NoLedger, *, numbered: bool) -> None:
        self._ledger = ledger
        self._numbered = numbered
        self._added: dict[
            str, Rated | Repeated
        ] = {}  # keyed by the ids of games as they were given

    def add(self, record: GameRecord, together: Sequence[GameRecord]) -> Rated | Repeated:
        """The result of adding a game, which is durable then; ``together`` are the games of its
        match."""
        if record.id not in self._added:
            added = self._ledger.add_all(together, numbered=self._numbered)
            self._added = {game.id: one for game, one in zip(together, added, strict=True)}
        return self._added.pop(record.id)
