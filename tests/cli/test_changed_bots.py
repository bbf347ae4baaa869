"""Bots whose files change, or go, while the judge plays their games."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bot_files import write
from commands import Done, judge, started
from contest_folder import PLAYS, add_bots, journal, make, rank
from needs import need

# Does something to another bot once, in the middle of a game: in its 30th process or so.
MEDDLES = """\
#!/bin/sh
echo >>{count}
if [ "$(wc -l <{count})" -ge 30 ] && mkdir {count}.reached 2>/dev/null; then {deed}; fi
"""


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder with two bots that play; each test adds the one that meddles."""
    add_bots(ada=PLAYS, zoe=PLAYS)
    write("new.sh", f"{PLAYS}# a newer one\n", 0o755)
    return own_folder


def meddling(folder: Path, deed: str) -> None:
    head = MEDDLES.format(count=folder / "count", deed=deed)
    make("bob", head + PLAYS.partition("\n")[2])


def games_of(name: str) -> list[tuple[str, str]]:
    """The digest of that bot, and who won, in each game of the journal that it is in."""
    return [
        (seat["digest"], str(game["outcome"]["termination"]))
        for game in journal()
        for seat in game["seats"]
        if seat["name"] == name
    ]


def test_no_game_of_a_new_program_is_kept_under_the_digest_of_the_old(folder: Path) -> None:
    """The bot is left out from then on, which is said once; all others play on, and the same
    command plays the rest with the new files."""
    meddling(folder, f"mv {folder}/new.sh {folder}/bots/ada.sh")
    done = rank("--rounds", "3", "--seed", "5", "--jobs", "2")
    assert done.status == 1
    assert done.stderr.count("the files of ada changed while the judge ran") == 1
    assert "ada.sh' is another file than when the judge began" in done.stderr
    assert len([game for game in journal() if "ada" not in str(game["seats"])]) == 6
    before = len(games_of("ada"))
    assert before < 12
    again = rank("--rounds", "3")
    assert again.status == 0, again.stderr
    digests = [digest for digest, _ in games_of("ada")]
    assert len(digests) == before + 12
    assert len({*digests[:before]}) <= 1
    assert len({*digests[before:]}) == 1
    assert digests[-1] not in digests[:before]


@pytest.mark.parametrize("level", ["limits", "bwrap"])
def test_a_bot_whose_folder_is_taken_away_forfeits_nothing(level: str) -> None:
    """The games that it could not be started for are the judge's fault, and not kept."""
    if level == "bwrap":
        need("bwrap")
    Path("bots/carl").mkdir()
    shutil.move("bots/ada.sh", "bots/carl/run.sh")
    make("bob", PLAYS)
    with started(
        Path(),
        *("rank", "bots", "--isolation", level, "--jsonl"),
        *("--rounds", "4", "--seed", "5", "--jobs", "1"),
    ) as judging:
        assert judging.stdout is not None, "a pipe"
        for line in judging.stdout:
            if '"game"' in line:
                break
        shutil.move("bots/carl", "gone")
        _, stderr = judging.communicate()
    assert judging.returncode == 1
    assert stderr.count("the files of carl changed while the judge ran") == 1
    assert "cannot be read any more (No such file or directory)" in stderr
    assert {how for _, how in games_of("carl")} <= {"fleet-destroyed"}
    assert len(games_of("carl")) < 16
    assert len([game for game in journal() if "carl" not in str(game["seats"])]) == 8


@pytest.mark.parametrize("form", ["--json", "text"])
def test_a_fight_ends_where_a_bot_has_changed(form: str, folder: Path) -> None:
    """There is nobody to play its other games with, and the text says that they were not played."""
    meddling(folder, f"mv {folder}/new.sh {folder}/bots/ada.sh")
    done: Done = judge(
        *("fight", "bots/ada.sh", "bots/bob.sh", "--games", "200", "--seed", "5", "--no-ledger"),
        *("--isolation", "none", *([form] if form == "--json" else ())),
    )
    assert done.status == 1
    if form == "--json":
        (fault,) = json.loads(done.stdout)["faults"]
        assert "the files of ada changed while the judge ran" in fault["message"]
    else:
        assert "No game was played after that." in done.stdout


def test_the_files_of_the_judge_are_no_bots(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fight in a bot's folder keeps its games beside the folder. A ledger or --io in a bot's folder
    is refused, and nothing is written."""
    for name in ("kim", "bots/lea"):
        Path(name).mkdir()
        write(f"{name}/run.sh", PLAYS, 0o755)
    fought = ("fight", ".", "../bots/zoe.sh", "--games", "2", "--seed", "5", "--isolation", "none")
    monkeypatch.chdir("kim")
    first, second = judge(*fought), judge(*fought)
    assert "kept in ../kim.ledger.json" in first.stdout
    assert "are in ../kim.ledger.json already" in " ".join(second.stdout.split())
    for words in (("--ledger", "a.json"), ("--no-ledger", "--io", "io/more")):
        done = judge(*fought, *words)
        assert (done.status, "lies in the folder of kim" in done.stderr) == (2, True)
    monkeypatch.chdir(folder)
    done = rank("--io", "bots/lea/io")
    assert (done.status, "such as bots/io" in done.stderr) == (2, True)
    assert [path.name for path in folder.glob("**/kim/*")] == ["run.sh"]
    assert [path.name for path in folder.glob("bots/lea/*")] == ["run.sh"]


@pytest.mark.parametrize("deed", ["touch {}", "cat {} >{}.copy; mv {}.copy {}; chmod +x {}"])
def test_files_that_hold_the_same_are_no_change(folder: Path, deed: str) -> None:
    """They may be written any number of times; and a file beside them does not belong to them."""
    ada = f"{folder}/bots/ada.sh"
    meddling(folder, f"echo >{folder}/bots/more.txt; {deed.replace('{}', ada)}")
    done = rank("--seed", "5")
    assert done.status == 0, done.stderr
    assert len(games_of("ada")) == 4
