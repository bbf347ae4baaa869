"""judge fight, as a user meets it: real processes, real signals, real output."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import threading
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from child_processes import children, is_running
from commands import ROOT, judge_in, started
from commands import judge as in_process
from judge import schemas
from judge.contest.arena import playing
from judge.contest.schedule import Fight, First
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find_all
from judge.process.sandbox.isolation import choose

HOSTILE = ROOT / "tests" / "hostile"
PLAYS = str(HOSTILE / "plays.sh")


judge = partial(judge_in, ROOT, JUDGE_NO_LEDGER="1")


def without_times(text: str) -> str:
    """A JSON text without what a clock put into it."""
    text = re.sub(r'"(started|finished)":"[^"]*"', r'"\1":""', text)
    text = re.sub(r",[0-9.]+\](?=[],])", ",0]", text)
    return re.sub(r'"(ms|median|p99|max)":[0-9.]+', r'"\1":0', text)


def test_one_game_is_told_in_words() -> None:
    """One game says who won, how, in how many shots, and how to play it again."""
    done = judge("fight", PLAYS, f"twin={PLAYS}", "--seed", "1", "--quiet")
    assert done.returncode == 0, done.stderr
    assert re.match(
        r"(plays|twin) beats (plays|twin): it sank the whole fleet in \d+ shots", done.stdout
    )
    assert f"judge fight {PLAYS} twin={PLAYS} --seed 1 --quiet" in done.stdout
    assert done.stderr == ""


def test_the_document_is_valid_and_its_games_are_sound() -> None:
    """`--json` prints one document to its schema, and every game in it can be judged again."""
    done = judge("fight", PLAYS, PLAYS, "--games", "3", "--json", "--quiet")
    document = json.loads(done.stdout)
    assert schemas.problem("fight", document) is None
    assert [bot["name"] for bot in document["bots"]] == ["plays", "plays#2"]
    assert [record["first"] for record in document["records"]] == [0, 1, 0]
    for record in document["records"]:
        assert [game.outcome for game in replay(GameRecord.from_json(record))][-1]


def test_events_come_line_by_line_and_in_order() -> None:
    """`--jsonl` begins with what is played, tells each game in order, and ends with the sum."""
    done = judge("fight", PLAYS, PLAYS, "--games", "3", "--jsonl", "--quiet", "--jobs", "2")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events] == ["start", "game", "game", "game", "end"]
    assert all(schemas.problem("fight-event", event) is None for event in events)
    ids = [event["record"]["id"] for event in events if event["event"] == "game"]
    assert ids == [f"{events[0]['seed']}-{number}" for number in (1, 2, 3)]


def test_the_number_of_jobs_changes_nothing() -> None:
    """Same seed, same games in the same order, however many are played at once."""
    told = {
        without_times(
            judge(
                "fight",
                PLAYS,
                f"twin={PLAYS}",
                *("--games", "4", "--seed", "9", "--jobs", jobs, "--jsonl"),
            ).stdout
        )
        for jobs in ("1", "2", "4")
    }
    assert len(told) == 1


def test_a_question_that_is_settled_ends_the_fight() -> None:
    """With `--sprt` games stop in the middle of a schedule, after whole pairs."""
    loser = str(HOSTILE / "prints_nothing.sh")
    done = judge("fight", PLAYS, loser, "--sprt", "0,200", "--json", "--quiet")
    document = json.loads(done.stdout)
    assert document["games"] % 2 == 0
    assert document["games"] < 100
    assert document["sprt"]["verdict"] == "H1"


def test_watching_without_a_terminal_is_a_line_a_shot() -> None:
    """`--watch` writes to stderr, a plain line a shot where that is no terminal."""
    done = judge("fight", PLAYS, PLAYS, "--watch", "--json", "--quiet")
    (record,) = json.loads(done.stdout)["records"]
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == len(record["shots"])
    assert re.match(r" +1 +plays(#2)? +00  (hit|miss)", lines[0])


def test_void_games_are_nobodys_loss() -> None:
    """Where both fleets are forfeited nobody wins, and both get their evidence."""
    silent = str(HOSTILE / "prints_nothing.sh")
    done = judge("fight", silent, silent, "--json", "--quiet")
    document = json.loads(done.stdout)
    (record,) = document["records"]
    assert record["outcome"]["termination"] == "void"
    assert (record["outcome"]["winner"], record["outcome"]["loser"]) == (None, None)
    assert [evidence["seat"] for evidence in record["outcome"]["evidence"]] == [0, 1]
    assert document["void"] == 1


def test_a_fight_is_rated_unless_told_otherwise(tmp_path: Path) -> None:
    """Every game goes to the ledger before it is told, under an id of its own there, and the
    points before and after are told."""
    silent = str(HOSTILE / "prints_nothing.sh")
    ledger = str(tmp_path / "some.json")
    fights = (("2", "7", "plays 10.00 to 11.00"), ("1", "8", "plays 11.00 to 11.50"))
    for games, seed, points in fights:
        done = judge(
            "fight",
            PLAYS,
            silent,
            "--games",
            games,
            "--ledger",
            ledger,
            "--quiet",
            "--seed",
            seed,
        )
        assert f"Points: {points}, prints_nothing 10.00 to 10.00; kept in" in done.stdout
    lines = (tmp_path / "some.games.jsonl").read_text().splitlines()
    journal = [json.loads(line) for line in lines]
    assert [game["id"] for game in journal] == ["1", "2", "3"]
    done = judge("fight", PLAYS, silent, "--json", "--ledger", ledger, "--quiet")
    winner, loser = json.loads(done.stdout)["bots"]
    assert (winner["points_before"], winner["points_after"]) == (11.5, 12.0)
    assert (loser["points_before"], loser["points_after"]) == (10.0, 10.0)


def test_an_unrated_fight_keeps_nothing(tmp_path: Path) -> None:
    """`--no-ledger` leaves no file behind and speaks of no points."""
    done = judge_in(tmp_path, "fight", PLAYS, PLAYS, "--no-ledger", "--json", "--quiet")
    assert [bot["points_after"] for bot in json.loads(done.stdout)["bots"]] == [None, None]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_at_once_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Stopped in the middle of a move: exit 130, one line, and no bot is left."""
    os.mkfifo(tmp_path / "pids")
    bot = tmp_path / "bot.sh"
    bot.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pids\nexec sleep 1000\n")
    bot.chmod(0o755)
    fight = started(
        ROOT,
        *("fight", str(bot), str(bot), "--games", "4", "--timeout", "10min"),
        *("--isolation", "limits", "--quiet"),
        JUDGE_NO_LEDGER="1",
    )
    with (tmp_path / "pids").open() as pids:
        pid = int(pids.readline())
    fight.send_signal(number)
    out, err = fight.communicate(timeout=60)
    assert fight.returncode == 130
    assert out == ""
    said, how = err.splitlines()
    assert said == "judge: interrupted before the first game was over."
    assert re.match(r"Do it again: judge fight .* --seed \d+$", how)
    assert not is_running(pid)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nosuch", "random"], "there is no bot 'nosuch'"),
        (["huntr", "random"], "hunter"),
        (["bots", "random"], "has no run.sh and no bot.json"),
        (["hunter", "random", "--games", "0"], "--games: '0' is not a whole number from 1"),
        (["hunter", "random", "--timeout", "-1"], "--timeout: '-1' is not a duration above zero"),
        (["hunter", "random", "--gmaes", "3"], "Did you mean --games?"),
        ([], "at least two bots, and none is named"),
        (["hunter"], "at least two bots, and only hunter is named"),
        (["hunter", "random", "hunt"], "the rules brainjar are for 2 players, not 3"),
        (["evader", "random", "hunt", "--rules", "xbs"], "a game has two players"),
        (["evader", "random", "--rules", "bsp"], "one ship a size"),
        (["evader", "random", "--rules", "contest-5"], "one ship a size"),
        (["hunter", "random", "--sprt", "30,0"], "ELO0 must be less than ELO1"),
        (["hunter", "random", "--sprt", "0,30", "--first", "a"], "--first alternate"),
        (["hunter", "random", "--json", "--jsonl"], "choose one"),
    ],
)
def test_what_is_typed_wrong_is_said_in_a_sentence(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong bot, flag or value: one clear sentence, exit 2, nothing on stdout."""
    monkeypatch.chdir(ROOT)
    done = in_process("fight", *arguments)
    assert (done.status, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
    assert "Traceback" not in done.stderr


SHORT = replace(BRAINJAR, name="short", columns=4, fleet=(2,))


def short_games(count: int, between: Callable[[int], Any]) -> None:
    bots = find_all([PLAYS, PLAYS])
    conditions = Conditions(rules=SHORT, dialect="readme", isolation=choose("limits")[0])
    with playing(Fight(count, 1, First.ALTERNATE), bots, Run(conditions, bots), jobs=2) as results:
        for number, result in enumerate(results, 1):
            assert isinstance(result, GameRecord)
            between(number)


def open_descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def test_a_hundred_games_leave_nothing_behind() -> None:
    """No process, descriptor or thread outlives its game, and memory stays flat."""
    memory: dict[int, int] = {}

    def measure(number: int) -> None:
        if number in (40, 100):
            gc.collect()
            memory[number] = tracemalloc.get_traced_memory()[0]

    short_games(2, lambda _: None)  # what is loaded once is loaded now
    # Other tests of this worker may have left some, and may end them meanwhile.
    descriptors, threads, others = open_descriptors(), {*threading.enumerate()}, children()
    tracemalloc.start()
    try:
        short_games(100, measure)
    finally:
        tracemalloc.stop()
    assert open_descriptors() <= descriptors
    assert {*threading.enumerate()} <= threads
    assert children() <= others
    assert memory[100] - memory[40] < 50_000
