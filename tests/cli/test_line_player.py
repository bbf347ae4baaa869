"""A person who plays by typing lines, in games other than brainjar:
judge/cli/interactive/line_player.py."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from judge.cli.interactive.line_input import PlayerLeft
from judge.cli.interactive.line_player import LinePlayer
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.game.variants import BROADSIDES, BSP, CONTEST, XBS
from judge.play.actions import with_fleet
from judge.play.conditions import Conditions
from judge.play.player import Human
from judge.play.referee import play_game
from players import Scripted, by_luck

SAID = "me, your {} shots> "


@pytest.fixture
def plays(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., tuple[GameRecord | None, str]]:
    def plays(rules: Rules, *typed: str, seed: int = 5) -> tuple[GameRecord | None, str]:
        """A game against one who shoots at random, and what the person saw of it."""
        lines = "".join(f"{line}\n" for line in typed).encode()
        (tmp_path / "typed").write_bytes(lines)
        rules = with_fleet(rules, seed)
        record = None
        with (tmp_path / "typed").open() as stdin, contextlib.suppress(PlayerLeft):
            monkeypatch.setattr(sys, "stdin", stdin)
            person = LinePlayer(("me", "bot"), rules, wire="brainjar", seed=1, colour=False)
            record = play_game(
                Conditions(rules=rules),
                [Human("me", person.ask), Scripted(by_luck(rules, Random(seed)), "bot")],
                game_id="1",
                seed=seed,
                watch=person.watch,
            )
        return record, capsys.readouterr().out

    return plays


Plays = Callable[..., tuple[GameRecord | None, str]]


def test_a_volley_is_typed_in_a_line(plays: Plays) -> None:
    """As many cells as are due, which the prompt says; they are told as one move, and numbered."""
    record, text = plays(BROADSIDES, "random", "A1 B2 C3 D4 E5 F6", "quit")
    assert record is None
    assert f"{SAID.format(6)}A1 B2 C3 D4 E5 F6\n   1  me   ¹A1 " in text
    assert len(re.findall(r"^   2  bot  ¹", text, re.MULTILINE)) == 1
    assert text.count("afloat: ") == 2  # of the person's own fleet, and the bot's at no time
    assert "sinks" not in text


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ("A1 B2 C3", "6 shots are due, and this is 3 cells."),
        ("A1 B2 C3 D4 E5 F6 G7", "6 shots are due, and this is 7 cells."),
        ("D5", "6 shots are due, and this is 1 cell."),
        ("A1 B2 C3 D4 E5 x", "'x' is not a cell; a volley is 6 cells with a blank between"),
        ("skip", "'skip' is not a cell"),
    ],
)
def test_a_volley_that_cannot_be_is_asked_for_again(typed: str, why: str, plays: Plays) -> None:
    """With what is wrong with it; nothing of it has been fired."""
    _, text = plays(BROADSIDES, "random", typed, "A1 B2 C3 D4 E5 F6", "quit")
    assert why in " ".join(text.split())
    assert text.count(SAID.format(6)) == 3
    assert text.index(why[:12]) < text.index("   1  me   ¹A1 ")


def test_a_repeat_is_fired_where_it_is_legal(plays: Plays) -> None:
    """In broadsides a cell may be shot at twice, even in one volley."""
    _, text = plays(BROADSIDES, "random", "A1 A1 A1 A1 A1 A1", "quit")
    assert len(re.findall(r"[¹²³⁴⁵⁶]A1 (?:hit|miss)", text)) == 6


def test_a_turn_is_skipped_where_the_rules_allow_it(plays: Plays) -> None:
    """In xbs the line skip passes the turn, and that is told."""
    _, text = plays(XBS, "random", "skip", "quit")
    assert "   1  me skips\n" in text
    assert "   2  bot" in text


def test_a_drawn_fleet_is_placed_and_asked_for_ship_by_ship(plays: Plays) -> None:
    """In contest rules the fleet of the very game is typed once."""
    record, text = plays(CONTEST, "random", "00", "resign")
    assert "   1  me   00" in text
    assert "   1  bot  " in text
    assert record is not None
    assert record.outcome.winner == 1


def test_the_judge_places_where_the_rules_say_so(plays: Plays) -> None:
    """In bsp nobody is asked for a fleet."""
    _, text = plays(BSP, "00", "quit")
    assert "your ship" not in text
    assert re.search(r"^ +\d+  me   00  (hit|miss)", text, re.MULTILINE)
