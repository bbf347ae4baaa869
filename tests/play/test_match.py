"""The match by examples: what the naive match of test_match_machine.py does not hold, the words of
faults, what is read back, waits, watchers, and the referee that pulls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from random import Random

import pytest

from changes import replace
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import (
    Evidence,
    GameRecord,
    Incident,
    OfMatch,
    Outcome,
    RecordedSeat,
    Termination,
)
from judge.documents.rules import BadMove, Cell, Fleet, Orientation, Rules, Ship
from judge.errors import BadOutput, BotError, Crashed, IllegalMove, RecordError, TimedOut
from judge.game.events import Back, Gone, Target
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, BROADSIDES, BSP, CONTEST, XBS
from judge.play.actions import Abort, Action, GameSetup, Tell, Withdraw
from judge.play.joint_step import Failure, JointStep
from judge.play.match import MOST_REFUSALS, Match
from judge.play.notes import MOST_WAITS
from judge.play.player import ProgramPlayer
from judge.play.referee import play
from judge.process.run.connection import Script
from judge.wire.broadsides import Broadsides
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
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
    Told,
    ToPlayer,
)
from matches import table_of
from players import Scripted, by_luck

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL

# Boards of six cells: the fleet lies at (0,0) and (1,1)-(2,1); (1,0), (2,0) and (0,1) are water.
FLEET = (Ship(2, 1, 1, ACROSS), Ship(1, 0, 0, ACROSS))
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
        watch=None,
    ) -> None:
        games = [rules] if isinstance(rules, Rules) else list(rules)
        setups = [
            GameSetup(id=f"g{i}", seed=5, first=i % players, rules=one, fleets={})
            for i, one in enumerate(games)
        ]
        seating = table_of(games[0], players, [limit] * players, len(games))
        self.match = Match(seating, setups, watch)
        self.mail: list[list[ToPlayer]] = [[] for _ in range(players)]
        self.proven: list[int] = []
        self.take(self.match.start())

    def take(self, did: list[Action]) -> list[Action]:
        for do in did:
            if not isinstance(do, Withdraw):
                self.mail[do.seat].append(do.message)
        return did

    def say(self, seat: int, *sayings: FromPlayer | BotError, ms: float = 0.0) -> list[Action]:
        """Have a seat say these things one after another; what came of the last."""

        def prove() -> Evidence:
            self.proven.append(seat)
            return Evidence(seat, ("bot",), "out", "", 0, None, 1.0, 1.0, None)

        did: list[Action] = []
        for answer in sayings:
            did = self.take(self.match.receive(seat, answer, ms, prove))
        return did

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

    def shoot(self, seat: int, *cells: Cell, ms: float = 0.0) -> list[Action]:
        target = 1 - seat if len(self.mail) == 2 else (seat + 1) % len(self.mail)
        return self.say(seat, Fired(tuple(Target(target, cell) for cell in cells)), ms=ms)

    def told(self, seat: int, kind: type) -> list:
        return [message for message in self.mail[seat] if isinstance(message, kind)]

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


def test_a_turn_that_ran_out_over_refusals_says_how_often_it_was_asked() -> None:
    """The fault of the last answer stands behind it."""
    match = Driven(AGAIN, limit=30.0).place()
    match.say(0, BadOutput("garbage"), ms=20.0)
    match.shoot(0, Cell(9, 9), ms=20.0)
    assert ended(match) == (1, "timeout")
    assert match.outcome.detail == (
        "was asked 2 times in its turn and gave no legal reply: shot at column 9, row 9, outside "
        "the 3×2 grid"
    )


@pytest.mark.parametrize(
    "bad",
    [Ship(2, 0, 0, ACROSS), Ship(1, 3, 0, ACROSS), Ship(1, 2, 1, DOWN), Ship(1, 0, -1, DOWN)],
    ids=["wrong length", "off the board", "overlap", "above the board"],
)
def test_a_bad_ship_costs_the_game(bad: Ship) -> None:
    """A ship of another length, off the board, or over one's own: the other has won, is not
    asked for the rest of its fleet, and no fleet is recorded that is not whole."""
    match = Driven(tiny(TOGETHER, fleet=(2, 1, 1)))
    for seat in (0, 1):
        match.say(seat, PlacedShip(FLEET[0]))
    match.say(0, PlacedShip(FLEET[1]))
    match.say(1, PlacedShip(bad))
    assert ended(match) == (0, "illegal-fleet")
    assert [seat.fleet for seat in match.record.seats] == [None, None]


def test_every_game_is_dealt_anew_and_the_match_begins_and_ends_once() -> None:
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


@pytest.mark.parametrize("bad_move", BadMove)
def test_a_readable_answer_out_of_turn_is_refused_and_costs_nothing(bad_move) -> None:
    match = Driven(replace(PLAIN, bad_move=bad_move)).place()
    assert match.shoot(1, WATER) == [Tell(1, Refused("it is not your turn", None))]
    assert match.asked == {0: AskShots}


@pytest.mark.parametrize(("one", "other"), [*combinations((TimedOut, BadOutput, IllegalMove), 2)])
def test_who_gives_no_answer_loses_to_who_gives_a_bad_one(
    one: type[BotError], other: type[BotError]
) -> None:
    """An unreadable answer loses to an illegal one. In a game of three both seats lose."""
    step = JointStep()
    for seat, error in ((0, other), (1, one)):
        step.fail(Failure.of(seat, error("went wrong"), lambda: None))
    assert [failure.gone.seat for failure in step.losing(2)] == [1]
    assert [failure.gone.seat for failure in step.losing(3)] == [0, 1]


def test_a_game_of_four_goes_on_without_those_who_lost() -> None:
    """Forfeits of one after another; each event is shown to whoever watches."""
    seen = []
    match = Driven(
        replace(TABLE, may_return=False), 4, watch=lambda _, event: seen.append(event)
    ).place()
    match.shoot(0, WATER)
    match.say(3, Crashed("x"))
    match.say(1, TimedOut("late"))
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
    assert match.record.incidents == (
        Incident(1, 3, "crash", "x"),
        Incident(1, 1, "timeout", "late"),
        Incident(2, 0, "resigned"),
    )
    assert match.proven == [3, 1, 0]


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
        match.match.host(Abort(self.LONG))
        assert schemas.problem("game-record", builtins(match.record)) is None


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
    setup = GameSetup(id="", seed=1, first=0, rules=rules)
    match = Match(table_of(rules, 2, [None, None], 1), [setup])
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
        match.say(0, TimedOut("late"))
        match.say(1, TimedOut("late"))
        bad = replace(match.record, incidents=(*match.record.incidents, Incident(0, seat, what)))
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
    waits = [
        incident.seat
        for incident in match.record.incidents
        if incident.what in ("away", "back", "boot")
    ]
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
