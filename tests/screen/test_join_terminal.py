"""The full screen of judge join in a real terminal: size, colours, end, and the refusal without a
terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import JUDGE
from far_server import FarServer, Peer
from terminals import COLOURS, CTRL_C, Terminal

LOBBY = "G|2.0.1|Pond|N|2|3|0|2|8|8|2|A3|B2\n"
WATER = "." * 64
BOARDS = "".join(f"B|{name}||{WATER}|0|0\n" for name in ("bob", "ann", "cy"))
SHOT_AT = f"B|bob||{WATER}|2|0\nB|ann||XX0{WATER[3:]}|0|0\nB|cy||..0{WATER[3:]}|0|0\n"
AFTERWARDS = (
    "> 1: you",
    "2 points, 0% hit",
    "0 points, 40% hit",
    "1 × ×[○]· · · · ·",
    "1 · ·[○]· · · · ·",
    "○ miss   × hit",
)


def seated(peer: Peer) -> None:
    """Bob sits at a table of three, and the turn is his."""
    peer.say(LOBBY)
    peer.line()
    peer.say(f"J|bob\nJ|ann\nJ|cy\n{BOARDS}S|bob|ann|cy\nN|bob\n")
    peer.rest()


def in_a_game(peer: Peer) -> None:
    """The same, after two hits and two misses."""
    peer.say(LOBBY)
    peer.line()
    peer.say(f"J|bob\nJ|ann\nJ|cy\n{BOARDS}S|bob|ann|cy\nN|bob\n{SHOT_AT}N|ann\nN|cy\nN|bob\n")
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
    """Boards stand beside each other if there is room, and one below the other if there is not;
    Ctrl-C leaves, and the terminal is as it was."""
    with joined(table, tmp_path) as terminal:
        terminal.shows("it is your turn")
        beside = ("> 1: you", "2: ann")
        terminal.until(lambda: any(all(one in line for one in beside) for line in terminal.lines))
        terminal.resize(40, 50)
        terminal.until(lambda: any(line.strip() == "2: ann" for line in terminal.lines))
        terminal.resize(120, 40)
        terminal.until(lambda: any("1: you" in line and "3: cy" in line for line in terminal.lines))
        terminal.types(CTRL_C)
        assert terminal.ends() == 130
        assert terminal.is_as_before()
        terminal.shows("judge: interrupted.")


def test_without_colours_shapes_tell_hits_from_misses(tmp_path: Path) -> None:
    """With NO_COLOR not one colour is sent, and the legend says which shape is what."""
    with FarServer(in_a_game) as server:
        address = f"xbs://127.0.0.1:{server.port}"
        with joined(address, tmp_path, NO_COLOR="1") as terminal:
            terminal.shows(*AFTERWARDS)
            terminal.types(CTRL_C)
            assert terminal.ends() == 130
            assert not COLOURS.search(terminal.output)


def test_the_ground_is_that_of_the_terminal(tmp_path: Path) -> None:
    """No cell of the screen has a ground of its own, and words have the terminal's own colour: so
    the screen is light where the terminal is. Marks have colours that can be read on both."""
    with FarServer(in_a_game) as server:
        address = f"xbs://127.0.0.1:{server.port}"
        with joined(address, tmp_path, TERM="xterm-256color", COLORTERM="truecolor") as terminal:
            terminal.shows(*AFTERWARDS)
            drawn = [
                terminal.screen.buffer[row][column] for row in range(40) for column in range(80)
            ]
            assert {one.bg for one in drawn} == {"default"}
            coloured = {one.data: one.fg for one in drawn if one.fg != "default"}
            assert {mark: coloured.get(mark) for mark in "×○"} == {"×": "ff0000", "○": "0087d7"}
            assert not [one for one in coloured if one.isalpha()]
            terminal.types(CTRL_C)
            assert terminal.ends() == 130


def test_ones_own_bot_is_watched(tmp_path: Path) -> None:
    """With --watch its game is on the screen, who watches talks at the table, and quit has the bot
    leave."""
    heard: list[str] = []

    def table(peer: Peer) -> None:
        peer.say(LOBBY)
        peer.line()
        peer.say(f"J|bob\nJ|ann\nJ|cy\n{BOARDS}S|bob|ann|cy\nN|bob\n")
        heard.extend((peer.line(), peer.line()))
        peer.say(f"B|cy||X{WATER[1:]}|0|0\nB|bob||{WATER}|1|0\nN|ann\n")
        heard.append(peer.rest())

    with FarServer(table) as server:
        command = [*JUDGE, "join", f"xbs://127.0.0.1:{server.port}", "--name", "bob"]
        bot = ["--bot", "random", "--watch", "--isolation", "none"]
        with Terminal([*command, *bot], tmp_path, rows=40) as terminal:
            terminal.shows("it is your turn", "1: you", "2: ann", "3: cy")
            terminal.types("say good luck\r")
            terminal.shows("you said: good luck", "it is ann's turn", "0 points, 20% hit")
            terminal.types("a1\r")
            terminal.shows("? 'a1' is not a command for a watcher; help lists the commands")
            terminal.types("quit\r")
            assert terminal.ends() == 0
            assert terminal.is_as_before()
    shot, said = sorted(heard[:2], reverse=True)
    assert (shot[:2], said) == ("S|", "M||good luck")
    assert heard[2] == "L|it was stopped\n"


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
