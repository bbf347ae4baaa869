"""The engine and the naive oracle side by side, through legal and illegal calls of every kind."""

from __future__ import annotations

from random import Random
from typing import ClassVar

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from changes import replace
from judge.documents.game import Outcome
from judge.documents.rules import Rules
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn
from judge.game.events import Back, Event, FleetPlaced, Gone, Shot, TurnSkipped
from judge.game.game import Game
from judge.game.variants import VARIANTS, contest
from judge.testing import aim, board, fleets, numbers_of_players, random_rules, targets, variant
from oracle import ILLEGAL_FLEET, ILLEGAL_MOVE, OUT_OF_TURN, Oracle
from strategies import FORFEITS, examples, some_fleet, spoiled_fleets, stray_cells

KINDS = {IllegalFleet: ILLEGAL_FLEET, IllegalMove: ILLEGAL_MOVE, OutOfTurn: OUT_OF_TURN}


class SideBySide:
    """One game in the engine and in the oracle; every call goes to both and is compared."""

    def __init__(self, rules: Rules, players: int, first: int) -> None:
        self.rules, self.players = rules, players
        self.game = Game(rules, players, first)
        self.oracle = Oracle(rules, players, first)
        self.calls: list[tuple] = []
        self.said = self.compare()

    def compare(self) -> dict:
        """The facts that both say; every fact of its own, so that a failure shows the one that
        differs."""
        engine, oracle = self.engine_says(), self.oracle_says()
        for fact in oracle:
            assert engine[fact] == oracle[fact], f"{fact} after {self.calls}"
        return engine

    def engine_says(self) -> dict:
        game, outcome = self.game, self.game.outcome
        return {
            "to move": game.to_move,
            "due": [game.shots_due(seat) for seat in range(self.players)],
            "shots": [(s.seat, s.target, *s.cell, s.result, s.sunk, s.ship) for s in game.shots],
            "outcome": outcome
            and (outcome.winner, outcome.loser, outcome.termination, outcome.scores),
            **{f"view {seat}": plain(game.view(seat)) for seat in range(self.players)},
        }

    def oracle_says(self) -> dict:
        oracle = self.oracle
        return {
            "to move": oracle.to_move(),
            "due": [oracle.shots_due(seat) for seat in range(self.players)],
            "shots": oracle.shots,
            "outcome": oracle.outcome(),
            **{f"view {seat}": oracle.view(seat) for seat in range(self.players)},
        }

    def call(self, name: str, *args) -> str | None:
        """Make one call; the kind of error that both say, or None."""
        self.calls.append((name, *args))
        before = self.said
        expected = getattr(self.oracle, name)(*args)
        if name == "shoot":
            args = (args[0], targets(args[1]))
        elif name == "forfeit_together":
            args = ([Gone(one, how) for one, how in args[0]],)
        events, kind = (), None
        try:
            events = getattr(self.game, name)(*args)
        except tuple(KINDS) as error:
            kind = KINDS[type(error)]
        assert kind == expected, f"the last of {self.calls}"
        self.said = after = self.compare()
        if kind:
            assert after == before
        else:
            check_events(events, before, after)
        return kind

    def volley(self, seat: int, rng: Random) -> list[tuple[int, int, int]]:
        oracle = self.oracle
        return aim(
            rng,
            rules=self.rules,
            fleets=oracle.fleets,
            shot_at=oracle.shot_at(),
            seat=seat,
            due=oracle.shots_due(seat),
        )


def plain(view) -> dict:
    """A view of the engine in the words of the oracle."""
    shots = [(s.seat, s.target, *s.cell, s.result, s.sunk, s.ship, s.repeat) for s in view.shots]
    fields = ("seat", "players", "first", "rules", "fleet", "due", "rounds")
    said = {name: getattr(view, name) for name in fields}
    return {**said, "shots": shots, "present": list(view.present)}


def check_events(events: tuple[Event, ...], before: dict, after: dict) -> None:
    """The events of a call are what changed by it, each once."""
    kinds = [type(one) for one in events]
    assert set(kinds) <= {FleetPlaced, Shot, TurnSkipped, Gone, Back, Outcome}
    fired = [(e.seat, e.target, *e.cell) for e in events if isinstance(e, Shot)]
    assert fired == [shot[:4] for shot in after["shots"][len(before["shots"]) :]]
    ended = after["outcome"] is not None
    assert kinds.count(Outcome) == ended
    if ended:
        assert kinds[-1] is Outcome
    was, now = before["view 0"]["present"], after["view 0"]["present"]
    went = [e.seat for e in events if isinstance(e, Gone) and was[e.seat]]
    assert sorted(went) == [seat for seat in range(len(was)) if was[seat] and not now[seat]]
    came = [e.seat for e in events if isinstance(e, Back)]
    assert came == [seat for seat in range(len(was)) if now[seat] and not was[seat]]


# Anybody who is or is not in the game: seats beyond the last and below the first too.
SEATS = st.integers(-1, 4)
SEEDS = st.integers(0, 2**32 - 1)
CALLS = ["place", "shoot", "skip", "resign", "leave", "come_back", "forfeit"]


class GameMachine(RuleBasedStateMachine):
    """A game by rules from `source`; two of its rules stay enabled when the game is over."""

    source: ClassVar[st.SearchStrategy[Rules]] = random_rules()

    @initialize(peaceful=st.booleans(), data=st.data())
    def begin(self, peaceful, data) -> None:
        rules = data.draw(self.source)
        players = data.draw(numbers_of_players(rules))
        first = data.draw(st.integers(0, players - 1))
        self.pair = SideBySide(rules, players, first)
        self.peaceful = peaceful  # in half of the games nobody goes, so that they are played out

    @property
    def up(self) -> tuple[int, ...]:
        return self.pair.oracle.to_move()

    def is_placing(self) -> bool:
        return bool(self.up) and not self.pair.oracle.playing

    def is_playing(self) -> bool:
        return bool(self.up) and self.pair.oracle.playing

    def may_go(self) -> bool:
        return not self.peaceful and not self.pair.oracle.over

    def is_a_step(self) -> bool:
        """Whether several may fail in one: in a round of all at once, or with their fleets."""
        return self.is_placing() or (self.is_playing() and self.pair.rules.turn == "both")

    # As the rules want it

    @precondition(is_placing)
    @rule(data=st.data())
    def place(self, data) -> None:
        seat = data.draw(st.sampled_from(self.up))
        assert self.pair.call("place", seat, data.draw(fleets(self.pair.rules))) is None

    @precondition(is_placing)
    @rule(seed=SEEDS)
    def place_all(self, seed) -> None:
        rng = Random(seed)
        while self.is_placing():
            assert self.pair.call("place", self.up[-1], some_fleet(self.pair.rules, rng)) is None

    @precondition(is_playing)
    @rule(seed=SEEDS, data=st.data())
    def shoot(self, seed, data) -> None:
        seat = data.draw(st.sampled_from(self.up))
        assert self.pair.call("shoot", seat, self.pair.volley(seat, Random(seed))) is None

    @precondition(is_playing)
    @rule(seed=SEEDS, turns=st.integers(2, 40))
    def shoot_on(self, seed, turns) -> None:
        rng = Random(seed)
        for _ in range(turns):
            if self.is_playing():
                seat = rng.choice(self.up)
                assert self.pair.call("shoot", seat, self.pair.volley(seat, rng)) is None

    @precondition(is_playing)
    @rule(data=st.data())
    def skip(self, data) -> None:
        self.pair.call("skip", data.draw(st.sampled_from(self.up)))

    @precondition(may_go)
    @rule(seat=SEATS, termination=st.sampled_from(FORFEITS))
    def forfeit(self, seat, termination) -> None:
        self.pair.call("forfeit", seat, termination, "a reason")

    @precondition(lambda self: self.may_go() and self.is_a_step())
    @rule(data=st.data())
    def fail_together(self, data) -> None:
        seats = st.lists(st.sampled_from(self.up), min_size=1, unique=True)
        going = [(seat, data.draw(st.sampled_from(FORFEITS))) for seat in data.draw(seats)]
        assert self.pair.call("forfeit_together", going) is None

    @precondition(may_go)
    @rule(seat=SEATS)
    def resign(self, seat) -> None:
        self.pair.call("resign", seat)

    @precondition(lambda self: self.is_playing() and self.pair.rules.may_return)
    @rule(data=st.data())
    def leave(self, data) -> None:
        self.pair.call("leave", data.draw(st.integers(0, self.pair.players - 1)))

    @precondition(lambda self: self.pair.oracle.away and not self.pair.oracle.over)
    @rule(data=st.data())
    def come_back(self, data) -> None:
        self.pair.call("come_back", data.draw(st.sampled_from(sorted(self.pair.oracle.away))))

    # As they do not

    @precondition(is_placing)
    @rule(data=st.data())
    def place_badly(self, data) -> None:
        seat = data.draw(st.sampled_from(self.up))
        self.pair.call("place", seat, data.draw(spoiled_fleets(self.pair.rules)))

    @precondition(is_playing)
    @rule(seed=SEEDS, data=st.data(), less=st.booleans())
    def shoot_too_many_or_few(self, seed, data, less) -> None:
        seat = data.draw(st.sampled_from(self.up))
        volley = self.pair.volley(seat, Random(seed))
        volley = volley[1:] if less else volley + data.draw(st.sampled_from([volley, volley[:1]]))
        assert self.pair.call("shoot", seat, volley) == ILLEGAL_MOVE

    @precondition(is_playing)
    @rule(seed=SEEDS, data=st.data())
    def shoot_again(self, seed, data) -> None:
        """A repeat of an old shot or, in a salvo, of one of the volley itself."""
        seat = data.draw(st.sampled_from(self.up))
        volley = self.pair.volley(seat, Random(seed))
        number = data.draw(st.integers(0, len(volley) - 1))
        old = sorted(shot for shot in self.pair.oracle.shot_at() if shot[0] != seat)
        volley[number] = data.draw(st.sampled_from(old + volley))
        self.pair.call("shoot", seat, volley)

    @precondition(lambda self: self.is_playing() and self.pair.rules.turn == "salvo")
    @rule(seed=SEEDS)
    def shoot_twice_in_a_volley(self, seed) -> None:
        rng, (seat,) = Random(seed), self.up
        volley = self.pair.volley(seat, rng)
        volley[-1] = rng.choice(volley)
        self.pair.call("shoot", seat, volley)

    @precondition(is_playing)
    @rule(seed=SEEDS, data=st.data(), at=SEATS)
    def shoot_astray(self, seed, data, at) -> None:
        """Off the grid, or at oneself, at nobody, at a seat without a fleet."""
        seat = data.draw(st.sampled_from(self.up))
        volley = self.pair.volley(seat, Random(seed))
        number = data.draw(st.integers(0, len(volley) - 1))
        volley[number] = (at, *data.draw(stray_cells(self.pair.rules)))
        self.pair.call("shoot", seat, volley)

    @rule(
        seat=SEATS,
        seed=SEEDS,
        what=st.sampled_from(CALLS),
    )
    def anything_else(self, seat, seed, what) -> None:
        """Whatever the position: at the wrong time, in the wrong seat, or just right."""
        pair = self.pair
        over = pair.oracle.over
        if self.peaceful and not over and what in ("resign", "leave", "forfeit"):
            what = "come_back"
        said = pair.call(what, seat, *arguments(pair, what, Random(seed)))
        if over or seat not in range(pair.players):
            assert said == OUT_OF_TURN

    @precondition(lambda self: self.pair.oracle.over)
    @rule(seed=SEEDS, what=st.sampled_from(CALLS))
    def too_late(self, seed, what) -> None:
        """After the end nothing is in turn for anybody."""
        for seat in range(self.pair.players):
            said = self.pair.call(what, seat, *arguments(self.pair, what, Random(seed)))
            assert said == OUT_OF_TURN

    def teardown(self) -> None:
        if hasattr(self, "pair"):
            over = self.pair.oracle.over
            event(f"rules: {self.pair.rules.name}")
            event(f"turn: {self.pair.rules.turn}, {'over' if over else 'not over'}")
            event(f"end: {over[2] if over else 'not reached'}")


def arguments(pair: SideBySide, what: str, rng: Random) -> tuple:
    """Something to call it with; a volley is often of one shot, so often too short."""
    match what:
        case "place":
            return (some_fleet(pair.rules, rng),)
        case "shoot":
            cell = rng.choice(board(pair.rules))
            return ([(rng.randrange(pair.players), *cell)],)
        case "forfeit":
            return (rng.choice(FORFEITS), "a reason")
        case _:
            return ()


class BrainjarMachine(GameMachine):
    source = variant("brainjar")


class BroadsidesMachine(GameMachine):
    source = variant("broadsides")


class ContestMachine(GameMachine):
    source = variant("contest")


class BspMachine(GameMachine):
    source = variant("bsp")


class XbsMachine(GameMachine):
    source = variant("xbs")


VARIANT_GAMES = examples(12, stateful_step_count=30)

TestBrainjar = BrainjarMachine.TestCase
TestBroadsides = BroadsidesMachine.TestCase
TestContest = ContestMachine.TestCase
TestBsp = BspMachine.TestCase
TestXbs = XbsMachine.TestCase
TestRandomRules = GameMachine.TestCase

TestBrainjar.settings = TestBroadsides.settings = TestContest.settings = VARIANT_GAMES
TestBsp.settings = TestXbs.settings = VARIANT_GAMES
TestRandomRules.settings = examples(60, stateful_step_count=30)


# Hypothesis goes where it likes; that nothing is left out is shown with fixed seeds.

TO_THE_FLEET = {"fleet-destroyed", *FORFEITS}
ENDS = {
    "brainjar": TO_THE_FLEET | {"void"},
    # Here the second is not asked after a bad fleet, so they never both fail.
    "broadsides": TO_THE_FLEET | {"round-limit"},
    "contest": TO_THE_FLEET | {"both-failed", "round-limit"},
    "bsp": TO_THE_FLEET | {"both-failed", "round-limit"},
    "xbs": {"goal", "all-dead", "both-failed", "round-limit", *FORFEITS},
}


def wander(rules: Rules, rng: Random) -> SideBySide:
    """Play a game to its end, of a kind that the dice choose at its beginning."""
    players = rng.randint(rules.players[0], min(3, rules.players[1]))
    pair = SideBySide(rules, players, rng.randrange(players))
    trouble = rng.choice([0.0, 0.05, 0.7])  # how often something else than a move is made
    blind = rng.choice([0.0, 1.0])  # how often a shot is at any cell at all
    while not pair.oracle.over:
        seat = rng.choice(pair.oracle.to_move() or range(players))
        if rng.random() < trouble:
            what = rng.choice([*CALLS, *["forfeit"] * len(FORFEITS)])
            pair.call(what, rng.randint(-1, players), *arguments(pair, what, rng))
        elif not pair.oracle.playing and rng.random() < trouble and rules.placing != "in-turn":
            going = [(one, rng.choice(FORFEITS)) for one in pair.oracle.to_move()]
            pair.call("forfeit_together", going)
        elif not pair.oracle.playing:
            pair.call("place", seat, some_fleet(rules, rng))
        elif rng.random() < blind:
            due = pair.oracle.shots_due(seat)
            pair.call("shoot", seat, [arguments(pair, "shoot", rng)[0][0] for _ in range(due)])
        elif pair.oracle.to_move():
            pair.call("shoot", seat, pair.volley(seat, rng))
    return pair


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_comes_to_every_end_that_it_has_and_no_other(name: str) -> None:
    """Engine and oracle agree on whole games of every variant, and no ending is left untried."""
    rng = Random(name)
    ends = set()
    for number in range(100):
        rules = contest(3) if name == "contest" else VARIANTS[name]
        if number and name != "contest":  # the first is a full game
            rules = replace(rules, columns=4, rows=3, fleet=(2, 1, 1), salvo_bonus=(2,))
            if rules.round_limit and number % 2:
                rules = replace(rules, round_limit=3)
        over = wander(rules.drawn(rng), rng).oracle.over
        ends.add(over[2])
    assert ends == ENDS[name]
