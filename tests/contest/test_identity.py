"""Which game is which: what makes a game another one, and what does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import strange_texts
from judge.contest.ledger.identity import KEY_BYTES, key, key_of
from judge.contest.schedule import Fight, First
from judge.contest.threads import keys, task
from judge.documents.codec import builtins, convert
from judge.documents.game import (
    Evidence,
    GameRecord,
    Limits,
    OfMatch,
    Outcome,
    RecordedSeat,
    Termination,
)
from judge.documents.rules import Opening, Repeat, Rules, Sinking
from judge.game.variants import BRAINJAR, VARIANTS, contest
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.play.spoken import spoken
from judge.process.bots.bot import find_all
from judge.process.run.connection import Script
from ledgers import short

RECORD = short(1)
EVIDENCE = Evidence(
    seat=0,
    argv=("x",),
    stdout="",
    stderr="",
    exit=0,
    signal=None,
    wall_ms=1.0,
    cpu_ms=None,
    peak_kib=None,
)

# Another value for every field of a record, of its rules, of its limits and of its seats.
SHAPING: dict[str, Any] = {"seed": 2, "first": 1}
RULES: dict[str, Any] = {
    "name": "other",
    "columns": 9,
    "rows": 9,
    "fleet": (2, 3, 4),
    "players": (2, 3),
    "turn": "salvo",
    "salvo_bonus": (5,),
    "goal": "points",
    "points": 3,
    "round_limit": 100,
    "repeat": Repeat.MISS,
    "placing": "judge",
    "bad_move": "ask-again",
    "may_skip": True,
    "may_return": True,
    "sinking": Sinking.NOTHING,
    "opening": Opening.FIRST_NAMED,
    "wire": "open",
    "timeout_ms": 1999,
    "bot_bytes": 1,
    "match": 2,
}
LIMITS = {"timeout_ms": 1999, "memory_bytes": 2**25, "output_bytes": 2**17, "cores": 2}
SEAT: dict[str, Any] = {
    "name": "other",
    "digest": "sha256:other",
    "wire": "open",
    "dialect": "engine",
    "seed": 99,
    "data_digest": "sha256:data",
}
SHAPING_NOTHING: dict[str, Any] = {
    "id": "other",
    "number": 12,
    "match": OfMatch("m", 1, 2),
    "rated": False,
    "isolation": "bwrap",
    "host": "elsewhere",
    "enforcement": ("memory",),
    "shots": (),
    "incidents": (),
    "outcome": Outcome(None, None, Termination.VOID, evidence=(EVIDENCE,)),
    "started": "2031-01-01T00:00:00.000Z",
    "finished": "2031-01-01T00:00:01.000Z",
}
OF_NO_SEAT = {
    "launch": "fork",
    "author": "somebody",
    "own_name": "Deep Sea",
    "fleet": None,
    "placed": (),
    "ms": 3.5,
}


def in_seat(record: GameRecord, seat: int, **changed: Any) -> GameRecord:
    seats = list(record.seats)
    seats[seat] = replace(seats[seat], **changed)
    return replace(record, seats=tuple(seats))


def key_in_json(record: GameRecord) -> bytes | None:
    """As from a line of a journal."""
    return key_of(convert(GameRecord, builtins(record), "it"))


CHANGES: dict[str, Callable[[GameRecord], GameRecord]] = {
    **{
        name: lambda record, name=name, value=value: replace(record, **{name: value})
        for name, value in SHAPING.items()
    },
    **{
        f"rules.{name}": lambda record, name=name, value=value: replace(
            record, rules=replace(record.rules, **{name: value})
        )
        for name, value in RULES.items()
    },
    **{
        f"limits.{name}": lambda record, name=name, value=value: replace(
            record, limits=replace(record.limits, **{name: value})
        )
        for name, value in LIMITS.items()
    },
    **{
        f"seat {seat}.{name}": lambda record, seat=seat, name=name, value=value: in_seat(
            record, seat, **{name: value}
        )
        for seat in range(2)
        for name, value in SEAT.items()
    },
}


def test_every_field_of_a_record_is_thought_of() -> None:
    """A new one shapes games or does not: the tests below have to say."""
    whole = {"version", "rules", "limits", "seats"}
    found = {*GameRecord.__struct_fields__}
    assert found == whole | SHAPING.keys() | SHAPING_NOTHING.keys()
    assert {*Rules.__struct_fields__} == RULES.keys() | {"draw"}  # the fleet says it
    assert {*Limits.__struct_fields__} == LIMITS.keys() | {"data_bytes"}  # see below
    assert {*RecordedSeat.__struct_fields__} == SEAT.keys() | OF_NO_SEAT.keys()


@given(st.lists(st.sampled_from(sorted(CHANGES)), unique=True, max_size=4))
def test_what_shapes_a_game_makes_it_another(names: list[str]) -> None:
    """Any field of the identity that is changed, alone or with others, gives another key."""
    seen = {key_in_json(RECORD)}
    record = RECORD
    for number, name in enumerate(names, 1):
        record = CHANGES[name](record)
        seen.add(key_in_json(record))
        assert len(seen) == number + 1


@given(
    st.lists(st.sampled_from(sorted(SHAPING_NOTHING)), unique=True),
    st.lists(st.sampled_from(sorted(OF_NO_SEAT)), unique=True),
    strange_texts().filter(bool),
)
def test_what_shapes_no_game_leaves_it_the_same(
    names: list[str], of_seats: list[str], bot: str
) -> None:
    """Ids, times, what came of it, how it was launched, held and where: the key stays."""
    record = in_seat(RECORD, 0, name=bot)
    other = replace(record, **{name: SHAPING_NOTHING[name] for name in names})
    for seat in range(2):
        other = in_seat(other, seat, **{name: OF_NO_SEAT[name] for name in of_seats})
    assert key_in_json(other) == key_in_json(record)
    assert len(key_in_json(record) or b"") == KEY_BYTES


def test_data_shape_a_game_unless_they_are_kept_from_game_to_game() -> None:
    """A game of players that keep what they learn is the same whatever they know by then; and it is
    another than the one in which nothing is kept."""
    learning = replace(RECORD, limits=replace(RECORD.limits, data_bytes=100))
    other = in_seat(learning, 0, data_digest="sha256:other")
    assert key_in_json(other) == key_in_json(learning) != key_in_json(RECORD)
    assert key_in_json(in_seat(RECORD, 0, data_digest="sha256:other")) != key_in_json(RECORD)


def test_seats_are_not_exchanged() -> None:
    """The same two bots in each other's seats play another game."""
    turned = replace(RECORD, seats=RECORD.seats[::-1])
    assert key_in_json(turned) != key_in_json(RECORD)


def test_games_of_people_and_without_a_seed_have_no_key() -> None:
    """They are like no other; a program without files to digest still speaks something."""
    person = {"digest": None, "wire": None, "dialect": None, "launch": None}
    assert key_in_json(in_seat(RECORD, 1, **person)) is None
    assert key_in_json(replace(RECORD, seed=None)) is None
    assert key_in_json(in_seat(RECORD, 1, digest=None)) is not None


@pytest.mark.parametrize("rules", [*VARIANTS.values(), contest(5)], ids=lambda rules: rules.name)
def test_a_game_that_is_to_be_played_has_the_key_of_its_record(rules: Rules) -> None:
    """By all rules, those that draw a fleet included, and whatever the bots speak."""
    bots = find_all(("random", "hunter"), most_bytes=2**24, python=None, wire=None)
    speaking = [spoken(bot, rules, seats=2) for bot in bots]
    bots = tuple(
        replace(bot, wires=(wire.name,), dialect=dialect)
        for bot, (wire, dialect) in zip(bots, speaking, strict=True)
    )
    conditions = Conditions(rules=rules, limits=Limits(timeout_ms=rules.timeout_ms))
    key_before = keys(bots, conditions, {})
    schedule = list(Fight(3, 7, First.ALTERNATE))
    with Run(conditions, bots, lambda *_: Script(lambda _: b"nonsense\n")) as run:
        records = [run.play(task(pairing, bots)) for pairing in schedule]
    assert [key_in_json(record) for record in records] == [key_before(one) for one in schedule]
    assert len({*map(key_before, schedule)}) == 3


def test_a_key_is_the_same_in_every_run_and_release() -> None:
    """Ledgers hold it."""
    ann = RecordedSeat.of("ann", digest="sha256:a", wire="brainjar", dialect="readme", seed=1)
    seats = [ann, RecordedSeat.of("bob", wire="open", dialect="", seed=2)]
    found = key(BRAINJAR, Limits(), 7, 0, seats)
    assert found is not None
    assert found.hex() == "c564bcccc936410209ee0b6a86439e39"
