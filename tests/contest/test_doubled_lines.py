"""A journal in which somebody has copied the line of a game."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.bot_games import history
from judge.contest.journal import order_entries
from judge.contest.journal.audit import verify
from judge.contest.journal.game_lines import GameLines
from judge.contest.journal.rebuild import rebuild
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.selection import Wanted, games_that_count
from judge.contest.standings.history import History
from judge.errors import LedgerError
from ledgers import contents, fill, short


def copied(path, number, place):
    """Put a copy of a line behind another; both counted from 1."""
    journal = path.with_suffix(".games.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines.insert(place, lines[number - 1])
    journal.write_bytes(b"".join(lines))


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "ledger.json", 1, 2, 3, 4)


@pytest.mark.parametrize(("number", "place"), [(1, 1), (2, 4), (4, 4), (1, 3)])
def test_a_doubled_line_counts_nowhere(path, number, place):
    """Whoever reads the whole journal names the copy and its line; so does verify, and nothing is
    changed. Without the copy all is as it was."""
    good, journal = path.read_bytes(), path.with_suffix(".games.jsonl")
    whole = journal.read_bytes()
    copied(path, number, place)
    path.unlink()
    before = contents(path.parent)
    says = f"line {place + 1} is damaged: it is line {number} once more, and its game would count"
    for use in (rebuild, read, Ledger, History):
        with pytest.raises(LedgerError, match=says):
            use(path)
    with pytest.raises(LedgerError, match=says):
        list(history(path, "ann"))
    with pytest.raises(LedgerError, match=says):
        games_that_count(path, Wanted())
    (problem,) = verify(path).problems
    assert problem.startswith(f"line {place + 1}, game g{number}: it is line {number} once more")
    after = contents(path.parent)
    assert after == before | {one: after[one] for one in after.keys() - before.keys()}
    assert "ledger.json" not in after
    journal.write_bytes(whole)
    rebuild(path)
    assert path.read_bytes() == good
    assert verify(path).problems == ()


def test_a_doubled_line_is_found_before_a_game_or_an_order_is_added(path):
    """X.json counts it once, and its line is named all the same."""
    copied(path, 2, 2)
    says = "line 3 is damaged: it is line 2 once more"
    before = path.with_suffix(".games.jsonl").read_bytes()
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match=says):
            ledger.add(short(7))
        with pytest.raises(LedgerError, match=says):
            ledger.order(partial(order_entries.reset, bot="ann"))
    assert path.with_suffix(".games.jsonl").read_bytes() == before


@pytest.mark.parametrize(("number", "place"), [(2, 2), (3, 4), (4, 4), (1, 4)])
def test_a_doubled_line_is_named_to_who_reads_a_table_that_is_up_to_date(path, number, place):
    """The index says where the last game stands, and that nothing but orders is behind it."""
    assert read(path).recorded == 4
    copied(path, number, place)
    with pytest.raises(LedgerError, match=f"line {place + 1} is damaged: it is line {number} once"):
        read(path)


@given(st.lists(st.sampled_from([b"a", b"a ", b"b\r", b"b", b"c"])))
def test_the_first_line_with_the_same_on_it_is_named(lines):
    """White space around it makes no other line."""
    games = GameLines()
    bare = [line.strip() for line in lines]
    for number, line in enumerate(lines, 1):
        first = bare.index(line.strip()) + 1
        assert games.earlier(line, number) == (None if first == number else first)
