"""The server's end of one BSP client's connection."""

from __future__ import annotations

import re
from enum import Enum

from judge.documents.game import Outcome, Result, Termination
from judge.errors import BadOutput
from judge.game.events import Event, Shot, Target
from judge.wire.bsp.notation import CELL, LONGEST, PLAYERS, cell_of, cell_text, fleet_text
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    Dismissed,
    Fired,
    FromClient,
    GameOver,
    GameStart,
    Joined,
    Left,
    Refused,
    Resigned,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.strict_json import quoted

_JOIN = re.compile(r"JOIN(?: ([!-~]{1,20}))?")
_SHOT = re.compile(f"SHOT {CELL}")

# The words for the end of a game, which name the winner or the loser.
_WINNERS = {Termination.FLEET_DESTROYED: "WINNER", Termination.ROUND_LIMIT: "WINNER"}
_LOSERS = {Termination.RESIGNED: "SURRENDER", Termination.TIMEOUT: "TIMEOUT"}
_ANY_OTHER = "DISCONNECTION"  # the loser is gone or at fault


class _Stage(Enum):
    CONNECTED = "connected"
    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"  # nothing is read any more


class BspServer:
    """The server's end of one client's connection.

    Bad lines are refused here and never reach the game; ``bad_lines`` counts them. `next_event`
    raises `BadOutput` for a client that does not begin with ``JOIN``. The caller then closes the
    connection.
    """

    def __init__(self) -> None:
        self.bad_lines = 0
        self._stage = _Stage.CONNECTED
        self._lines = LineBuffer(LONGEST)
        self._out = b""
        self._seat = 0
        self._is_up = False

    def send(self, message: ToClient) -> None:
        """Take a message for the client. A message for which the protocol has no words is
        dropped."""
        match message:
            case Welcome():
                self._stage = _Stage.WAITING
                self._say("JOINED_MATCHMAKING")
            case GameStart(seat=seat, fleet=fleet):
                assert fleet is not None, "the server places the fleets"
                self._seat, self._stage = seat, _Stage.PLAYING
                self._say(f"START_GAME {PLAYERS[seat]} {{{fleet_text(fleet)}}}")
            case Told(events, up):
                for event in events:
                    self._tell(event)
                if up:
                    self._is_up = self._seat in up
                    self._say(f"TURN {PLAYERS[up[0]]}")
            case Refused():
                self._say("BAD_REQUEST")
            case GameOver(outcome):
                self._stage = _Stage.OVER
                self._say(_end_text(outcome))
            case Dismissed():
                self._stage = _Stage.OVER

    def data_to_send(self) -> bytes:
        """The bytes to send to the client now. The call empties the queue."""
        data, self._out = self._out, b""
        return data

    def receive_data(self, data: bytes) -> None:
        """Take bytes that came from the client; ``b""`` is the end of the stream."""
        if self._stage is not _Stage.OVER:
            self._lines.add(data)

    def next_event(self) -> FromClient | None:
        """The next message from the client that the server or the game needs. None while more data
        is needed, and once nothing is read any more."""
        while self._stage is not _Stage.OVER:
            try:
                line = self._lines.take()
            except BadOutput:
                line = b"\0"  # no message is like this line
            if line is None:
                if not self._lines.has_ended:
                    return None
                self._stage = _Stage.OVER
                return Left()
            if event := self._read(line.decode("latin-1")):
                return event
        return None

    def _say(self, line: str) -> None:
        self._out += line.encode("ascii") + b"\n"

    def _tell(self, event: Event) -> None:
        match event:
            case Shot(result=Result.SUNK):
                self._say(f"HIT {cell_text(event.cell)} SUNK")
            case Shot():
                self._say(f"{'HIT' if event.is_hit else 'MISS'} {cell_text(event.cell)}")

    def _read(self, line: str) -> FromClient | None:
        if self._stage is _Stage.CONNECTED:
            return self._join(line)
        if line == "SURRENDER":
            if self._stage is _Stage.PLAYING:
                return Resigned()
            self._stage = _Stage.OVER
            return Left()
        shot = _SHOT.fullmatch(line)
        if shot is None:
            self.bad_lines += 1
            self._say("BAD_REQUEST")
        elif self._is_up:  # a shot out of turn is ignored
            self._is_up = False
            return Fired((Target(1 - self._seat, cell_of(*shot.groups())),))
        return None

    def _join(self, line: str) -> FromClient:
        found = _JOIN.fullmatch(line)
        if found is None:
            self._stage = _Stage.OVER
            raise BadOutput(f"said {quoted(line)} where a client says JOIN first")
        return Joined(found[1] or "")


def _end_text(outcome: Outcome) -> str:
    """The line on the end of a game, the same for both players. DRAW and ABORTED are not words of
    the published protocol, whose client takes them as an unknown end."""
    why, winner = outcome.termination, outcome.winner
    if winner is None:
        return f"END_GAME {'ABORTED' if why is Termination.ABORTED else 'DRAW'} {PLAYERS[0]}"
    if why in _WINNERS:
        return f"END_GAME {_WINNERS[why]} {PLAYERS[winner]}"
    return f"END_GAME {_LOSERS.get(why, _ANY_OTHER)} {PLAYERS[1 - winner]}"
