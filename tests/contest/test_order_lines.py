"""A journal in which somebody has copied, removed or moved the lines of orders."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from changes import replace
from judge.contest.journal import order_entries
from judge.contest.journal.audit import verify
from judge.contest.journal.rebuild import rebuild, renumbered
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.standings.history import History
from judge.errors import LedgerError
from ledgers import contents, contest_game, fill, lines_of, short, void, without_lines


def write(path: Path, lines: list[bytes]) -> None:
    path.with_suffix(".games.jsonl").write_bytes(b"".join(lines))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Lines 1 to 4 and 9 are games; 5 to 7 are orders, and 8 takes the third of them back."""
    path = fill(tmp_path / "ledger.json", 1, 2, 3, 4)
    with Ledger(path) as ledger:
        void(ledger, 1)
        ledger.order(partial(order_entries.disqualify, bot="ann", reason="a test"))
        void(ledger, 2)
        ledger.order(partial(order_entries.undo, number=3))
        ledger.add(short(7))
    return path


def refused(path: Path, says: str) -> str:
    """Whoever reads the whole journal refuses it in one sentence, and changes nothing."""
    before = contents(path.parent)
    for use in (rebuild, read, History, add):
        with pytest.raises(LedgerError, match=says) as raised:
            use(path)
    assert contents(path.parent) == before
    return str(raised.value)


def add(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.add(short(11))


def test_orders_and_those_that_take_one_back_have_numbers_of_their_own(path: Path) -> None:
    """From 1, each kind by itself."""
    entries = [json.loads(line) for line in lines_of(path)[4:8]]
    assert [(entry["kind"], entry["number"]) for entry in entries] == [
        ("void", 1),
        ("disqualify", 2),
        ("void", 3),
        ("undo", 1),
    ]
    assert verify(path).problems == ()


@pytest.mark.parametrize("number", [5, 6, 7, 8])
def test_a_copy_of_an_order_is_refused(path: Path, number: int) -> None:
    """An undo would take back another order."""
    lines = lines_of(path)
    write(path, [*lines[:number], lines[number - 1], *lines[number:]])
    says = f"line {number + 1} is damaged: it is line {number} once more, and its order would count"
    said = refused(path, says)
    assert said.endswith("Nothing was changed; remove that line")
    (problem,) = verify(path).problems
    assert problem == (
        f"line {number + 1}: it is line {number} once more, and its order would count twice; "
        "remove that line; what follows from it is not listed"
    )


def test_a_copy_of_an_order_further_on_is_refused(path: Path) -> None:
    """By its number."""
    lines = lines_of(path)
    write(path, [*lines, lines[4]])
    refused(path, "line 10 is damaged: it is line 5 once more, and its order would count twice")


def test_a_copy_at_the_end_that_the_table_does_not_know_is_refused(tmp_path: Path) -> None:
    """Where nothing but it has to be counted."""
    path = fill(tmp_path / "ledger.json", 1, 2)
    with Ledger(path) as ledger:
        ledger.order(partial(order_entries.retire, bot="ann"))
    lines = lines_of(path)
    write(path, [*lines, lines[-1]])
    refused(path, "line 4 is damaged: it is line 3 once more")


def test_the_same_order_may_be_given_again_later(tmp_path: Path) -> None:
    """A bot is reset twice, and retired again once that was taken back."""
    path = fill(tmp_path / "ledger.json", 1)
    with Ledger(path) as ledger:
        for _ in range(2):
            ledger.order(partial(order_entries.reset, bot="bob"))
            ledger.add(short(5 + len(lines_of(path))))
            ledger.order(partial(order_entries.retire, bot="ann"))
            ledger.order(partial(order_entries.undo, number=None))
    assert len(rebuild(path).orders.given) == 4
    assert verify(path).problems == ()


@pytest.mark.parametrize("number", [5, 6])
def test_an_order_that_is_gone_is_named(path: Path, number: int) -> None:
    """By the one after it, with both ways out, one of which goes on."""
    without_lines(path, number)
    place = number - 4
    says = (
        f"it is numbered {place + 1}, and it is order {place} of the journal: the line of an order"
    )
    said = refused(path, f"line {number} is damaged: {says} before it is gone")
    assert "bring back a copy of the file, or `judge ledger rebuild --renumber" in said
    (problem,) = verify(path).problems
    assert problem.startswith(f"line {number}: {says}")
    assert problem.endswith("what follows from it is not listed")
    found = renumbered(path)
    assert found is not None
    assert (found.changed, found.gone, found.orders_gone) == (0, 0, 1)
    tally = rebuild(path)
    assert [order.undone for order in tally.orders.given] == [False, True]
    assert verify(path).problems == ()


def test_the_last_order_that_is_gone_is_missed_by_whoever_knows_the_table(path: Path) -> None:
    """Nothing after it tells, but the table does. It is kept when it is computed anew."""
    without_lines(path, 8)
    table = path.read_bytes()
    says = r"knew 1 undo, and .*\.games\.jsonl has 0 undos: lines are gone from it"
    for use in (read, add):
        with pytest.raises(LedgerError, match=says) as raised:
            use(path)
        assert "bring back a copy of the journal, or `judge ledger rebuild" in str(raised.value)
    (problem,) = verify(path).problems
    assert "knew 1 undo, and " in problem
    notices: list[str] = []
    assert not rebuild(path, notices).orders.given[2].undone
    (notice,) = notices
    kept = path.with_name("ledger.json.before1")
    assert notice.endswith(f"lines are gone from it; {path} as it was is kept in {kept}")
    assert kept.read_bytes() == table
    assert verify(path).problems == ()


def test_an_undo_of_an_order_that_is_gone_goes_with_it(path: Path) -> None:
    """It would take back another one; it is said."""
    without_lines(path, 7)
    found = renumbered(path)
    assert found is not None
    assert found.orders_gone == 1
    assert found.notices == ("Order 3 is gone, and so the entry that took it back is left out.",)
    assert [order.undone for order in rebuild(path).orders.given] == [False, False]


def test_an_order_whose_game_is_gone_is_said(path: Path) -> None:
    """With the number of that game."""
    without_lines(path, 1)
    found = renumbered(path)
    assert found is not None
    assert found.notices == ("Order 1 voids no game now: game #1, which it voided, is gone.",)


def test_a_journal_that_was_cut_says_so(path: Path) -> None:
    """Not that a crash has left a piece that nobody had counted."""
    journal = path.with_suffix(".games.jsonl")
    journal.write_bytes(journal.read_bytes()[:-20])
    for use in (read, add):
        with pytest.raises(LedgerError, match="and it ends in the middle of a line; bring back"):
            use(path)
    assert any("ends in the middle" in problem for problem in verify(path).problems)
    notices: list[str] = []
    rebuild(path, notices)
    first, second = notices
    assert "knew 5 games, and" in first
    assert "has 4 games" in first
    assert "knew what was there before; the piece is set aside in" in second
    with Ledger(path) as ledger:
        assert ledger.notices == []


@pytest.mark.parametrize("places", [(1, 2), (2, 4), (5, 6)])
def test_lines_that_have_changed_places_are_not_said_to_be_gone(
    path: Path, places: tuple[int, int]
) -> None:
    """Of games and of orders; the first of them is named, and where its own place's line is."""
    one, other = places
    lines = lines_of(path)
    lines[one - 1], lines[other - 1] = lines[other - 1], lines[one - 1]
    write(path, lines)
    path.unlink()
    what, place = ("game", one) if one < 5 else ("order", one - 4)
    says = f"lines are not in order, for {what} {place} is in line {other}"
    said = refused(path, f"line {one} is damaged: .*: {says}")
    assert "rebuild --renumber" in said
    (problem,) = verify(path).problems
    assert says in problem
    assert problem.endswith("what follows from it is not listed")


def test_a_game_that_counts_twice_is_refused(tmp_path: Path) -> None:
    """As where the order is gone that made it void: it was played again. The way out is an order."""
    path = tmp_path / "contest.json"
    with Ledger(path) as ledger:
        ledger.add(contest_game(7))
        void(ledger, 1)
        ledger.add(contest_game(7))
    assert verify(path).problems == ()
    without_lines(path, 2)
    path.unlink()
    before = contents(tmp_path)
    with pytest.raises(LedgerError, match="line 2 is damaged: game #2 is game #1 played again"):
        rebuild(path)
    assert contents(tmp_path) == before
    (problem,) = verify(path).problems
    assert "game #2 is game #1 played again, and both count" in problem
    with Ledger(path) as ledger:
        void(ledger, 2)
    assert rebuild(path).games == 1
    assert verify(path).problems == ()


def test_a_new_version_plays_the_same_games_of_a_contest(tmp_path: Path) -> None:
    """Their ids are the same, and both count."""
    path = tmp_path / "contest.json"
    with Ledger(path) as ledger:
        game = contest_game(7)
        ledger.add(game)
        seats = tuple(replace(seat, digest="sha256:new") for seat in game.seats)
        ledger.add(replace(game, seats=seats))
    assert rebuild(path).games == 2
    assert verify(path).problems == ()
