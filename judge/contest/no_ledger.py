"""A stand-in for a ledger, for a contest that is not recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Raw

from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.ledger import Rated
from judge.contest.ledger.tally import Tally
from judge.contest.results import result_of
from judge.documents.game import GameRecord
from judge.documents.ledger import AnyEntry, Game


class NoLedger:
    """Counts the games of a contest that is not recorded, and does not store them."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._played: set[bytes | None] = set()

    def is_played(self, key: bytes | None, *, final: bool = False) -> bool:
        return key is not None and key in self._played

    def ids(self) -> Iterable[str]:
        return ()

    def contest_seed(self, seed: int) -> int:
        return seed

    def order(self, give: Callable[[Tally], AnyEntry | None]) -> None:
        entry = give(self.tally)
        if entry is not None:
            self.tally.enter(entry)

    def add_all(self, records: Sequence[GameRecord]) -> list[Rated]:
        return [self._add(record) for record in records]

    def _add(self, record: GameRecord) -> Rated:
        self._played.add(key_of(record))
        game = Game(key=None, result=result_of(record), record=Raw(b"null"))
        names = game.result.names
        before = tuple(map(self.tally.table.points_of, names))
        self.tally.enter(game, ConditionSet.of(record))
        self.tally.hear(record.seats)
        return Rated(record, before, tuple(map(self.tally.table.points_of, names)))
