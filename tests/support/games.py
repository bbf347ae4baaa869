"""Records of games between players that shoot at random: real games, through the engine.

`played` makes one by a seed, of any variant, played out or forfeited; `void` one that never began.
And `strange_texts`: names and output as the authors of bots may choose them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from random import Random

from hypothesis import strategies as st
from msgspec import UNSET

from changes import replace
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import (
    Evidence,
    GameRecord,
    Incident,
    Limits,
    RecordedSeat,
    Result,
    Termination,
)
from judge.documents.rules import Cell, Rules
from judge.game.events import AnyShot, Target
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.steps import volleys
from judge.game.variants import BRAINJAR

ATTACK = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"  # to a page

SGR = re.compile(r"\x1b\[[0-9;]*m")
"""The colours that the judge itself puts into a text."""


def played(
    rules: Rules = BRAINJAR,
    seed: int = 0,
    *,
    names: tuple[str, ...] = ("hunter", "random"),
    first: int = 0,
    bot_seeds: tuple[int, ...] | None = None,
    game_id: str | None = None,
    forfeit: tuple[int, Termination] | None = None,
    after: int = 10,
    detail: str = "did what no bot should",
    stdout: str = "",
    stderr: str = "",
) -> GameRecord:
    """A game of random shots at fresh cells, the same for the same arguments.

    ``forfeit`` is a seat and the way in which it loses, after at least ``after`` shots: as soon as
    it is up; before the first shot if it forfeits its fleet. The game is over before that only if
    it is shorter.
    """
    rng = Random(seed)
    game = Game(rules.drawn(rng), len(names), first)
    incidents: list[Incident] = []

    def lose(seat: int, termination: Termination) -> None:
        game.forfeit(seat, termination, detail)
        incidents.append(Incident(len(game.shots), seat, termination))

    while game.is_placing and game.to_move:
        seat = game.to_move[0]
        if forfeit == (seat, Termination.ILLEGAL_FLEET):
            lose(*forfeit)
        else:
            game.place(seat, random_fleet(game.rules, rng))
    fresh = {
        target: [Cell(c, r) for c in range(rules.columns) for r in range(rules.rows)]
        for target in range(len(names))
    }
    while game.to_move:
        seat = game.to_move[0]
        if forfeit and forfeit[0] == seat and len(game.shots) >= after:
            lose(*forfeit)
            continue
        volley = []
        for _ in range(game.shots_due(seat)):
            others = [other for other in fresh if other != seat]
            target = rng.choice([other for other in others if fresh[other]] or others)
            cells = fresh[target]
            # A volley at a board's end may be longer than it: what is left of it is wasted.
            cell = cells.pop(rng.randrange(len(cells))) if cells else Cell(0, 0)
            volley.append(Target(target, cell))
        game.shoot(seat, volley)
    return _recorded(
        game,
        rng=rng,
        seed=seed,
        names=names,
        bot_seeds=bot_seeds,
        game_id=game_id,
        incidents=incidents,
        stdout=stdout,
        stderr=stderr,
    )


def introduced(record: GameRecord, **people: tuple[str, str]) -> GameRecord:
    """The record with the own name and the author of each of these players."""
    return replace(
        record,
        seats=tuple(
            replace(seat, own_name=people[seat.name][0] or UNSET, author=people[seat.name][1])
            if seat.name in people
            else seat
            for seat in record.seats
        ),
    )


def void(
    seed: int = 0,
    *,
    rules: Rules = BRAINJAR,
    names: tuple[str, str] = ("hunter", "random"),
    first: int = 0,
    causes: tuple[Termination, Termination] = (Termination.TIMEOUT, Termination.ILLEGAL_FLEET),
) -> GameRecord:
    """A game that never began: both fleets were forfeited."""
    game = Game(rules, 2, first)
    incidents = []
    for seat, cause in enumerate(causes):
        game.forfeit(seat, cause, f"could not place a fleet: {cause}")
        incidents.append(Incident(0, seat, cause))
    return _recorded(
        game,
        rng=Random(seed),
        seed=seed,
        names=names,
        incidents=incidents,
    )


def _recorded(
    game: Game,
    *,
    rng: Random,
    seed: int,
    names: tuple[str, ...],
    incidents: list[Incident],
    bot_seeds: tuple[int, ...] | None = None,
    game_id: str | None = None,
    stdout: str = "",
    stderr: str = "",
) -> GameRecord:
    assert game.outcome is not None

    def ms() -> float:
        return round(rng.lognormvariate(3.4, 0.2), 2)

    seeds = bot_seeds or tuple(seed * 10 + seat for seat in range(len(names)))
    seats = [
        RecordedSeat.of(
            name,
            seed=seeds[seat],
            fleet=game.fleet(seat),
            ms=ms(),
            wire="brainjar",
            dialect="readme",
            launch="exec",
        )
        for seat, name in enumerate(names)
    ]
    evidence = tuple(
        Evidence(
            seat=incident.seat,
            argv=("./run.sh", '{"cmd":"init"}'),
            stdout=stdout,
            stderr=stderr,
            exit=None if incident.what == Termination.TIMEOUT else 0,
            signal="SIGKILL" if incident.what == Termination.TIMEOUT else None,
            wall_ms=2001.5 if incident.what == Termination.TIMEOUT else ms(),
            cpu_ms=12.25,
            peak_kib=9000,
        )
        for incident in incidents
    )
    for one in evidence:
        if seats[one.seat].fleet is None:  # the run that failed is the one that was to place
            seats[one.seat] = replace(seats[one.seat], ms=one.wall_ms)
    fleets = [game.fleet(seat) for seat in range(len(names))]
    shots = [
        shot.recorded(0.0 if place else ms())  # a volley's time stands at its first shot
        for volley in volleys(game.rules, fleets, game.shots)
        for place, shot in enumerate(game.shots[volley.begin : volley.end])
    ]
    return GameRecord(
        version=1,
        id=game_id or f"{seed}-1",
        number=None,
        match=None,
        rules=game.rules,
        rated=game.outcome.termination.is_rated,
        seed=seed,
        first=game.first,
        isolation="limits",
        host=None,
        enforcement=(),
        limits=Limits(),
        seats=tuple(seats),
        shots=tuple(shots),
        incidents=tuple(incidents),
        outcome=replace(game.outcome, evidence=evidence or None),
        started="2026-01-31T12:00:00.000Z",
        finished="2026-01-31T12:00:03.000Z",
    )


def match(
    games: int, *, names: tuple[str, str] = ("hunter", "random"), seed: int = 0, **more
) -> list[GameRecord]:
    """So many games in swapped pairs, in schedule order, as `judge.contest.schedule.Fight` has
    them: the two of a pair share the bots' seeds."""
    return [
        played(
            seed=seed + number,
            names=names,
            first=number % 2,
            bot_seeds=(seed + number // 2, seed + 1000 + number // 2),
            game_id=f"{seed}-{number + 1}",
            **more,
        )
        for number in range(games)
    ]


def with_evidence(record: GameRecord, *evidence: Evidence) -> GameRecord:
    """The record with other evidence."""
    return replace(record, outcome=replace(record.outcome, evidence=evidence))


def fired(shots: Iterable[AnyShot]) -> list[tuple[int, int, Cell, Result]]:
    """The seats of these shots, their targets and their results."""
    return [(one.seat, one.target, one.cell, one.result) for one in shots]


def is_sound(record: GameRecord) -> bool:
    """Whether it is judged again alike and is a document by its schema."""
    for _ in replay(record):
        pass
    assert schemas.problem("game-record", builtins(record)) is None
    assert convert(GameRecord, builtins(record), "it") == record
    return True


def strange_texts() -> st.SearchStrategy[str]:
    """Texts with wide, combining and controlling characters, among them whole sequences."""
    nasty = st.sampled_from(
        [
            "\x1b[31m",
            "\x1b[2J",
            "\x1b]0;title\x07",
            "\x07",
            "\n",
            "\r",
            "\t",
            "\u202e",
            "\u200d",
            "\u2028",
            "\ud800",
            "e\u0301",
            "❤\ufe0f",
            "\U0001f600",
            "漢字",
            "한글",
            "…",
            "{winner}",
        ]
    )
    return st.lists(st.text(max_size=12) | nasty, max_size=8).map("".join)


def the_game(given: str | None, ledger: Path | None) -> GameRecord:
    """The last of the games that a command would take, judged."""
    from judge.cli.ledgers.game_source import the_games  # a command's, and slow to load

    games = the_games(given, ledger)
    return games.game(len(games))
