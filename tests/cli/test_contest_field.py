"""judge rank and the bots of its folder: those that are gone, and those that orders take out."""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path

import pytest

from commands import judge
from contest_folder import LEDGER, PLACES, PLAYS, add_bots, couples, journal, make, rank
from judge.contest.ledger import order_entries
from judge.contest.ledger.ledger import Ledger


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder with three bots that have played a round; one of them gives no reply."""
    add_bots(ada=PLAYS, bob=PLAYS, mute=PLACES)
    rank("--quiet")


def in_the_table(*command: str) -> set[str]:
    run = judge("standings", "--json") if not command else rank(*command, "--json", "--quiet")
    return {bot["name"] for bot in json.loads(run.stdout)["bots"]}


def test_a_bot_that_is_left_out_is_not_gone() -> None:
    """It stays in the table, below which it is said to be left out."""
    done = rank("--check", "--rounds", "2")
    rows = re.findall(r"^\d+~? +(\w+) .*%", done.stdout, re.MULTILINE)
    assert {*rows} == {"ada", "bob", "mute"}
    assert "\nmute v1 was left out of this run: it does not conform.\n" in done.stdout
    assert "left out of this run" not in rank("--rounds", "2").stdout
    assert "left out mute: it does not conform" in done.stderr
    assert "gone" not in done.stderr


def test_a_cause_is_said_once_for_all_bots_and_checks_that_have_it() -> None:
    """Those of one reason on one line, and the checks that fail by one cause behind it."""
    make("moot", PLACES)
    Path("bots", "ada.sh").unlink()
    Path("bots", "bob.sh").unlink()
    (said,) = [line for line in rank("--check").stderr.splitlines() if "left out" in line]
    start = "judge: left out moot, mute, each for the same reason: it does not conform: "
    assert said.startswith(start)
    causes = said.removeprefix(start)
    checks = re.findall(r"[(;] ?((?:makes|gives|answers|shoots|plays)[^;)]*)", causes)
    assert len(checks) > 1
    assert len({*checks}) == len(checks)
    assert causes.count("(") < len(checks)


@pytest.mark.parametrize("order", ["retires it", "disqualifies it: asked a server"])
def test_a_bot_that_an_order_takes_out_plays_no_more(order: str) -> None:
    """It is left out with the order and its reason, and is not called gone."""
    give = (
        partial(order_entries.retire, bot="mute")
        if order.startswith("retires")
        else partial(order_entries.disqualify, bot="mute", reason="asked a server")
    )
    with Ledger(LEDGER) as ledger:
        ledger.order(give)
    done = rank("--rounds", "2")
    assert f"judge: left out mute: order 1 in bots.ledger.json {order}.\n" in done.stderr
    assert "gone" not in done.stderr
    assert couples(journal()) == {"ada bob": 4, "ada mute": 2, "bob mute": 2}
    assert in_the_table("--rounds", "2") == {"ada", "bob"}
