"""How well bots shoot: what it took each of them to clear the same boards, added up board by board.

Pure. A board that was not cleared, because the bot forfeited or ran out of rounds, is in no mean:
it is counted apart, by how it ended. Only three numbers are kept of each board that was cleared.

A miss is made in **search** or in **destroying**. It is in destroying if at that moment there was
an open hit: a hit on a ship still afloat that has a neighbour that has not been shot at, for a cell
of that ship is one. The hits on a ship that has been sunk are closed, whatever is around them. It
goes by what is so, and not by what the bot could know: where ships touch, one that was sunk may
leave a bot in doubt about a hit that is closed. All shots of a volley are made in what was so
before it.

A turn is what the bot does until its opponent is up: a volley where rules have those, and where a
hit shoots again all shots up to a miss.
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
    """The effort to clear a board; the misses by what they were made in."""

    shots: int
    turns: int
    search: int
    destroy: int

    @property
    def misses(self) -> int:
        return self.search + self.destroy


@dataclass(slots=True)
class BotShooting:
    """One bot's boards: the effort of those that it cleared, and how often and how first it did
    not, by how that ended."""

    name: str
    efforts: dict[int, Effort] = field(default_factory=dict)
    total: int = 0  # shots of all of them
    perfect: int = 0
    forfeits: Counter[Termination] = field(default_factory=Counter)
    first_forfeits: dict[Termination, tuple[int, Forfeit]] = field(default_factory=dict)
    times: Times = field(default_factory=Times)

    def clear(self, board: int, effort: Effort) -> None:
        """Count a board that it has cleared."""
        self.efforts[board] = effort
        self.total += effort.shots
        self.perfect += not effort.misses

    @property
    def mean(self) -> float | None:
        """Shots a board that it has cleared; None if it has cleared none."""
        return self.total / len(self.efforts) if self.efforts else None

    @property
    def shots(self) -> dict[int, float]:
        """By the number of the board."""
        return {board: effort.shots for board, effort in self.efforts.items()}

    def spread(self) -> Spread | None:
        """The statistics of the shots a board; None if it has cleared none."""
        return spread(list(self.shots.values()))

    def spread_of_turns(self) -> Spread | None:
        """The statistics of the turns a board; None if it has cleared none."""
        return spread([effort.turns for effort in self.efforts.values()])

    def misses(self) -> tuple[float, float] | None:
        """The misses a board in search and in destroying; None if it has cleared none."""
        if not self.efforts:
            return None
        efforts = self.efforts.values()
        search, destroy = (
            sum(effort.search for effort in efforts),
            sum(effort.destroy for effort in efforts),
        )
        return search / len(efforts), destroy / len(efforts)

    def histogram(self) -> list[tuple[int, int]]:
        """How many boards took how many shots, from the fewest shots."""
        return sorted(Counter(effort.shots for effort in self.efforts.values()).items())


class ShootingSummary:
    """The running totals of a test of shooting."""

    def __init__(self, names: Sequence[str], rules: Rules) -> None:
        """``rules`` are those that the bots are told."""
        self.bots = tuple(BotShooting(name) for name in names)
        self._rules = rules

    def add(self, bot: int, board: int, record: GameRecord) -> Effort | None:
        """Count one more board, cleared alone; return what it took, or None if it was not."""
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
        """Every two bots, and by how many shots more the first needed on the boards that both
        cleared."""
        return [
            (one, other, paired_difference(one.shots, other.shots))
            for one, other in combinations(self.bots, 2)
        ]


def effort(record: GameRecord) -> Effort | None:
    """The effort to clear the board of a record of `play_alone`; None if it was not cleared."""
    if record.outcome.termination is not Termination.FLEET_DESTROYED:
        return None
    fleet = record.seats[OPPONENT].fleet
    assert fleet is not None, "it was given one"
    shots = [(shot.cell, shot.is_hit) for shot in record.shots]
    # The opponent does nothing but skip: after each turn but the last, or together with each.
    skips = [incident.at for incident in record.incidents if incident.seat == OPPONENT]
    together = record.rules.turn is Turn.BOTH
    if record.rules.turn is Turn.SALVO:
        volleys = [shots[begin:end] for begin, end in pairwise((0, *skips, len(shots)))]
    else:
        volleys = [[shot] for shot in shots]
    search, destroy = misses(fleet, volleys)
    return Effort(len(shots), len(skips) + (not together), search, destroy)


def misses(fleet: Fleet, volleys: Iterable[Sequence[tuple[Cell, bool]]]) -> tuple[int, int]:
    """How many shots of these volleys, cells and whether they hit, missed in search and in
    destroying."""
    ships: Mapping[Cell, int] = {
        cell: number for number, ship in enumerate(fleet) for cell in ship.cells
    }
    left = [ship.length for ship in fleet]
    open_ships: set[int] = set()  # afloat, with a hit
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
    """How a board that was not cleared came to its end; ``rules`` are those that the bot was
    told."""
    if forfeit := forfeits(replace(record, rules=rules)).get(PLAYER):
        return forfeit
    said = f"had not sunk the fleet after {len(record.shots)} shots"
    return Forfeit(record.id, record.outcome.termination, said, None, {})
