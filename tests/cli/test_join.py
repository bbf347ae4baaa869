"""judge join, as its user sees it: real processes at our own servers."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from test_serve import running

from judge.contest.journal import audit
from judge.game.outcome import Termination
from terminals import JUDGE, ROOT

pytestmark = pytest.mark.whole

PATIENCE = 240


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*JUDGE, "join", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(ROOT), "LANG": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(processes: Sequence[subprocess.Popen[str]]) -> list[tuple[int, str, str]]:
    """Their exit statuses, and what they wrote."""
    try:
        said = [process.communicate(timeout=PATIENCE) for process in processes]
    finally:
        for process in processes:
            process.kill()
    return [(one.returncode, *both) for one, both in zip(processes, said, strict=True)]


def judged(folder: Path, *arguments: str) -> tuple[int, str, str]:
    (end,) = ended([started(folder, *arguments)])
    return end


def test_bots_at_a_table_of_xbs(tmp_path: Path) -> None:
    """Three bots of three wires play two games at one table, under their names, to the end."""
    with running(tmp_path, "xbs", "--auto-start", "--max", "3", "--repeat=2") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        ends = ended(
            [
                started(tmp_path, at, "--bot", "random@open", "--games", "2"),
                started(tmp_path, at, "--bot", "hunter@open-lines", "--games", "2", "--log", "log"),
                started(tmp_path, at, "--bot", "xbs-hunt", "--games", "2", "--name", "ann"),
            ]
        )
    assert [status for status, _, _ in ends] == [0, 0, 0], ends
    assert len({out for _, out, _ in ends}) == 1, "all are told the same results"
    form = r"game [12]: (\w+ won: it was ahead|nobody won: level) when .* \((\w+ \d+(, )?){3}\)\n"
    assert re.fullmatch(f"({form}){{2}}", ends[0][1]), ends[0][1]
    games = [audit.game(tmp_path / "xbs.ledger.json", number) for number in "12"]
    assert [{seat.name for seat in game.seats} for game in games] == [
        {"random", "hunter", "ann"}
    ] * 2
    assert 'Sent message: "J|hunter|' in (tmp_path / "log").read_text()


def test_bots_at_a_server_of_bsp(tmp_path: Path) -> None:
    """Two bots play two games, one of them under a name."""
    with running(tmp_path, "bsp") as server:
        at = f"bsp://127.0.0.1:{server.port}"
        ends = ended(
            [
                started(tmp_path, at, "--bot", "hunter", "--games", "2", "--name", "ann"),
                started(tmp_path, at, "--bot", "random@open-lines", "--games", "2"),
            ]
        )
    assert [status for status, _, _ in ends] == [0, 0], ends
    games = [audit.game(tmp_path / "bsp.ledger.json", number) for number in "12"]
    assert [game.outcome.termination for game in games] == [Termination.FLEET_DESTROYED] * 2
    assert {seat.name for game in games for seat in game.seats} == {"ann", "guest-1"}
    assert ends[0][1].count("\n") == 2
    assert "hunter won: it sank" in ends[0][1] or "the opponent won: it sank" in ends[0][1]


def test_a_bot_that_fails(tmp_path: Path) -> None:
    """It is the bot's fault, said in a sentence, with an exit status of its own."""
    bot = tmp_path / "crash.py"
    bot.write_text("raise SystemExit(7)\n")
    with running(tmp_path, "xbs") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        status, out, err = judged(tmp_path, at, "--bot", f"{bot}@open")
    assert (status, out) == (3, "")
    assert "crash failed, and its game was left: it exited with status 7" in err


def test_what_cannot_be_joined(tmp_path: Path) -> None:
    """What was typed, a bot that cannot play the game, and a server that is none are told apart by
    sentence and exit status."""
    status, _, err = judged(tmp_path, "localhost:80", "--bot", "hunter")
    assert (status, err.count("\n")) == (2, 1)
    assert "'localhost:80' is no address of a server, such as xbs://HOST:PORT" in err
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    status, _, err = judged(tmp_path, f"bsp://127.0.0.1:{port}", "--bot", "hunter@open")
    assert (status, err) == (
        1,
        f"judge: bsp://127.0.0.1:{port} cannot be reached: Connection refused.\n",
    )
    with running(tmp_path, "xbs") as server:
        at = f"xbs://127.0.0.1:{server.port}"
        status, _, err = judged(tmp_path, at, "--bot", "hunter@brainjar")
        assert status == 2
        assert "hunter cannot play the rules 'xbs': in the brainjar protocol" in err
        status, _, err = judged(tmp_path, at, "--bot", "hunter", "--name", "me")
        assert status == 2
        assert "can be called 'me': invalid name; --name gives another" in err
