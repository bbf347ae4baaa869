"""Commands, options and their values, bots, ledgers and games are offered to a shell."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from click.shell_completion import BashComplete

from commands import ROOT
from games import played
from judge.cli import cli
from judge.cli.values.games import BOT
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import is_of_a_contest
from judge.documents.game import Termination

RANKED = "ada:bob:brainjar:abcdefghijkl:{}.1"
pytestmark = pytest.mark.usefixtures("own_folder")


def complete(*words: str) -> list[str]:
    """The words that a shell is offered in the place of the last of these words, each behind its
    kind."""
    typed = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    with patch.dict(os.environ, typed):
        return BashComplete(cli, {}, "judge", "_JUDGE_COMPLETE").complete().split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("judge ", {"bots", "doctor"}),
        ("judge d", {"doctor"}),
        ("judge bots --", {"--json", "--rules", "--help"}),
        ("judge doctor --color a", {"auto", "always"}),
        ("judge fight --rules contest-1", {"contest-10"}),
        ("judge fight --rules my-rules/", {"my-rules/"}),
        ("judge rank bots --format s", {"swiss"}),
        ("judge fight hunte", {"hunter"}),
        ("judge new ja", {"javascript", "java"}),
        ("judge guide b", {"bots", "broadsides"}),
    ],
)
def test_completion(typed: str, offered: set[str]) -> None:
    """The shell is offered the names of commands, options and choices."""
    assert offered <= {line.partition(",")[2] for line in complete(*typed.split(" "))}


def test_completion_of_bots() -> None:
    """A bundled bot's name is offered where one begins like that, and else files."""
    argument = click.Argument(["bot"], type=BOT)
    with click.Context(cli) as ctx:
        names = [(item.value, item.type) for item in BOT.shell_complete(ctx, argument, "ran")]
        files = [(item.value, item.type) for item in BOT.shell_complete(ctx, argument, "./my")]
    assert names == [("random", "plain")]
    assert files == [("./my", "file")]


def fill(path: Path, games: int) -> None:
    with Ledger(path) as ledger:
        for seed in range(games):
            ledger.add(played(seed=seed, forfeit=(0, Termination.CRASH)))


def test_completion_of_the_bots_of_a_contest() -> None:
    """By the names of those that lie in its folder. As long as it is not typed, by those that have
    played in the ledger that is meant; without a ledger, nothing."""
    for name in ("hunt", "hunter", "random"):
        Path("bots", name).parent.mkdir(exist_ok=True)
        Path("bots", name).symlink_to(ROOT / "bots" / name)
    offered = ["plain,hunt", "plain,hunter"]
    assert complete("judge", "rank", "bots", "--format", "gauntlet", "--bot", "hu") == offered
    assert complete("judge", "rank", "gone", "--bot", "hu") == []
    assert complete("judge", "rank", "--bot", "hu") == []
    with Ledger(Path("bots.ledger.json")) as ledger:
        ledger.add(played(names=("hunt", "random")))
    assert complete("judge", "rank", "--bot", "hu") == ["plain,hunt"]
    assert complete("judge", "rank", "gone", "--bot", "hu") == []
    assert complete("judge", "rank", "--ledger", "none.json", "--bot", "hu") == []


def test_completion_of_ledgers_and_games() -> None:
    """The ledgers here by name, and the numbers of a ledger's games, the newest first; of many
    ledgers, those of the one that is named, with a cache or without."""
    fill(Path("fights.json"), 3)
    assert complete("judge", "replay", "'#") == ["plain,#3", "plain,#2", "plain,#1"]
    assert complete("judge", "ledger", "void", "#2") == ["plain,#2"]
    (Path("fights.games.cache")).unlink()
    assert complete("judge", "replay", "#3") == ["plain,#3"]
    fill(Path("contest.json"), 12)
    assert complete("judge", "standings", "") == ["plain,contest.json", "plain,fights.json"]
    assert complete("judge", "fight", "--ledger", "fi") == ["plain,fights.json"]
    assert complete("judge", "replay", "con") == ["plain,contest.json"]
    assert complete("judge", "replay", "#") == []
    newest = [f"plain,contest.json#{number}" for number in (12, 11, 10, 1)]
    assert complete("judge", "replay", "contest.json#1") == newest
    named = ("judge", "replay", "--ledger", "contest.json", "#1")
    assert complete(*named) == [line.replace("contest.json", "") for line in newest]
    assert complete("judge", "replay", "nowhere.json#") == []


def offered(words: list[str], incomplete: str) -> list[str]:
    """The words that a shell is offered in the place of the last word."""
    return [one.partition(",")[2] for one in complete("judge", *words, incomplete)]


@pytest.fixture
def contest(own_folder: Path) -> None:
    """The current folder has the ledger of a contest of two games, and the folder of its bots."""
    Path("bots").mkdir()
    with Ledger(Path("bots.ledger.json")) as ledger:
        for number in (1, 2):
            ledger.add(
                played(seed=number, names=("ada", "bob"), after=2, game_id=RANKED.format(number))
            )


@pytest.mark.usefixtures("contest")
def test_numbers_of_games_to_void_complete_without_their_mark() -> None:
    """As people type them; of the ledger that is named, and with the mark as before."""
    with Ledger(Path("fights.json")) as ledger:
        for seed in range(11):
            ledger.add(played(seed=seed, names=("eve", "fay")))
    assert offered(["ledger", "void", "fights.json"], "1") == ["11", "10", "1"]
    assert offered(["ledger", "void", "fights.json"], "#1") == ["#11", "#10", "#1"]
    assert offered(["ledger", "void", "fights.json", "11"], "2") == ["2"]
    assert offered(["ledger", "void"], "fi") == ["fights.json"]


@pytest.mark.usefixtures("contest")
def test_names_of_bots_complete_from_their_ledger() -> None:
    """Names complete if an order or an option takes one: those of the only ledger, or of the one
    that is named."""
    for order in ("reset", "retire", "disqualify", "show"):
        assert offered(["ledger", order], "a") == ["ada"]
        assert offered(["ledger", order], "") == ["ada", "bob", "bots.ledger.json"]
    assert offered(["ledger", "void", "--bot"], "b") == ["bob"]
    assert offered(["standings", "--without"], "a") == ["ada"]
    with Ledger(Path("fights.json")) as ledger:
        ledger.add(played(seed=9, names=("eve", "fay")))
    assert offered(["ledger", "retire"], "a") == []
    assert offered(["ledger", "retire", "fights.json"], "")[:2] == ["eve", "fay"]
    assert offered(["ledger", "retire", "--ledger", "fights.json"], "f")[0] == "fay"
    assert offered(["ledger", "retire", "nowhere.json"], "a") == []


def test_what_a_contest_calls_its_games_is_told_from_other_ids() -> None:
    """Those of fights are numbers."""
    assert is_of_a_contest(RANKED.format(1))
    for other in ("1", "g1", "", "a:b:c:d:e.1", "12-3.1"):
        assert not is_of_a_contest(other)
