"""judge rank and judge check in a folder of bots whose names are the same or look alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import judge
from contest_folder import PLAYS, add_bots, rank

SEVERAL = "the names of several bots are the same or look alike: "
MEND = (
    "points belong to a name, so rename its file or folder, or give it another name in its bot.json"
)


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder of its own with one bot."""
    add_bots(ada=PLAYS)


def put(folder: str, name: str) -> None:
    """A bot in a folder, with a name in its manifest."""
    place = Path("bots", folder)
    place.mkdir()
    (place / "bot.json").write_text(json.dumps({"command": ["./plays.sh"], "name": name}))
    (place / "plays.sh").write_text(PLAYS)
    (place / "plays.sh").chmod(0o755)


def names_of(start: dict[str, Any]) -> list[str]:
    return [bot["name"] for bot in start["bots"]]


def test_rank_and_check_leave_out_the_same_namesakes() -> None:
    """Both say who with the folders, and go on with all others; whoever has letters of two scripts
    in its name plays."""
    put("ann", "ann")
    put("mixed", "\u0430da")
    put("yak", "A\u200bnn")
    put("zed", "bob")
    put("zoo", "BOB#2")
    ranked = rank("--jsonl")
    start = json.loads(ranked.stdout.splitlines()[0])
    assert names_of(start) == ["ada", "ann", "\u0430da"]
    taken = f"its name, 'Ann', looks like 'ann', which the folder 'ann' bears; {MEND}"
    shared = f"{SEVERAL}'bob' of 'zed', 'BOB#2' of 'zoo'; {MEND}"
    mixed = "letters of several scripts, which may look alike, are in "
    said = [
        f"judge: left out yak: {taken}.",
        f"judge: left out zed, zoo, each for the same reason: {shared}.",
        f"judge: {mixed}\u0430da (Latin and Cyrillic).",
    ]
    assert sorted(said) == sorted(ranked.stderr.splitlines()[:3])
    assert start["left_out"] == [
        {"name": "yak", "reason": taken},
        {"name": "zed", "reason": shared},
        {"name": "zoo", "reason": shared},
    ]
    only = ("--only", "places a legal fleet")
    checked = judge("check", "bots", "--isolation", "none", "--json", *only)
    assert sorted(said) == sorted(checked.stderr.splitlines()[:3])
    document = json.loads(checked.stdout)
    assert document["left_out"] == start["left_out"]
    assert [report["bot"] for report in document["bots"]] == names_of(start)


def test_a_name_with_another_sign_behind_it_is_no_namesake() -> None:
    """Only a number is what the judge gives to a second bot of one name."""
    put("one", "ada#best")
    start = json.loads(rank("--jsonl", "--quiet").stdout.splitlines()[0])
    assert (names_of(start), start["left_out"]) == (["ada", "ada#best"], [])


def test_a_bot_that_is_left_out_for_its_name_is_not_gone() -> None:
    """It lies in the folder, though not under the name that another has now as well."""
    put("bob", "bob")
    put("zed", "ann")
    rank("--quiet")
    put("yak", "ann")
    again = rank()
    assert "left out yak, zed, each for the same reason: " in again.stderr
    assert "gone" not in again.stderr
