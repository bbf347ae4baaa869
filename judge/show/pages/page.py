"""One game as a page: a score sheet that can be stepped through, and that holds the record itself.

Pure but for reading its templates. The page's words are worked out here, from the record played
through the engine again, or by its script, from the record in it. The steps are those of
`judge.game.steps`: mostly a shot or a volley, at the end perhaps a forfeit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from judge.contest.people import Person
from judge.contest.standings.summary import Forfeit, forfeits, run_times
from judge.documents.codec import builtins
from judge.documents.game import Evidence, GameRecord, Result
from judge.documents.rules import Cell, Placing, Rules, Turn
from judge.game.events import Shot
from judge.game.game import Game
from judge.game.steps import Step, steps, volleys_of
from judge.game.variants import name_of
from judge.play.recorded_move import can_be_run_again
from judge.show import board
from judge.show.board import Rulers
from judge.show.evidence import command_again, end_of_run, milliseconds
from judge.show.match import in_words
from judge.show.moves import incident_text
from judge.show.one_game import duration, headline
from judge.show.pages import html
from judge.show.text import clean, cut, many
from judge.wire import WIRES

_NAME = 24  # cells of a name where it stands among others; it is whole in the table of players
_SHOWN = 4000  # characters of a long output, at most, at its begin and at its end
_WIDE = 10  # columns from which on two boards do not fit a phone side by side


@dataclass(frozen=True, slots=True)
class Output:
    """The output of a run, fit to be shown; ``left_out`` characters are missing in the middle."""

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


class Around(NamedTuple):
    """The place of a game in a site; pages are named as the root of the site has them."""

    voided: str | None = None
    """Why the game was taken out of the count, if it was."""
    match: str | None = None
    """The page of its match, if it is of one."""
    before: int | None = None
    """The number of the game before it."""
    after: int | None = None
    bots: tuple[str | None, ...] = ()
    """The pages of its bots, seat by seat; None for a bot without one."""


ALONE = Around()


def page(
    record: GameRecord, *, root: str | None = None, contest: str = "", around: Around = ALONE
) -> str:
    """The page: one that stands alone, or, where ``root`` is the way to the root of its site, one
    that links there and to the pages ``around`` it. ``contest`` is the title of its contest.

    Raises `RecordError` if the record breaks its rules.
    """
    game, played = _replayed(record)
    rules = record.rules
    names = [cut(clean(seat.name), _NAME) for seat in record.seats]
    salvos = rules.turn is Turn.SALVO
    return html.render(
        "game.html",
        title=f"{' – '.join(names)}, game {cut(clean(record.display_name), 60)}",
        styles=html.GAME_STYLES,
        scripts=html.GAME_SCRIPTS,
        root=root,
        around=around,
        contest=clean(contest),
        record=record,
        document=builtins(record),
        derived=_derived(record, game, played, names),
        headline=headline(record, [f"\u2068{name}\u2069" for name in names]),
        names=names,
        plain=[_plain(record, seat) for seat in range(len(names))],
        boards=board.position(game, names, rulers=Rulers.of_players(rules)),
        players=[_player(record, seat) for seat in range(len(names))],
        salvos=salvos,
        unit=_unit(rules),
        facts=list(_facts(record, names)),
        forfeits=[
            (names[seat], forfeit, *_shown(forfeit), _exchanges(forfeit.evidence))
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
    """The name of a step."""
    return "Round" if rules.turn is Turn.BOTH else "Move"


def _whole_lines(text: str) -> str:
    """The text without a line that was broken off at its end, unless that is most of it."""
    whole = text.rfind("\n")
    return text[:whole] if whole > len(text) // 2 else text


# What the script needs besides the record


def _derived(
    record: GameRecord, game: Game, played: Sequence[Step], names: Sequence[str]
) -> dict[str, Any]:
    """``fires`` is how many shots each step fires, as pairs of such a number and of how many steps
    in a row it holds for. ``told`` is the answer to each shot as the players heard it (None where
    they heard all that the record has), and ``sank``, of those that were told to sink a ship, its
    length (null where that is not told) and the cells where it must then have lain; ``again`` says
    whose moves can be run again; ``columns``, ``rows`` and ``cell`` say how each of them is called."""
    rulers = Rulers.of_players(record.rules)
    told = game.view(0).shots
    fired = [int(shot.result) for shot in record.shots]
    heard = [int(shot.result) for shot in told]
    return {
        "names": names,
        "fires": [
            (shots, len(list(run)))
            for shots, run in groupby(step.fired - step.begin for step in played)
        ],
        "told": None if heard == fired else heard,
        "sank": {number: [shot.sunk, cells] for number, shot, cells in _sinkings(told)},
        "dialects": _dialects(record),
        "incidents": list(_incidents(record, played)),
        "again": [can_be_run_again(seat) for seat in record.seats],
        "placed": record.rules.placing is not Placing.JUDGE,
        "unit": _unit(record.rules),
        "salvos": record.rules.turn is Turn.SALVO,
        "columns": rulers.columns,
        "rows": rulers.rows,
        "cell": rulers.form,
    }


def _dialects(record: GameRecord) -> list[str | None]:
    """In which dialect each seat was told all that, if the page's script can write it. A person is
    shown what a bot would have been told."""
    seats = record.seats
    for wire in WIRES.values():
        if wire.is_written_by_pages and wire.unsupported(record.rules, len(seats)) is None:
            spoken = [seat.dialect for seat in seats if seat.wire in (wire.name, None)]
            usual = next((one for one in spoken if one in wire.dialects), wire.dialects[0])
            return [{wire.name: seat.dialect, None: usual}.get(seat.wire) for seat in seats]
    return [None for _ in seats]


def _sinkings(shots: Sequence[Shot]) -> Iterator[tuple[int, Shot, list[Cell]]]:
    """Every shot that was told to sink a ship, and which cells are known to be that ship's."""
    at: dict[int, list[Shot]] = {}
    for number, shot in enumerate(shots):
        heard = at.setdefault(shot.target, [])
        heard.append(shot)
        if shot.result is Result.SUNK:
            before, after = board.fog(heard[:-1]), board.fog(heard)
            changed = (cell for cell, mark in after.items() if mark != before.get(cell))
            yield number, shot, sorted(changed)


# What stands on the page


def _incidents(record: GameRecord, played: Sequence[Step]) -> Iterator[tuple[Any, ...]]:
    """The events besides shots: at which step, whose, what, in which time (None if no bot was run),
    and whether the game was lost by it."""
    evidence = {evidence.seat: evidence for evidence in record.evidence}
    for number, step in enumerate(played):
        for incident in step.incidents:
            run, lost = evidence.get(incident.seat), incident.forfeit is not None
            ms = run.answer_ms if run and lost else None
            yield number, incident.seat, incident_text(incident.what), ms, lost


def _plain(record: GameRecord, seat: int) -> str:
    """A player's shots in their order, for a reader without scripts."""
    marks = {Result.HIT: "×", Result.SUNK: "#"}
    shots = [shot for shot in record.shots if shot.seat == seat]
    rulers = Rulers.of_players(record.rules)
    return " ".join(f"{rulers.cell(shot.cell)}{marks.get(shot.result, '')}" for shot in shots)


def _player(record: GameRecord, number: int) -> dict[str, str]:
    """A row of the table of players."""
    seat = record.seats[number]
    shots = [shot for shot in record.shots if shot.seat == number]
    hits = sum(shot.is_hit for shot in shots)
    volleys = sum(volley.seat == number for volley in volleys_of(record))
    times = [ms for who, ms in run_times(record) if who == number]
    return {
        "name": clean(seat.name),
        "about": in_words(Person.of(seat)),
        "files": clean(seat.digest or "")[:19],
        "seed": str(seat.seed) if seat.launch else "",  # what the judge did not start had none
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
    shots = [shot for shot in record.shots if shot.target == number]
    hits = sum(shot.is_hit for shot in shots)
    salvos = ""
    if record.rules.turn is Turn.SALVO:
        volleys = [
            volley
            for volley in volleys_of(record)
            if any(shot.target == number for shot in record.shots[volley.begin : volley.end])
        ]
        salvos = f"{many(len(volleys), 'volley')}, "
    return (
        f"Received {salvos}{many(len(shots), 'shot')}: {many(hits, 'hit')}, "
        f"{many(len(shots) - hits, 'miss')}"
    )


def _facts(record: GameRecord, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    limits = record.limits
    yield "Game", clean(record.display_name)
    yield "Rules", clean(name_of(record.rules))
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


def _shown(forfeit: Forfeit) -> tuple[str, str, list[Output]]:
    """The view of a run: its command, its end, and its output."""
    evidence = forfeit.evidence
    if evidence is None:
        return "", "", []
    outputs = [Output.of("stdout", evidence.stdout), Output.of("stderr", evidence.stderr)]
    command = command_again(evidence.argv, forfeit.variables)
    return command, end_of_run(evidence), outputs


def _exchanges(evidence: Evidence | None) -> list[tuple[str, str, str]]:
    """The last questions to a program that stays alive, each with its answer and its time."""
    return [
        (
            html.lines(exchange.sent),
            html.lines(exchange.received) or "(nothing)",
            milliseconds(exchange.ms),
        )
        for exchange in (evidence.exchanges if evidence else ())
    ]
