"""A game that is played step by step, taken back and written down: judge/play/session.py; and one
move of a record asked again: judge/play/recorded_move.py."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from itertools import repeat
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from changes import replace
from games import played, void
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Termination
from judge.documents.rules import Cell, Goal, Placing, Repeat, Rules, Turn
from judge.errors import BadOutput, Crashed, IllegalMove, UsageError
from judge.game.events import Target
from judge.game.fleets import random_fleet
from judge.game.replay import replay
from judge.game.steps import steps
from judge.game.variants import BRAINJAR, BROADSIDES, VARIANTS
from judge.play.actions import with_fleet
from judge.play.conditions import Conditions
from judge.play.player import Human, ProgramPlayer
from judge.play.recorded_move import forfeiting, move, placing
from judge.play.run import Run
from judge.play.session import Answer, AnsweredOtherwise, Session, wire_for
from judge.play.spoken import expressing
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Connection
from judge.wire import WIRES
from judge.wire.brainjar import fleet_reply, move_reply
from judge.wire.messages import AskFleet, AskShots, Fired, Placed
from players import Scripted, by_luck
from strategies import examples
from wire_players import Policy, connected

DIALECTS = ("readme", "engine")
SMALL = replace(BRAINJAR, name="small", columns=4, rows=4, fleet=(2, 3))

# Every kind of game that the wire can tell of.
KINDS = [
    SMALL,
    replace(SMALL, name="single", turn=Turn.SINGLE),
    replace(SMALL, name="both", turn=Turn.BOTH, round_limit=9),
    replace(SMALL, name="drawn by the judge", placing=Placing.JUDGE),
    replace(SMALL, name="in turn", placing=Placing.IN_TURN),
    replace(SMALL, name="points", goal=Goal.POINTS, repeat=Repeat.OLD_ANSWER),
]


def test_each_bot_is_shown_what_it_is_asked_in_its_own_dialect() -> None:
    """Each of two bots that speak different dialects is told what it would be told in a game."""
    players = [
        Scripted(by_luck(SMALL, Random(1)), wire="brainjar", dialect=one) for one in DIALECTS
    ]
    game = Session(
        Conditions(rules=SMALL), [lambda one=one: one for one in players], seed=1, first=0
    )
    told = {}
    while len(told) < 2:
        seat, question = game.question
        if isinstance(question, AskShots):
            told[seat] = next(iter(json.loads(game.prompt_text())))
        game.step()
    assert told == {0: "cmd", 1: "hit"}


def session(rules: Rules = SMALL, seed: int = 1, first: int = 0, bot=None) -> Session:
    """One that is played by hand, but for what the ``bot`` that is given for seat 0 is asked."""

    def ask(_):
        raise AssertionError("nobody is asked")

    seats = [bot or partial(Human, "a", ask), partial(Human, "b", ask)]
    return Session(Conditions(rules=rules, dialect="readme"), seats, seed=seed, first=first)


def answer(game: Session, rng: Random) -> Answer:
    """A legal answer of whoever is up."""
    seat, question = game.question
    if isinstance(question, AskFleet):
        return Answer(seat, Placed(random_fleet(game.game.rules, rng)))
    shot_at = {shot.cell for shot in question.view.shots if shot.seat == seat}
    rules = game.game.rules
    cells = [(c, r) for c in range(rules.columns) for r in range(rules.rows)]
    fresh = [cell for cell in cells if cell not in shot_at] or cells
    column, row = rng.choice(fresh)
    return Answer(seat, game.understood(f'{{"move":"{column}{row}"}}'), ms=rng.randrange(99))


def advance(game: Session, steps: int, rng: Random) -> None:
    for _ in range(steps):
        if game.game.outcome:
            return
        game.take(answer(game, rng))


def state(game: Session):
    views = [game.game.view(seat) for seat in (0, 1)]
    return game.game.shots, game.game.to_move, game.game.outcome, views, game.answers


@given(st.sampled_from(KINDS), st.integers(0, 99), st.integers(0, 1), st.data())
@examples(30)
def test_undo_is_the_inverse_of_a_move(
    rules: Rules, seed: int, first: int, data: st.DataObject
) -> None:
    """Whatever is taken back, the game is what it was, and goes on as if it had not been."""
    game, rng = session(rules, seed, first), Random(seed)
    advance(game, data.draw(st.integers(2, 30)), rng)
    moves = sum(isinstance(one.said, Fired) for one in game.answers)
    back = data.draw(st.integers(0, moves))
    again = session(rules, seed, first)
    kept = game.answers[: len(game.answers) - back]
    for one in kept:
        again.take(one)
    taken_back = [game.undo() for _ in range(back)]
    assert state(game) == state(again)
    for one in reversed(taken_back):
        assert one is not None
        game.take(one)
        again.take(one)
    assert state(game) == state(again)


def test_fleets_are_not_taken_back() -> None:
    """Before the first move there is nothing to undo."""
    game = session()
    assert game.undo() is None
    advance(game, 2, Random(1))
    assert not game.game.is_placing
    assert game.undo() is None
    assert len(game.answers) == 2


@given(st.sampled_from(KINDS), st.integers(0, 99), st.integers(0, 40))
@examples(60)
def test_what_is_saved_is_a_sound_record(rules: Rules, seed: int, steps: int) -> None:
    """At any moment the record holds the moves so far, and can be judged again; a game that is not
    over is broken off in it."""
    game = session(rules, seed)
    advance(game, steps, Random(seed))
    record = game.record("x")
    *_, last = replay(convert(GameRecord, builtins(record), "it"))
    assert last.shots == game.game.shots
    if game.game.outcome:
        assert record.outcome == game.game.outcome
    else:
        assert record.outcome.termination is Termination.ABORTED
    assert [seat.fleet for seat in record.seats] == [game.game.fleet(seat) for seat in (0, 1)]


def test_an_answer_that_is_not_allowed_changes_nothing() -> None:
    """It raises what a bot would lose by."""
    game = session()
    advance(game, 2, Random(1))
    before = state(game)
    for text, error in (
        ('{"move":"99"}', IllegalMove),
        ('{"mov":"00"}', BadOutput),
        ("00", BadOutput),
        ("", BadOutput),
        ("\udcff", BadOutput),
    ):
        seat, _ = game.question
        with pytest.raises(error):
            game.take(Answer(seat, game.understood(text)))
        assert state(game) == before


@pytest.mark.parametrize("wire", WIRES)
def test_what_is_told_is_what_is_sent(wire: str) -> None:
    """Before each of its shots a bot is shown what it is sent from its last answer to the question,
    over every wire; also after a move was taken back."""
    rules = rules_of(wire)
    bots = [replace(find("hunter"), name=f"bot{seat}", wires=(wire,)) for seat in (0, 1)]
    sent, asked = [b"", b""], [b"", b""]  # since the last answer, and before it

    def connect(bot: Bot, seed: int, _: Callable[[], Connection]) -> Connection:
        seat = bots.index(bot)
        sent[seat] = b""
        connection = connected(wire, Policy(rules, seat, 2, seed=seed))
        send, receive = connection.send, connection.receive

        def send_and_keep(data: bytes) -> None:
            sent[seat] += data
            send(data)

        def begin_anew(deadline: float) -> bytes:
            if sent[seat]:  # this is the first piece of an answer
                asked[seat], sent[seat] = sent[seat], b""
            return receive(deadline)

        connection.send = send_and_keep  # type: ignore[method-assign]
        connection.receive = begin_anew  # type: ignore[method-assign]
        return connection

    with Run(Conditions(rules=rules), bots, connect) as run, ExitStack() as stack:

        def seated(seat: int) -> ProgramPlayer:
            return stack.enter_context(run.seat(bots[seat], seat, seat, rules=rules, seats=2))

        game = Session(run.conditions, [partial(seated, 0), partial(seated, 1)], seed=1, first=0)
        shots = 0
        while shots < 12 and not game.game.outcome:
            seat, question = game.question
            told = game.prompt_text() if isinstance(question, AskShots) else None
            answer, _ = game.step()
            if told is not None:
                shots += 1
                assert told == WIRES[wire].readable(asked[seat])
                assert told
                if shots % 4 == 0:
                    assert game.undo() == answer
                    assert game.prompt_text() == told
                    game.step()
                    assert told == WIRES[wire].readable(asked[seat])
        assert shots == 12


def rules_of(wire: str) -> Rules:
    """Published rules that can be told over this wire, with the fleet drawn."""
    return next(
        with_fleet(rules, 1) for rules in VARIANTS.values() if expressing(rules)[wire] is None
    )


def test_a_bot_that_goes_wrong_has_lost_until_that_is_taken_back() -> None:
    """A player who is asked forfeits as in any game, with its evidence; undo asks it again."""
    illegal = Fired((Target(1, Cell(9, 9)),))
    answers = iter([Crashed("fell over"), illegal])

    def answer_with(_):
        if isinstance(said := next(answers), Crashed):
            raise said
        return said

    game = session(bot=lambda: Scripted(answer_with, name="bot"))
    advance(game, 2, Random(1))
    answer, events = game.step()
    assert (answer.seat, str(answer.said), bool(events)) == (0, "fell over", True)
    assert game.game.outcome is not None
    assert game.game.outcome.termination is Termination.CRASH
    assert game.record("x").outcome.detail == "fell over"
    assert game.undo() == answer
    assert game.game.outcome is None
    game.step()
    assert game.game.outcome.termination is Termination.ILLEGAL_MOVE


class Living:
    """Makes players that are told everything and asked by luck, as programs that stay alive."""

    def __init__(self, rules: Rules, name: str, seeds: Iterator[int]) -> None:
        self.rules, self.name, self.seeds = rules, name, seeds
        self.made: list[Scripted] = []
        self.closed: list[Scripted] = []

    def __call__(self) -> Scripted:
        answers = by_luck(self.rules, Random(next(self.seeds)))
        player = Scripted(answers, name=self.name, wire="open-lines", dialect="plain")
        player.close = lambda: self.closed.append(player)
        self.made.append(player)
        return player


@given(st.sampled_from(KINDS), st.integers(0, 99), st.integers(2, 30), st.integers(1, 5))
@examples(40)
def test_a_player_that_lives_on_forgets_what_is_taken_back(
    rules: Rules, seed: int, steps: int, back: int
) -> None:
    """Whatever is taken back, its program has been told and asked what one has been that never
    heard of it; those before are ended."""
    seats = [Living(rules, name, repeat(seed)) for name in ("a", "b")]
    game = Session(Conditions(rules=rules), seats, seed=seed, first=0)
    while len(game.answers) < steps and not game.game.outcome:
        game.step()
    undone = 0
    while undone < back and game.undo():
        undone += 1
    again = [Living(rules, name, repeat(seed)) for name in ("a", "b")]
    other = Session(Conditions(rules=rules), again, seed=seed, first=0)
    while len(other.answers) < len(game.answers):
        other.step()
    assert [one.said for one in game.answers] == [one.said for one in other.answers]
    for one, expected in zip(game.players, other.players, strict=True):
        assert isinstance(one, Scripted)
        assert isinstance(expected, Scripted)
        assert (one.told, one.asked) == (expected.told, expected.asked)
    assert [len(one.made) for one in seats] == [1 + undone] * 2
    assert [one.closed for one in seats] == [one.made[:-1] for one in seats]


def test_a_move_stays_where_a_player_answers_otherwise_than_before() -> None:
    """One that is started anew, and gives another answer, is ended, and the game is as it was."""
    seats = [Living(SMALL, "a", repeat(1)), Living(SMALL, "b", iter([1, 1, 2, 3]))]
    game = Session(Conditions(rules=SMALL), seats, seed=1, first=1)
    for _ in range(4):
        game.step()
    assert game.undo()
    before, players = state(game), game.players
    with pytest.raises(AnsweredOtherwise) as otherwise:
        game.undo()
    assert otherwise.value.now.seat == otherwise.value.before.seat == 1
    assert (state(game), game.players) == (before, players)
    assert [one.closed for one in seats] == [[*one.made[:-2], one.made[-1]] for one in seats]
    game.step()


def test_rules_that_no_wire_can_tell_of_are_refused() -> None:
    """With the reasons, before anything is asked; others are told in the first protocol that can,
    question by question."""
    assert wire_for(SMALL) == "brainjar"
    assert wire_for(BROADSIDES) == "open"
    with pytest.raises(UsageError, match=r"board is 10×10 at most; over the wire open"):
        wire_for(replace(BROADSIDES, columns=100, rows=100, round_limit=None))


# One move of a record


@given(st.integers(0, 99), st.integers(0, 1))
@examples(20)
def test_every_move_of_a_record_is_asked_as_it_was(seed: int, first: int) -> None:
    """The question is what its player knew then: all shots before it, and none after."""
    record = played(seed=seed, first=first)
    number = 1 + seed * 7 % len(record.shots)
    found = move(record, number)
    shot = record.shots[number - 1]
    *_, game = replay(record)
    assert (found.number, found.seat, found.volley, found.ms) == (
        number,
        shot.seat,
        (game.shots[number - 1],),
        shot.ms,
    )
    assert isinstance(found.question, AskShots)
    before = [structs.replace(one, ship=None) for one in game.shots[: number - 1]]
    assert list(found.question.view.shots) == before
    assert found.question.view.seat == shot.seat
    assert found.question.view.fleet == record.seats[found.seat].fleet


def test_a_forfeit_is_the_move_after_the_last_shot() -> None:
    """The run that lost the game can be asked for again, with what was recorded of it."""
    record = played(seed=2, forfeit=(1, Termination.TIMEOUT), detail="too late")
    found = move(record, len(record.shots) + 1)
    assert (found.seat, found.forfeit, found.detail) == (1, Termination.TIMEOUT, "too late")
    assert found.evidence == record.evidence[0]
    assert found.ms == record.evidence[0].answer_ms
    with pytest.raises(UsageError, match=f"has {len(record.shots) + 1} moves"):
        move(record, len(record.shots) + 2)


def test_placing_is_a_move_too() -> None:
    """A fleet that was placed, or the forfeit of one."""
    record = played(seed=2)
    assert placing(record, 1).fleet == record.seats[1].fleet
    lost = void(causes=(Termination.CRASH, Termination.ILLEGAL_FLEET))
    assert placing(lost, 1).forfeit is Termination.ILLEGAL_FLEET
    with pytest.raises(UsageError, match="ended before its first move"):
        move(lost, 1)


def test_forfeits_that_can_be_run_again_are_named() -> None:
    """A forfeit in the placing is named by its seat, and a later one by its number."""
    late = played(seed=2, forfeit=(1, Termination.TIMEOUT))
    causes = (Termination.CRASH, Termination.ILLEGAL_FLEET)
    for record, named in [
        (late, [(1, str(len(late.shots) + 1))]),
        (void(causes=causes), [(0, "A"), (1, "B")]),
    ]:
        assert not [*forfeiting(record, (step for step, _ in steps(record)))]
        digest = "sha256:" + 64 * "a"
        seats = tuple(replace(seat, wire="brainjar", digest=digest) for seat in record.seats)
        again = replace(record, seats=seats)
        assert [*forfeiting(again, (step for step, _ in steps(again)))] == named


def test_a_resignation_is_no_run_of_a_program() -> None:
    """An act of a person cannot be run again."""
    game = session()
    advance(game, 6, Random(3))
    record = game.record("x")
    with pytest.raises(UsageError, match="there is no move"):
        move(record, len(record.shots) + 1)


def test_fleets_and_moves_are_understood_as_bots_say_them() -> None:
    """The tester accepts the fleets and moves that the wire accepts."""
    game = session()
    fleet = random_fleet(SMALL, Random(1))
    assert game.understood(json.dumps(fleet_reply(fleet))) == Placed(fleet)
    advance(game, 2, Random(1))
    seat, _ = game.question
    said = game.understood(json.dumps(move_reply(Cell(1, 2))))
    assert said == Fired((Target(1 - seat, Cell(1, 2)),))
