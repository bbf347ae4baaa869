"""Full screens whose terminal is closed: the command ends, whatever it was doing."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from bot_files import write
from child_processes import descendants, is_running
from commands import JUDGE, ROOT
from far_server import FarServer, Peer
from games import played
from judge.documents.codec import builtins
from terminals import ENTER, HANG_UPS, PATIENCE, Terminal

PLAYS = str(ROOT / "tests" / "hostile" / "plays.sh")
SLOW = "#!/bin/sh\necho $$ > pid\nexec sleep 1000\n"
LOBBY = "G|2.0.1|Pond|N|2|3|0|2|8|8|2|A3|B2\n"

INTERRUPTED = 130


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a game to replay, and a bot that never answers."""
    (tmp_path / "game.json").write_text(json.dumps(builtins(played(seed=3))))
    write(tmp_path / "slow.sh", SLOW, 0o755)
    return tmp_path


def opened(folder: Path, command: Sequence[str], kind: str = "deaf") -> Terminal:
    return Terminal([*JUDGE, *command], folder, around=HANG_UPS[kind])


def ends_with_its_terminal(terminal: Terminal) -> None:
    """It ends as if interrupted, and so does all that it has started."""
    begun = descendants(terminal.child.pid)
    try:
        assert terminal.hang_up() == INTERRUPTED
        end = time.monotonic() + PATIENCE
        while any(is_running(one) for one in begun):
            assert time.monotonic() < end, "a process that it has started goes on"
            time.sleep(0.05)
    finally:
        for one in filter(is_running, begun):
            os.kill(one, signal.SIGKILL)


# The commands that wait for something, and what is seen, and typed, until they do.
WATCH = ("fight", PLAYS, f"twin={PLAYS}", "--watch", "--no-ledger", "--delay", "30s")
PERSON = ("play", PLAYS, "--first", "a")
PLACED = ("your ship of 2", b"x", ENTER, "Enter fires")
WAITS: dict[str, tuple[Sequence[str], Sequence[str | bytes]]] = {
    "a replay": (("replay", "game.json"), ["0 of "]),
    "a replay that plays": (("replay", "game.json", "--delay", "50ms"), ["1 of "]),
    "a watched fight": (WATCH, ["move 1"]),
    "a fleet that is placed": ((*PERSON, "--rated"), ["your ship of 2"]),
    "a shot that is aimed": (PERSON, PLACED),
    "a game that is over": (PERSON, [*PLACED, b"r", b"r", "press a key"]),
}
KINDS = [("a replay", kind) for kind in HANG_UPS] + [
    (wait, [*HANG_UPS][number % len(HANG_UPS)]) for number, wait in enumerate([*WAITS][1:])
]


@pytest.mark.parametrize(("wait", "kind"), KINDS)
def test_what_waits_ends_with_its_terminal(wait: str, kind: str, folder: Path) -> None:
    """It ends although nothing happens, or although something is drawn all the time, and however it
    comes to know."""
    command, steps = WAITS[wait]
    with opened(folder, command, kind) as terminal:
        for step in steps:
            if isinstance(step, str):
                terminal.shows(step)
            else:
                terminal.types(step)
        ends_with_its_terminal(terminal)
    assert not (folder / "ledger.games.jsonl").exists()


@pytest.mark.parametrize("command", ["fight", "play"])
def test_a_move_under_way_ends_with_the_terminal(command: str, folder: Path) -> None:
    """While a bot takes its time, which ends with the game."""
    bots = {"fight": ["slow.sh", PLAYS, "--watch", "--no-ledger"], "play": ["./slow.sh"]}[command]
    slow = [command, *bots, "--isolation", "none", "--timeout", "10min"]
    with opened(folder, slow) as terminal:
        if command == "play":
            terminal.shows("your ship of 2")
            terminal.types(b"x", ENTER)
        terminal.until(lambda: (folder / "pid").exists() and (folder / "pid").read_text())
        ends_with_its_terminal(terminal)
    assert not is_running(int((folder / "pid").read_text()))


def waiting(peer: Peer) -> None:
    """A table at which nothing happens."""
    peer.say(LOBBY)
    peer.rest()


@pytest.fixture
def table() -> Iterator[str]:
    """The address of such a table."""
    with FarServer(waiting) as server:
        yield f"xbs://127.0.0.1:{server.port}"


def test_a_seat_at_a_table_ends_with_its_terminal(folder: Path, table: str) -> None:
    """While nothing comes from the server."""
    with opened(folder, ["join", table], "told") as terminal:
        terminal.shows("place your ships")
        ends_with_its_terminal(terminal)


def test_a_seat_that_waits_for_its_game_ends_with_its_terminal(folder: Path) -> None:
    """The server hears that the player leaves."""
    heard: list[str] = []

    def seated(peer: Peer) -> None:
        peer.say(LOBBY)
        peer.line()
        peer.say("J|bob\n")
        heard.append(peer.rest())

    with FarServer(seated) as server:
        address = f"xbs://127.0.0.1:{server.port}"
        command = ["join", address, "--name", "bob", "--fleet", "random"]
        with opened(folder, command) as terminal:
            terminal.shows("wait for the game")
            ends_with_its_terminal(terminal)
    assert heard == ["L|\n"]
