"""Games and orders that find no room on the disk."""

from __future__ import annotations

import resource
import signal
import sys

import pytest

from commands import judge
from judge.contest.ledger.ledger import Ledger, read
from judge.errors import LedgerError
from ledgers import contents, fill, short


@pytest.fixture
def path(tmp_path):
    return fill(tmp_path / "ledger.json", 1, 2)


@pytest.fixture
def full(path, monkeypatch):
    """No file may grow longer than the journal is."""
    # Python cuts off what it compiles to without a word, and fails with EOFError ever after.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = path.with_suffix(".games.jsonl").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def ordered(path, *words):
    """Give an order; it fails with a sentence on stderr, or without one and with status 0."""
    name, *rest = words
    done = judge("ledger", name, str(path), *rest)
    assert (done.status == 0) == (done.stderr == "")
    return done.status, done.stderr


ORDERS = {
    "void": ("void", "1", "--reason", "rain"),
    "reset": ("reset", "ann"),
    "retire": ("retire", "ann"),
    "disqualify": ("disqualify", "ann", "--reason", "rain"),
}


@pytest.mark.usefixtures("full")
@pytest.mark.parametrize("words", ORDERS.values(), ids=ORDERS)
def test_an_order_that_finds_no_room_is_said_not_to_be_kept(path, words):
    """With the file, and what to do; nothing is changed."""
    before = contents(path.parent)
    journal = path.with_suffix(".games.jsonl")
    said = (
        f"judge: the order to {words[0]} is not kept: {journal} cannot be written: File too large; "
        "what was in it before still is. Give the same command again once it can be written.\n"
    )
    assert ordered(path, *words) == (1, said)
    assert contents(path.parent) == before
    assert read(path).orders.given == []


def test_an_undo_that_finds_no_room_is_said_not_to_be_kept(path, request):
    """The order stays in force."""
    ordered(path, "retire", "ann")
    request.getfixturevalue("full")
    status, said = ordered(path, "undo")
    assert (status, said[:38]) == (1, "judge: the order to undo is not kept: ")
    assert read(path).orders.retired == {"ann": 1}


@pytest.mark.usefixtures("full")
def test_games_that_find_no_room_are_said_not_to_be_kept(path):
    """By their numbers; one game, and those of a match."""
    with Ledger(path) as ledger:
        with pytest.raises(LedgerError, match=r"^game #3 is not kept: "):
            ledger.add(short(3))
        with pytest.raises(LedgerError, match=r"^games #3, #4 are not kept: "):
            ledger.add_all([short(3), short(4)])
    assert read(path).recorded == 2


@pytest.mark.parametrize("words", ORDERS.values(), ids=ORDERS)
def test_an_order_is_said_to_be_kept_though_x_json_is_not_written(path, words):
    """It is in the journal, and in force; where a ledger cannot be opened, nothing was ordered."""
    blocked = path.with_name(".ledger.json.new")
    blocked.mkdir()
    status, said = ordered(path, *words)
    journal = path.with_suffix(".games.jsonl")
    kept = f"judge: the order to {words[0]} is kept in {journal}, but {path} cannot be written: "
    assert status == 1
    assert said.startswith(kept)
    assert [type(one.order).__name__.lower() for one in read(path).orders.given] == [words[0]]
    status, said = ordered(path, "undo")
    assert status == 1
    assert said.startswith(f"judge: nothing was ordered: {path} cannot be written: ")
    blocked.rmdir()
    ordered(path, "undo")
    assert [order.undone for order in read(path).orders.given] == [True]
