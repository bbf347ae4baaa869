"""Counts how many shots, turns and misses each bot needs to clear the same boards, board by board.

Pure. A board that a bot did not clear, since it forfeited or ran out of rounds, is not in the means
of shots, turns and misses, and is counted by its termination. Each cleared board takes four numbers
of memory.

A miss counts as **destroying** if some ship afloat had a hit at that moment, and as **search**
otherwise. Hits on ships that are sunk do not matter. The count goes by the fleet, and not by what
the bot could know: if ships touch, a bot may not know to which ship a hit belongs. All misses of a
volley count by the state before the volley.

A turn is all that the bot does until its opponent's turn: a volley if the rules have volleys, and
all shots up to a miss if a hit gives another shot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from msgspec.structs import replace

from judge.contest.standings.summary import Forfeit, Times, forfeits, run_times
from judge.documents.game import GameRecord, Termination
from judge.documents.rules import Cell, Fleet, Rules, Turn
from judge.play.solo import OPPONENT, PLAYER
from judge.stats.samples import Difference, Spread, paired_difference, spread


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort to clear a board. ``search`` and ``destroy`` are the misses of each kind."""

    shots: int
    turns: int
    search: int
    destroy: int

    @property
    def misses(self) -> int:
        return self.search + self.destroy


@dataclass(slots=True)
class BotShooting:
    """The boards of one bot. ``efforts`` has the effort for each cleared board, by the board's
    number. ``forfeits`` counts the other boards by termination. ``first_forfeits`` has the first
    such board's number and forfeit, for each termination. ``perfect`` counts the boards cleared
    without a miss."""

    name: str
    efforts: dict[int, Effort] = field(default_factory=dict)
    total: int = 0  # shots on all cleared boards
    perfect: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    first_forfeits: dict[Termination, tuple[int, Forfeit]] = field(default_factory=dict)
    times: Times = field(default_factory=Times)

    def clear(self, board: int, effort: Effort) -> None:
        """Count a board that the bot has cleared."""
        self.efforts[board] = effort
        self.total += effort.shots
        self.perfect += not effort.misses

    @property
    def mean(self) -> float | None:
        """The mean number of shots per cleared board; None without a cleared board."""
        return self.total / len(self.efforts) if self.efforts else None

    @property
    def shots(self) -> dict[int, float]:
        """The number of shots on each cleared board, by the board's number."""
        return {board: effort.shots for board, effort in self.efforts.items()}

    def spread(self) -> Spread | None:
        """The statistics of shots per cleared board; None without a cleared board."""
        return spread(list(self.shots.values()))

    def spread_of_turns(self) -> Spread | None:
        """The statistics of turns per cleared board; None without a cleared board."""
        return spread([effort.turns for effort in self.efforts.values()])

    def misses(self) -> tuple[float, float] | None:
        """The mean numbers of misses per cleared board, in search and in destroying; None without a
        cleared board."""
        if not self.efforts:
            return None
        efforts = self.efforts.values()
        search, destroy = (
            sum(effort.search for effort in efforts),
            sum(effort.destroy for effort in efforts),
        )
        return search / len(efforts), destroy / len(efforts)

    def histogram(self) -> list[tuple[int, int]]:
        """Each number of shots with the number of boards that took it, from the fewest shots."""
        return sorted(Counter(effort.shots for effort in self.efforts.values()).items())


class ShootingSummary:
    """The running totals of a strength test."""

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        """``rules`` are the rules that the bots are told; the records have those of a solo game."""
        self.bots = tuple(BotShooting(name) for name in names)
        self._rules = rules

    def add(self, bot: int, board: int, record: GameRecord) -> Effort | None:
        """Count a board that a bot played alone, by the bot's index. Return the effort, or None if
        the board was not cleared."""
        totals = self.bots[bot]
        for seat, ms in run_times(record):
            if seat == PLAYER:
                totals.times.add(ms)
        taken = effort(record)
        if taken is None:
            how = ended_early(record, self._rules)
            totals.forfeits[how.termination] += 1
            totals.first_forfeits.setdefault(how.termination, (board, how))
        else:
            totals.clear(board, taken)
        return taken

    def pairs(self) -> list[tuple[BotShooting, BotShooting, Difference | None]]:
        """Every two bots, with the difference of their shots on the boards that both cleared: above
        0 if the first bot needed more."""
        return [
            (one, other, paired_difference(one.shots, other.shots))
            for one, other in combinations(self.bots, 2)
        ]


def effort(record: GameRecord) -> Effort | None:
    """The effort to clear the board of a record of `clear_boards`; None if the board was not
    cleared."""
    if record.outcome.termination is not Termination.FLEET_DESTROYED:
        return None
    fleet = record.seats[OPPONENT].fleet
    assert fleet is not None, "it was given one"
    shots = [(shot.cell, shot.is_hit) for shot in record.shots]
    # The opponent only skips: after each turn but the last, or together with each turn.
    skips = [incident.at for incident in record.incidents if incident.seat == OPPONENT]
    together = record.rules.turn is Turn.BOTH
    if record.rules.turn is Turn.SALVO:
        volleys = [shots[begin:end] for begin, end in pairwise((0, *skips, len(shots)))]
    else:
        volleys = [[shot] for shot in shots]
    search, destroy = misses(fleet, volleys)
    return Effort(len(shots), len(skips) + (not together), search, destroy)


def misses(fleet: Fleet, volleys: Iterable[Sequence[tuple[Cell, bool]]]) -> tuple[int, int]:
    """The numbers of misses of these volleys in search and in destroying. A shot is a cell, and
    True if it is a hit."""
    ships: Mapping[Cell, int] = {
        cell: number for number, ship in enumerate(fleet) for cell in ship.cells
    }
    left = [ship.length for ship in fleet]
    open_ships: set[int] = set()  # ships afloat with a hit
    search = destroy = 0
    for volley in volleys:
        missed = sum(not is_hit for _, is_hit in volley)
        if open_ships:
            destroy += missed
        else:
            search += missed
        for number in (ships[cell] for cell, is_hit in volley if is_hit):
            left[number] -= 1
            (open_ships.add if left[number] else open_ships.discard)(number)
    return search, destroy


def ended_early(record: GameRecord, rules: Rules) -> Forfeit:
    """The end of a board that was not cleared, as a forfeit. ``rules`` are the rules that the bot
    was told."""
    if forfeit := forfeits(replace(record, rules=rules)).get(PLAYER):
        return forfeit
    said = f"had not sunk the fleet after {len(record.shots)} shots"
    return Forfeit(record.id, record.outcome.termination, said, None, {})
