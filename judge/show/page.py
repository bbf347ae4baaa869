"""One game as a page: a score sheet that can be stepped through, and that holds the record itself.

Pure but for reading its templates. What the page says is worked out here, from the record played
through the engine again; its script only chooses what is to be seen. The steps are those of
`judge.game.steps`: mostly a shot or a volley, at the end perhaps a forfeit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judge import quoting
from judge.contest.summary import forfeits, run_times
from judge.game.events import Result, Shot
from judge.game.evidence import Evidence
from judge.game.game import Game
from judge.game.outcome import FORFEITS
from judge.game.record import Aside, GameRecord, RecordedSeat, RecordedShot
from judge.game.rules import Cell, Fleet, Orientation, Placing, Rules, Turn
from judge.game.steps import Step, steps, volleys_of
from judge.show import board, html
from judge.show.board import cell_name
from judge.show.evidence import end_of_run, milliseconds
from judge.show.moves import aside_text
from judge.show.one_game import duration, headline
from judge.show.text import clean, cut, many, plural
from judge.wire import WIRES
from judge.wire.brainjar import Brainjar

_NAME = 24  # cells of a name where it stands among others; it is whole in the table of players
_SHOWN = 4000  # characters of a long output, at most, at its begin and at its end
_WIDE = 10  # columns from which on two boards do not fit a phone side by side

_CLASSES = {board.MISS: ("m", "miss"), board.HIT: ("s h", "hit"), board.SUNK: ("s x", "sunk")}


class CellSeen(NamedTuple):
    """A cell of a board at the end of the game: its style, and what it is in a word."""

    style: str
    word: str


class ShotSeen(NamedTuple):
    """A shot in the list of moves: its cell, what it did, and the style of that."""

    target: int
    cell: str
    did: str
    style: str


class MoveRow(NamedTuple):
    """A line of the list of moves: a volley, or something besides shots. ``ms`` is None where no
    bot was run."""

    step: int
    seat: int
    shots: tuple[ShotSeen, ...]
    did: str
    style: str
    ms: float | None
    lost: bool = False

    @property
    def targets(self) -> list[int]:
        """The seats that were shot at, each once."""
        return list(dict.fromkeys(shot.target for shot in self.shots))

    @property
    def hits(self) -> int:
        return sum(shot.style in ("h", "x") for shot in self.shots)


@dataclass(frozen=True, slots=True)
class Output:
    """What a run printed, fit to be shown; ``left_out`` characters are missing in the middle."""

    stream: str
    begin: str
    end: str
    left_out: int

    @classmethod
    def of(cls, stream: str, text: str) -> Output:
        shown = html.lines(text)
        if len(shown) <= 2 * _SHOWN:
            return cls(stream, shown, "", 0)
        begin, end = _whole_lines(shown[:_SHOWN]), _whole_lines(shown[-_SHOWN:][::-1])[::-1]
        return cls(stream, begin, end, len(shown) - len(begin) - len(end))


def page(record: GameRecord, *, home: str | None = None, voided: str | None = None) -> str:
    """The page; ``home`` is where its link to the standings leads, if there are any, and
    ``voided`` why the game was taken out of the count, if it was.

    Raises `RecordError` if the record breaks its rules.
    """
    game, played = _replayed(record)
    fired = [step.fired for step in played]
    rules = record.rules
    names = [cut(clean(seat.name), _NAME) for seat in record.seats]
    rows = list(_rows(record, played))
    salvos = rules.turn is Turn.SALVO
    return html.render(
        "game.html",
        title=f"{' – '.join(names)}, game {cut(clean(record.called), 60)}",
        styles=["base.css", "game.css"],
        scripts=["game.js"],
        home=home,
        voided=voided,
        record=record,
        document=record.to_json(),
        derived=_derived(record, game, fired, names),
        headline=headline(record, [f"\u2068{name}\u2069" for name in names]),
        names=names,
        rows=rows,
        last=len(fired) - 1,
        lanes=[_lane(rows, seat) for seat in range(len(names))],
        boards=[list(_board(rules, game, seat)) for seat in range(len(names))],
        afloat=[_tally(rules, game, seat) for seat in range(len(names))],
        players=[_player(record, seat) for seat in range(len(names))],
        salvos=salvos,
        unit=_unit(rules),
        facts=list(_facts(record, names)),
        forfeits=[
            (names[seat], forfeit, *_shown(forfeit.evidence), _exchanges(forfeit.evidence))
            for seat, forfeit in forfeits(record).items()
        ],
        limit=record.limits.timeout_ms,
        wide=rules.columns > _WIDE,
        many=len(names) > 2,
    )


def _replayed(record: GameRecord) -> tuple[Game, list[Step]]:
    """The game at its end, and its steps, the placing first."""
    played = []
    for step, position in steps(record):
        played.append(step)
        game = position
    return game, played


def _unit(rules: Rules) -> str:
    """What a step is called."""
    return "Round" if rules.turn is Turn.BOTH else "Move"


def _whole_lines(text: str) -> str:
    """The text without a line that was broken off at its end, unless that is most of it."""
    whole = text.rfind("\n")
    return text[:whole] if whole > len(text) // 2 else text


# What the script needs besides the record


def _derived(
    record: GameRecord, game: Game, fired: Sequence[int], names: Sequence[str]
) -> dict[str, Any]:
    """``told`` is the answer to each shot as the players heard it, and ``sank``, of those that were
    told to sink a ship, its length (null where that is not told) and the cells where it must then
    have lain; ``dialects`` are those in which each seat was told all that, where it was in the
    protocol that this page can write; ``again`` says whose moves can be run again. A person is
    shown what a bot would have been told."""
    told = game.view(0).shots
    spoken = [seat.dialect for seat in record.seats if seat.wire in (Brainjar.name, None)]
    usual = next((one for one in spoken if one in Brainjar.dialects), Brainjar.dialects[0])
    can_be_told = Brainjar.unsupported(record.rules, len(record.seats)) is None
    return {
        "names": names,
        "fired": fired,
        "told": [int(shot.result) for shot in told],
        "sank": {number: [shot.sunk, cells] for number, shot, cells in _sinkings(told)},
        "dialects": [
            {Brainjar.name: seat.dialect, None: usual}.get(seat.wire) if can_be_told else None
            for seat in record.seats
        ],
        "again": [_can_be_run_again(seat) for seat in record.seats],
        "placed": record.rules.placing is not Placing.JUDGE,
        "unit": _unit(record.rules),
        "salvos": record.rules.turn is Turn.SALVO,
    }


def _can_be_run_again(seat: RecordedSeat) -> bool:
    """Whether `judge replay --move` can run a move of this player by itself."""
    wire = WIRES.get(seat.wire or "")
    return seat.digest is not None and wire is not None and not wire.keeps_state


def _sinkings(told: Sequence[Shot]) -> Iterator[tuple[int, Shot, list[Cell]]]:
    """Every shot that was told to sink a ship, and which cells are known to be that ship's."""
    at: dict[int, list[Shot]] = {}
    for number, shot in enumerate(told):
        heard = at.setdefault(shot.target, [])
        heard.append(shot)
        if shot.result is Result.SUNK:
            before, after = board.fog(heard[:-1]), board.fog(heard)
            changed = (cell for cell, mark in after.items() if mark != before.get(cell))
            yield number, shot, sorted(changed)


# What stands on the page


def _rows(record: GameRecord, played: Sequence[Step]) -> Iterator[MoveRow]:
    evidence = {one.seat: one for one in record.evidence}
    for number, step in enumerate(played):
        for aside in step.asides:
            yield _aside_row(number, aside, evidence)
        for volley in step.volleys:
            yield _volley_row(number, record.shots[volley.begin : volley.end], record.rules)


def _volley_row(step: int, volley: Sequence[RecordedShot], rules: Rules) -> MoveRow:
    shots = tuple(_shot_seen(one.shot, rules) for one in volley)
    seat, ms = volley[0].shot.seat, volley[0].ms or None
    if len(shots) == 1:
        return MoveRow(step, seat, shots, shots[0].did, shots[0].style, ms)
    sunk = [f"the {one.shot.sunk}" for one in volley if one.shot.sunk]
    counts = Counter(
        {"h": "hit", "x": "hit", "m": "miss", "w": "wasted"}[one.style] for one in shots
    )
    words = [
        f"{count} {what if what == 'wasted' else plural(what, count)}"
        for what in ("hit", "miss", "wasted")
        if (count := counts[what])
    ]
    words += [f"sinks {' and '.join(sunk)}"] if sunk else []
    style = "x" if sunk else "h" if counts["hit"] else "m"
    return MoveRow(step, seat, shots, ", ".join(words), style, ms)


def _shot_seen(shot: Shot, rules: Rules) -> ShotSeen:
    match shot.result:
        case Result.SUNK:
            did, style = f"hit, sinks the {shot.sunk}", "x"
        case Result.HIT:
            did, style = "hit", "h"
        case Result.MISS:
            did, style = "miss", "m"
        case Result.REPEAT:
            did, style = "wasted, shot at before", "w"
    return ShotSeen(shot.target, cell_name(shot.cell, rules), did, style)


def _aside_row(step: int, aside: Aside, evidence: Mapping[int, Evidence]) -> MoveRow:
    run, lost = evidence.get(aside.seat), aside.what in FORFEITS
    return MoveRow(
        step,
        aside.seat,
        (),
        aside_text(aside.what),
        "f",
        run.answer_ms if run and lost else None,
        lost,
    )


def _lane(rows: Iterable[MoveRow], seat: int) -> dict[str, str]:
    """One player's moves along the scrubber, as an SVG path for each kind: a dot for a miss, a
    bar for a hit, a longer one with a head where a ship sinks, a block for a forfeit. The bar of a
    volley is the longer, the more of its shots hit."""
    paths: dict[str, str] = {}
    for row in rows:
        if row.seat == seat:
            top = _top(row)
            shape = f"M{row.step} 15h0" if top is None else f"M{row.step} {top:g}v{16 - top:g}"
            paths[row.style] = paths.get(row.style, "") + shape
            if row.style == "x":
                paths["head"] = paths.get("head", "") + f"M{row.step} {top:g}h0"
    return paths


def _top(row: MoveRow) -> float | None:
    """How far from the top the bar of a move begins, of 16; None where it is a dot."""
    match row.style:
        case "m" | "w":
            return None
        case "h" | "x" if len(row.shots) > 1:
            return round(10 - 6 * (row.hits - 1) / (len(row.shots) - 1), 1)
        case "h":
            return 9
    return 4


def _board(rules: Rules, game: Game, seat: int) -> Iterator[list[CellSeen]]:
    """A seat's board at the end, row by row, all told."""
    fleet = game.fleet(seat)
    shots = [shot for shot in game.shots if shot.target == seat]
    marks = board.truth(fleet, shots) if fleet else board.fog(shots)
    hulls = _hulls(fleet or ())
    for row in range(rules.rows):
        yield [_cell_seen(marks, hulls, Cell(column, row)) for column in range(rules.columns)]


def _cell_seen(marks: board.Marks, hulls: Mapping[Cell, str], cell: Cell) -> CellSeen:
    if cell not in marks:
        return CellSeen("", "")
    style, word = _CLASSES.get(marks[cell], ("s", "ship"))
    return CellSeen(f"{style}{hulls.get(cell, '')}", word)


def _hulls(fleet: Fleet) -> dict[Cell, str]:
    """On which sides the ship on a cell goes on: W and E, or N and S."""
    sides: dict[Cell, str] = {}
    for ship in fleet:
        back, on = (" W", " E") if ship.orientation is Orientation.HORIZONTAL else (" N", " S")
        for number, cell in enumerate(ship.cells):
            sides[cell] = back * (number > 0) + on * (number < ship.length - 1)
    return sides


def _tally(rules: Rules, game: Game, seat: int) -> list[tuple[int, bool]]:
    """The lengths of a fleet's ships, longest first, and whether each was sunk."""
    fleet = game.fleet(seat)
    if fleet is None:
        return []
    left = board.afloat(fleet, (shot for shot in game.shots if shot.target == seat))
    tally = []
    for length in sorted(rules.lengths, reverse=True):
        tally.append((length, length not in left))
        if length in left:
            left.remove(length)
    return sorted(tally, key=lambda ship: (-ship[0], not ship[1]))


def _player(record: GameRecord, number: int) -> dict[str, str]:
    """A row of the table of players."""
    seat = record.seats[number]
    shots = [one.shot for one in record.shots if one.shot.seat == number]
    hits = sum(shot.is_hit for shot in shots)
    volleys = sum(volley.seat == number for volley in volleys_of(record))
    times = [ms for who, ms in run_times(record) if who == number]
    return {
        "name": clean(seat.name),
        "files": clean(seat.digest or "")[:19],
        "seed": str(seat.seed),
        "count": _received(record, number),
        "volleys": str(volleys),
        "shots": str(len(shots)),
        "hits": str(hits),
        "misses": str(len(shots) - hits),
        "mean": milliseconds(sum(times) / len(times)) if times else "–",
        "worst": milliseconds(max(times)) if times else "–",
    }


def _received(record: GameRecord, number: int) -> str:
    """The line under a board: the shots at it."""
    shots = [one.shot for one in record.shots if one.shot.target == number]
    hits = sum(shot.is_hit for shot in shots)
    salvos = ""
    if record.rules.turn is Turn.SALVO:
        volleys = [
            volley
            for volley in volleys_of(record)
            if any(one.shot.target == number for one in record.shots[volley.begin : volley.end])
        ]
        salvos = f"{many(len(volleys), 'volley')}, "
    return (
        f"Received {salvos}{many(len(shots), 'shot')}: {many(hits, 'hit')}, "
        f"{many(len(shots) - hits, 'miss')}"
    )


def _facts(record: GameRecord, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    limits = record.limits
    yield "Game", clean(record.called)
    yield "Rules", clean(record.rules.name)
    if record.rules.turn is not Turn.BOTH:
        yield "Moved first", names[record.first]
    if record.seed is not None:
        yield "Game seed", str(record.seed)
    for what in ("wire", "dialect", "launch"):
        values = [getattr(seat, what) for seat in record.seats if getattr(seat, what)]
        if values:
            yield what.capitalize(), clean(", ".join(dict.fromkeys(values)))
    if not record.started:  # the game comes from a log
        yield "Times and limits", "not told by its log"
        return
    yield "Isolation", record.isolation
    yield "Time a move", f"{limits.timeout_ms / 1000:g} s"
    yield "Memory", f"{limits.memory_bytes / 2**20:g} MiB"
    yield "Output", f"{limits.output_bytes / 2**10:g} KiB"
    yield "Bots' time", duration(ms for _, ms in run_times(record))
    yield "Played", f"{clean(record.started)[:19].replace('T', ' ')} UTC"


def _shown(evidence: Evidence | None) -> tuple[str, str, list[Output]]:
    """What is shown of a run: its command, its end, and what it printed."""
    if evidence is None:
        return "", "", []
    outputs = [Output.of("stdout", evidence.stdout), Output.of("stderr", evidence.stderr)]
    return quoting.line(evidence.argv), end_of_run(evidence), outputs


def _exchanges(evidence: Evidence | None) -> list[tuple[str, str, str]]:
    """The last questions to a program that stays alive, each with its answer and its time."""
    return [
        (html.lines(one.sent), html.lines(one.received) or "(nothing)", milliseconds(one.ms))
        for one in (evidence.exchanges if evidence else ())
    ]
