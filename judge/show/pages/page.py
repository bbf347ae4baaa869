"""The page of one game: a score sheet that can be stepped through, and that contains the record.

Pure but for reading its templates. Some of the page's words are made here, from a replay of the
record, and others by the page's script, from the record in the page. The steps are those of
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

_NAME = 24  # cells of a name; only the table of players has whole names
_SHOWN = 4000  # most characters at the begin, and at the end, of a long output
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
    """The place of a game in a site. A page is given by its path from the root of the site."""

    voided: str | None = None
    """The reason why an order voided the game, or None."""
    match: str | None = None
    """The page of the game's match, or None."""
    before: int | None = None
    """The number of the previous game, or None; ``after`` is the number of the next game."""
    after: int | None = None
    bots: tuple[str | None, ...] = ()
    """The pages of the game's bots, seat by seat; None for a bot without a page."""


ALONE = Around()


def page(
    record: GameRecord, *, root: str | None = None, contest: str = "", around: Around = ALONE
) -> str:
    """The page of a game. ``root`` is the path to the root of the page's site: the page links there
    and to the pages ``around`` it. Without a ``root`` the page stands alone. ``contest`` is the
    title of the contest.

    Raises `RecordError` if the record breaks its rules.
    """
    game, played = _replayed(record)
    rules = record.rules
    names = [cut(clean(seat.name), _NAME) for seat in record.seats]
    salvos = rules.turn is Turn.SALVO
    return html.render(
        "game.html",
        html.GAME,
        title=f"{' – '.join(names)}, game {cut(clean(record.display_name), 60)}",
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
    """The game at its end, and its steps; step 0 is the placing."""
    played = []
    for step, position in steps(record):
        played.append(step)
        game = position
    return game, played


def _unit(rules: Rules) -> str:
    """The page's word for a step."""
    return "Round" if rules.turn is Turn.BOTH else "Move"


def _whole_lines(text: str) -> str:
    """The text up to its last line break, or the whole text if that loses half of it or more."""
    whole = text.rfind("\n")
    return text[:whole] if whole > len(text) // 2 else text


# What the script needs besides the record


def _derived(
    record: GameRecord, game: Game, played: Sequence[Step], names: Sequence[str]
) -> dict[str, Any]:
    """The script's data besides the record. ``fires`` has the number of shots a step, in pairs: a
    number, and how many steps in a row fire that number. ``told`` has the announced result of each
    shot, or None if the record's results were announced. ``sank`` has the shots announced as
    sinking a ship, each with the ship's length (null if not announced) and the cells known to be
    that ship's. ``again`` says for each seat whether its moves can be run again. ``cell`` is the
    format string of a cell's name, made of names in ``columns`` and ``rows``."""
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
    """The dialect of each seat's requests, if the page's script can write them; else None. A
    person's seat has the dialect of the first bot or, without a bot, the protocol's usual one."""
    seats = record.seats
    for wire in WIRES.values():
        if wire.is_written_by_pages and wire.unsupported(record.rules, len(seats)) is None:
            spoken = [seat.dialect for seat in seats if seat.wire in (wire.name, None)]
            usual = next((one for one in spoken if one in wire.dialects), wire.dialects[0])
            return [{wire.name: seat.dialect, None: usual}.get(seat.wire) for seat in seats]
    return [None for _ in seats]


def _sinkings(shots: Sequence[Shot]) -> Iterator[tuple[int, Shot, list[Cell]]]:
    """Every shot announced as sinking a ship, with its number and the cells known to be that
    ship's."""
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
    """The incidents: each one's step, seat and words, the milliseconds of the answer that forfeited
    (None if it is not a forfeit, or without evidence), and whether it was a forfeit."""
    evidence = {evidence.seat: evidence for evidence in record.evidence}
    for number, step in enumerate(played):
        for incident in step.incidents:
            run, lost = evidence.get(incident.seat), incident.forfeit is not None
            ms = run.answer_ms if run and lost else None
            yield number, incident.seat, incident_text(incident.what), ms, lost


def _plain(record: GameRecord, seat: int) -> str:
    """A player's shots in their order, for a browser without scripts."""
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
        "seed": str(seat.seed) if seat.launch else "",  # else it was given no seed
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
    """The command, the end and the outputs of a forfeit's run; empty without evidence."""
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
