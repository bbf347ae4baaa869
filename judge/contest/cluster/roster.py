"""Which workers there are, and which of them can run which bots.

Pure: the pool says what it has learned, and asks which workers can play a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from judge.documents.tasks import TaskSeat
from judge.errors import JudgeFault, RunsNowhere, UsageError


class Roster:
    """``cores`` says how many each worker has that there is. What a worker has said is forgotten
    when it is gone."""

    def __init__(self, cores: Mapping[str, int]) -> None:
        self.cores = cores
        self._refused: dict[str, str] = {}  # reasons by worker
        self._unfit: dict[str, dict[str, str]] = {}  # reasons by digest and worker

    @property
    def playing(self) -> set[str]:
        """The workers but for those that play no game."""
        return self.cores.keys() - self._refused.keys()

    def update(self, cores: Mapping[str, int]) -> None:
        """Take over which workers there are now."""
        for reasons in (self._refused, *self._unfit.values()):
            for gone in self.cores.keys() - cores.keys():
                reasons.pop(gone, None)
        self.cores = dict(cores)

    def refuse(self, worker: str, reason: str) -> None:
        """The worker plays no game."""
        self._refused[worker] = reason

    def cannot_run(self, worker: str, digest: str, reason: str) -> None:
        """The worker plays no game of this bot."""
        self._unfit.setdefault(digest, {})[worker] = reason

    def able(self, seats: Sequence[TaskSeat]) -> set[str]:
        """The workers that can play a game of these bots; none if there is none yet. Raises
        `JudgeFault` if there will be none, and `UsageError` if no worker plays any game."""
        fit = self.playing
        if self.cores and not fit:
            why = "; ".join(sorted({*self._refused.values()}))
            raise UsageError(f"none of the workers can play these games: {why}")
        for seat in seats:
            reasons = self._unfit.get(seat.digest, {})
            if fit and not fit - reasons.keys():
                why = "; ".join(sorted({*reasons.values()}))
                raise RunsNowhere(seat.name, why)
        for seat in seats:
            fit -= self._unfit.get(seat.digest, {}).keys()
        if self.cores and not fit:
            names = " and ".join(seat.name for seat in seats)
            raise JudgeFault(f"no worker can run {names}, though each can be run by one")
        return fit
