"""Which workers there are, which of them can run which bots, and which bots' files each has.

Pure: the pool says what it has learned, and asks which workers can play a game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from judge.documents.tasks import TaskSeat
from judge.errors import JudgeFault, RunsNowhere, UsageError


class Roster:
    """``cores`` says how many each worker has that there is. What a worker was told and what it
    has said is forgotten when it is gone."""

    def __init__(self) -> None:
        self.cores: Mapping[str, int] = {}
        self._refused: dict[str, str] = {}  # reasons by worker
        self._unfit: dict[str, dict[str, str]] = {}  # reasons by digest and worker
        self._there: dict[str, set[str]] = {}  # digests of the bots that a worker was sent

    @property
    def playing(self) -> set[str]:
        """The workers but for those that play no game."""
        return self.cores.keys() - self._refused.keys()

    def update(self, cores: Mapping[str, int]) -> set[str]:
        """Take over which workers there are now; gives those that are gone."""
        gone = self.cores.keys() - cores.keys()
        for worker in gone:
            self._there.pop(worker, None)
            self._refused.pop(worker, None)
            for reasons in self._unfit.values():
                reasons.pop(worker, None)
        self.cores = dict(cores)
        return gone

    def refuse(self, worker: str, reason: str) -> None:
        """The worker plays no game."""
        self._refused[worker] = reason

    def cannot_run(self, worker: str, digest: str, reason: str) -> None:
        """The worker plays no game of this bot."""
        self._unfit.setdefault(digest, {})[worker] = reason

    def lacks(self, worker: str, digests: Iterable[str]) -> list[str]:
        """Those of the bots that the worker was not sent."""
        there = self._there.get(worker, set())
        return [digest for digest in digests if digest not in there]

    def sent(self, worker: str, digests: Iterable[str]) -> None:
        self._there.setdefault(worker, set()).update(digests)

    def threw_away(self, worker: str, digests: Iterable[str]) -> None:
        self._there.get(worker, set()).difference_update(digests)

    def able(self, seats: Sequence[TaskSeat]) -> set[str] | JudgeFault:
        """The workers that can play a game of these bots, or why there will be none; raises
        `UsageError` if no worker plays any game."""
        fit = self.playing
        if self.cores and not fit:
            why = "; ".join(sorted({*self._refused.values()}))
            raise UsageError(f"none of the workers can play these games: {why}")
        for seat in seats:
            reasons = self._unfit.get(seat.digest, {})
            if fit and not fit - reasons.keys():
                why = "; ".join(sorted({*reasons.values()}))
                return RunsNowhere(seat.name, why)
        for seat in seats:
            fit -= self._unfit.get(seat.digest, {}).keys()
        if self.cores and not fit:
            names = " and ".join(seat.name for seat in seats)
            return JudgeFault(f"no worker can run {names}, though each can be run by one")
        return fit
