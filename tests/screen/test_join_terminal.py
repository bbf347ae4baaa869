"""The full screen of judge join in a real terminal: its size, its end, and where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from far_server import FarServer, Peer
from terminals import CTRL_C, JUDGE, Terminal

LOBBY = "G|2.0.1|Pond|N|2|3|0|2|8|8|2|A3|B2\n"
WATER = "." * 64
BOARDS = "".join(f"B|{name}||{WATER}|0|0\n" for name in ("bob", "ann", "cy"))


def seated(peer: Peer) -> None:
    """Bob sits at a table of three, and the turn is his."""
    peer.say(LOBBY)
    peer.line()
    peer.say(f"J|bob\nJ|ann\nJ|cy\n{BOARDS}S|bob|ann|cy\nN|bob\n")
    peer.rest()


@pytest.fixture
def table() -> Iterator[str]:
    """The address of such a table."""
    with FarServer(seated) as server:
        yield f"xbs://127.0.0.1:{server.port}"


def joined(table: str, folder: Path, *more: str, **environment: str) -> Terminal:
    command = [*JUDGE, "join", table, "--name", "bob", "--fleet", "random", *more]
    return Terminal(command, folder, rows=40, **environment)


def test_a_table_follows_the_size_of_the_terminal(table: str, tmp_path: Path) -> None:
    """Boards stand beside each other where there is room, and one below the other where there is
    none; Ctrl-C leaves, and the terminal is as it was."""
    with joined(table, tmp_path) as terminal:
        terminal.shows("> 1: you, 0 points", "2: ann", "it is your turn")
        titles = [line for line in terminal.lines if "1: you" in line]
        assert "2: ann" in titles[0]
        terminal.resize(40, 50)
        terminal.until(lambda: any(line.strip() == "2: ann, 0 points" for line in terminal.lines))
        terminal.resize(120, 40)
        terminal.until(lambda: any("1: you" in line and "3: cy" in line for line in terminal.lines))
        terminal.types(CTRL_C)
        assert terminal.ends() == 130
        assert terminal.is_as_before()
        terminal.shows("judge: interrupted.")


@pytest.mark.parametrize("more", [["--plain"], []])
def test_a_dumb_terminal_is_told_line_by_line(more: list[str], table: str, tmp_path: Path) -> None:
    """So is one where --plain is asked for; quit ends it."""
    term = "xterm" if more else "dumb"
    with joined(table, tmp_path, *more, TERM=term, NO_COLOR="1") as terminal:
        terminal.shows("it is your turn")
        terminal.types("turn\r", "quit\r")
        assert terminal.ends() == 0
        assert terminal.is_as_before()
        assert b"\x1b" not in terminal.output
