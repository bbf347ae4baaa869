"""A game does not depend on the protocols in which it is played, and none tells a hidden fleet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle, islice
from random import Random

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import UNSET

from changes import replace
from judge.documents.game import GameRecord, Termination
from judge.documents.rules import BadMove, Fleet, Goal, Placing, Repeat, Rules, Sinking, Turn
from judge.documents.tasks import Task, TaskSeat
from judge.game.events import Event, Shot
from judge.game.game import Game
from judge.game.replay import replay
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.run import Connect, Run
from judge.play.spoken import expressing
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Connection
from judge.testing import free_spots, numbers_of_players, squares
from judge.testing import rules as any_rules
from judge.wire import WIRES
from oracle import Oracle
from strategies import examples
from wire_players import PROGRAMS, Policy, connected


def of_broadsides(rules: Rules) -> Rules:
    """The rules, changed so that the wire broadsides can express them."""
    return replace(
        rules,
        players=(2, 2),
        placing=Placing.IN_TURN,
        sinking=Sinking.NOTHING,
        repeat=Repeat.OLD_ANSWER if rules.repeat is Repeat.SAID_SO else rules.repeat,
        bad_move=BadMove.FORFEITS,
        may_skip=False,
        match=1,
    )


def of_few_words(rules: Rules) -> Rules:
    """The rules, changed so that every wire without salvos can express them."""
    return replace(
        rules,
        fleet=tuple(dict.fromkeys(rules.lengths)),
        draw=UNSET,
        players=(2, 2),
        turn=Turn.SINGLE if rules.turn is Turn.SALVO else rules.turn,
        placing=Placing.ALL if rules.placing is Placing.SHIP_BY_SHIP else rules.placing,
        sinking=Sinking.SIZE if rules.sinking is Sinking.SHIP else Sinking.NOTHING,
        bad_move=BadMove.FORFEITS,
        may_skip=False,
        match=1,
    )


def of_xbs(rules: Rules) -> Rules:
    """The rules, changed so that the wire xbs can express them."""
    return replace(
        rules,
        columns=rules.columns + 6,
        rows=rules.rows + 5,
        fleet=tuple(max(2, min(length, 8)) for length in rules.lengths),
        draw=UNSET,
        turn=Turn.SINGLE,
        goal=Goal.POINTS,
        points=None,
        repeat=Repeat.ILLEGAL,
        placing=Placing.ALL if rules.placing is not Placing.IN_TURN else Placing.IN_TURN,
        sinking=Sinking.NOTHING,
        bad_move=BadMove.ASK_AGAIN if rules.bad_move is BadMove.ASK_AGAIN else BadMove.FORFEITS,
    )


def of_contest(rules: Rules) -> Rules:
    """The rules, changed so that the wire contest can express them."""
    side = max(rules.columns, rules.rows)
    return replace(
        rules,
        columns=side,
        rows=side,
        players=(2, 2),
        turn=Turn.BOTH,
        goal=Goal.FLEET,
        points=None,
        placing=Placing.SHIP_BY_SHIP,
        sinking=Sinking.SHIP,
        repeat=Repeat.SAID_SO,
        bad_move=BadMove.FORFEITS_MATCH,
        may_skip=False,
        may_return=False,
        round_limit=rules.round_limit or side * side,
    )


def some_rules() -> st.SearchStrategy[Rules]:
    kinds = (of_few_words, of_broadsides, of_contest, of_xbs)
    return st.one_of(any_rules(), *(any_rules().map(kind) for kind in kinds))


def able(rules: Rules, seats: int) -> list[str]:
    """The wires that can express a game of that number of seats."""
    return [name for name, reason in expressing(rules, seats).items() if reason is None]


def play(
    rules: Rules,
    wires: Sequence[str],
    connect: Callable[[int, str], Connection],
    *,
    seed: int,
    first: int,
    watch: Watch | None = None,
) -> GameRecord:
    """A game between scripted players, a seat for each of these wires."""
    hunter = find("hunter")
    bots = [
        replace(hunter, name=f"bot{seat}", wires=(wire,), dialect="")
        for seat, wire in enumerate(wires)
    ]

    def scripted(bot: Bot, _seed: int, _usual: Callable[[], Connection]) -> Connection:
        return connect(int(bot.name.removeprefix("bot")), *bot.wires)

    seats = [TaskSeat(bot.name, bot.digest, 7, bot.wires) for bot in bots]
    by: Connect = scripted
    with Run(Conditions(rules=rules), bots, by) as run:
        return run.play(Task("1", seed, first, tuple(seats)), watch)


def apart_from_wires(record: GameRecord) -> GameRecord:
    """The record without what may differ: the wires, their dialects, what a player says of itself, the times, and the sentence on
    an illegal fleet or move, for each wire has its own name of a cell, and not every one can say
    what an overlap is."""
    outcome = record.outcome
    unlike = {Termination.ILLEGAL_FLEET, Termination.ILLEGAL_MOVE}
    if unlike & {outcome.termination, *(one.what for one in record.incidents)}:
        outcome = replace(outcome, detail="")
    incidents = [replace(one, detail="") if one.what in unlike else one for one in record.incidents]
    seats = [
        replace(one, wire=None, dialect=None, author=None, own_name=None, ms=None)
        for one in record.seats
    ]
    shots = [replace(one, ms=0.0) for one in record.shots]
    return replace(
        record,
        seats=tuple(seats),
        shots=tuple(shots),
        incidents=tuple(incidents),
        started="",
        finished="",
        outcome=outcome,
    )


def test_there_is_a_player_for_every_wire() -> None:
    """So that no wire is left out here."""
    assert PROGRAMS.keys() == WIRES.keys()


@given(st.data())
@examples(25)
def test_the_same_answers_make_the_same_record(data: st.DataObject) -> None:
    """Players that give the same answers, right or wrong, get the same record over every wire that can
    express the rules, among its like and beside those that follow it. The record holds."""
    rules = data.draw(some_rules())
    count = data.draw(numbers_of_players(rules))
    wires = able(rules, count)
    seed, slips = data.draw(st.integers(0, 2**32)), data.draw(st.sampled_from([0.0, 0.1]))
    first = data.draw(st.integers(0, count - 1))

    def connect(seat: int, wire: str) -> Connection:
        return connected(wire, Policy(rules, seat, count, seed=seed + seat, slips=slips, skips=0.1))

    tables = [(wire,) * count for wire in wires]
    tables += [tuple(islice(cycle(wires), at, at + count)) for at in range(len(wires))]
    records = [play(rules, table, connect, seed=seed, first=first) for table in tables]
    assert [[seat.wire for seat in one.seats] for one in records] == [[*one] for one in tables]
    one, *others = map(apart_from_wires, records)
    assert others == [one] * len(others)
    *_, last = replay(records[0])
    assert last.outcome is not None
    assert (last.outcome.winner, last.outcome.termination) == (
        one.outcome.winner,
        one.outcome.termination,
    )


@given(st.data())
@examples(40)
def test_no_wire_tells_of_a_hidden_fleet(data: st.DataObject) -> None:
    """The messages to a seat are equal, byte for byte, for any two opposing fleets for as long as
    all that the rules tell is equal."""
    rules = data.draw(some_rules())
    assume(rules.placing is not Placing.JUDGE)
    count = data.draw(numbers_of_players(rules))
    seat = data.draw(st.integers(0, count - 1))
    wire = data.draw(st.sampled_from(able(rules, count)))
    seed, first = data.draw(st.integers(0, 2**32)), data.draw(st.integers(0, count - 1))
    fleets = [Policy(rules, other, count, seed=seed + other).legal for other in range(count)]
    others = [
        fleet if other == seat else moved(rules, fleet, Random(seed))
        for other, fleet in enumerate(fleets)
    ]
    assume(others != fleets)
    table = [wire if other == seat else "open-lines" for other in range(count)]
    heard = [heard_by(seat, rules, table, one, seed=seed, first=first) for one in (fleets, others)]
    for (public, sent), (other_public, other_sent) in zip(*heard, strict=False):
        if public != other_public:
            break
        assert sent == other_sent


def moved(rules: Rules, fleet: Fleet, luck: Random) -> Fleet:
    """The fleet with one ship in another place."""
    at = luck.randrange(len(fleet))
    taken = frozenset().union(*(squares(ship) for ship in fleet if ship is not fleet[at]))
    spots = free_spots(rules, fleet[at].length, taken)
    return (*fleet[:at], luck.choice(spots), *fleet[at + 1 :])


def heard_by(
    seat: int, rules: Rules, table: Sequence[str], fleets: Sequence[Fleet], *, seed: int, first: int
) -> list[tuple[list[object], bytes]]:
    """All that is sent to a seat, and what the rules had told everyone by then, as the oracle has
    it."""
    oracle = Oracle(rules, len(table), first)
    public: list[object] = []
    heard: list[tuple[list[object], bytes]] = []

    def watch(_: Game, event: Event) -> None:
        if isinstance(event, Shot):
            shot = event
            row = (shot.seat, shot.target, *shot.cell, int(shot.result), shot.sunk, shot.ship)
            oracle.shots.append(row)
            public.append(oracle.told()[-1])
        else:
            public.append(event)

    def connect(one: int, wire: str) -> Connection:
        policy = Policy(rules, one, len(table), seed=seed + one, skips=0.1)
        policy.legal = fleets[one]
        connection = connected(wire, policy)
        if one == seat:
            send = connection.send

            def send_and_keep(data: bytes) -> None:
                heard.append((list(public), data))
                send(data)

            connection.send = send_and_keep  # type: ignore[method-assign]
        return connection

    play(rules, table, connect, seed=seed, first=first, watch=watch)
    return heard
