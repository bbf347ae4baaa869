"""Which games of a match keep their shots; the result of every game is kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from judge.game.outcome import Termination
from judge.game.record import GameRecord

MOST = 100_000


class KeepKind(StrEnum):
    """The ways to choose them."""

    ALL = "all"
    FIRST_LAST = "first-last"  # so many from each end
    EACH = "each"  # so many of each result of the first player, and all that an error ended
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Keep:
    """A way to choose, with its ``count`` where it has one."""

    kind: KeepKind
    count: int = 0

    @classmethod
    def read(cls, text: str) -> Keep:
        """``all``, ``last``, ``first-last:5`` or ``each:5``; raises ValueError."""
        found = _KEEP.fullmatch(text)
        if found is None or (found[2] and int(found[2]) > MOST):
            raise ValueError(
                f"{text!r} is none of all, last, first-last:N and each:N, with an N from 1"
            )
        kind = KeepKind(found[1] or text)
        return cls(kind, int(found[2] or 0))

    def places(self, games: Sequence[GameRecord]) -> set[int]:
        """The places, from 0, of the games of a match that keep their shots."""
        places = range(len(games))
        match self.kind:
            case KeepKind.ALL:
                return set(places)
            case KeepKind.LAST:
                return set(places[-1:])
            case KeepKind.FIRST_LAST:
                return {*places[: self.count], *places[-self.count :]}
            case KeepKind.EACH:
                seen: Counter[int | None] = Counter()
                kept = set()
                for place in places:
                    outcome = games[place].outcome
                    seen[outcome.winner] += 1
                    if seen[outcome.winner] <= self.count or _is_error(outcome.termination):
                        kept.add(place)
                return kept


def _is_error(how: Termination) -> bool:
    return how.is_forfeit or how is Termination.BOTH_FAILED or not how.is_rated


_KEEP = re.compile("(?:(first-last|each):([1-9][0-9]{0,5})|all|last)", re.ASCII)

ALL = Keep(KeepKind.ALL)
