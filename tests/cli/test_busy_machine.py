"""A machine that has too much to do: games are played again alone, and no bot pays for it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from commands import Done, judge
from contest_folder import PLAYS, add_bots, make
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.schedule import Fight, First, Solo
from judge.contest.seeds import derive
from judge.errors import HeldUp, Starved, TooManyReferences
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from judge.testing import board
from players import telling

pytestmark = pytest.mark.whole

SAID = (
    "a reply is late, but the bot's processes waited for a processor for 900 ms of the 2000 ms "
    "that they had: other programs kept the machine busy"
)
NOT_CHECKED = "it could not be checked, and whose fault that is cannot be told"
ERRORS = {"starved": Starved(900, 2000), "held up": HeldUp(), "descriptors": TooManyReferences()}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder of its own with three bots."""
    add_bots(ada=PLAYS, bob=PLAYS, late=PLAYS)


class Busy:
    """Scripted players, or programs for a check, which asks programs; those that are ``late`` come
    late a number of times a seed."""

    def __init__(
        self,
        late: Callable[[Bot, int], bool],
        times: int,
        error: Exception = ERRORS["starved"],
        *,
        programs: bool = False,
    ) -> None:
        self.tries: Counter[int] = Counter()  # to play with a late bot, by its seed
        self._late = late
        self._times = times
        self._error = error
        self._programs = programs

    def __call__(self, bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if self._late(bot, seed):
            self.tries[seed] += 1
            if self.tries[seed] <= self._times:
                raise self._error
        if self._programs:
            return usual()
        luck = Random(seed)
        return Script(telling(random_fleet(BRAINJAR, luck), luck.sample(board(BRAINJAR), 64)))

    def judge(self, *arguments: str) -> Done:
        words = ("--isolation", "none", "--launch", "exec", "--quiet")
        return judge(*arguments, *words, embedding=Embedding(self))


def document(done: Done, schema: str) -> Any:
    found = json.loads(done.stdout)
    assert schemas.problem(schema, found) is None
    return found


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("times", [1, 3, 4])
def test_a_fight(times: int, error: Exception) -> None:
    """A game that was late once or three times counts; one that was late four times is listed with
    the reason, is nobody's, and the status is 1."""
    third = [*Fight(6, 7, First.A)][2]
    busy = Busy(lambda _, seed: seed == third.bot_seeds[1], times, error)
    words = ("--games", "6", "--seed", "7", "--first", "a", "--jobs", "2", "--json")
    done = busy.judge("fight", "bots/ada.sh", "bots/late.sh", *words)
    assert done.status == (times == 4)
    fight = document(done, "fight")
    assert fight["games"] == (5 if times == 4 else 6)
    assert [bot["forfeits"] for bot in fight["bots"]] == [{}, {}]
    assert sum(bot["wins"] for bot in fight["bots"]) == fight["games"]
    assert sum(busy.tries.values()) == min(times + 1, 4)
    faults = [{"id": third.id, "message": str(error)}] if times == 4 else []
    assert fight["faults"] == faults
    assert done.stderr == "".join(
        f"judge: game {one['id']} could not be played: {one['message']}.\n" for one in faults
    )


def test_a_fight_on_a_machine_that_is_always_busy() -> None:
    """After ten games in a row that could not be played it ends with a sentence."""
    busy = Busy(lambda bot, _: bot.name == "late", 10**9)
    done = busy.judge("fight", "bots/ada.sh", "bots/late.sh", "--games", "50", "--jobs", "1")
    assert done.status == 1
    assert f"10 games in a row could not be played: {SAID}." in done.stderr


@pytest.mark.parametrize("times", [3, 10**9], ids=["three times", "always"])
def test_a_contest_with_a_bot_that_is_always_late(times: int) -> None:
    """Its games that were late three times count. Those that always are do not and are listed, and
    the contest is played to its end without them."""
    busy = Busy(lambda bot, _: bot.name == "late", times)
    done = busy.judge("rank", "bots", "--rounds", "3", "--seed", "7", "--jobs", "2", "--json")
    games = [json.loads(line) for line in Path("bots.ledger.games.jsonl").read_text().splitlines()]
    names = [{*game["result"]["names"]} for game in games if game["kind"] == "game"]
    assert len([one for one in names if "late" not in one]) == 2 * 3
    of_late = [one for one in names if "late" in one]
    if times == 3:
        assert (done.status, len(of_late), done.stderr) == (0, 2 * 2 * 3, "")
        return
    assert (done.status, of_late) == (1, [])
    *lines, last = done.stderr.splitlines()
    assert len(lines) == 2 * 2 * 3
    assert all("late" in line and line.endswith(f"could not be played: {SAID}.") for line in lines)
    assert "that costs no bot anything" in last
    # Four tries a game; the two of a pair have one seed.
    assert {*busy.tries.values()} == {8}


@pytest.mark.parametrize("times", [3, 4])
def test_boards(times: int) -> None:
    """The boards of `judge test`, also while the fleets are placed by another bot."""
    boards = [*Solo(2, 3, 7)]
    busy = Busy(lambda bot, seed: (bot.name, seed) == ("late", boards[3].bot_seeds[0]), times)
    bots = ("bots/ada.sh", "bots/late.sh", "--boards", "3", "--seed", "7")
    done = busy.judge("test", *bots, "--json")
    found = document(done, "test")
    assert done.status == (times == 4)
    assert [bot["cleared"] for bot in found["bots"]] == [3, 2 if times == 4 else 3]
    assert [bot["forfeits"] for bot in found["bots"]] == [{}, {}]
    assert found["faults"] == [{"id": boards[3].id, "message": SAID}] * (times == 4)

    placed = derive(7, "against", 2)
    busy = Busy(lambda bot, seed: (bot.name, seed) == ("bob", placed), times)
    done = busy.judge("test", *bots, "--against", "bots/bob.sh")
    assert done.status == (times == 4)
    said = f"judge: bob could not be asked for the fleet of board 2: {SAID}.\n"
    assert done.stderr == said * (times == 4)


@pytest.mark.parametrize("times", [3, 4])
def test_a_check(times: int) -> None:
    """A question that was late three times is as any other. A question that was late four times is
    said to be, and the status is the judge's: nothing is said against the bot; and the others of
    several bots are checked."""
    first: list[int] = []

    def is_late(bot: Bot, seed: int) -> bool:
        if bot.name == "late" and not first:
            first.append(seed)
        return bot.name == "late" and seed == first[0]

    only = ("--only", "legal fleet", "--jobs", "2")
    done = Busy(is_late, times, programs=True).judge("check", "bots/late.sh", *only)
    assert done.status == (times == 4), done.stdout
    assert done.stderr == f"judge: {SAID}.\n" * (times == 4)
    assert "conform" not in done.stdout or times == 3

    first.clear()
    done = Busy(is_late, times, programs=True).judge("check", "bots", *only, "--json")
    found = document(done, "checks")
    assert done.status == (times == 4)
    names = ["ada", "bob", "late"]
    assert [one["bot"] for one in found["bots"]] == names[: 2 if times == 4 else 3]
    why = f"it could not be checked: {SAID}"
    assert found["left_out"] == [{"name": "late", "reason": why}] * (times == 4)
    assert done.stderr == f"judge: late is left out: {why}.\n" * (times == 4)


def test_entry_tests() -> None:
    """A bot that makes the machine late in the check before a contest is left out, with a reason of
    its own, and the bots after it are checked."""
    for name in ("ada", "zoe"):
        make(name, "#!/bin/sh\nexit 9\n")
    Path("bots", "bob.sh").unlink()
    busy = Busy(lambda bot, _: bot.name == "late", 10**9, programs=True)
    done = judge("rank", "bots", "--check", "--isolation", "none", embedding=Embedding(busy))
    assert f"judge: left out late: {NOT_CHECKED}: {SAID}.\n" in done.stderr
    assert "left out ada, zoe, each for the same reason: it does not conform: " in done.stderr


def test_a_game_against_a_person() -> None:
    """It is broken off with a sentence that blames nobody."""
    busy = Busy(lambda *_: True, 1)
    done = busy.judge("play", "bots/late.sh", "--seed", "7")
    assert done.status == 1
    assert done.stderr.endswith(f"judge: {SAID}.\n")
