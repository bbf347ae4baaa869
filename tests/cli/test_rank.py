"""judge rank: a folder of real programs, played out, gone on with, and broken off."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from commands import judge, line_of, started
from contest_folder import (
    JOURNAL,
    LEDGER,
    PLACES,
    PLAYS,
    add_bots,
    couples,
    journal,
    make,
    rank,
    without_times,
)
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest import schedule as schedules
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.verify import verify
from judge.contest.seeds import contest_name, parsed
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord
from judge.errors import LaunchFault
from judge.game.variants import VARIANTS
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from round_robin import RoundRobin
from terminals import with_stderr_in_a_terminal

KEPT = f"judge: the games of this contest are kept in {LEDGER}.\n"


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder of its own, with three bots: two that play, and one that gives no reply."""
    add_bots(ada=PLAYS, bob=PLAYS, mute=PLACES)
    return own_folder


def test_the_seed_is_the_ledgers() -> None:
    """It is drawn once, and kept; that another one is refused stands in the transcript rank-again."""
    rank("--format", "gauntlet", "--bot", "mute", "--quiet")
    seed = json.loads(LEDGER.read_text())["seed"]
    make("max", PLACES)
    rank("--format", "gauntlet", "--bot", "mute", "--quiet")
    assert re.fullmatch("[0-9a-z]{26}", seed)
    assert {game["id"].split(":")[3] for game in journal()} == {contest_name(parsed(seed))}
    assert seed not in "".join(line for line in JOURNAL.read_text().splitlines()[2:])
    assert couples(journal()) == {"ada mute": 2, "bob mute": 2, "max mute": 2}
    assert rank("--format", "gauntlet", "--bot", "mute", "--seed", seed, "--quiet").stderr == ""


def test_a_bot_that_is_gone_in_the_middle_is_left_out() -> None:
    """A program that is gone in the middle of its first game is said to be; no game of it counts,
    and everyone else's are played out."""
    make("gone", PLAYS.replace("#!/bin/sh\n", '#!/bin/sh\nrm -f -- "$0"\n'))
    done = rank("--jobs", "1", "--insist", "--quiet")
    assert done.status == 1
    assert "gone" in done.stderr
    assert "files" in done.stderr
    games = [convert(GameRecord, game, "it") for game in journal()]
    assert len(games) == 6
    for game in games:
        names = [seat.name for seat in game.seats]
        assert "gone" not in names
        assert (game.outcome.termination == "fleet-destroyed") is ("mute" not in names)
    assert verify(LEDGER).problems == ()


def test_a_contest_makes_its_games_as_they_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of bots have millions of games; few of these are made before the first is
    played."""
    made = 0

    real = schedules.Games._game

    def counted(*arguments: Any, **named: Any) -> Any:
        nonlocal made
        made += 1
        return real(*arguments, **named)

    def connect(bot: Bot, bot_seed: int, usual: Callable[[], Connection]) -> Connection:
        raise LaunchFault("no more processes")

    monkeypatch.setattr(schedules.Games, "_game", counted)
    for number in range(30):
        make(f"bot{number}", PLAYS)
    done = rank("--jsonl", "--jobs", "1", embedding=Embedding(connect))
    start = json.loads(done.stdout.splitlines()[0])
    assert start["games"] == start["missing"] == 33 * 32
    assert "10 games in a row could not be played" in done.stderr
    assert made < 30


def test_the_judges_own_fault_costs_nobody_anything() -> None:
    """A game that cannot be played is in nobody's record; it is listed, the status is 1, and the
    same command plays it."""
    seed, games = 2**64, count()
    failed = f"ada:bob:brainjar:{contest_name(seed)}:1.2"
    schedule = RoundRobin(("ada", "bob"), VARIANTS["brainjar"], seed, rounds=1)
    adas = next(iter(schedule)).bot_seeds[0]

    def connect(bot: Bot, bot_seed: int, usual: Callable[[], Connection]) -> Connection:
        if (bot.name, bot_seed) == ("ada", adas) and next(games):  # all but the first of the two
            raise LaunchFault("no more processes")
        return usual()

    done = rank("--seed", str(seed), "--jsonl", "--jobs", "1", embedding=Embedding(connect))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.status == 1
    assert [event["event"] for event in events].count("fault") == 1
    assert all(schemas.problem("rank-event", event) is None for event in events)
    assert done.stderr.splitlines() == [
        KEPT.rstrip(),
        f"judge: game {failed} could not be played: no more processes.",
        "judge: that costs no bot anything; the same command tries again.",
    ]
    assert couples(journal()) == {"ada bob": 1, "ada mute": 2, "bob mute": 2}
    assert rank("--quiet").status == 0
    assert couples(journal()[5:]) == {"ada bob": 1}


def test_events_and_documents_are_valid() -> None:
    """`--jsonl` tells what is about to be played, each game with its points as soon as it is in
    the ledger, and the table; `--json` is that table."""
    done = rank("--jsonl", "--quiet")
    start, *games, end = (json.loads(line) for line in done.stdout.splitlines())
    for event in (start, *games, end):
        assert schemas.problem("rank-event", event) is None
    assert [game["record"] for game in games] == journal()
    assert [bot["name"] for bot in start["bots"]] == ["ada", "bob", "mute"]
    points = dict.fromkeys(["ada", "bob", "mute"], 10.0)
    for game in games:
        names = [seat["name"] for seat in game["record"]["seats"]]
        assert game["points_before"] == [points[name] for name in names]
        points |= zip(names, game["points_after"], strict=True)
    assert {bot["name"]: bot["points"] for bot in end["standings"]["bots"]} == points
    document = json.loads(rank("--json", "--quiet").stdout)
    assert schemas.problem("standings", document) is None
    assert document == end["standings"] == json.loads(judge("standings", "--json").stdout)


def test_a_terminal_shows_how_it_goes() -> None:
    """While it runs, a terminal shows how many games are played and who leads; that is gone at
    the end, and stdout has the table alone."""
    status, table, shown = with_stderr_in_a_terminal(
        "rank", "bots", "--isolation", "none", "--jobs", "1"
    )
    assert status == 0
    assert "6/6" in shown
    assert re.search(r"1  (ada|bob) +\d+\.\d\d  won \d of \d", shown)
    assert re.search(r"mute +10\.00  won 0 of \d, \d forfeits?", shown)
    assert shown.endswith("\x1b[2K")
    assert table.startswith("    ")
    assert "\x1b" not in table


@pytest.mark.parametrize("command", ["rank", "check"])
def test_a_terminal_shows_how_many_bots_of_a_large_folder_are_read(command: str) -> None:
    """From the start, and gone before anything else is written there."""
    Path("many").mkdir()
    for number in range(120):
        Path("many", f"{number}.txt").touch()
    status, table, shown = with_stderr_in_a_terminal(command, "many", "--isolation", "none")
    assert (status, table) == (2, "")
    assert shown.index("120/120") < shown.index("left out 0.txt")
    assert "reading the bots in many" in shown
    assert "120/120" not in shown[shown.index("left out 0.txt") :]
    assert "reading" not in judge(command, "many", "--isolation", "none").stderr


# Ctrl-C


def test_a_contest_that_was_stopped_goes_on(folder: Path) -> None:
    """Ctrl-C ends it with one line that says how to go on; every game that was told is in the
    ledger; and the same command ends in the same standings as a run that was never stopped."""
    make("slow", PLACES.replace("#!/bin/sh\n", "#!/bin/sh\nsleep 0.1\n"))
    command = [
        "rank",
        "bots",
        "--rounds",
        "3",
        "--format",
        "gauntlet",
        "--bot",
        "slow",
        "--seed",
        "7",
        "--quiet",
    ]
    stopped = started(Path(), *command, "--isolation", "none", "--jsonl", "--jobs", "2")
    told_games = []
    while line := line_of(stopped):
        event = json.loads(line)
        if event["event"] == "game":
            told_games.append(event["record"])
            stopped.send_signal(signal.SIGINT)
            break
    rest, said = stopped.communicate(timeout=60)
    told_games += [json.loads(line)["record"] for line in rest.splitlines()]
    assert stopped.returncode == 130
    assert re.fullmatch(
        r"judge: interrupted after \d+ of 18 games, all kept in bots\.ledger\.json; "
        r"the same command goes on from there\.\n",
        said,
    )
    assert journal()[: len(told_games)] == told_games
    assert len(journal()) < 18
    for ledger in (str(LEDGER), "whole.json"):
        assert judge(*command, "--isolation", "none", "--ledger", ledger).status == 0
    assert without_times(journal()) == without_times(journal(Path("whole.games.jsonl")))
    assert LEDGER.read_bytes() == Path("whole.json").read_bytes()


SHORT = {
    **builtins(VARIANTS["brainjar"]),
    "name": "short",
    "columns": 4,
    "fleet": [2],
}
CONTEST = ("--rules", "short.json", "--rounds", "8", "--seed", "5", "--isolation", "none")


def ranking(*arguments: str) -> subprocess.Popen[str]:
    """A judge of its own that ranks the folder, as events."""
    return started(Path(), "rank", "bots", *CONTEST, "--jsonl", "--quiet", *arguments)


def told_ids(output: str) -> list[str]:
    """The games whose whole event was printed."""
    lines = [json.loads(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]
    return [line["record"]["id"] for line in lines if line["event"] == "game"]


def test_a_contest_killed_at_any_instant_ends_as_if_it_never_was() -> None:
    """Killed again and again by SIGKILL, the same command ends in the bytes of an undisturbed
    run, with the same games; none that was told is lost, and none is there twice."""
    Path("short.json").write_text(json.dumps(SHORT))
    whole, _ = ranking("--ledger", "whole.json").communicate(timeout=120)
    assert len(told_ids(whole)) == 48
    luck, told, kills = random.Random(0), set[str](), 0
    while True:
        judge = ranking()
        lines = [line_of(judge) for _ in range(luck.randrange(6))]
        time.sleep(luck.random() / 20)
        done = judge.poll() is not None
        judge.kill()
        rest, _ = judge.communicate()
        told |= set(told_ids("".join(lines) + rest))
        kills += not done
        if done or kills == 6:
            break
    ranking().communicate(timeout=120)
    assert kills
    assert LEDGER.read_bytes() == Path("whole.json").read_bytes()
    ids = [game["id"] for game in journal()]
    assert ids == [game["id"] for game in journal(Path("whole.games.jsonl"))]
    assert told <= set(ids)
    assert verify(LEDGER).problems == ()


def test_two_judges_may_rank_one_folder_at_once() -> None:
    """Two that are started on one ledger play every game once between them, and count it once."""
    Path("short.json").write_text(json.dumps(SHORT))
    both = [ranking(), ranking()]
    told = [told_ids(judge.communicate(timeout=120)[0]) for judge in both]
    assert [judge.returncode for judge in both] == [0, 0]
    ids = [game["id"] for game in journal()]
    assert len(ids) == len(set(ids)) == 48
    assert sorted(told[0] + told[1]) == sorted(ids)
    assert verify(LEDGER).problems == ()


def test_a_seed_in_a_ledger_without_games_is_said() -> None:
    """Who gave the user the ledger would know every bot's seed."""
    with Ledger(LEDGER) as ledger:
        ledger.contest_seed(7)
    done = rank("--rounds", "1")
    assert "bots.ledger.json holds the seed of a contest and no game of it, as after" in done.stderr
    assert "and no game of it" not in rank("--rounds", "2").stderr
