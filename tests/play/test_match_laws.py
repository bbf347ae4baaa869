"""Laws of a match, whatever its rules: who drives it is all one, and nobody learns what they may
not know."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from random import Random

from hypothesis import event, given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Evidence, GameRecord, Outcome, Termination
from judge.documents.rules import Cell, Fleet, Placing, Rules
from judge.errors import BotError, IllegalFleet, TimedOut
from judge.game.events import Target
from judge.play.actions import Abort, Action, Ask, GameSetup, Tell, Withdraw
from judge.play.match import Match
from judge.play.referee import play
from judge.testing import board, free_spots, numbers_of_players
from judge.testing import rules as any_rules
from judge.wire.messages import (
    AskFleet,
    AskShip,
    Fired,
    FromPlayer,
    GameOver,
    Left,
    MatchOver,
    Placed,
    PlacedShip,
    Question,
    Refused,
    Resigned,
    Skipped,
    ToPlayer,
)
from matches import deals, table_of
from players import FAULTS, Scripted, volley
from strategies import examples, some_fleet
from strategies import squares as cells_of

# Pushed and pulled


def scripted(rules: Rules, seat: int, seed: int, slips: float) -> Scripted:
    """A player by luck, who slips now and then; what it answers depends on nothing but its own
    questions."""
    rng = Random(seed)
    ships: list = []

    def answer(message: Question) -> FromPlayer:
        question = message.again if isinstance(message, Refused) else message
        if rng.random() < slips:
            return astray(question)
        if isinstance(question, AskFleet):
            return Placed(some_fleet(rules, rng))
        if isinstance(question, AskShip):
            if not ships:
                ships.extend(some_fleet(rules, rng))
            return PlacedShip(ships.pop(0))
        return volley(question.view, rng)

    def astray(question: Question) -> FromPlayer:
        if rng.random() < 0.4:
            raise rng.choice(FAULTS)(f"a slip of {seat}")
        away = [] if rules.may_return else [Left()]  # whoever leaves is gone at once, not in turn
        stray = Fired((Target(rng.randint(-1, 3), rng.choice(board(rules))),))
        return rng.choice([Placed(()), Skipped(), Skipped(), Resigned(), stray, *away])

    run = Evidence(seat, ("bot",), "", "", 0, None, 1.0, 1.0, None)
    return Scripted(answer, f"p{seat}", run)


def push(match: Match, players: Sequence[Scripted], rng: Random) -> list[GameRecord]:
    """Drive a match as a server does: whoever is ready says something, in whatever order."""
    queues: list[deque[Action]] = [deque() for _ in players]

    def hand_out(did: Iterable[Action]) -> None:
        for do in did:
            if isinstance(do, Withdraw):
                kept = [one for one in queues[do.seat] if not isinstance(one, Ask)]
                queues[do.seat] = deque(kept)
            else:
                queues[do.seat].append(do)

    hand_out(match.start())
    while not match.is_over:
        ready = [seat for seat, queue in enumerate(queues) if queue]
        if not ready:
            hand_out(match.host(Abort("all players have left")))
            continue
        seat = rng.choice(ready)
        do, player = queues[seat].popleft(), players[seat]
        if isinstance(do, Tell):
            player.tell(do.message)
            continue
        assert isinstance(do, Ask)
        player.ask(do.message, do.timeout_ms)
        answer: FromPlayer | BotError
        try:
            answer = player.answer()
        except BotError as error:
            answer = error
        hand_out(match.receive(seat, answer, player.milliseconds, partial(player.evidence, seat)))
    return match.records


@examples(100)
@given(any_rules(), st.data())
def test_a_driver_that_pushes_and_one_that_pulls_get_the_same_records(rules, data) -> None:
    """From the same answers come the same records, whoever of those asked answers first."""
    count = data.draw(numbers_of_players(rules))
    games = data.draw(deals(rules, count, data.draw(st.integers(1, 3))))
    seeds = [data.draw(st.integers(0, 999)) for _ in range(count)]
    slips = data.draw(st.sampled_from([0.0, 0.02, 0.3]))
    limit = data.draw(st.none() | st.just(40.0))

    def fresh() -> tuple[Match, list[Scripted]]:
        players = [scripted(rules, seat, seed, slips) for seat, seed in enumerate(seeds)]
        return Match(table_of(rules, count, [limit] * count, len(games)), games), players

    pulled = play(*fresh())
    assert all(record.started <= record.finished for record in pulled)
    pushed = push(*fresh(), Random(data.draw(st.integers(0, 999))))
    assert [replace(record, started="", finished="") for record in pulled] == pushed
    for record in pushed:
        event(f"{record.outcome.termination}")


# What a seat may know

Feed = tuple[int, Callable[[Fleet], FromPlayer | BotError]]


def watched(rules: Rules, first: int, own: Fleet, other: Fleet, feeds: Iterable[Feed]):
    """The messages and questions to seat 0 while these feeds come, and the answers to all shots."""
    mail: list[ToPlayer] = []
    given = {0: own, 1: other} if rules.placing is Placing.JUDGE else {}
    setup = GameSetup(id="", seed=1, first=first, rules=rules, fleets=given)
    match = Match(table_of(rules, 2, [None, None], 1), [setup])

    def note(did: Iterable[Action]) -> None:
        mail.extend(do.message for do in did if not isinstance(do, Withdraw) and do.seat == 0)

    note(match.start())
    for seat, answer in feeds:
        note(match.receive(seat, answer(own if seat == 0 else other)))
    return mail, list(match.game.announced_shots), match


def played(rules: Rules, first: int, fleets: Sequence[Fleet], rng: Random, turns: int):
    """Feeds for a game that is played for that number of turns, and then perhaps given up."""
    feeds: list[Feed] = []
    placing = max(len(rules.lengths), 1) * 2
    for _ in range(placing + turns):
        *_, match = watched(rules, first, *fleets, feeds)
        if not match.waiting:
            return feeds
        seat = rng.choice(sorted(match.waiting))
        question = match.waiting[seat]
        if isinstance(question, AskFleet):
            feeds.append((seat, Placed))
        elif isinstance(question, AskShip):
            number = sum(1 for other, _ in feeds if other == seat)
            feeds.append((seat, lambda fleet, number=number: PlacedShip(fleet[number])))
        else:
            shots = volley(question.view, rng)
            feeds.append((seat, lambda _, shots=shots: shots))
    quoted = [TimedOut, IllegalFleet]
    end = rng.choice([None, None, lambda _: Resigned(), lambda _: Left(), *map(quoting, quoted)])
    return feeds if end is None else [*feeds, (1, end)]


def quoting(error: type[BotError]) -> Callable[[Fleet], BotError]:
    """A fault whose words give the fleet away."""
    return lambda fleet: error(f"{fleet}")


def moved(rules: Rules, fleet: Fleet, shot_at: set[Cell], rng: Random) -> Fleet:
    """The same fleet with every ship that was not hit at another place that was not shot at."""
    ships = list(fleet)
    for number, ship in enumerate(ships):
        others = [cell for other in ships if other is not ship for cell in cells_of(other)]
        free = free_spots(rules, ship.length, frozenset(others) | shot_at)
        if not cells_of(ship) & shot_at and free:
            ships[number] = rng.choice(free)
    return tuple(ships)


@examples(150)
@given(any_rules(), st.data())
def test_a_seat_is_told_the_same_of_any_two_fleets_that_answer_alike(rules, data) -> None:
    """All messages to a seat are the same whichever of the fleets that give the same answers the
    opponent has: nothing in them tells of it. Only how many ships are left may be told at the end.
    """
    rng = Random(data.draw(st.integers(0, 9999)))
    rules = replace(rules, players=(2, 2))
    first, own, other = rng.randrange(2), some_fleet(rules, rng), some_fleet(rules, rng)
    feeds = played(rules, first, [own, other], rng, data.draw(st.integers(0, 12)))
    mail, answers, match = watched(rules, first, own, other, feeds)
    shot_at = {shot.cell for shot in match.game.shots if shot.target == 1}
    alike = [moved(rules, other, shot_at, rng), tuple(some_fleet(rules, rng) for _ in range(20))]
    candidates = [alike[0], *alike[1]]
    found = 0
    for fleet in candidates:
        seen, said, _ = watched(rules, first, own, fleet, feeds)
        if said == answers and fleet != other:
            found += 1
            assert without_scores(seen) == without_scores(mail)
    _, said, _ = watched(rules, first, own, candidates[0], feeds)
    assert said == answers, "a ship that was not hit does not change an answer"
    event(f"alike: {min(found, 3)}")


def without_scores(mail: Iterable[ToPlayer]) -> list[ToPlayer]:
    """Without what the ships that are left decide: the scores, and who wins at a round limit."""
    kept: list[ToPlayer] = []
    for one in mail:
        match one:
            case GameOver(outcome):
                kept.append(GameOver(without_what_is_left(outcome)))
            case MatchOver():
                pass  # it counts the winners of games
            case _:
                kept.append(one)
    return kept


def without_what_is_left(outcome: Outcome) -> Outcome:
    if outcome.termination is Termination.ROUND_LIMIT:
        outcome = replace(outcome, winner=None, loser=None)
    return replace(outcome, scores=None)
