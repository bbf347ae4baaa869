"""One scripted player behind every wire: its answers do not depend on the protocol.

A `Policy` is asked for a fleet and for volleys, and is told nothing else. `PROGRAMS` has, for each
wire, a program that asks a policy; `connected` makes the connection to it. Seats are called
``bot0``, ``bot1`` and so on.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from changes import replace
from judge.documents.rules import Fleet, Rules, Ship
from judge.errors import Crashed
from judge.game.events import Target
from judge.process.run.connection import Connection, Script
from judge.testing import board
from judge.wire import brainjar
from judge.wire.broadsides import fleet_answer, volley_answer
from judge.wire.contest import FRAME_BYTES, hello, ship_answer, shot_answer
from judge.wire.open import SKIP_REPLY, fleet_reply, shots_reply
from judge.wire.xbs.notation import board_text
from strategies import some_fleet

Program = Callable[[bytes], bytes]
"""From a question to the reply; from what is not to be answered to nothing."""


class Policy:
    """A player's answers, by its seed. With the chance ``slips`` an answer is wrong."""

    def __init__(
        self,
        rules: Rules,
        seat: int,
        seats: int,
        *,
        seed: int,
        slips: float = 0.0,
        skips: float = 0.0,
    ) -> None:
        self.legal = some_fleet(rules, Random(f"fleet {seed}"))
        self.rules = rules
        self._luck = Random(seed)
        self._slips, self._skips = slips, skips if rules.may_skip else 0.0
        others = [other for other in range(seats) if other != seat]
        self._fresh = [Target(other, cell) for other in others for cell in board(rules)]
        self._luck.shuffle(self._fresh)
        self._fired: list[Target] = []

    def fleet(self) -> Fleet:
        """The fleet, ships in the order of the rules; or one in which two of them overlap."""
        first, *rest = self.legal
        if rest and self._luck.random() < self._slips:
            long, short = sorted((first, rest[0]), key=lambda ship: -ship.length)
            on_it = replace(long, length=short.length)
            self._break_now_and_then()
            return tuple(on_it if ship is short else ship for ship in self.legal)
        return self.legal

    def volley(self, due: int) -> tuple[Target, ...] | None:
        """Shots at cells that it has not shot at, while there are any; None skips the turn."""
        if self._luck.random() < self._skips:
            return None
        shots = [self._shot() for _ in range(due)]
        if self._luck.random() < self._slips:
            self._break_now_and_then()
            shots[-1] = shots[0]
        self._fired += shots
        return tuple(shots)

    def _shot(self) -> Target:
        if self._fired and self._luck.random() < self._slips:
            return self._luck.choice(self._fired)
        if not self._fresh:
            self._fresh = list(dict.fromkeys(self._fired))
        return self._fresh.pop()

    def _break_now_and_then(self) -> None:
        if self._luck.random() < 0.3:
            raise Crashed("a slip")


def _brainjar(policy: Policy) -> Program:
    def answer(data: bytes) -> bytes:
        if json.loads(data)["cmd"] == "init":
            return json.dumps(brainjar.fleet_reply(policy.fleet())).encode()
        volley = policy.volley(1)
        assert volley is not None, "it cannot skip"
        return json.dumps(brainjar.move_reply(volley[0].cell)).encode()

    return answer


def _open(policy: Policy) -> Program:
    def answer(data: bytes) -> bytes:
        asked = json.loads(data)
        asked = asked.get("again", asked)
        if asked["cmd"] == "place":
            return json.dumps(fleet_reply(policy.fleet())).encode()
        if asked["cmd"] != "shoot":
            return b""
        volley = policy.volley(asked["due"])
        reply = SKIP_REPLY if volley is None else shots_reply(volley)
        return json.dumps(reply).encode()

    return answer


def _broadsides(policy: Policy) -> Program:
    def answer(data: bytes) -> bytes:
        match data.decode().split():
            case ["ACTION", "SHIPS", _]:
                return fleet_answer(policy.fleet()).encode()
            case ["ACTION", "SHOTS", due]:
                volley = policy.volley(int(due))
                assert volley is not None, "it cannot skip"
                return volley_answer([target.cell for target in volley]).encode()
            case ["ACTION", "FINISH"]:
                return b"FINISH"
        return b""

    return answer


def _xbs(policy: Policy) -> Program:
    letters = "ABCDEFGHIJKLMNOPQRSTUVW"[: len(policy.rules.lengths)]

    def answer(data: bytes) -> bytes:
        kind, *values = data.decode().split("|")
        match kind:
            case "G":
                return f"J|Policy|{board_text(policy.fleet(), policy.rules, letters)}".encode()
            case "N" if values == ["Policy"]:
                volley = policy.volley(1)
                if volley is None:
                    return b"K"
                column, row = volley[0].cell
                return f"S|bot{volley[0].seat}|{column + 1}|{row + 1}".encode()
        return b""

    return answer


def _contest(policy: Policy) -> Program:
    """A program of dialect 2, with its whole fleet at hand when the first ship is asked for."""
    ships: list[Ship] = []

    def answer(data: bytes) -> bytes:
        said = json.loads(data.rstrip(b"\0"))
        match said["mt"]:
            case 4:
                ships[:] = ships or policy.fleet()
                ship = next(ship for ship in ships if ship.length == said["l"])
                ships.remove(ship)
                return ship_answer(ship)
            case 6 | 8 if said.get("ns", True):
                volley = policy.volley(1)
                assert volley is not None, "it cannot skip"
                return shot_answer(volley[0].cell)
        return b""

    return answer


class Frames(Script):
    """A connection to a program in this very process that says its name first, and then gets
    frames."""

    def expect(self) -> None:
        super().expect()
        if self._is_new:
            self._is_new = False
            self._pending.append(hello("policy", ""))

    _is_new = True

    def send(self, data: bytes) -> None:
        for at in range(0, len(data), FRAME_BYTES):
            super().send(data[at : at + FRAME_BYTES])


class Lines(Script):
    """A connection to a program in this very process that gets lines and answers some of them,
    whether or not its earlier answers have been read."""

    def send(self, data: bytes) -> None:
        for line in data.splitlines():
            if reply := self._answer(line):
                self._pending.insert(0, reply + b"\n")


class Introduced(Lines):
    """The same for a program that says first who it is."""

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        super().__init__(answer)
        self._words = [b"I|Policy|1.0\n"]

    def expect(self) -> None:
        super().expect()
        while self._words:
            self._pending.append(self._words.pop())


PROGRAMS: dict[str, tuple[type[Script], Callable[[Policy], Program]]] = {
    "brainjar": (Script, _brainjar),
    "broadsides": (Lines, _broadsides),
    "contest": (Frames, _contest),
    "open": (Script, _open),
    "open-lines": (Lines, _open),
    "xbs": (Introduced, _xbs),
}


def connected(wire: str, policy: Policy) -> Connection:
    """A connection to a program that speaks this wire and answers by the policy."""
    connection, program = PROGRAMS[wire]
    return connection(program(policy))
