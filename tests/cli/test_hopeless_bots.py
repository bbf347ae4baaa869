"""judge rank and bots that time out or crash game after game: their other games are put off."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from contest_folder import (
    LEDGER,
    PLAYS,
    add_bots,
    couples,
    journal,
    make,
    rank,
    without_times,
)
from judge import schemas
from judge.contest.ledger.verify import verify

CRASHES = "#!/bin/sh\necho out of wits >&2\nexit 9\n"


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder with three bots: two that play, and one that crashes."""
    add_bots(ada=PLAYS, bob=PLAYS, sick=CRASHES)


def of_sick() -> int:
    return sum(number for names, number in couples(journal()).items() if "sick" in names)


def events(text: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in text.splitlines()]
    assert all(schemas.problem("rank-event", event) is None for event in found)
    return found


def test_after_five_crashes_in_a_row_the_other_games_are_put_off() -> None:
    """All others play on; whose games are put off is said once, with what it looked like and how
    they are played all the same, and is an event."""
    done = rank("--rounds", "3", "--seed", "5", "--jsonl")
    assert done.status == 0
    assert couples(journal())["ada bob"] == 6
    assert of_sick() == 5
    assert done.stderr.count("has forfeited") == 1
    assert (
        "judge: sick has forfeited 5 games in a row by time-out or crash, so its 7 games that are "
        "left of this run are put off until its files have changed; --insist plays them all the "
        "same.\n"
    ) in done.stderr
    assert "  sick, crash: exited with status 9\n" in done.stderr
    assert "out of wits" in done.stderr
    (event,) = [event for event in events(done.stdout) if event["event"] == "put-off"]
    assert (event["bot"], event["row"], event["games"]) == ("sick", 5, 7)
    assert verify(LEDGER).problems == ()


def test_the_ledger_does_not_depend_on_how_many_games_are_played_at_once() -> None:
    """Games that were under way are dropped: the same games come in the same order, and the
    standings are the same to the last byte."""
    for jobs in ("1", "3"):
        rank("--seed", "7", "--rounds", "2", "--jobs", jobs, "--ledger", f"{jobs}.json", "--quiet")
    one, three = (without_times(journal(Path(f"{jobs}.games.jsonl"))) for jobs in "13")
    assert one == three
    assert Path("1.json").read_bytes() == Path("3.json").read_bytes()


def test_a_bot_that_was_changed_plays_again() -> None:
    """Its own games, by its new files."""
    rank("--rounds", "2", "--quiet")
    make("sick", PLAYS)
    done = rank("--rounds", "2")
    assert "put off" not in done.stderr
    finished = [game for game in journal() if game["outcome"]["termination"] == "fleet-destroyed"]
    assert couples(finished)["ada sick"] + couples(finished)["bob sick"] >= 3


def test_who_insists_plays_them_all_the_same() -> None:
    """All games of the run."""
    rank("--rounds", "2", "--quiet")
    done = rank("--rounds", "2", "--insist")
    assert of_sick() == 8
    assert "put off" not in done.stderr


def test_a_gauntlet_of_such_a_bot_ends_soon() -> None:
    """After five of its games."""
    rank("--format", "gauntlet", "--bot", "sick", "--rounds", "3", "--quiet")
    assert (of_sick(), len(journal())) == (5, 5)


def test_other_forfeits_put_nothing_off() -> None:
    """A bot that answers, and wrongly, costs no time."""
    make("sick", "#!/bin/sh\necho '{}'\n")
    rank("--rounds", "2", "--quiet")
    assert of_sick() == 8


def test_a_copy_of_the_bot_under_another_name_plays_on() -> None:
    """It is another bot."""
    shutil.copy("bots/sick.sh", "bots/tom.sh")
    rank("--rounds", "2", "--quiet")
    names = [seat["name"] for game in journal() for seat in game["seats"]]
    assert names.count("tom") >= 5
