"""The engine and the naive oracle side by side, through legal and illegal calls of every kind."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Outcome
from judge.documents.rules import Rules
from judge.errors import IllegalFleet, IllegalMove, OutOfTurn
from judge.game.events import Back, Event, FleetPlaced, Gone, Shot, TurnSkipped
from judge.game.game import Game
from judge.game.variants import VARIANTS, contest
from judge.testing import aim, board, random_rules, targets
from oracle import ILLEGAL_FLEET, ILLEGAL_MOVE, OUT_OF_TURN, Oracle
from strategies import FORFEITS, examples, some_fleet

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


CALLS = ["place", "shoot", "skip", "resign", "leave", "come_back", "forfeit"]


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


def anything(pair: SideBySide, what: str, seat: int, rng: Random) -> tuple:
    """Something to call it with for this seat, which is often nearly right."""
    rules, oracle = pair.rules, pair.oracle
    if what == "place":
        fleet = [*some_fleet(rules, rng)]
        ship = fleet.pop()
        off = rng.choice([-3, 0, 1, rules.columns])
        moved = replace(ship, column=ship.column + off)
        longer = replace(ship, length=ship.length + 1)
        return ((*fleet, *rng.choice([[], [ship], [ship, ship], [moved], [longer]])),)
    if what != "shoot" or seat not in oracle.to_move() or not oracle.playing:
        return arguments(pair, what, rng)
    volley = pair.volley(seat, rng)
    number = rng.randrange(len(volley))
    old = sorted(shot for shot in oracle.shot_at() if shot[0] != seat)
    off = (rng.randint(-1, rules.columns), rng.randint(-1, rules.rows))
    astray = (rng.randint(-1, pair.players), *off)
    volley[number] = rng.choice([*rng.sample(old, min(2, len(old))), *volley[:2], astray])
    return (rng.choice([volley, volley, volley[1:], [*volley, volley[0]]]),)


def misbehave(pair: SideBySide, rng: Random) -> None:
    """A seat, in the game or not, does something, or several fail in one step."""
    up = pair.oracle.to_move()
    is_a_step = not pair.oracle.playing or pair.rules.turn == "both"
    if up and is_a_step and rng.random() < 0.2:
        going = rng.sample(up, rng.randint(1, len(up)))
        said = pair.call("forfeit_together", [(one, rng.choice(FORFEITS)) for one in going])
        assert said is None
    else:
        seat, what = rng.choice([*up, *range(-1, pair.players + 1)]), rng.choice(CALLS)
        is_over = pair.oracle.over
        said = pair.call(what, seat, *anything(pair, what, seat, rng))
        if is_over or seat not in range(pair.players):
            assert said == OUT_OF_TURN


@given(random_rules(), st.integers(0, 2**64))
@examples(500)
def test_any_game(rules: Rules, seed: int) -> None:
    """By any rules engine and oracle agree on what is called, right and wrong and by whomever, to
    the end of a game and after it."""
    rng = Random(seed)
    players = rng.randint(*rules.players)
    pair = SideBySide(rules, players, rng.randrange(players))
    trouble = rng.choice([0.0, 0.1, 0.4])
    while not pair.oracle.over:
        up = pair.oracle.to_move()
        if not up or rng.random() < trouble:
            misbehave(pair, rng)
        elif pair.oracle.playing:
            seat = rng.choice(up)
            assert pair.call("shoot", seat, pair.volley(seat, rng)) is None
        else:
            assert pair.call("place", up[-1], some_fleet(rules, rng)) is None
    for _ in range(10):
        misbehave(pair, rng)
    event(f"turn: {rules.turn}, end: {pair.oracle.over[2]}")


# That nothing is left out is shown with fixed seeds.

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
