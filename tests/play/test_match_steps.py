"""Steps of a match in which several seats answer, fed by hand: who is asked when, who has
failed."""

from __future__ import annotations

import pytest

from changes import replace
from judge.documents.game import Aside, GameRecord, Limits, RecordedSeat, Termination
from judge.documents.rules import BadMove, Cell, Orientation, Placing, Rules, Ship, Turn
from judge.errors import BotError, Crashed, IllegalFleet
from judge.game.events import Target
from judge.game.replay import replay
from judge.game.variants import BRAINJAR
from judge.play.deal import Ask, Deal, Do, Remove, Seating, Tell, Withdraw
from judge.play.match import Match
from judge.wire.messages import (
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    Left,
    Placed,
    PlacedShip,
    Refused,
    Resigned,
    Skipped,
)

ONE = Ship(1, 0, 0, Orientation.HORIZONTAL)
TWO = Ship(2, 1, 1, Orientation.HORIZONTAL)
SMALL = replace(BRAINJAR, name="small", columns=3, rows=2, fleet=(1, 2), players=(2, 4))
BY_SHIP = replace(SMALL, placing=Placing.SHIP_BY_SHIP)
BOTH = replace(SMALL, turn=Turn.BOTH, round_limit=9)


class Fed:
    """A match that is fed by hand. ``asked`` are the seats and questions that are open."""

    def __init__(self, rules: Rules, seats: int = 2, **deal) -> None:
        table = Seating(
            rules=rules,
            seats=tuple(RecordedSeat.of(f"bot {n}", seed=n) for n in range(seats)),
            answer_ms=(2000,) * seats,
            limits=Limits(),
            isolation="none",
        )
        first = deal.pop("first", 0)
        self.match = Match(table, [Deal(id="1", seed=1, first=first, rules=rules, **deal)])
        self.told: list[Tell] = []
        self.withdrawn: list[int] = []
        self.asked: dict[int, object] = {}
        self.do(self.match.start())

    def do(self, things: list[Do]) -> None:
        for thing in things:
            match thing:
                case Ask(seat, message):
                    assert seat not in self.asked, "nobody is asked twice"
                    self.asked[seat] = message
                case Withdraw(seat):
                    del self.asked[seat]
                    self.withdrawn.append(seat)
                case Tell():
                    self.told.append(thing)

    def say(self, seat: int, *said: FromPlayer | BotError, ms: float = 5.0) -> None:
        for one in said:
            self.asked.pop(seat, None)
            self.do(self.match.receive(seat, one, ms))

    def place_all(self) -> None:
        for seat in list(self.asked):
            self.say(seat, Placed((ONE, TWO)))

    def record(self) -> GameRecord:
        """That of the one game, which can be judged again."""
        assert self.match.is_over
        assert not self.asked
        (record,) = self.match.records
        *_, last = replay(record)
        assert last.outcome == record.outcome
        return record


def at(cell: tuple[int, int], seat: int) -> Fired:
    return Fired((Target(seat, Cell(*cell)),))


# Placing


def test_nobody_is_asked_for_the_next_ship_before_all_have_placed_this_one() -> None:
    """And the fleets are placed with the last ship of the last seat."""
    fed = Fed(BY_SHIP, 3)
    assert fed.asked == dict.fromkeys(range(3), AskShip(1))
    fed.say(2, PlacedShip(ONE))
    fed.say(0, PlacedShip(ONE))
    assert fed.asked == {1: AskShip(1)}
    fed.say(1, PlacedShip(ONE))
    assert fed.asked == dict.fromkeys(range(3), AskShip(2))
    for seat in (1, 0, 2):
        assert fed.match.game.is_placing
        fed.say(seat, PlacedShip(TWO))
    assert list(fed.asked) == [0]
    assert isinstance(fed.asked[0], AskShots)
    assert all(fed.match.game.fleet(seat) == (ONE, TWO) for seat in range(3))


def test_of_several_those_go_on_who_have_placed() -> None:
    """A seat that fails with the last ship is out, and the fleets of the others count."""
    fed = Fed(BY_SHIP, 3)
    for seat in range(3):
        fed.say(seat, PlacedShip(ONE))
    fed.say(0, PlacedShip(TWO))
    fed.say(1, PlacedShip(replace(TWO, column=2)))
    fed.say(2, PlacedShip(TWO))
    assert [fed.match.game.is_in(seat) for seat in range(3)] == [True, False, True]
    assert list(fed.asked) == [0]
    fed.say(0, Resigned())
    record = fed.record()
    assert [seat.fleet is None for seat in record.seats] == [False, True, False]
    left = "the ship of 2 leaves the 3×2 grid at column 3, row 1"
    assert record.asides == (Aside(0, 1, "illegal-fleet", left), Aside(0, 0, "resigned"))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_who_fails_in_an_earlier_stage_of_a_step_has_failed_alone(order: tuple[int, int]) -> None:
    """No answer is before one that cannot be read, and that before one that is not allowed."""
    fed = Fed(BY_SHIP)
    said = {0: PlacedShip(replace(ONE, column=9)), 1: Crashed("fell over")}
    for seat in order:
        fed.say(seat, said[seat])
    record = fed.record()
    assert record.outcome.termination is Termination.CRASH
    assert (record.outcome.winner, record.outcome.loser) == (0, 1)


def test_both_who_fail_in_one_stage_have_failed() -> None:
    """Void, or a tie where rules have ties; with both reasons in the order of seats."""
    for rules, how in ((BY_SHIP, "void"), (replace(BY_SHIP, round_limit=5), "both-failed")):
        fed = Fed(rules)
        fed.say(1, IllegalFleet("that one"))
        fed.say(0, IllegalFleet("this one"))
        record = fed.record()
        assert record.outcome.termination == how
        assert record.outcome.detail == "this one; that one"
        assert record.rated is (how == "both-failed")


def test_how_long_placing_took_is_in_the_record() -> None:
    """The time of the last seat is there too, and that of all ships together if they are asked for
    one by one."""
    fed = Fed(SMALL)
    fed.say(0, Placed((ONE, TWO)), ms=5.5)
    fed.say(1, Placed((ONE, TWO)), ms=7.25)
    fed.say(0, Resigned())
    assert [seat.ms for seat in fed.record().seats] == [5.5, 7.25]
    fed = Fed(BY_SHIP)
    for ship in (ONE, TWO):
        fed.say(0, PlacedShip(ship), ms=5.5)
        fed.say(1, PlacedShip(ship), ms=7.25)
    fed.say(0, Resigned())
    assert [seat.ms for seat in fed.record().seats] == [11.0, 14.5]


def test_a_given_fleet_is_placed_when_its_seat_is_up() -> None:
    """The fleet of seat 1 waits for seat 0 if fleets are placed seat by seat."""
    fed = Fed(replace(SMALL, placing=Placing.IN_TURN), fleets={1: (ONE, TWO)})
    assert list(fed.asked) == [0]
    fed.say(0, Placed((ONE, TWO)))
    assert isinstance(fed.asked[0], AskShots)
    assert fed.match.game.fleet(1) == (ONE, TWO)


def test_before_the_first_shot_only_what_befell_fleets_is_put_in_order() -> None:
    """Turns that are skipped then are in the order in which they were."""
    rules = replace(SMALL, turn=Turn.SINGLE, may_skip=True, may_return=True, round_limit=5)
    fed = Fed(rules, 4, first=2)
    fed.say(3, Crashed("fell over"))
    fed.say(0, Placed((ONE, TWO)))
    fed.say(1, Crashed("fell over"))
    fed.say(2, Placed((ONE, TWO)))
    fed.say(2, Skipped())
    fed.say(0, Left())
    fed.say(2, Resigned())
    record = fed.record()
    assert [(one.seat, one.what) for one in record.asides] == [
        (1, "crash"),
        (3, "crash"),
        (2, "skip"),
        (0, "leave"),
        (2, "resigned"),
    ]


# Rounds of all at once


@pytest.mark.parametrize("more", [Resigned(), Left(), Crashed("again"), at((0, 0), 1)], ids=repr)
@pytest.mark.parametrize("may_return", [False, True])
def test_who_has_failed_says_nothing_more(more: FromPlayer | BotError, may_return: bool) -> None:
    """Until the step is judged it is still at the table, but whatever it does changes nothing."""
    fed = Fed(replace(BOTH, may_return=may_return))
    fed.place_all()
    fed.say(0, Crashed("fell over"))
    fed.say(0, more)
    fed.do(fed.match.host(Remove(0)))
    assert list(fed.asked) == [1]
    fed.say(1, at((0, 0), 0))
    record = fed.record()
    assert record.outcome.termination is Termination.CRASH
    assert (record.outcome.winner, record.shots) == (1, ())
    assert record.asides == (Aside(0, 0, "crash"),)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_both_who_fail_in_a_round_are_tied(order: tuple[int, int]) -> None:
    """It does not matter which failed first."""
    fed = Fed(BOTH)
    fed.place_all()
    for seat in order:
        fed.say(seat, Crashed(f"seat {seat}"))
    record = fed.record()
    assert record.outcome.termination is Termination.BOTH_FAILED
    assert record.outcome.detail == "seat 0; seat 1"
    assert record.asides == (Aside(0, 0, "crash"), Aside(0, 1, "crash"))


# Asked again


def test_a_refusal_does_not_renew_the_time_of_a_turn() -> None:
    """The next answer has the time that the refused ones have left, and then it is late."""
    fed = Fed(replace(SMALL, bad_move=BadMove.ASK_AGAIN))
    fed.place_all()
    done = fed.match.receive(0, at((9, 9), 1), 1500.0)
    (again,) = (one for one in done if isinstance(one, Ask))
    assert isinstance(again.message, Refused)
    assert (again.seat, again.timeout_ms) == (0, 500.0)
    fed.asked.clear()
    fed.do(fed.match.receive(0, at((9, 9), 1), 600.0))
    record = fed.record()
    assert record.outcome.termination is Termination.TIMEOUT
    assert record.outcome.detail == (
        "was asked 2 times in its turn and gave no legal answer: shot at column 9, row 9, outside "
        "the 3×2 grid"
    )
