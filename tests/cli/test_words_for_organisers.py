"""The words for an organiser who mistyped a name, set a value elsewhere, or named the wrong
thing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import played, strange_texts
from judge.cli import cli
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.schedule import is_of_a_contest
from judge.documents.game import Termination
from judge.documents.ledger import Disqualify, Void
from judge.show.ledger import overview
from judge.show.text import cells

RANKED = "ada:bob:brainjar:abcdefghijkl:{}.1"


@pytest.fixture(autouse=True)
def in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder has the ledger of a contest of two games, and the folder of its bots."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    with Ledger(Path("bots.ledger.json")) as ledger:
        for number in (1, 2):
            ledger.add(a_game(number, game_id=RANKED.format(number)))


def a_game(seed: int, **more):
    crash = (seed % 2, Termination.CRASH)
    return played(seed=seed, names=("ada", "bob"), forfeit=crash, after=2, **more)


def complete(words: list[str], incomplete: str) -> list[str]:
    """The words that a shell is offered in the place of the last word."""
    from click.shell_completion import BashComplete

    shell = BashComplete(cli, {}, "judge", "_JUDGE_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


def test_numbers_of_games_to_void_complete_without_their_mark() -> None:
    """As people type them; of the ledger that is named, and with the mark as before."""
    with Ledger(Path("fights.json")) as ledger:
        for seed in range(11):
            ledger.add(played(seed=seed, names=("eve", "fay")))
    assert complete(["ledger", "void", "fights.json"], "1") == ["11", "10", "1"]
    assert complete(["ledger", "void", "fights.json"], "#1") == ["#11", "#10", "#1"]
    assert complete(["ledger", "void", "fights.json", "11"], "2") == ["2"]
    assert complete(["ledger", "void"], "fi") == ["fights.json"]


def test_names_of_bots_complete_from_their_ledger() -> None:
    """Names complete if an order or an option takes one: those of the only ledger, or of the one
    that is named."""
    for order in ("reset", "retire", "disqualify", "show"):
        assert complete(["ledger", order], "a") == ["ada"]
        assert complete(["ledger", order], "") == ["ada", "bob", "bots.ledger.json"]
    assert complete(["ledger", "void", "--bot"], "b") == ["bob"]
    assert complete(["standings", "--without"], "a") == ["ada"]
    with Ledger(Path("fights.json")) as ledger:
        ledger.add(played(seed=9, names=("eve", "fay")))
    assert complete(["ledger", "retire"], "a") == []
    assert complete(["ledger", "retire", "fights.json"], "")[:2] == ["eve", "fay"]
    assert complete(["ledger", "retire", "--ledger", "fights.json"], "f")[0] == "fay"
    assert complete(["ledger", "retire", "nowhere.json"], "a") == []


def test_what_a_contest_calls_its_games_is_told_from_other_ids() -> None:
    """Those of fights are numbers."""
    assert is_of_a_contest(RANKED.format(1))
    for other in ("1", "g1", "", "a:b:c:d:e.1", "12-3.1"):
        assert not is_of_a_contest(other)


@given(st.integers(60, 100), strange_texts(), strange_texts(), st.lists(st.integers(1, 9**9)))
def test_a_ledger_in_brief_fits_its_width(width, bot, reason, games) -> None:
    """Whatever bots and reasons are called; the numbers of games are whole."""
    tally = Tally(versions={bot or "x": ["sha256:" + "a" * 64, None]})
    tally.orders.give(Disqualify(bot=bot or "x", reason=reason or "x"))
    tally.orders.give(Void(games=tuple(games or [1]), reason=reason or "x"))
    text = overview("ledger.json", tally, width=width)
    assert all(cells(line) <= width for line in text.split("\n"))
    for number in (games or [1])[:5]:
        assert f"#{number}" in text
