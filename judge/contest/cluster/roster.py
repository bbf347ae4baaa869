"""Which workers there are, and which of them can run which bots.

Pure: the pool says what it has learned, and asks which workers can play a game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from judge.documents.tasks import TaskSeat
from judge.errors import JudgeFault, RunsNowhere, UsageError


class Roster:
    """``cores`` says how many each worker has that there is. A worker's report is forgotten when it
    is gone."""

    def __init__(self, cores: Mapping[str, int]) -> None:
        self.cores = cores
        # Reasons by digest and worker; with the digest "" those of workers that play no game.
        self._unfit: defaultdict[str, dict[str, str]] = defaultdict(dict)

    @property
    def playing(self) -> set[str]:
        """The workers but for those that play no game."""
        return self.cores.keys() - self._unfit[""].keys()

    def update(self, cores: Mapping[str, int]) -> None:
        """Take over which workers there are now."""
        for reasons in self._unfit.values():
            for gone in self.cores.keys() - cores.keys():
                reasons.pop(gone, None)
        self.cores = dict(cores)

    def refuse(self, worker: str, reason: str, digest: str = "") -> bool:
        """The worker plays no game of this bot, or of any; returns whether that is new."""
        is_new = worker not in self._unfit[digest]
        self._unfit[digest][worker] = reason
        return is_new

    def able(self, seats: Sequence[TaskSeat]) -> set[str]:
        """The workers that can play a game of these bots; empty while no worker can. Raises
        `JudgeFault` if there will be none, and `UsageError` if no worker plays any game."""
        fit = self.playing
        if self.cores and not fit:
            why = "; ".join(sorted({*self._unfit[""].values()}))
            raise UsageError(f"none of the workers can play these games: {why}")
        for seat in seats:
            reasons = self._unfit[seat.digest]
            if fit and not fit - reasons.keys():
                why = "; ".join(sorted({*reasons.values()}))
                raise RunsNowhere(seat.name, why)
        for seat in seats:
            fit -= self._unfit[seat.digest].keys()
        if self.cores and not fit:
            names = " and ".join(seat.name for seat in seats)
            raise JudgeFault(f"no worker can run {names}, though each can be run by one")
        return fit
