"""Whom a newcomer of a contest without an end meets: all over the table first, then its neighbours."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice, repeat
from pathlib import Path
from shutil import copytree
from time import monotonic

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest import ladder
from judge.contest.contest import Added, Contest, Couples, GameOver, NotAdded
from judge.contest.formats.every_pair import circle
from judge.contest.formats.newcomers import ENOUGH, NEIGHBOURS, SPREAD, next_opponent
from judge.contest.ladder import LadderRule, couples
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.verify import verify
from judge.contest.plan import Asked, Where
from judge.contest.setup import Setup
from judge.documents.game import GameRecord
from judge.library.games import settings
from judge.play.run import Connect
from judge.process.bots.bot import Bot, contestants
from judge.process.run.connection import Connection
from judge.stats.strength import bradley_terry
from small_contest import NAMES, by_luck, set_up


def opponents(newcomer: int, elo: Sequence[float], games: int) -> Iterator[int]:
    met = [0] * len(elo)
    for _ in range(games):
        other = next_opponent(newcomer, elo, met)
        met[other] += 1
        yield other


def test_it_first_meets_bots_all_over_the_table() -> None:
    """The first is in the middle, the next two in the quarters, and no two are near each other."""
    elo = [1000.0 - 10 * bot for bot in range(100)] + [0.0]
    assert [*opponents(100, elo, 5)] == [50, 25, 75, 12, 62]


def test_then_it_meets_its_neighbours_equally_often() -> None:
    """Those nearest in strength, the one that it has met least each time."""
    elo = [1000.0 - 10 * bot for bot in range(100)] + [503.0]
    met = [*opponents(100, elo, SPREAD + 3 * NEIGHBOURS)][SPREAD:]
    assert set(met) <= {*range(43, 57)}
    assert max(map(met.count, met)) <= 4


@given(st.integers(2, 30), st.integers(0, 60), st.randoms(use_true_random=False))
def test_it_never_meets_itself(bots: int, games: int, luck) -> None:
    """Whatever the strengths are, there is an opponent, and it is another bot."""
    elo = [luck.gauss(0, 100) for _ in range(bots)]
    assert 0 not in set(opponents(0, elo, games))


def test_every_bot_whose_rank_is_undecided_plays() -> None:
    """Also those at the bottom of the table, although the ranks at its top stay undecided."""
    names = [f"{bot:02}" for bot in range(40)]
    strength = bradley_terry(np.ones((40, 40)) - np.eye(40))
    games = Counter(dict.fromkeys(names, ENOUGH))
    rule = LadderRule(0.5, deque(circle(names)))
    for _ in range(20):
        assert len([*rule.next_couples(names, strength, games, 5)]) == 5
    assert min(games.values()) > ENOUGH


def test_newcomers_have_their_share_of_the_couples() -> None:
    """They have the first couple and then every fourth, if their share is a quarter. Without a
    share they have none."""
    names = [f"{bot:02}" for bot in range(10)]
    strength = bradley_terry(np.ones((10, 10)) - np.eye(10))
    for share, theirs in [(0.25, [0, 4, 8]), (0.0, [])]:
        games = Counter(dict.fromkeys(names[2:], ENOUGH))
        rule = LadderRule(share, deque(circle(names)))
        couples = [*rule.next_couples(names, strength, games, 12)]
        found = [at for at, couple in enumerate(couples) if {*couple} & {*names[:2]}]
        assert found == theirs


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    set_up()


def setup_now(connect: Connect = by_luck, folder: str = "bots") -> Setup:
    bots, _ = contestants(Path(folder))
    return Setup.holding(bots, settings("tiny.json", isolation="none", jobs=2), connect=connect)


@contextmanager
def contest_of(chosen: Couples | None, connect: Connect = by_luck) -> Iterator[Contest]:
    """A contest without an end of the small bots, in which these couples play; without them one in
    rounds."""
    setup = setup_now(connect)
    with Ledger(Path("ladder.json")) as ledger:
        yield Contest(
            setup,
            ledger,
            Asked(drawn=1),
            Where("ladder.json", "bots"),
            tell=print,
            clock=monotonic,
            couples=chosen,
        )


def names_in(contest: Contest, games: int) -> list[tuple[str, ...]]:
    """Who plays the next games."""
    added = (event.rated.record for event in contest if isinstance(event, Added))
    return [tuple(seat.name for seat in game.seats) for game in islice(added, games)]


@pytest.mark.usefixtures("small")
def test_a_contest_without_an_end_plays_the_couples_that_it_is_given() -> None:
    """A pair of games for each couple, and other games each time that the same two meet."""
    one, other, third = NAMES[:3]
    given = [(one, other), (one, other), (other, third)]
    with contest_of(lambda _: iter(given)) as contest:
        games = [event.rated.record for event in contest if isinstance(event, Added)]
    added = sorted(games, key=lambda game: game.id)  # they come as they end
    assert [tuple(seat.name for seat in game.seats) for game in added] == [
        couple for couple in given for _ in range(2)
    ]
    assert len({game.id for game in added}) == 6
    assert [game.first for game in added] == [0, 1] * 3


@pytest.mark.usefixtures("small")
def test_what_is_proved_of_bots_holds_when_others_come() -> None:
    """A bot that is known to do the same when it is forked is not tried again."""
    one, other = NAMES[:2]
    with contest_of(lambda _: iter([(one, other)] * 4)) as contest:
        proofs = contest.setup.proofs
        later = setup_now()
        names_in(contest, 1)
        contest.take_up(later)
        names_in(contest, 1)
        assert contest.setup.bots == later.bots
        assert contest.setup.proofs is proofs


def another_version(name: str, folder: str = "bots") -> None:
    with Path(folder, f"{name}.sh").open("a") as program:
        program.write("# changed\n")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("chosen", [lambda _: iter([NAMES[:2], NAMES[1:3]]), None])
def test_no_seed_serves_two_versions(chosen: Couples | None) -> None:
    """A new version plays other games than the one before, whose replays its author has read: every
    seed is that of one pair of games of the same files. The ledger is sound."""
    games: list[GameRecord] = []
    for _ in range(3):
        with contest_of(chosen) as contest:
            games += [event.rated.record for event in contest if isinstance(event, Added)]
        another_version(NAMES[1])
    pairs: dict[int | None, set[tuple[str, ...]]] = {}
    for game in games:
        pair = (game.id.rpartition(".")[0], *(str(seat.digest) for seat in game.seats))
        for seed in (game.seed, *(seat.seed for seat in game.seats)):
            pairs.setdefault(seed, set()).add(pair)
    assert None not in pairs
    assert {len(found) for found in pairs.values()} == {1}
    assert len(games) == (12 if chosen else 2 * (21 + 6 + 6))
    assert verify(Path("ladder.json")).problems == ()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("changed", [2, 1])
def test_a_new_version_breaks_off_no_game_of_others(changed: int) -> None:
    """A game under way when a version comes is played to its end, once. It counts unless one of its
    own bots has another version now; what has not begun is played by the new one."""
    one, other, third, fourth = NAMES[:4]
    has_begun, goes_on = threading.Event(), threading.Event()
    begun: list[str] = []

    def held(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if bot.name == one:
            has_begun.set()
            goes_on.wait(30)
        return by_luck(bot, seed, usual)

    def couples_now(_: Contest) -> Iterator[tuple[str, str]]:
        return iter([(third, fourth), (one, other), (third, fourth), (third, fourth)])

    with contest_of(couples_now, held) as contest:
        events = contest.playing(watch_of=lambda pairing: begun.append(pairing.id))
        first = next(events)
        assert isinstance(first, Added)
        assert has_begun.wait(30)
        copytree("bots", "later")
        another_version(NAMES[changed], "later")
        contest.take_up(setup_now(held, "later"))
        goes_on.set()
        later = [*events]
    under_way = next(game for game in begun if game.startswith(f"{one}:{other}:"))
    assert begun.count(under_way) == 1
    theirs = next(event for event in later if _id(event) == under_way)
    assert isinstance(theirs, Added if changed == 2 else NotAdded)
    digests = {bot.name: bot.digest for bot in contest.setup.bots}
    added = [event.rated.record for event in later if isinstance(event, Added)]
    assert all(seat.digest == digests[seat.name] for game in added for seat in game.seats)
    assert len({game.id for game in added}) == len(added)
    assert verify(Path("ladder.json")).problems == ()


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("gone", NAMES[:2])
def test_a_game_of_a_bot_that_is_gone_when_it_ends_does_not_count(gone: str) -> None:
    """The field is taken up between the end of the game and its entry. The other game of the pair is
    not played, and the rest of the field plays on."""
    one, other, third, fourth = NAMES[:4]

    def couples_now(now: Contest) -> Iterator[tuple[str, str]]:
        there = {bot.name for bot in now.setup.bots}
        return repeat((one, other)) if gone in there else iter([(third, fourth)])

    with contest_of(couples_now) as contest:
        events = contest.playing_on()
        assert isinstance(next(events), GameOver)
        copytree("bots", "later")
        Path("later", f"{gone}.sh").unlink()
        contest.take_up(setup_now(folder="later"))
        later = [event for event in events if not isinstance(event, GameOver)]
    assert isinstance(later[0], NotAdded)
    added = [event.rated.record for event in later if isinstance(event, Added)]
    assert [tuple(seat.name for seat in game.seats) for game in added] == [(third, fourth)] * 2


def _id(event: object) -> str:
    assert isinstance(event, Added | NotAdded)
    game = event.rated.record if isinstance(event, Added) else event.result
    assert isinstance(game, GameRecord)
    return game.id


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_newcomers_play_in_their_share_of_the_games(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The field goes on in the others; once a newcomer has played enough, it is one of the field."""
    monkeypatch.setattr(ladder, "ENOUGH", 20)
    new, *field = sorted(NAMES)
    settled = [(one, other) for one in field for other in field if one < other]
    with contest_of(lambda _: iter(settled * 4)) as contest:
        names_in(contest, len(settled) * 8)
    with contest_of(partial(couples, new_share=share)) as contest:
        first = [new in couple for couple in islice(couples(contest, share), 20)]
        games = names_in(contest, 40)
    in_turn = round(1 / share) if share else 0
    assert first == [bool(share) and number % in_turn == 0 for number in range(20)]
    of_new = [new in game for game in games[:20]]
    assert sum(of_new) == pytest.approx(20 * share, abs=2)
    assert any(new not in game for game in games[24:])


@pytest.mark.usefixtures("small")
def test_newcomers_meet_each_other_until_two_bots_are_settled() -> None:
    """Whatever their share is, since no other couple could play; no two of the first are alike."""
    with contest_of(None) as contest:
        chosen = [*islice(couples(contest, 0.0), 4)]
    assert len(set(chosen)) == 4
