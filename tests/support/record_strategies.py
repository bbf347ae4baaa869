"""Strategies of records of games, played by the referee or straight from the engine."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from changes import replace
from judge.documents.game import (
    Evidence,
    Exchange,
    GameRecord,
    Incident,
    Limits,
    OfMatch,
    RecordedSeat,
    RecordedShot,
)
from judge.documents.rules import Placing, Rules
from judge.errors import IllegalMove, OutOfTurn
from judge.game.events import Back, Event, Gone, Shot, Target, TurnSkipped
from judge.game.game import Game
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.testing import aim, numbers_of_players, targets
from judge.testing import rules as any_rules
from players import Scripted, by_luck
from strategies import FORFEITS, some_fleet


def evidence(seat: int) -> st.SearchStrategy[Evidence | None]:
    milliseconds = st.floats(0, 1e6)
    return st.none() | st.builds(
        Evidence,
        seat=st.just(seat),
        argv=st.lists(st.text(), max_size=3).map(tuple),
        stdout=st.text(),
        stderr=st.text(),
        exit=st.none() | st.integers(0, 255),
        signal=st.none() | st.just("SIGKILL"),
        wall_ms=milliseconds,
        cpu_ms=st.none() | milliseconds,
        peak_kib=st.none() | st.integers(0, 2**50),
        exchanges=st.lists(st.builds(Exchange, st.text(), st.text(), milliseconds), max_size=3).map(
            tuple
        ),
    )


@st.composite
def played(draw, rules: st.SearchStrategy[Rules] | None = None) -> GameRecord:
    """Games played by the referee between players who now and then slip."""
    of = draw(any_rules() if rules is None else rules)
    seats, seed = draw(numbers_of_players(of)), draw(st.integers(0, 2**31))
    luck, slips = Random(seed), draw(st.sampled_from([0.0, 0.0, 0.02, 0.2]))
    limits = draw(
        st.builds(Limits, timeout_ms=st.integers(1, 86_400_000), memory_bytes=st.integers(1, 2**50))
    )
    players = [
        Scripted(
            by_luck(of, luck, slips),
            draw(st.text(min_size=1)),
            draw(evidence(seat)),
            author=draw(st.text(max_size=9)),
            data_digest=draw(st.none() | st.just("0" * 64)),
            wire=draw(st.sampled_from([None, "brainjar", "open"])),
            dialect=draw(st.sampled_from([None, "readme", "engine"])),
            launch=draw(st.sampled_from([None, "exec", "fork"])),
        )
        for seat in range(seats)
    ]
    first = draw(st.integers(0, seats - 1))
    record = play_game(
        Conditions(rules=of, limits=limits),
        players,
        game_id=draw(st.text(min_size=1)),
        seed=draw(st.none() | st.just(seed)) if of.placing is not Placing.JUDGE else seed,
        first=first,
    )
    return replace(
        record,
        number=draw(st.none() | st.integers(1, 10**9)),
        match=draw(st.none() | st.builds(OfMatch, st.text(min_size=1), st.just(2), st.just(5))),
        host=draw(st.none() | st.text()),
        rated=record.rated and draw(st.booleans()),
    )


def aimed(game: Game, seat: int, luck: Random) -> list[Target]:
    fleets = {other: game.fleet(other) for other in range(game.players) if game.fleet(other)}
    shot_at = {(one.target, *one.cell) for one in game.shots}
    due = game.shots_due(seat)
    return targets(aim(luck, rules=game.rules, fleets=fleets, shot_at=shot_at, seat=seat, due=due))


def stormy_game(rules: Rules, seats: int, luck: Random, storm: float) -> GameRecord:
    game = Game(rules, seats, luck.randrange(seats))
    written: list[RecordedShot | Incident] = []

    def note_down(events: tuple[Event, ...]) -> None:
        for one in events:
            at = sum(isinstance(line, RecordedShot) for line in written)
            match one:
                case Shot():
                    written.append(one.recorded(luck.randrange(100) / 4))
                case TurnSkipped(seat):
                    written.append(Incident(at, seat, "skip"))
                case Gone(seat, termination):
                    written.append(Incident(at, seat, termination or "leave"))
                case Back(seat):
                    written.append(Incident(at, seat, "return"))

    def anything_else() -> tuple[Event, ...]:
        seat = luck.randrange(seats)
        ways = [game.skip, game.leave, game.come_back, game.come_back]
        if luck.random() < 0.25:
            ways = [game.resign, lambda one: game.forfeit(one, luck.choice(FORFEITS), "slipped")]
        try:
            return luck.choice(ways)(seat)
        except (OutOfTurn, IllegalMove):
            return ()

    while not game.outcome:
        seat = luck.choice(game.to_move) if game.to_move else None
        if game.is_placing and luck.random() < storm:
            note_down(game.forfeit(seat, luck.choice(FORFEITS), f"seat {seat} slipped"))
        elif game.is_placing:
            seat = game.to_move[0]
            note_down(game.place(seat, some_fleet(rules, luck)))
        elif seat is None or luck.random() < storm:
            note_down(anything_else())
        else:
            note_down(game.shoot(seat, aimed(game, seat, luck)))
    return GameRecord(
        version=1,
        id="7-1",
        number=None,
        match=None,
        rules=rules,
        rated=game.outcome.termination.is_rated,
        seed=7,
        first=game.first,
        isolation="none",
        host=None,
        enforcement=(),
        limits=Limits(),
        seats=tuple(
            RecordedSeat.of(f"bot {seat}", seed=seat, fleet=game.fleet(seat))
            for seat in range(seats)
        ),
        shots=tuple(line for line in written if isinstance(line, RecordedShot)),
        incidents=tuple(line for line in written if isinstance(line, Incident)),
        outcome=game.outcome,
        started="2026-01-31T12:00:00.000Z",
        finished="2026-01-31T12:00:00.070Z",
    )


@st.composite
def stormy(draw, rules: st.SearchStrategy[Rules] | None = None) -> GameRecord:
    """Games straight from the engine, where seats come and go out of turn as well."""
    of = draw(any_rules() if rules is None else rules)
    seats = draw(numbers_of_players(of))
    luck = Random(draw(st.integers(0, 2**31)))
    return stormy_game(of, seats, luck, storm=draw(st.sampled_from([0.02, 0.1, 0.4])))
