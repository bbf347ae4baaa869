"""A journal from which somebody has removed lines."""

from __future__ import annotations

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.bot_games import history
from judge.contest.journal import order_entries
from judge.contest.journal.audit import verify
from judge.contest.journal.rebuild import rebuild, renumbered
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.selection import Wanted, games_that_count
from judge.contest.standings.history import History
from judge.errors import LedgerError, UsageError
from ledgers import contents, contest_game, fill, lines_of, short, void, without_lines
from strategies import examples


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "ledger.json", 1, 2, 3, 4)


SAYS = r"line 2 is damaged: it is numbered 3, and it is game 2 of the journal: the line of a game"


@pytest.mark.parametrize("is_up_to_date", [True, False])
def test_a_line_that_is_gone_is_named_by_whoever_reads(path, is_up_to_date):
    """In one sentence, whether X.json is there or not, and nothing is changed."""
    without_lines(path, 2)
    if not is_up_to_date:
        path.unlink()
    before = contents(path.parent)
    readers = [rebuild, read, History, lambda at: list(history(at, "ann"))]
    for use in (*readers, lambda at: games_that_count(at, Wanted()), _add):
        with pytest.raises(LedgerError, match=SAYS) as raised:
            use(path)
        assert "`judge ledger rebuild --renumber " in str(raised.value)
    assert any(SAYS.partition(": ")[2] in problem for problem in verify(path).problems)
    assert contents(path.parent) == before


def _add(path):
    with Ledger(path) as ledger:
        ledger.add(short(7))


def test_renumbering_goes_on_with_the_games_that_are_left(path):
    """Orders void the games that they were about, the journal as it was is kept, and the next game
    gets the next number."""
    with Ledger(path) as ledger:
        void(ledger, 3)
    without_lines(path, 2)
    journal = path.with_suffix(".games.jsonl")
    before = journal.read_bytes()
    found = renumbered(path)
    assert (found.changed, found.gone) == (2, 1)
    assert found.before.read_bytes() == before
    tally = rebuild(path)
    assert (tally.recorded, tally.games, list(tally.orders.voided)) == (3, 2, [2])
    assert verify(path).problems == ()
    assert renumbered(path) is None
    with Ledger(path) as ledger:
        assert ledger.add(short(7)).record.number == 4


def test_an_order_about_games_that_are_all_gone_keeps_its_number(path):
    """So `undo` takes back the order that it was to take back."""
    with Ledger(path) as ledger:
        void(ledger, 2)
        void(ledger, 4)
        ledger.order(partial(order_entries.undo, number=2))
    without_lines(path, 2)
    renumbered(path)
    tally = rebuild(path)
    assert [(order.games, order.undone) for order in tally.orders.given] == [
        ((), False),
        ((3,), True),
    ]
    assert verify(path).problems == ()


def test_a_journal_that_cannot_be_numbered_anew_is_left_as_it_is(path):
    """A line that stands there twice, and an order about one of two games of one number."""
    with Ledger(path) as ledger:
        void(ledger, 3)
    journal, lines = path.with_suffix(".games.jsonl"), lines_of(path)
    other = lines[3].replace(b'"number":4', b'"number":3')
    for data, says in (
        ([*lines[:2], lines[1], *lines[3:]], "line 3 is damaged: it is line 2 once more"),
        ([*lines[:3], other, lines[4]], "it voids game 3, and several games have that number"),
    ):
        journal.write_bytes(b"".join(data))
        before = contents(path.parent)
        with pytest.raises(LedgerError, match=says):
            renumbered(path)
        assert contents(path.parent) == before


@examples(25)
@given(st.data())
def test_the_games_that_are_left_count_as_if_the_others_had_not_been_played(tmp_path_factory, data):
    """Whichever lines of games are gone, and whichever games are void."""
    folder = tmp_path_factory.mktemp("gone")
    games = [short(number, *"ab") for number in range(1, 7)]
    numbers = st.sets(st.sampled_from(range(1, 7)), max_size=5)
    voided, gone = data.draw(numbers), data.draw(numbers)
    kept = [at for at in range(1, 7) if at not in gone]
    with Ledger(folder / "one.json") as one, Ledger(folder / "other.json") as other:
        for ledger, left in ((one, games), (other, [games[at - 1] for at in kept])):
            for game in left:
                ledger.add(game)
        if voided:
            void(one, *sorted(voided))
    without_lines(folder / "one.json", *gone)
    renumbered(folder / "one.json")
    tally = rebuild(folder / "one.json")
    assert [tally.counts(place, "ab") for place in range(1, len(kept) + 1)] == [
        at not in voided for at in kept
    ]
    documents = [json.loads(line) for line in lines_of(folder / "one.json")]
    others = [json.loads(line) for line in lines_of(folder / "other.json")]
    assert [one for one in documents if "kind" not in one] == others


# The seed of a contest


@pytest.fixture
def contest(tmp_path):
    with Ledger(tmp_path / "contest.json") as ledger:
        ledger.contest_seed(7)
        ledger.add(contest_game(7))
    without_lines(tmp_path / "contest.json", 1)
    return tmp_path / "contest.json"


def test_a_contest_whose_seed_is_gone_is_not_begun_anew(contest):
    """With the seed itself it goes on."""
    contest.unlink()
    with Ledger(contest) as ledger:
        for seed in (None, 8):
            with pytest.raises(UsageError, match="no longer the line with its seed"):
                ledger.require_seed(seed)
        ledger.require_seed(7)


def test_a_ledger_without_games_of_a_contest_may_begin_one(path):
    """Games of fights have no seed to lose."""
    with Ledger(path) as ledger:
        ledger.require_seed(None)


def test_rebuilding_writes_a_seed_that_is_gone_into_the_journal_again(contest):
    """For the table knows it still; it says so."""
    notices: list[str] = []
    assert rebuild(contest, notices).seed == 7
    assert "no longer had the line with the seed" in notices[0]
    assert verify(contest).problems == ()
    contest.unlink()
    assert rebuild(contest).seed == 7


def test_rebuilding_says_how_many_games_the_table_knew(path):
    """Where the last lines are gone nothing else tells of them."""
    without_lines(path, 3, 4)
    notices: list[str] = []
    assert rebuild(path, notices).recorded == 2
    assert "knew 4 games" in notices[0]
    assert "has 2" in notices[0]
