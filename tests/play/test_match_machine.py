"""The match and the naive one side by side: answers in every order, late, twice, wrong, uncalled
for; faults, comings and goings, chat, and orders of a host at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from random import Random
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from changes import replace
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import Evidence, GameRecord, OfMatch
from judge.documents.rules import (
    BadMove,
    Cell,
    Fleet,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Back, FleetPlaced, Gone, Shot, TurnSkipped
from judge.game.fleets import random_fleet
from judge.game.replay import replay
from judge.game.variants import BSP, VARIANTS, XBS
from judge.play.actions import Abort, Action, Ask, GameSetup, Remove, SkipTurn, Tell, Withdraw
from judge.play.match import Match
from judge.testing import aim, board, random_rules, targets
from judge.wire import messages
from matches import table_of
from naive_match import NaiveMatch
from strategies import examples, some_fleet

ERRORS = {error.termination: error for error in (BadOutput, IllegalFleet, IllegalMove)}
REFUSABLE = sorted(ERRORS)
ERRORS |= {error.termination: error for error in (TimedOut, Crashed)}


# The judge's messages in the words of the naive match


def plain_view(view) -> dict[str, Any]:
    fields = ("seat", "players", "first", "rules", "fleet", "due", "rounds")
    said = {name: getattr(view, name) for name in fields}
    shots = [plain_event(shot)[1:] for shot in view.shots]
    return {**said, "shots": shots, "present": list(view.present)}


def plain_event(one) -> tuple:
    match one:
        case Shot():
            where = (one.seat, one.target, *one.cell)
            return ("shot", *where, one.result, one.sunk, one.ship, one.repeat)
        case FleetPlaced(seat):
            return ("placed", seat)
        case TurnSkipped(seat):
            return ("skipped", seat)
        case Back(seat):
            return ("back", seat)
        case Gone(seat, termination, detail):
            assert detail == "", "it may quote what a bot said"
            return ("gone", seat, termination)
    raise AssertionError(f"{one} is not told")


def plain_question(question) -> tuple:
    match question:
        case messages.AskName():
            return ("name",)
        case messages.AskFleet():
            return ("fleet",)
        case messages.AskShip(length):
            return ("ship", length)
        case messages.AskShots(view):
            return ("shots", plain_view(view))
    raise AssertionError(f"{question} is not a question")


def plain_told(message) -> list[tuple]:
    match message:
        case messages.MatchStart(seat, _, _, games):
            return [("match-start", seat, games)]
        case messages.GameStart(seat, _, rules, _, fleet, first):
            return [("game-start", seat, rules, fleet, first)]
        case messages.Told(events):
            assert events, "nothing is not told"
            return [plain_event(one) for one in events]
        case messages.Refused(why, again):
            assert why
            assert again is None, "a question that is put again is asked, not told"
            return [("refused",)]
        case messages.GameOver(outcome):
            assert outcome.detail == "", "it may quote what a bot said"
            end = (outcome.winner, outcome.loser, outcome.termination, outcome.scores)
            return [("game-over", *end)]
        case messages.MatchOver(won):
            return [("match-over", won)]
        case messages.Rejoined(view):
            return [("rejoined", plain_view(view))]
        case messages.Chat(seat, text, is_private):
            return [("chat", seat, text, is_private)]
    raise AssertionError(f"{message} is not to be told")


def plain_mail(do: Action) -> list[tuple]:
    match do:
        case Tell(_, message):
            return plain_told(message)
        case Ask(_, messages.Refused(why, again), left):
            assert why
            return [("ask", plain_question(again), left, True)]
        case Ask(_, question, left):
            return [("ask", plain_question(question), left, False)]
        case Withdraw():
            return [("withdraw",)]


def plain_record(record: GameRecord) -> dict[str, Any]:
    outcome = record.outcome
    return {
        "rules": record.rules,
        "first": record.first,
        "fleets": [seat.fleet for seat in record.seats],
        "placing ms": [seat.ms for seat in record.seats],
        "shots": [
            (one.seat, one.target, one.column, one.row, one.result, one.ms) for one in record.shots
        ],
        "incidents": [(incident.at, incident.seat, incident.what) for incident in record.incidents],
        "outcome": (outcome.winner, outcome.loser, outcome.termination, outcome.scores),
        "detail": outcome.detail,
        "evidence": [(one.seat, one.stdout) for one in record.evidence],
        "rated": record.rated,
    }


def spoken(said: tuple) -> messages.FromPlayer | BotError:
    """The words of a seat, as the judge has them."""
    match said:
        case ("place", fleet):
            return messages.Placed(fleet)
        case ("ship", ship):
            return messages.PlacedShip(ship)
        case ("fire", volley):
            return messages.Fired(tuple(targets(volley)))
        case ("skip",):
            return messages.Skipped()
        case ("resign",):
            return messages.Resigned()
        case ("leave",):
            return messages.Left()
        case ("join",):
            return messages.Joined("somebody")
        case ("say", text, to):
            return messages.Said(text, to)
        case ("fault", termination, words):
            return ERRORS[termination](words)
    raise AssertionError(said)


def check_record(record: GameRecord) -> None:
    """A record meets its schema, reads as written, and replays to its outcome."""
    dated = replace(record, started="2026-01-01T00:00:00.000Z", finished="2026-01-01T00:00:00.000Z")
    document = builtins(dated)
    assert schemas.problem("game-record", document) is None
    assert convert(GameRecord, document, "it") == dated
    *_, last = replay(record)
    assert last.outcome == record.outcome


# Side by side


class SideBySide:
    """A match in the judge and in the oracle; whatever is fed goes to both and is compared."""

    def __init__(
        self,
        setups: list[GameSetup],
        answer_ms: list[float | None],
        first_rules: Rules,
        join_ms: Mapping[int, float | None] | None = None,
    ) -> None:
        players = len(answer_ms)
        self.players = range(players)
        self.rng = Random(0)  # for ships, where players are asked for one after another
        self.feeds: list[tuple] = []
        self.proven: list[tuple] = []
        self.open: set[int] = set()  # seats with a question that was not answered or withdrawn
        self.mail: list[list[tuple]] = [[] for _ in self.players]
        joining = join_ms or {}
        seating = table_of(first_rules, players, answer_ms, len(setups), joining)
        self.match = Match(seating, setups)
        self.naive = NaiveMatch(players, answer_ms, map(naive_deal, setups), len(setups), joining)
        self.compare(self.match.start())

    @property
    def game(self):
        return self.naive.game

    @property
    def waiting(self) -> list[int]:
        return sorted(self.naive.asked)

    def receive(self, seat: int, said: tuple, ms: float = 0.0) -> None:
        number = len(self.feeds)
        self.feeds.append((seat, said, ms))

        def prove() -> Evidence:
            self.proven.append((seat, f"{number}"))
            return Evidence(seat, ("bot",), f"{number}", "", 0, None, 1.0, 1.0, None)

        if said[0] != "say" and (said[0] != "join" or self.naive.joining):
            self.open.discard(seat)
        do = self.match.receive(seat, spoken(said), ms, prove)
        self.naive.receive(seat, said, ms, (seat, f"{number}"))
        self.compare(do)

    def host(self, order: SkipTurn | Remove | Abort) -> None:
        self.feeds.append((order,))
        match order:
            case SkipTurn(seat):
                self.naive.host("skip", seat)
            case Remove(seat):
                self.naive.host("remove", seat)
            case Abort(why):
                self.naive.host("abort", why=why)
        self.compare(self.match.host(order))

    def compare(self, did: list[Action]) -> None:
        """Both have told and asked the same seats the same, and wait for the same."""
        match, naive = self.match, self.naive
        for do in did:
            self.mail[do.seat] += plain_mail(do)
            if isinstance(do, Ask):
                self.open.add(do.seat)
            elif isinstance(do, Withdraw):
                assert do.seat in self.open, f"nothing to withdraw after {self.feeds[-5:]}"
                self.open.remove(do.seat)
        for seat in self.players:
            for ours, theirs in zip_longest(self.mail[seat], naive.mail[seat]):
                assert ours == theirs, f"seat {seat} after {self.feeds[-5:]}"
        waiting = {seat: plain_question(one) for seat, one in match.waiting.items()}
        assert waiting == naive.asked
        assert self.open == set(naive.asked)
        assert match.is_over == naive.over
        assert match.won == tuple(naive.won())
        assert match.winner == naive.winner()
        assert sorted(self.proven) == sorted(naive.proven)
        assert len(match.records) == len(naive.records)
        for mail in (*self.mail, *naive.mail):  # what was compared need not be again
            mail.clear()

    def finish(self) -> None:
        """The records are those of the oracle, and are sound by themselves."""
        for number, (record, expected) in enumerate(
            zip(self.match.records, self.naive.records, strict=True), 1
        ):
            assert record.match == OfMatch("m", number, self.match.seating.games)
            assert expected.pop("number") == number
            said = plain_record(record)
            if expected["detail"] is None:  # the engine's own words
                assert said.pop("detail")
                del expected["detail"]
            for fact in expected:
                assert said[fact] == expected[fact], f"{fact} after {self.feeds}"
            check_record(record)

    # What could be said

    def good(self, seat: int, rng: Random) -> tuple:
        """A right answer to what a seat is asked."""
        kind, *more = self.naive.asked[seat]
        rules = self.naive.rules
        if kind == "name":
            return ("join",)
        if kind == "fleet":
            return ("place", some_fleet(rules, rng))
        if kind == "ship":
            return ("ship", self.next_ship(seat, more[0], rng))
        volley = aim(
            rng,
            rules=rules,
            fleets=self.game.fleets,
            shot_at=self.game.shot_at(),
            seat=seat,
            due=self.game.shots_due(seat),
        )
        return ("fire", volley)

    def next_ship(self, seat: int, length: int, rng: Random) -> Ship:
        """One that leaves room for those to come, if there is one."""
        placed = self.naive.ships[seat]
        for _ in range(200):
            fleet = some_fleet(self.naive.rules, rng)
            for ship in fleet:
                others = [*placed, *(one for one in fleet if one is not ship)][: len(placed)]
                if ship.length == length and not _overlap(ship, others):
                    return ship
        return some_fleet(self.naive.rules, rng)[0]  # there may be no room: a fault then

    def anything(self, seat: int, rng: Random) -> tuple:
        """An answer of any kind, often to another question, or wrong."""
        rules = self.naive.rules
        if seat in self.naive.asked and not self.naive.joining and rng.random() < 0.3:
            kind, value = self.good(seat, rng)
            if kind != "ship":
                return (kind, value[:-1] if rng.random() < 0.5 else (*value, value[0]))
        ship = Ship(
            rng.randint(1, 3), rng.randint(-1, 4), rng.randint(-1, 4), rng.choice([*Orientation])
        )
        cells = [*board(rules), Cell(-1, 0), Cell(rules.columns, 0)]
        return rng.choice(
            [
                ("place", some_fleet(rules, rng)),
                ("place", (ship,)),
                ("ship", ship),
                ("ship", some_fleet(rules, rng)[0]),
                ("fire", [(rng.randint(-1, len(self.players)), *rng.choice(cells))]),
                ("skip",),
            ]
        )


def _overlap(ship: Ship, others: Iterable[Ship]) -> bool:
    return bool(set(ship.cells) & {cell for other in others for cell in other.cells})


def naive_deal(setup: GameSetup) -> dict[str, Any]:
    """A deal as the naive match takes it, with the fleets that the judge draws from its seed."""
    given: dict[int, Fleet] = {}
    if setup.rules.placing is Placing.JUDGE:
        rng = Random(setup.seed)
        given = {seat: random_fleet(setup.rules, rng) for seat in range(10)}
    return {"rules": setup.rules, "first": setup.first, "given": {**given, **setup.fleets}}


@pytest.mark.parametrize("rules", [BSP, XBS])
@pytest.mark.parametrize("a_turn", [51, 50, 49, 1])
def test_the_bounds_on_refusals(rules: Rules, a_turn: int) -> None:
    """Turn after turn, until there have been as many as a turn or a game has room for, or until all
    is shot."""
    pair = SideBySide([GameSetup(id="0", seed=1, first=0, rules=rules)], [None, None], rules)
    rng = Random(1)
    while pair.waiting:
        seat = pair.waiting[0]
        for _ in range(a_turn * (seat == 0)):
            if seat in pair.waiting:
                pair.receive(seat, ("fault", "illegal-move", "a reason"))
        if seat in pair.waiting:
            pair.receive(seat, pair.good(seat, rng))
    pair.finish()
    lost = pair.match.records[0].outcome
    assert (lost.termination == "illegal-move") is (a_turn > 1)


def rules_by(rng: Random) -> Rules:
    """Rules of any kind on a board of twelve cells."""
    return replace(
        rng.choice([*VARIANTS.values()]),
        columns=4,
        rows=3,
        fleet=(2, 1),
        players=(2, 3),
        salvo_bonus=(2,),
        turn=rng.choice([*Turn]),
        placing=rng.choice([*Placing]),
        bad_move=rng.choice([*BadMove]),
        repeat=rng.choice([*Repeat]),
        sinking=rng.choice([*Sinking]),
        may_skip=rng.random() < 0.5,
        may_return=rng.random() < 0.5,
        round_limit=rng.choice([None, 4]),
    )


def wander(rules: Rules, rng: Random) -> SideBySide:
    """Feed a match to its end, and a little longer, of a kind that the dice choose."""
    seats = range(rng.choice([2, 2, rules.players[1]]))
    given = [seat for seat in seats if rng.random() < 0.1]
    games = [
        GameSetup(
            id=f"{number}",
            seed=rng.randrange(99),
            first=rng.choice(seats),
            rules=rules,
            fleets={seat: some_fleet(rules, rng) for seat in given},
        )
        for number in range(rng.randint(1, 3))
    ]
    join = {seat: 5000.0 for seat in seats if rng.random() < 0.2}
    pair = SideBySide(games, [rng.choice([None, 6.0, 20.0]) for _ in seats], rules, join)
    trouble = rng.choice([0.0, 0.05, 0.3])  # how often something else is said than a right answer
    while not pair.naive.over:
        if pair.waiting and rng.random() >= (0.3 if pair.naive.joining else trouble):
            seat = rng.choice(pair.waiting)
            pair.receive(seat, pair.good(seat, rng), rng.randint(0, 8) / 4)
        else:
            stumble(pair, rng)
    for _ in range(5):
        stumble(pair, rng)
    pair.finish()
    return pair


def stumble(pair: SideBySide, rng: Random) -> None:
    """A seat, at the table or not, does something else than it is asked for."""
    seat = rng.choice([*pair.players, *pair.players, *pair.waiting, -1, len(pair.players)])
    fault = ("fault", rng.choice(sorted(ERRORS)), "a reason")
    to = rng.choice([None, *pair.players, 7])
    orders = [SkipTurn(seat), Remove(seat), Abort("enough")]
    if rng.random() < (0.5 if pair.naive.joining else 0.1):
        order = rng.choice(orders)
        pair.host(order)
        pair.host(order)
    elif rng.random() < 0.1:
        for one in rng.sample(pair.waiting, len(pair.waiting)):
            pair.receive(one, ("fault", rng.choice([fault[1], *ERRORS]), "a reason"), 1.0)
    else:
        anything = pair.anything(seat, rng)
        said = [fault, anything, ("resign",), ("leave",), ("join",), ("join",), ("say", "so", to)]
        for one in [rng.choice(said)] * rng.choice([1, 1, 1, 8, 55]):
            pair.receive(seat, one, 1.0)


@pytest.mark.parametrize("seed", range(10))
def test_matches_of_every_kind_go_to_their_ends(seed: int) -> None:
    """Whatever is said, by whomever, and ordered by a host, both matches tell, ask and record the
    same, to their end and after it."""
    for number in range(30):
        rng = Random(30 * seed + number)
        wander(rules_by(rng), rng)


@given(random_rules(), st.integers(0, 2**64))
@examples(300)
def test_any_match(rules: Rules, seed: int) -> None:
    """The same by any rules, with other dice each time."""
    for record in wander(rules, Random(seed)).naive.records:
        event(f"{rules.turn}: {record['outcome'][2]}")
