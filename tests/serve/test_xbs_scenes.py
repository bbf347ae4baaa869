"""Scenes at an XBS table, without sockets: what clients and the host do, and what each of them is told.

A scene of xbs_scenes.txt begins with its name and the table's options. Each other line without an indent
is a step: ``+ ann ADDRESS`` connects, ``ann: LINE`` says a line, ``- ann`` ends the stream,
``! COMMAND`` is the host's, and ``* SECONDS`` moves the clock on. The lines below a step come of it.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from golden import hold, recorded
from halls import BOARDS, SMALL, small, table
from judge.game.fleets import random_fleet
from judge.serve.xbs_console import Console
from judge.wire.xbs.notation import board_text
from own_halls import Line, OwnHall
from strategies import examples

SCENES = Path(__file__).with_name("xbs_scenes.txt")
BOARD = {
    "{A}": BOARDS[0],
    "{B}": BOARDS[1],
    "{elsewhere}": "." * 56 + "BB...AAA",  # the same ships as those of A
    "{lower}": BOARDS[0].lower(),
    "{short}": BOARDS[0][1:],
    "{water}": "." * 64,
}


class Scene:
    def __init__(self, options: str) -> None:
        words = options.split()
        set_up = small(int(words[0]), from_anywhere="from-anywhere" in words)
        if "turn-10" in words:
            set_up = replace(set_up, turn=10.0)
        if "by-hand" in words:
            set_up = replace(set_up, auto_start=False)
        self.hall = OwnHall(table(set_up, "ann", "bob", "cat"))
        self.console = Console(self.hall.hall, self.hall.hall.stop, asks="asks" in words)
        self.clients: dict[str, Line] = {}
        self.logged = 0

    def do(self, step: str) -> list[str]:
        """Take a step, and tell what comes of it."""
        match step.split(" ", 2):
            case ["+", name, address]:
                self.clients[name] = self.hall.connect(address)
            case ["-", name]:
                self.hall.receive(self.clients[name], b"")
                self.clients.pop(name)
            case ["*", seconds]:
                self.hall.later(float(seconds))
            case ["!", *_]:
                said = self.hall.done(lambda: self.console.do(step[2:]))
                return [*(f"host: {line}" for line in said.split("\n") if line), *self.told()]
            case _:
                name, _, words = step.partition(": ")
                words = re.sub(r"\\u(....)", lambda found: chr(int(found[1], 16)), words)
                for mark, board in BOARD.items():
                    words = words.replace(mark, board)
                self.hall.receive(self.clients[name], f"{words}\n".encode())
        return self.told()

    def told(self) -> list[str]:
        clock = len("12:00:00 ")
        lines = [f"log: {line[clock:]}" for line in self.hall.said.lines[self.logged :]]
        self.logged = len(self.hall.said.lines)
        for name, client in list(self.clients.items()):
            lines += [f"{name}< {line}" for line in self.hall.sent(client).decode().splitlines()]
            if client.is_closed:
                lines.append(f"{name} is let go")
                del self.clients[name]
        return lines


@pytest.mark.parametrize("name", recorded(SCENES))
def test_a_scene_goes_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """Every command of the host does what the published server's key does, and says why where it
    cannot; and the place of a player who is gone goes to its board, to its address while nobody else
    is there, or by the host's word."""
    scenes = recorded(SCENES)
    options, *lines = scenes[name].split("\n")
    scene = Scene(options)
    told = [options]
    for step in (line for line in lines if not line.startswith("    ")):
        told += [step, *(f"    {line}" for line in scene.do(step))]
    hold(SCENES, name, "\n".join(told), scenes, pytestconfig)


@given(st.integers(0, 99), st.integers(0, 99))
@examples(20)
def test_any_board_but_the_own_one_is_refused(own: int, other: int) -> None:
    """Whatever the fleets: the same board gets the place, and another one does not."""
    mine, wrong = (
        board_text(random_fleet(SMALL, Random(seed)), SMALL, "AB") for seed in (own, other)
    )
    hall = OwnHall(table(small(), "ann", "bob"))
    ann, _ = (hall.connect("127.0.0.1") for _ in range(2))
    for client, name in zip(hall.lines, ("ann", "bob"), strict=True):
        hall.receive(client, f"J|{name}|{mine}\n".encode())
    hall.receive(ann, b"")
    again = hall.connect("127.0.0.1")
    hall.sent(again)
    hall.receive(again, f"J|ann|{wrong}\n".encode())
    if wrong != mine:
        assert hall.sent(again) == b"E|name in use\n"
        hall.receive(again, f"J|ann|{mine}\n".encode())
    assert hall.sent(again).startswith(f"J|ann\nY|{mine}\n".encode())
