"""The match by examples: who is asked for what and when, what a fault costs, what a host may do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, permutations
from random import Random

import pytest

from changes import replace
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import (
    Aside,
    Evidence,
    GameRecord,
    OfMatch,
    Outcome,
    RecordedSeat,
    Termination,
)
from judge.documents.rules import BadMove, Cell, Fleet, Orientation, Rules, Ship
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    IllegalFleet,
    IllegalMove,
    RecordError,
    TimedOut,
)
from judge.game.events import Back, FleetPlaced, Gone, Shot, Target, TurnSkipped
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, BROADSIDES, BSP, CONTEST, XBS
from judge.play.deal import Abort, Ask, Deal, Do, Remove, SkipTurn, Tell, Withdraw
from judge.play.match import MOST_REFUSALS, MOST_WORDS, Match
from judge.play.notes import MOST_WAITS
from judge.play.player import ProgramPlayer
from judge.play.referee import play
from judge.process.run.connection import Script
from judge.wire.broadsides import Broadsides
from judge.wire.messages import (
    AskFleet,
    AskName,
    AskShip,
    AskShots,
    Chat,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Joined,
    Left,
    MatchOver,
    MatchStart,
    Placed,
    PlacedShip,
    Question,
    Refused,
    Rejoined,
    Resigned,
    Said,
    Skipped,
    Told,
    ToPlayer,
)
from matches import table_of
from players import Scripted, by_luck

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL

# Boards of six cells: the fleet lies at (0,0) and (1,1)-(2,1); (1,0), (2,0) and (0,1) are water.
FLEET = (Ship(2, 1, 1, ACROSS), Ship(1, 0, 0, ACROSS))
OTHER = (Ship(2, 1, 0, ACROSS), Ship(1, 0, 1, ACROSS))
WATER = Cell(2, 0)


def tiny(rules: Rules, **changes) -> Rules:
    small = {"columns": 3, "rows": 2, "fleet": (2, 1), "salvo_bonus": ()}
    return replace(rules, **{**small, **changes})


TOGETHER = tiny(CONTEST, round_limit=6, match=1)
AGAIN = tiny(BSP)
TABLE = tiny(XBS)
PLAIN = tiny(BRAINJAR)


class Driven:
    """A match that a test feeds by hand, with what each seat was told and asked."""

    def __init__(
        self,
        rules: Rules | Sequence[Rules],
        players: int = 2,
        *,
        limit: float | None = None,
        first: int = 0,
        fleets: dict[int, Fleet] | None = None,
        watch=None,
        join_ms: dict[int, float | None] | None = None,
    ) -> None:
        games = [rules] if isinstance(rules, Rules) else list(rules)
        deals = [
            Deal(id=f"g{i}", seed=5, first=(first + i) % players, rules=one, fleets=fleets or {})
            for i, one in enumerate(games)
        ]
        table = table_of(games[0], players, [limit] * players, len(games), join_ms)
        self.match = Match(table, deals, watch)
        self.mail: list[list[ToPlayer]] = [[] for _ in range(players)]
        self.proven: list[int] = []
        self.take(self.match.start())

    def take(self, did: list[Do]) -> list[Do]:
        for do in did:
            if not isinstance(do, Withdraw):
                self.mail[do.seat].append(do.message)
        return did

    def say(self, seat: int, *sayings: FromPlayer | BotError, ms: float = 0.0) -> list[Do]:
        """Have a seat say these things one after another; what came of the last."""

        def prove() -> Evidence:
            self.proven.append(seat)
            return Evidence(seat, ("bot",), "out", "", 0, None, 1.0, 1.0, None)

        did: list[Do] = []
        for said in sayings:
            did = self.take(self.match.receive(seat, said, ms, prove))
        return did

    def order(self, order: SkipTurn | Remove | Abort) -> list[Do]:
        return self.take(self.match.host(order))

    def place(self, fleet: Fleet = FLEET) -> Driven:
        """Have everyone place this fleet, as they are asked to."""
        while self.match.game.is_placing:
            for seat, question in list(self.match.waiting.items()):
                if isinstance(question, AskShip):
                    ships = [ship for ship in fleet if ship.length == question.length]
                    self.say(seat, PlacedShip(ships[0]))
                else:
                    self.say(seat, Placed(fleet))
        return self

    def shoot(self, seat: int, *cells: Cell, ms: float = 0.0) -> list[Do]:
        target = 1 - seat if len(self.mail) == 2 else (seat + 1) % len(self.mail)
        return self.say(seat, Fired(tuple(Target(target, cell) for cell in cells)), ms=ms)

    def told(self, seat: int, kind: type) -> list:
        return [message for message in self.mail[seat] if isinstance(message, kind)]

    def events(self, seat: int) -> list:
        return [event for message in self.told(seat, Told) for event in message.events]

    @property
    def asked(self) -> dict[int, type]:
        return {seat: type(question) for seat, question in self.match.waiting.items()}

    @property
    def record(self) -> GameRecord:
        """The record of the last game, which is sound."""
        record = self.match.records[-1]
        document = builtins(record)
        dates = {"started": "2026-01-01T00:00:00.000Z", "finished": "2026-01-01T00:00:00.000Z"}
        assert schemas.problem("game-record", {**document, **dates}) is None
        assert convert(GameRecord, {**document, **dates}, "it") == replace(record, **dates)
        *_, last = replay(record)
        assert last.outcome == record.outcome
        return record

    @property
    def outcome(self) -> Outcome:
        return self.record.outcome


def ended(match: Driven) -> tuple[int | None, str]:
    """Who won the last game, and how."""
    return match.outcome.winner, str(match.outcome.termination)


LATE, GARBAGE = TimedOut("late"), BadOutput("garbage")
OFF, REPEAT = Fired((Target(1, Cell(9, 9)),)), IllegalMove("again")


class TestRoundsOfAllAtOnce:
    @pytest.mark.parametrize(
        ("zero", "one", "winner", "how"),
        [
            (LATE, GARBAGE, 1, "timeout"),
            (GARBAGE, LATE, 0, "timeout"),
            (GARBAGE, REPEAT, 1, "bad-output"),
            (OFF, Crashed("gone"), 0, "crash"),
            (OFF, Left(), 0, "left"),
            (Resigned(), OFF, 1, "resigned"),
        ],
    )
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_the_first_stage_in_which_a_seat_fails_decides(
        self, zero, one, winner, how, order
    ) -> None:
        """No answer, then an unreadable one, then one that is not allowed: whoever fails in the
        first of these stages loses alone, in whatever order the answers come; and no evidence is
        asked for of the other."""
        match = Driven(TOGETHER).place()
        for seat in order:
            match.say(seat, (zero, one)[seat])
        assert ended(match) == (winner, how)
        assert match.proven == [1 - winner]
        assert [entry.seat for entry in match.record.evidence] == [1 - winner]

    @pytest.mark.parametrize(
        ("zero", "one"),
        [(LATE, Crashed("x")), (GARBAGE, GARBAGE), (REPEAT, OFF), (Left(), Resigned())],
    )
    def test_two_that_fail_in_one_stage_have_both_failed(self, zero, one) -> None:
        """Then there is no winner, and the tie counts."""
        match = Driven(TOGETHER).place()
        match.say(1, one)
        match.say(0, zero)
        assert ended(match) == (None, "both-failed")
        assert match.record.rated
        assert match.proven == [0, 1]

    def test_nobody_loses_before_all_have_answered(self) -> None:
        """The other is asked on, nothing is told, and nothing that the failed one says counts."""
        match = Driven(TOGETHER).place()
        assert match.say(0, GARBAGE) == []
        assert match.asked == {1: AskShots}
        assert match.say(0, LATE) == match.say(0, Left()) == []
        assert match.say(0, Resigned()) == [Tell(0, Refused("you are not in this game", None))]
        assert match.order(Remove(0)) == []
        assert not match.match.records
        match.shoot(1, WATER)
        assert ended(match) == (1, "bad-output")
        assert not match.record.shots, "the round is void"

    def test_an_answer_does_not_save_from_a_later_fault_in_the_round(self) -> None:
        """Who has answered and then leaves has failed in this round, as the other may have."""
        match = Driven(TOGETHER).place()
        match.shoot(0, WATER)
        match.say(0, Left())
        assert not match.match.records
        match.say(1, LATE)
        assert ended(match) == (None, "both-failed")

    def test_who_fires_and_then_fails_has_not_fired(self) -> None:
        """The failure takes the place of the shot, also where it would have won."""
        match = Driven(tiny(TOGETHER, fleet=(1,)), fleets={0: FLEET[1:], 1: FLEET[1:]})
        match.shoot(0, Cell(0, 0))
        match.say(0, Left())
        match.shoot(1, WATER)
        assert ended(match) == (1, "left")
        assert not match.record.shots

    def test_a_round_is_told_when_all_have_answered(self) -> None:
        """Both shots are told together, in the order of seats, and each has its own time."""
        match = Driven(TOGETHER).place()
        assert match.shoot(1, WATER, ms=7.0) == []
        match.shoot(0, Cell(0, 0), ms=3.0)
        fired = [event for event in match.events(0) if isinstance(event, Shot)]
        assert [(shot.seat, shot.is_hit, shot.ship) for shot in fired] == [
            (0, True, FLEET[1]),
            (1, False, None),
        ]
        assert match.asked == {0: AskShots, 1: AskShots}
        match.order(Abort(""))
        assert [shot.ms for shot in match.record.shots] == [3.0, 7.0]

    def test_who_comes_back_in_the_middle_of_a_round_is_not_in_it(self) -> None:
        """And so is out at once on resigning, and not when the round is over."""
        match = Driven(replace(TOGETHER, may_return=True, players=(2, 3)), 3).place()
        match.say(0, Left(), Joined("p0"))
        assert match.asked == {1: AskShots, 2: AskShots}
        match.say(0, Resigned())
        assert match.events(1)[-1] == Gone(0, Termination.RESIGNED)
        match.say(1, Resigned())
        assert not match.match.records
        match.shoot(2, WATER)
        assert ended(match) == (2, "resigned")

    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    @pytest.mark.parametrize("answer", [Fired((Target(1, WATER),)), Skipped()])
    def test_a_round_that_is_left_is_judged_when_it_is_over(self, order, answer) -> None:
        """A seat that stays may have answered before or after the other left: it comes to the
        same."""
        rules = replace(TABLE, turn=TOGETHER.turn, bad_move=BadMove.FORFEITS)
        match = Driven(rules).place()
        for seat in order:
            match.say(seat, (answer, Left())[seat])
        assert ended(match) == (0, "all-dead")
        assert match.record.asides[0] == Aside(0, 1, "leave")
        assert len(match.record.shots) + len(match.record.asides) == 2

    def test_skips_of_one_round_are_recorded_in_the_order_of_seats(self) -> None:
        """A skip is an answer like a shot: it counts when all have answered."""
        match = Driven(replace(TOGETHER, may_skip=True)).place()
        assert match.say(1, Skipped()) == []
        match.say(0, Skipped())
        assert match.events(0)[-2:] == [TurnSkipped(0), TurnSkipped(1)]
        match.order(Abort(""))
        assert match.record.asides == (Aside(0, 0, "skip"), Aside(0, 1, "skip"))


class TestShipByShip:
    def test_each_ship_is_asked_of_all_before_the_next(self) -> None:
        """Ships are asked for by length, in the order of the rules; who is ahead waits."""
        match = Driven(TOGETHER)
        assert match.match.waiting == {0: AskShip(2), 1: AskShip(2)}
        assert match.say(1, PlacedShip(FLEET[0]), ms=1.0) == []
        match.say(0, PlacedShip(FLEET[0]), ms=1.0)
        assert match.match.waiting == {0: AskShip(1), 1: AskShip(1)}
        match.say(0, PlacedShip(FLEET[1]), ms=2.0)
        match.say(1, PlacedShip(FLEET[1]), ms=4.0)
        assert match.events(0) == [FleetPlaced(0), FleetPlaced(1)]
        assert match.asked == {0: AskShots, 1: AskShots}
        match.order(Abort(""))
        assert [(seat.fleet, seat.ms) for seat in match.record.seats] == [(FLEET, 3), (FLEET, 5)]

    @pytest.mark.parametrize(
        "bad",
        [Ship(2, 0, 0, ACROSS), Ship(1, 3, 0, ACROSS), Ship(1, 2, 1, DOWN), Ship(1, 0, -1, DOWN)],
        ids=["wrong length", "off the board", "overlap", "above the board"],
    )
    def test_a_bad_ship_costs_the_game(self, bad: Ship) -> None:
        """A ship of another length, off the board, or over one's own: the other has won, is not
        asked for the rest of its fleet, and no fleet is recorded that is not whole."""
        match = Driven(tiny(TOGETHER, fleet=(2, 1, 1)))
        for seat in (0, 1):
            match.say(seat, PlacedShip(FLEET[0]))
        match.say(0, PlacedShip(FLEET[1]))
        match.say(1, PlacedShip(bad))
        assert ended(match) == (0, "illegal-fleet")
        assert [seat.fleet for seat in match.record.seats] == [None, None]

    def test_two_bad_ships_in_one_step_are_a_tie(self) -> None:
        match = Driven(TOGETHER)
        match.say(1, PlacedShip(FLEET[1]))
        match.say(0, IllegalFleet("no"))
        assert ended(match) == (None, "both-failed")
        assert match.record.asides == (Aside(0, 0, "illegal-fleet"), Aside(0, 1, "illegal-fleet"))

    def test_of_three_the_others_go_on(self) -> None:
        """One that fails with its last ship is out, and the other two, who are whole, play."""
        rules = replace(TOGETHER, players=(2, 3))
        match = Driven(rules, 3)
        for seat in range(3):
            match.say(seat, PlacedShip(FLEET[0]))
        for seat in (1, 2):
            match.say(seat, PlacedShip(FLEET[1]))
        match.say(0, LATE)
        assert match.asked == {1: AskShots, 2: AskShots}
        match.say(2, Resigned())
        match.shoot(1, WATER)
        assert ended(match) == (1, "resigned")

    def test_fleets_that_are_given_are_not_asked_for(self) -> None:
        match = Driven(TOGETHER, fleets={0: FLEET})
        assert match.match.waiting == {1: AskShip(2)}
        match.say(1, PlacedShip(FLEET[0]), PlacedShip(FLEET[1]))
        assert match.asked == {0: AskShots, 1: AskShots}


class TestMatchOfGames:
    def test_every_game_is_dealt_anew_and_the_match_begins_and_ends_once(self) -> None:
        """Each game has the fleet that was drawn for it, its first mover, id and number."""
        games = [tiny(PLAIN, fleet=fleet) for fleet in [(1,), (2,), (1, 2)]]
        match = Driven(games)
        for number, rules in enumerate(games):
            assert match.match.game.rules == rules
            assert match.match.game.first == number % 2
            fleet = [ship for ship in FLEET if ship.length in rules.fleet]
            match.place(tuple(fleet))
            for cell in [cell for ship in fleet for cell in ship.cells]:
                match.shoot(number % 2, cell)
        for seat in (0, 1):
            kinds = [type(message) for message in match.mail[seat]]
            assert kinds.count(MatchStart) == kinds.count(MatchOver) == 1
            assert (kinds[0], kinds[-1]) == (MatchStart, MatchOver)
            assert kinds.count(GameOver) == 3
            assert [one.rules for one in match.told(seat, GameStart)] == games
        assert match.mail[0][0] == MatchStart(0, ("p0", "p1"), games[0], 3)
        assert match.mail[1][-1] == MatchOver((2, 1))
        records = match.match.records
        assert [record.match for record in records] == [OfMatch("m", n, 3) for n in (1, 2, 3)]
        assert [record.id for record in records] == ["g0", "g1", "g2"]
        assert [record.outcome.winner for record in records] == [0, 1, 0]
        assert (match.match.won, match.match.winner) == ((2, 1), 0)

    def test_who_forfeits_a_match_has_lost_it_whatever_the_score(self) -> None:
        """The games that are left are not played, and those that were played stand."""
        match = Driven([TOGETHER] * 4)
        for _ in range(2):
            match.place()
            for cell in [cell for ship in FLEET for cell in ship.cells]:
                match.shoot(0, cell)
                match.shoot(1, WATER)
        assert match.match.won == (2, 0)
        match.place()
        match.shoot(1, WATER)
        match.say(0, GARBAGE)
        assert match.match.is_over
        assert [record.outcome.winner for record in match.match.records] == [0, 0, 1]
        assert (match.match.won, match.match.winner) == ((2, 1), 1)
        assert match.told(0, MatchOver) == [MatchOver((2, 1))]

    @pytest.mark.parametrize("rules", [TOGETHER, replace(PLAIN, bad_move=BadMove.FORFEITS_MATCH)])
    def test_two_that_fail_together_end_the_match_without_a_winner(self, rules: Rules) -> None:
        match = Driven([rules] * 3)
        match.say(0, LATE)
        match.say(1, LATE)
        assert match.match.is_over
        assert len(match.match.records) == 1
        assert match.match.winner is None

    def test_other_rules_play_on_after_a_forfeit(self) -> None:
        """A forfeit costs the game, not the match."""
        match = Driven([PLAIN] * 2)
        match.say(0, LATE)
        match.say(1, Placed(FLEET))
        assert match.asked == {0: AskFleet, 1: AskFleet}
        match.place().say(1, Resigned())
        assert [record.outcome.winner for record in match.match.records] == [1, 0]
        assert match.match.winner is None


class TestAskedAgain:
    def test_a_refusal_puts_the_open_question_again(self) -> None:
        """The time that wrong answers took is not given back."""
        match = Driven(AGAIN, limit=30.0).place()
        (ask,) = match.say(0, OFF, ms=10.0)
        assert isinstance(ask, Ask)
        assert isinstance(ask.message, Refused)
        assert ask.message.again == match.match.waiting[0]
        assert ask.timeout_ms == 20.0
        (ask,) = match.say(0, GARBAGE, ms=5.0)
        assert ask == Ask(0, Refused("garbage", match.match.waiting[0]), 15.0)
        match.shoot(0, WATER, ms=4.0)
        assert match.asked == {1: AskShots}
        match.order(Abort(""))
        assert match.record.shots[0].ms == 19.0

    def test_the_turn_runs_out_over_refusals(self) -> None:
        """It ends as late, for the time is the turn's; and a turn has its time from its start."""
        match = Driven(AGAIN, limit=30.0).place()
        match.say(0, GARBAGE, ms=20.0)
        match.shoot(0, WATER)
        match.say(1, GARBAGE, ms=29.0)
        match.shoot(1, WATER)
        (ask,) = match.say(0, GARBAGE, ms=29.5)
        assert ask.timeout_ms == 0.5
        match.say(0, GARBAGE, ms=1.0)
        assert ended(match) == (1, "timeout")
        assert match.proven == [0]

    def test_there_is_an_end_to_refusals(self) -> None:
        """It holds if nothing is timed either; then it is lost by the last fault."""
        match = Driven(AGAIN).place()
        match.say(0, *[GARBAGE] * MOST_REFUSALS)
        assert match.asked == {0: AskShots}
        match.say(0, REPEAT)
        assert ended(match) == (1, "illegal-move")

    @pytest.mark.parametrize("fault", [LATE, Crashed("x")])
    def test_no_answer_is_not_asked_for_again(self, fault: BotError) -> None:
        match = Driven(AGAIN).place()
        match.say(0, fault)
        assert ended(match) == (1, fault.termination)


class TestNotAsked:
    @pytest.mark.parametrize("bad_move", BadMove)
    def test_a_readable_answer_out_of_turn_is_refused_and_costs_nothing(self, bad_move) -> None:
        match = Driven(replace(PLAIN, bad_move=bad_move)).place()
        assert match.shoot(1, WATER) == [Tell(1, Refused("it is not your turn", None))]
        assert match.asked == {0: AskShots}

    def test_what_cannot_be_read_is_refused_where_rules_ask_again(self) -> None:
        match = Driven(AGAIN).place()
        assert match.say(1, GARBAGE) == [Tell(1, Refused("garbage", None))]
        assert match.proven == []

    @pytest.mark.parametrize("bad_move", [BadMove.FORFEITS, BadMove.FORFEITS_MATCH])
    def test_and_otherwise_loses(self, bad_move) -> None:
        """Out of turn too; the open question of the other is withdrawn."""
        match = Driven(replace(PLAIN, bad_move=bad_move)).place()
        assert Withdraw(0) in match.say(1, GARBAGE)
        assert ended(match) == (0, "bad-output")
        assert match.proven == [1]

    @pytest.mark.parametrize("bad_move", BadMove)
    def test_a_crash_loses_at_any_time(self, bad_move) -> None:
        match = Driven(replace(PLAIN, bad_move=bad_move)).place()
        match.say(1, Crashed("fell over"))
        assert ended(match) == (0, "crash")

    def test_an_answer_to_another_question_cannot_be_read(self) -> None:
        match = Driven(PLAIN)
        match.shoot(0, WATER)
        match.say(1, Placed(FLEET))
        assert ended(match) == (1, "bad-output")


class TestComingAndGoing:
    def test_who_leaves_for_good_has_lost(self) -> None:
        match = Driven(PLAIN).place()
        match.say(1, Left())
        assert ended(match) == (0, "left")
        assert match.proven == [1]

    def test_who_may_return_is_away_and_then_asked_again(self) -> None:
        """The turn passes on; back, the player is shown the position, and is asked when up."""
        match = Driven(TABLE, 3).place()
        match.say(0, Left())
        assert match.asked == {1: AskShots}
        assert match.events(2)[-1] == Gone(0, None)
        assert match.say(0, LATE) == match.say(0, Left()) == []
        assert match.shoot(0, WATER) == [Tell(0, Refused("you are not in this game", None))]
        match.say(0, Joined("p0"))
        (view,) = [message.view for message in match.told(0, Rejoined)]
        assert (view.seat, view.fleet, view.present) == (0, FLEET, (True, True, True))
        assert match.events(1)[-1] == Back(0)
        match.shoot(1, WATER)
        match.shoot(2, WATER)
        assert match.asked == {0: AskShots}
        match.order(Abort(""))
        assert match.record.asides == (Aside(0, 0, "leave"), Aside(0, 0, "return"))
        assert match.record.outcome.termination is Termination.ABORTED

    def test_at_an_empty_table_whoever_comes_back_is_up(self) -> None:
        match = Driven(replace(PLAIN, may_return=True)).place()
        match.say(0, Left())
        match.say(1, Left())
        assert match.asked == {}
        assert not match.match.is_over
        match.say(1, Joined("p1"))
        assert match.asked == {1: AskShots}

    def test_joining_while_there_is_nothing(self) -> None:
        match = Driven(TABLE).place()
        assert match.say(0, Joined("p0")) == match.say(1, Joined("p1")) == []
        assert match.asked == {0: AskShots}

    def test_chat(self) -> None:
        """Words go to all others or to one alone; they cost nothing and leave a question open."""
        match = Driven(TABLE, 3).place()
        assert match.say(0, Said("hello")) == [
            Tell(1, Chat(0, "hello", False)),
            Tell(2, Chat(0, "hello", False)),
        ]
        assert match.say(1, Said("psst", 2)) == [Tell(2, Chat(1, "psst", True))]
        assert match.say(1, Said("who?", 7)) == match.say(1, Said("me", 1)) == []
        assert match.asked == {0: AskShots}

    def test_a_game_of_four_goes_on_without_those_who_lost(self) -> None:
        """Forfeits of one after another; each event is shown to whoever watches."""
        seen = []
        match = Driven(
            replace(TABLE, may_return=False), 4, watch=lambda _, event: seen.append(event)
        ).place()
        match.shoot(0, WATER)
        match.say(3, Crashed("x"))
        match.say(1, LATE)
        assert match.asked == {2: AskShots}
        assert match.match.is_over is False
        match.shoot(2, WATER)
        match.say(0, Resigned())
        assert ended(match) == (2, "resigned")
        assert match.outcome.loser is None
        assert [type(event).__name__ for event in seen] == [
            *["FleetPlaced"] * 4,
            *["Shot", "Gone", "Gone", "Shot", "Gone", "Outcome"],
        ]
        assert match.record.asides == (
            Aside(1, 3, "crash", "x"),
            Aside(1, 1, "timeout", str(LATE)),
            Aside(2, 0, "resigned"),
        )
        assert match.proven == [3, 1, 0]


class TestHost:
    def test_a_removed_player_is_kicked_and_may_come_back_where_rules_say_so(self) -> None:
        match = Driven(TABLE, 3).place()
        assert Withdraw(0) in match.order(Remove(0))
        assert match.asked == {1: AskShots}
        match.say(0, Joined("p0"))
        match.say(0, Left())
        match.order(Abort(""))
        assert [aside.what for aside in match.record.asides] == ["kick", "return", "leave"]

    @pytest.mark.parametrize("rules", [PLAIN, TOGETHER, tiny(BROADSIDES), AGAIN])
    @pytest.mark.parametrize("placed", [False, True])
    def test_elsewhere_a_removed_player_has_lost(self, rules: Rules, placed: bool) -> None:
        match = Driven(rules)
        if placed:
            match.place()
        match.order(Remove(0))
        for seat, question in list(match.match.waiting.items()):
            match.say(seat, {AskFleet: Placed(FLEET), AskShip: PlacedShip(FLEET[0])}.get(
                type(question), Fired((Target(1 - seat, WATER),))
            ))  # fmt: skip
        assert ended(match) == (1, "left")
        assert match.outcome.detail == "was removed by the host"
        assert [aside.what for aside in match.record.asides] == ["left"]
        assert match.proven == []

    def test_nobody_is_removed_twice_or_who_is_not_there(self) -> None:
        match = Driven(TABLE, 3).place()
        match.order(Remove(0))
        assert match.order(Remove(0)) == match.order(Remove(3)) == match.order(Remove(-1)) == []

    def test_a_turn_is_skipped_where_rules_know_skipping(self) -> None:
        """Only that of the seat that is up."""
        match = Driven(TABLE, 3)
        assert match.order(SkipTurn(0)) == []  # nobody has placed
        match.place()
        assert match.order(SkipTurn(1)) == match.order(SkipTurn(9)) == []
        assert match.order(SkipTurn(0))[0] == Withdraw(0)
        assert match.asked == {1: AskShots}
        plain = Driven(PLAIN).place()
        assert plain.order(SkipTurn(0)) == []
        match.order(Abort(""))
        assert match.record.asides == (Aside(0, 0, "skip"),)

    def test_skips_before_the_first_shot_stay_in_their_order(self) -> None:
        """They are moves: replayed in another order they would be out of turn."""
        match = Driven(TABLE, first=1).place()
        match.say(1, Skipped())
        match.say(0, Skipped())
        match.say(1, Resigned())
        assert ended(match) == (0, "resigned")
        assert [(aside.seat, aside.what) for aside in match.record.asides] == [
            (1, "skip"),
            (0, "skip"),
            (1, "resigned"),
        ]

    @pytest.mark.parametrize("rules", [PLAIN, TOGETHER, AGAIN, TABLE, tiny(BROADSIDES)])
    @pytest.mark.parametrize("when", ["placing", "half placed", "play"])
    def test_an_aborted_game_is_nobodys(self, rules: Rules, when: str) -> None:
        """It can be broken off at any time; it is recorded and not rated, and what is left of the
        match is not played."""
        match = Driven([rules] * 3)
        if when == "half placed" and match.match.waiting:
            seat = max(match.match.waiting)
            ships = PlacedShip(FLEET[0]), Placed(FLEET)
            match.say(seat, ships[isinstance(match.match.waiting[seat], AskFleet)])
        if when == "play":
            match.place().shoot(0, *[WATER] * match.match.game.shots_due(0))
        up = sorted(match.match.waiting)
        did = match.order(Abort("the server stops"))
        assert [do.seat for do in did if isinstance(do, Withdraw)] == up
        assert ended(match) == (None, "aborted")
        assert match.outcome.detail == "the server stops"
        assert not match.record.rated
        assert (len(match.match.records), match.match.is_over) == (1, True)
        assert match.match.winner is None

    def test_an_abort_in_the_middle_of_a_match_leaves_the_games_before(self) -> None:
        match = Driven([PLAIN] * 3).place()
        match.say(0, Resigned())
        match.order(Abort("enough"))
        assert [record.outcome.termination for record in match.match.records] == [
            Termination.RESIGNED,
            Termination.ABORTED,
        ]
        assert match.match.is_over


class TestJoining:
    @pytest.mark.parametrize("rules", [PLAIN, TOGETHER, AGAIN, TABLE, tiny(BROADSIDES)])
    @pytest.mark.parametrize("players", [2, 3])
    def test_a_game_that_nobody_joins_is_nobodys(self, rules: Rules, players: int) -> None:
        """However the fleets would have been placed; and its record is sound."""
        joining = dict.fromkeys(range(players))
        match = Driven(replace(rules, players=(2, 3)), players, join_ms=joining)
        for seat in range(players):
            match.say(seat, Crashed("x"))
        assert match.outcome.winner is None
        assert [(one.seat, one.what) for one in match.record.asides] == [
            (seat, "crash") for seat in range(players)
        ]

    def test_of_two_given_fleets_that_of_the_seat_that_joined_wins(self) -> None:
        """Nobody is asked for anything."""
        match = Driven(PLAIN, join_ms={0: None}, fleets={0: FLEET, 1: OTHER})
        match.say(0, Crashed("x"))
        assert ended(match) == (1, "crash")
        assert match.match.is_over


JOINING: dict[int, float | None] = {0: 5000.0, 1: 5000.0, 2: None}


class TestHostWhileSeatsAreAwaited:
    @pytest.mark.parametrize(("players", "failed"), [(2, 0), (2, 1), (3, 2)])
    @pytest.mark.parametrize("rules", [TABLE, TOGETHER])
    def test_an_aborted_game_is_nobodys(self, rules: Rules, players: int, failed: int) -> None:
        """Those that have failed to join have not lost it."""
        rules = replace(rules, players=(2, 3))
        match = Driven([rules] * 2, players, join_ms=dict.fromkeys(range(players)))
        for seat in range(failed):
            match.say(seat, Crashed("x"))
        match.order(Abort("enough"))
        assert ended(match) == (None, "aborted")
        assert match.match.is_over
        assert len(match.match.records) == 1
        assert match.record.asides == ()
        assert match.proven == []

    @pytest.mark.parametrize("has_joined", [False, True])
    def test_a_removed_seat_loses_when_the_others_have_joined(self, has_joined: bool) -> None:
        """The joining of the others goes on, whether the seat had joined or not."""
        match = Driven(TABLE, 3, join_ms=JOINING)
        match.say(0, *[Joined("p0")] * has_joined)
        assert match.order(Remove(0)) == [Withdraw(0)] * (not has_joined)
        assert match.asked == {1: AskName, 2: AskName}
        assert match.order(Remove(0)) == []
        match.say(1, Joined("p1"))
        match.say(2, Joined("p2"))
        assert match.asked == {1: AskFleet, 2: AskFleet}
        match.order(Abort(""))
        assert match.record.asides == (Aside(0, 0, "left", "was removed by the host"),)

    def test_who_is_removed_last_begins_the_game(self) -> None:
        match = Driven(PLAIN, join_ms={0: None, 1: None})
        match.say(0, Joined("p0"))
        match.order(Remove(1))
        match.say(0, Placed(FLEET))
        assert ended(match) == (0, "left")

    def test_there_is_no_turn_to_skip(self) -> None:
        match = Driven(TABLE, join_ms={0: None})
        assert match.order(SkipTurn(0)) == match.order(SkipTurn(1)) == []
        assert match.asked == {0: AskName}


class TestFleetsThatAreNotAskedFor:
    def test_a_game_start_carries_the_own_fleet_and_no_other(self) -> None:
        """Everyone is told their own fleet if the judge places, and nobody is asked."""
        match = Driven(AGAIN)
        fleets = [match.match.game.fleet(seat) for seat in (0, 1)]
        for seat in (0, 1):
            (start,) = match.told(seat, GameStart)
            assert (start.seat, start.fleet) == (seat, fleets[seat])
        assert match.asked == {0: AskShots}
        same = Driven(AGAIN)
        assert [same.match.game.fleet(seat) for seat in (0, 1)] == fleets, "the seed says where"

    def test_a_given_fleet_is_told_to_its_seat_alone(self) -> None:
        match = Driven(PLAIN, fleets={1: OTHER})
        assert match.asked == {0: AskFleet}
        assert [one.fleet for one in match.told(0, GameStart)] == [None]
        assert [one.fleet for one in match.told(1, GameStart)] == [OTHER]
        match.say(0, Placed(FLEET))
        assert match.asked == {0: AskShots}
        match.order(Abort(""))
        assert [seat.ms for seat in match.record.seats] == [0.0, None]

    @pytest.mark.parametrize("given", [0, 1])
    def test_a_given_fleet_is_placed_when_its_seat_is_up(self, given: int) -> None:
        """It holds if fleets are asked for one after another, too."""
        match = Driven(tiny(BROADSIDES), fleets={given: OTHER})
        assert match.asked == {1 - given: AskFleet}
        match.say(1 - given, Placed(FLEET))
        assert match.asked == {0: AskShots}


class TestPlacing:
    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_all_are_asked_for_a_fleet_whatever_the_others_did(self, order) -> None:
        """The record does not depend on who answered first."""
        match = Driven(replace(TABLE, bad_move=BadMove.FORFEITS), 3)
        answers: list[FromPlayer | BotError] = [LATE, Placed(FLEET), Crashed("x")]
        for seat in order:
            match.say(seat, answers[seat], ms=seat + 1.0)
        assert ended(match) == (1, "timeout")
        assert match.record.asides == (
            Aside(0, 0, "timeout", "late"),
            Aside(0, 2, "crash", "x"),
        )
        assert [seat.ms for seat in match.record.seats] == [1.0, 2.0, 3.0]
        assert [entry.seat for entry in match.record.evidence] == [0, 2]

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_who_placed_first_is_told_to_nobody(self, order) -> None:
        """Each is told of all placings in the order of seats, once all have placed."""
        match = Driven(replace(TABLE, bad_move=BadMove.FORFEITS), 3, first=1)
        answers: list[FromPlayer | BotError] = [Placed(FLEET), Crashed("x"), Placed(FLEET)]
        for seat in order:
            assert match.events(0) == []
            match.say(seat, answers[seat])
        told = [FleetPlaced(0), Gone(1, Termination.CRASH), FleetPlaced(2)]
        assert [match.events(seat) for seat in range(3)] == [told] * 3

    @pytest.mark.parametrize("gone", [Remove(0), Crashed("x")], ids=repr)
    def test_who_is_out_after_placing_and_before_the_others_have_placed(self, gone) -> None:
        """It is out for good, and its fleet is never in the game, so that the record replays."""
        match = Driven(TABLE, 3)
        match.say(0, Placed(FLEET))
        match.say(1, Placed(FLEET))
        if isinstance(gone, Remove):
            match.order(gone)
        else:
            match.say(0, gone)
        match.say(1, LATE)
        match.say(2, Placed(FLEET))
        assert ended(match) == (2, "left" if isinstance(gone, Remove) else "crash")
        assert [seat.fleet for seat in match.record.seats] == [None, None, FLEET]

    def test_nobody_is_asked_after_a_bad_fleet_where_seats_place_in_turn(self) -> None:
        match = Driven(tiny(BROADSIDES))
        assert match.asked == {0: AskFleet}
        match.say(0, Placed(()))
        assert ended(match) == (1, "illegal-fleet")
        assert not any(isinstance(message, AskFleet) for message in match.mail[1])


class TestAfterTheEnd:
    @pytest.mark.parametrize(
        "late", [LATE, Left(), Resigned(), Joined("x"), Said("gg"), Placed(FLEET), Skipped()]
    )
    def test_what_comes_late_comes_to_nothing(self, late) -> None:
        match = Driven(PLAIN).place()
        match.say(0, Resigned())
        before = list(match.match.records)
        assert match.say(0, late) == match.say(1, late) == match.say(5, late) == []
        assert match.order(Abort("late")) == match.order(Remove(1)) == []
        assert match.match.records == before
        assert match.match.waiting == {}

    def test_nobody_is_told_why_a_player_lost(self) -> None:
        """The words of a fault may quote what a bot said: they are for the record alone."""
        match = Driven(PLAIN).place()
        match.say(0, BadOutput("replied with its fleet"))
        assert match.outcome.detail == "replied with its fleet"
        for seat in (0, 1):
            assert "fleet" not in repr([*match.told(seat, GameOver), *match.events(seat)])


class TestLongSentences:
    """A sentence on a fault may quote what a player said, at any length; its game is recorded."""

    LONG = "so " * 20_000

    @pytest.mark.parametrize("rules", [PLAIN, TOGETHER, AGAIN, TABLE])
    @pytest.mark.parametrize("players", [2, 3])
    @pytest.mark.parametrize(
        "said", [BadOutput(LONG), IllegalMove(LONG), TimedOut(LONG), Crashed(LONG), Left(LONG)]
    )
    def test_whatever_all_say_the_record_is_in_order(
        self, rules: Rules, players: int, said: FromPlayer | BotError
    ) -> None:
        """Also where several fail at once, and the outcome joins their sentences."""
        match = Driven(replace(rules, players=(2, 3)), players).place()
        for seat in range(players):
            for _ in range(MOST_REFUSALS + 1):
                match.say(seat, said)
        document = builtins(match.match.records[0])
        assert schemas.problem("game-record", document) is None

    @pytest.mark.parametrize("rules", [PLAIN, BROADSIDES])
    def test_a_fleet_of_very_many_ships_is_an_illegal_one(self, rules: Rules) -> None:
        """Its sentence names some of them."""
        match = Driven(rules)
        match.say(0, Placed(tuple(Ship(-(10**9) - i, 0, 0, DOWN) for i in range(5_000))))
        if rules is PLAIN:  # where all are asked, whatever the others did
            match.say(1, Placed(FLEET))
        assert match.outcome.termination is Termination.ILLEGAL_FLEET
        assert "and 4,980 more where the rules have " in match.outcome.detail
        assert schemas.problem("game-record", builtins(match.record)) is None

    def test_why_a_host_broke_a_game_off_is_cut_too(self) -> None:
        match = Driven(PLAIN).place()
        match.order(Abort(self.LONG))
        assert schemas.problem("game-record", builtins(match.record)) is None


class TestManyWords:
    """A player's words cost another, who does not read just then, no game."""

    def test_a_turn_has_room_for_a_few_words(self) -> None:
        """They are counted over refused shots, anew after an answer, and the rest is dropped."""
        match = Driven(TABLE).place()
        for _ in range(3):
            match.say(0, *[Said("hello") for _ in range(1_000)])
            match.say(0, BadOutput("what?"))
        assert len(match.told(1, Chat)) == MOST_WORDS
        match.say(1, Said("hello"))
        assert len(match.told(0, Chat)) == 1
        match.shoot(0, WATER)
        match.say(0, *[Said("hello") for _ in range(1_000)])
        assert len(match.told(1, Chat)) == 2 * MOST_WORDS


class Talker(Scripted):
    """A player who says something before every answer."""

    def __init__(self, answer, words: FromPlayer) -> None:
        super().__init__(answer)
        self.words = words
        self.has_spoken = False

    def answer(self) -> FromPlayer:
        self.has_spoken = not self.has_spoken
        return self.words if self.has_spoken else super().answer()


def play_by(rules: Rules, players: Sequence[Scripted], *, at_once: bool = False) -> GameRecord:
    deal = Deal(id="", seed=1, first=0, rules=rules)
    match = Match(table_of(rules, 2, [None, None], 1), [deal])
    (record,) = play(match, players, at_once=at_once)
    return record


class TestWhatIsReadBack:
    """A record is data, and whoever wrote it may have meant harm."""

    @pytest.mark.parametrize("version", [1.5, 0, 3, True, "2", None, [2], {}])
    def test_another_version_is_a_damaged_record(self, version) -> None:
        match = Driven(PLAIN).place()
        match.say(0, Resigned())
        with pytest.raises(RecordError, match="game record"):
            convert(GameRecord, {**builtins(match.record), "version": version}, "it")

    @pytest.mark.parametrize("what", ["skip", "leave", "return", "kick", "timeout"])
    @pytest.mark.parametrize("seat", [0, 1, 7])
    def test_asides_that_cannot_be_are_refused(self, what: str, seat: int) -> None:
        """Ships are placed one after another: of seats that are not there, or went twice."""
        match = Driven(TOGETHER)
        match.say(0, LATE)
        match.say(1, LATE)
        bad = replace(match.record, asides=(*match.record.asides, Aside(0, seat, what)))
        with pytest.raises(RecordError):
            list(replay(bad))


def test_how_often_a_seat_waits_is_bounded() -> None:
    """A record keeps no more than `MOST_WAITS` waits of a seat that is away and back without
    end."""
    match = Driven(PLAIN).place()
    for _ in range(MOST_WAITS):
        match.match.away(1, "")
        match.match.back(1)
    match.match.away(0, "", is_sent_away=True)
    match.say(0, Resigned())
    waits = [aside.seat for aside in match.record.asides if aside.what in ("away", "back", "boot")]
    assert (waits.count(1), waits.count(0)) == (MOST_WAITS, 1)
    assert match.match.away(1, "") == match.match.back(1) == []  # it is over


def test_all_are_told_who_waits() -> None:
    """That a player is gone whose turn waits for it, and why, and that it is back: in the game
    nothing changes, and it is told what it missed."""
    match = Driven(PLAIN).place().match
    (up,) = match.awaited
    told = match.away(1, "the phone")
    assert told == [Tell(seat, Told((Gone(1, None, "the phone"),), (up,))) for seat in (0, 1)]
    assert match.awaited == (up,)
    first, *told = match.back(1)
    assert first == Tell(1, Rejoined(match.game.view(1)))
    assert told == [Tell(seat, Told((Back(1),), (up,))) for seat in (0, 1)]


class TestPulling:
    @pytest.mark.parametrize("words", [Said("hello"), Joined("me")])
    def test_a_player_may_talk_before_it_answers(self, words: FromPlayer) -> None:
        """The question stays open."""

        def answer(question) -> FromPlayer:
            return Placed(FLEET) if isinstance(question, AskFleet) else Resigned()

        record = play_by(PLAIN, [Talker(answer, words), Talker(answer, words)])
        assert record.outcome == Outcome(1, 0, Termination.RESIGNED)

    @pytest.mark.parametrize("at_once", [False, True])
    def test_seats_that_answer_together_are_asked_in_turn_or_at_once(self, at_once: bool) -> None:
        """In turn, a seat has answered before the next one is asked, which has been told nothing
        of that; at once, all are asked before one is waited for."""
        order: list[tuple[str, int]] = []

        class Noting(Scripted):
            def __init__(self, seat: int) -> None:
                super().__init__(by_luck(tiny(CONTEST), Random(seat)))
                self.seat = seat

            def tell(self, message: ToPlayer) -> None:
                if isinstance(message, Told):
                    order.append(("told", self.seat))

            def ask(self, question: Question, timeout_ms: float | None) -> None:
                order.append(("asked", self.seat))
                super().ask(question, timeout_ms)

            def answer(self) -> FromPlayer:
                order.append(("answered", self.seat))
                return super().answer()

        play_by(tiny(CONTEST), [Noting(0), Noting(1)], at_once=at_once)
        steps = [what for what, _ in order if what != "told"]
        in_turn = ["asked", "answered", "asked", "answered"]
        expected = ["asked", "asked", "answered", "answered"] if at_once else in_turn
        assert [steps[i : i + 4] for i in range(0, len(steps), 4)] == [expected] * (len(steps) // 4)
        for before, after in pairwise(order):
            assert (before[0], after[0]) != ("answered", "told") or before[1] == 1

    def test_all_are_asked_for_their_last_word_before_one_is_waited_for(self) -> None:
        """They have the time for it together."""
        order: list[str] = []

        class Leaving(Scripted):
            def part(self, timeout_ms: float | None) -> None:
                order.append("farewell")

            def hear_out(self) -> None:
                order.append("wait")

            def finish(self) -> None:
                order.append("end")

        def resigns(question) -> FromPlayer:
            return Resigned()

        play_by(PLAIN, [Leaving(resigns), Leaving(resigns)])
        assert order == [word for word in ("farewell", "wait", "end") for _ in range(2)]

    def test_a_player_that_was_late_has_no_more_time_for_its_last_word(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It has been waited for once, and what it has said by now is heard."""
        deadlines: list[float] = []

        class Silent(Script):
            def receive(self, deadline: float) -> bytes:
                deadlines.append(deadline)
                raise TimedOut("did not answer in time")

        monkeypatch.setattr("time.monotonic", lambda: 1000.0)
        player = ProgramPlayer(
            RecordedSeat.of("mute"), Broadsides(BROADSIDES, 0, ""), Silent(bytes)
        )
        player.tell(GameStart(0, ("mute", "other"), BROADSIDES, None, None, 0))
        player.ask(AskFleet(), 60_000)
        with pytest.raises(TimedOut):
            player.answer()
        player.part(60_000)
        player.hear_out()
        assert deadlines == [1060.0, 1000.0]

    def test_a_game_that_all_have_left_is_broken_off(self) -> None:
        """Nobody can come back to it."""

        def leaves(question) -> FromPlayer:
            return Placed(FLEET) if isinstance(question, AskFleet) else Left()

        rules = replace(PLAIN, may_return=True, bad_move=BadMove.ASK_AGAIN)
        record = play_by(rules, [Scripted(leaves), Scripted(leaves)])
        assert record.outcome.termination is Termination.ABORTED
        assert not record.rated

    def test_a_question_that_came_to_nothing_is_not_put(self) -> None:
        """A player that cannot be told that the game begins has lost, and nobody is asked."""

        class Broken(Scripted):
            def tell(self, message) -> None:
                super().tell(message)
                if isinstance(message, GameStart):
                    raise Crashed("cannot be reached")

        other = Scripted(lambda _: Placed(FLEET))
        rules = replace(tiny(BROADSIDES), fleet=(2, 1))
        record = play_by(rules, [Broken(lambda _: Left()), other])
        assert record.outcome.loser == 0
        assert record.outcome.termination is Termination.CRASH
        assert other.asked == []
