"""The rules for entrants of the broadsides challenge: each can hold and be broken, and what people
have to judge is left to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge.check.conformance import Finding
from judge.check.entrants import CLAIMS, findings
from judge.check.examination import claims
from judge.documents.game import Evidence, Exchange, Limits
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.variants import VARIANTS
from judge.play.asking import Question, Reply
from judge.process.bots.bot import Bot, find
from judge.process.bots.data_file import DATA_BYTES
from needs import need

LIMITS = Limits(timeout_ms=60_000)


def player(folder: Path, source: str = "", name: str = "ann.rb") -> Bot:
    need("ruby")
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(source)
    return find(str(folder / name))


def reply(
    fault: BotError | None = None, *, said: str = "FINISH\n", answer_ms: float = 5.0
) -> Reply:
    """A game, of which the last exchange is this."""
    last = Exchange("ACTION FINISH\n", said, 1.0)
    run = Evidence(0, ("ruby",), said, "", 0, None, 9.0, None, None, (last,))
    return Reply(Question(None, 1), None, fault, run, "/", {}, answer_ms, "broadsides", ("log",))


def found(bot: Bot, *replies: Reply, limits: Limits = LIMITS) -> dict[str, Finding]:
    named = {one.claim: one for one in findings(bot, replies or (reply(),), limits)}
    assert tuple(named) == CLAIMS
    return named


def test_a_good_entrant_breaks_none(tmp_path: Path) -> None:
    """All hold but the three that people judge, each of which says so."""
    told = found(player(tmp_path / "p", "require 'set'\n$stdout.sync = true\n"), reply(), reply())
    for_people = [one for one in told.values() if one.passed is None]
    assert len(for_people) == 3
    assert all("for people to judge" in one.detail for one in for_people)
    assert not any(one.warning or one.passed is False for one in told.values())
    assert all(len(claim) <= 43 for claim in told)  # a column of the table


@pytest.mark.parametrize(
    ("fault", "said", "claim"),
    [
        (TimedOut("no reply"), "", "rule: it flushes its output"),
        (TimedOut("no reply"), "", "rule: an answer within 60 s"),
        (
            IllegalFleet("placed ships of 5, 5 where …"), "SHIPS", "rule: the ships that are asked for"
        ),
        (
            IllegalFleet("the ship of 5 leaves the grid"), "S", "rule: no ship off the board or on another"
        ),
        (IllegalFleet("the ships overlap"), "S", "rule: no ship off the board or on another"),
        (IllegalMove("shot at K1, outside the grid"), "S", "rule: no shot off the board"),
        (IllegalMove("fired 5 shots where 6 are due"), "S", "rule: the number of shots asked for"),
        (BadOutput("replied `x`"), "x", "rule: answers in their form"),
    ],
)  # fmt: skip
def test_what_loses_a_game_fails(fault: BotError, said: str, claim: str, tmp_path: Path) -> None:
    """A breach that the original enforces fails, with the game that shows it, and no other rule
    does."""
    told = found(player(tmp_path / "p"), reply(), reply(fault, said=said))
    assert told[claim].passed is False
    assert [one.fault for one in told[claim].failed] == [fault]
    assert "1 of 2 games" in told[claim].detail
    if claim == "rule: it flushes its output":
        assert told[claim].detail.endswith(", or it did not answer at all in them")
    failed = {name for name, one in told.items() if one.passed is False}
    of_time = {"rule: it flushes its output", "rule: an answer within 60 s"}
    assert failed == (of_time if isinstance(fault, TimedOut) else {claim})


def test_who_never_plays_is_not_said_to_obey(tmp_path: Path) -> None:
    """Of a player that only crashes nothing is known but its file."""
    told = found(player(tmp_path / "p"), reply(Crashed("exited"), said=""))
    assert told["rule: answers in their form"].passed is None
    assert told["rule: it answers FINISH with FINISH"].passed is None


def test_a_shorter_limit_is_not_the_rules(tmp_path: Path) -> None:
    """Who is late by --timeout 2s need not be late by the rules; who is slow by --timeout 90s is."""
    late = reply(TimedOut("no reply within 2 s"), said="x")
    claim = "rule: an answer within 60 s"
    short = found(player(tmp_path / "p"), late, limits=Limits(timeout_ms=2000))[claim]
    assert (short.passed, short.detail) == (None, "not tried: the limit here was 2 s")
    slow = found(player(tmp_path / "p"), reply(answer_ms=61_000), limits=Limits(timeout_ms=90_000))
    assert slow[claim].warning


def test_another_last_word_is_noted(tmp_path: Path) -> None:
    """It costs nothing."""
    told = found(player(tmp_path / "p"), reply(said="BYE\n"), reply())
    finding = told["rule: it answers FINISH with FINISH"]
    assert (finding.passed, finding.warning) == (True, True)
    assert "not in 1 of 2 games" in finding.detail


@pytest.mark.parametrize(
    ("source", "passed", "warning", "said"),
    [
        ("puts 1", True, False, "it loads nothing"),
        ("require 'set'\nrequire(\"net/http\")", True, False, "it loads net/http, set"),
        ("# require 'rails'", True, False, "it loads nothing"),
        ("require 'rails'", True, True, "it loads rails"),
        ("require_relative '../lib/helper'", True, True, "it loads ../lib/helper"),
        ("require File.join(__dir__, 'x')", None, False, "is not plain to see"),
        ("load name", None, False, "is not plain to see"),
    ],
)
def test_what_a_player_loads_is_read_from_its_text(
    source: str, passed: bool | None, warning: bool, said: str, tmp_path: Path
) -> None:
    """What comes with Ruby is known; where the text does not show it, people must look."""
    finding = found(player(tmp_path / "p", source))["rule: only what comes with Ruby"]
    assert (finding.passed, finding.warning) == (passed, warning)
    assert said in finding.detail


def test_other_names_and_languages_are_noted(tmp_path: Path) -> None:
    """They play here all the same."""
    claim = "rule: a Ruby file of a plain name"
    odd = found(player(tmp_path / "p", name="kd.3.rb"))[claim]
    assert odd.warning
    assert "kd.3.rb has more than letters" in odd.detail
    assert "under another name, NAME=FILE" in odd.detail
    (tmp_path / "ann.py").write_text("")
    python = found(find(str(tmp_path / "ann.py")))
    assert python[claim].warning
    assert "it is no Ruby file" in python[claim].detail
    assert python["rule: only what comes with Ruby"].passed is None


def test_the_data_beside_a_player_are_looked_at(tmp_path: Path) -> None:
    """One file of its base name, of 10 MB at most."""
    claim = "rule: one data file of 10 MB at most"
    bot = player(tmp_path / "p")
    assert found(bot)[claim].detail.startswith("none lies beside it")
    (tmp_path / "p" / "ann.txt").write_text("x")
    (tmp_path / "p" / "bob.txt").write_text("x")
    (tmp_path / "p" / "ann.py").write_text("")  # a program, and so no data
    assert found(bot)[claim].detail.startswith("ann.txt lies beside it")
    with (tmp_path / "p" / "ann.txt").open("wb") as file:
        file.truncate(DATA_BYTES + 1)
    assert "ann.txt has 10,485,761 bytes" in found(bot)[claim].detail
    (tmp_path / "p" / "ann.log").write_text("x")
    assert "ann.log, ann.txt" in found(bot)[claim].detail


def test_each_rule_can_be_the_only_check(tmp_path: Path) -> None:
    """All of them are among the checks that --only names, in the order of the report."""
    named = claims(player(tmp_path / "p"), VARIANTS["broadsides"])
    assert named[-len(CLAIMS) :] == CLAIMS
