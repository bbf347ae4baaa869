"""The halls of servers of XBS and BSP without sockets: bytes of connections go in, and each connection's
bytes come out. Their clock stands still between two calls, so that nothing is late and no allowance is used up."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from halls import BSP_FLEET, dealt, matchmaking, table
from judge.documents.rules import Fleet, Rules
from judge.errors import BadOutput
from judge.game.variants import XBS
from judge.play.match import Match
from judge.serve.ledger_store import GameStore, NoStore
from judge.serve.log import Log
from judge.serve.xbs_places import Options
from judge.wire.messages import ToClient
from judge.wire.xbs.notation import LETTERS
from serving import Clock, Lines
from transcripts import Transcript


@cache
def _loop() -> Clock:
    """The loop of all of them, which ends with the process."""
    loop = Clock()
    atexit.register(loop.close)
    return loop


class Line:
    """A connection as a hall has it, and what is to be sent."""

    unread = 0

    def __init__(self, address: str) -> None:
        self.address = self.network = self.label = address
        self.end: Any = None
        self.is_closed = self.is_deaf = False
        self.out = bytearray()

    def send(self, message: ToClient) -> None:
        if not self.is_closed:
            self.end.send(message)

    def flush(self) -> None:
        if not self.is_closed:
            self.out += self.end.data_to_send()

    def close(self, linger: float = 0.0) -> None:
        self.flush()
        self.is_closed = self.is_deaf = True

    def limit(self, seconds: float, late: Callable[[], None]) -> None:
        pass

    def free(self) -> None:
        pass


class OwnHall:
    """A hall, which ``make`` makes, and the lines that lead to it."""

    def __init__(self, make: Callable[[Log, GameStore], Any]) -> None:
        self.lines: list[Line] = []
        self.match: Match | None = None
        self.said = Lines()
        self._loop = _loop()
        self.hall = self.done(lambda: make(Log(self.said), NoStore()))

    def connect(self, address: str = "") -> Line:
        line = Line(address or f"127.0.0.{len(self.lines) + 1}")
        line.end = self.hall.end(line)
        self.lines.append(line)
        self.done(lambda: self.hall.connected(line))
        return line

    def receive(self, line: Line, data: bytes) -> None:
        def take() -> None:
            if line.is_deaf:
                return  # and its end may serve another connection by now
            line.end.receive_data(data)
            while not line.is_deaf and (event := line.end.next_event()):
                self.hall.take(line, event)

        try:
            self.done(take)
        except BadOutput:
            line.close()

    def sent(self, line: Line) -> bytes:
        data = bytes(line.out)
        line.out.clear()
        return data

    def abort(self) -> None:
        self.done(self.hall.stop)

    def later(self, seconds: float) -> None:
        self._loop.ahead += seconds
        for _ in range(2):  # timers that are due are called, and then what they have begun
            self.done(lambda: None)

    def done(self, work: Callable[[], Any]) -> Any:
        """The result of work in the hall's loop, once all that it began is done."""

        async def main() -> Any:
            try:
                return work()
            finally:
                if hasattr(self, "hall"):
                    self.match = self._playing() or self.match

        try:
            return self._loop.run_until_complete(main())
        finally:
            while (
                hasattr(self, "hall") and self.hall.tasks
            ):  # a game that is over is kept, and then told
                self._loop.run_until_complete(asyncio.sleep(0))
            for line in self.lines:
                line.flush()

    def host(self, said: str) -> None:
        """Do what a transcript has the host do."""
        raise NotImplementedError

    def _playing(self) -> Match | None:
        return None


class XbsHall(OwnHall):
    """``order`` is that of turns, by name; the game starts when ``most`` have joined."""

    def __init__(
        self,
        rules: Rules = XBS,
        *,
        most: int = 2,
        order: Sequence[str] = (),
        dialect: str = "2.0",
    ) -> None:
        options = Options(
            title="Pond",
            rules=rules,
            letters=LETTERS[: len(rules.lengths)],
            most=most,
            auto_start=True,
            grace=None,
            from_anywhere=True,
            dialect=dialect,
        )
        super().__init__(table(options, *order))

    def _playing(self) -> Match | None:
        match: Match | None = self.hall.match
        return match

    def connect(self, address: str = "") -> Line:
        self.later(3600)  # who comes and goes often is not kept waiting
        return super().connect(address)

    def host(self, said: str) -> None:
        word, _, text = said.partition(" ")
        match word:
            case "skip":
                self.done(lambda: self.hall.skip(text))
            case "say":
                self.done(lambda: self.hall.say(text))
            case "abort":
                self.abort()


class BspHall(OwnHall):
    """The first two to join play, the first of them as A; ``first`` is whose turn is first."""

    def __init__(
        self,
        *,
        first: int = 0,
        rounds: int = 300,
        fleets: tuple[Fleet, Fleet] = (BSP_FLEET, BSP_FLEET),
    ) -> None:
        super().__init__(matchmaking(dealt(first, fleets, rounds), rounds))

    def _playing(self) -> Match | None:
        return next((room.match for room in self.hall.rooms), None)

    def host(self, said: str) -> None:
        if said == "timeout":
            self.later(31)
        else:
            self.abort()


def played(transcript: Transcript, pieces: str) -> tuple[dict[str, bytes], OwnHall]:
    """The bytes that each connection of a transcript was sent, and the hall as it is in the end."""
    setup = transcript.setup
    if "most" in setup:
        hall: OwnHall = XbsHall(
            transcript.xbs_rules,
            most=int(setup["most"]),
            order=setup.get("order", "").split(),
            dialect=setup.get("dialect", "2.0"),
        )
    else:
        hall = BspHall(first=int(setup["first"]), rounds=int(setup.get("rounds", 300)))
    lines: dict[str, Line] = {}
    for step in transcript.inputs(pieces):
        match step.what, step.text:
            case "connect", _:
                lines[step.who] = hall.connect()
            case ">", text:
                hall.receive(lines[step.who], text.encode())
            case "close", _:
                hall.receive(lines[step.who], b"")
            case "host", said:
                hall.host(said)
    return {who: hall.sent(line) for who, line in lines.items()}, hall
