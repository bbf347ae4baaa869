"""The hall of the protocol BSP: clients wait in the order of their arrival, and play two by two.

The server draws the fleets and who begins. Without a seed nobody can foresee what the server draws.
Unless the server stops, players are told of a game's end only after the game is stored. A client
that asks for no name, or for a name that it cannot have, is a guest. Games of guests are not rated.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random, SystemRandom

from judge.contest.ledger.condition_set import ConditionSet
from judge.documents.game import GameRecord, Limits, RecordedSeat
from judge.documents.rules import Rules
from judge.errors import TimedOut
from judge.game.fleets import random_fleet
from judge.game.variants import BSP
from judge.play.actions import Abort, Action, Ask, GameSetup, Seating, Tell
from judge.play.match import Match
from judge.serve.core import Client
from judge.serve.ledger_store import (
    KILLED,
    STOPPED,
    GameStore,
    if_broken_off,
    stamped,
    tell_kept,
)
from judge.serve.log import Log
from judge.show.live import GameWatch, Live
from judge.show.live_game import board_in_words
from judge.wire.bsp.server import BspServer
from judge.wire.messages import FromClient, FromPlayer, GameOver, Joined, Left, Refused, Welcome

HANDSHAKE = 5.0  # seconds until a client has to have joined
_GUEST = re.compile(r"guest(-.*)?", re.IGNORECASE)

Draw = Callable[[], GameSetup]
"""Returns the setup of the next game."""


def dealer(seed: int | None, rules: Rules = BSP) -> Draw:
    """Return the function that sets up games. With a ``seed``, each game has its own seed, drawn
    from ``seed``. Without a ``seed`` nobody can foresee the fleets."""
    luck = SystemRandom() if seed is None else Random(f"{seed}:bsp")

    def draw() -> GameSetup:
        first = luck.randrange(2)
        game = f"bsp-{secrets.token_hex(8)}"
        if seed is not None:
            return GameSetup(id=game, seed=luck.getrandbits(48), first=first, rules=rules)
        fleets = {seat: random_fleet(rules, luck) for seat in range(2)}
        return GameSetup(id=game, seed=None, first=first, rules=rules, fleets=fleets)

    return draw


@dataclass(slots=True, eq=False)
class _Player:
    """A client that has joined. ``room`` is the client's game, or None while the client waits."""

    client: Client
    name: str
    is_guest: bool
    room: Room | None = None


class Room:
    """One game: the match, its two players, and the clock of the turn."""

    def __init__(
        self, number: int, players: Sequence[_Player], match: Match, watch: GameWatch | None
    ) -> None:
        self.number = number
        self.watch = watch
        self.players = tuple(players)
        self.match = match
        self.started = datetime.now(UTC)
        self.over: GameOver | None = None
        self._loop = asyncio.get_running_loop()
        self._asked_at = 0.0
        self._deadline: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.players)

    @property
    def is_late(self) -> bool:
        """Whether the time of the turn is up."""
        return self._deadline is not None and self._loop.time() >= self._deadline

    @property
    def ms(self) -> float:
        """The milliseconds that the turn has taken so far."""
        return (self._loop.time() - self._asked_at) * 1000

    def start_clock(self, timeout_ms: float, late: Callable[[], None]) -> None:
        self.stop_clock()
        self._asked_at = self._loop.time()
        self._deadline = self._asked_at + timeout_ms / 1000
        self._timer = self._loop.call_at(self._deadline, late)

    def stop_clock(self) -> None:
        self._deadline = None
        if self._timer:
            self._timer.cancel()
            self._timer = None


class Matchmaking:
    """The `Hall` of BSP. A turn may take ``timeout_ms``. ``live`` gets what spectators may see."""

    def __init__(
        self,
        log: Log,
        store: GameStore,
        draw: Draw,
        *,
        rules: Rules = BSP,
        timeout_ms: int = 30_000,
        handshake: float = HANDSHAKE,
        live: Live | None = None,
    ) -> None:
        self.rooms: set[Room] = set()
        self.tasks: set[asyncio.Task[None]] = set()  # games that are over and not yet kept
        self.games = 0
        self._log = log
        self._store = store
        self._draw = draw
        self._rules = rules
        self._limits = Limits(timeout_ms=timeout_ms)
        self._handshake = handshake
        self._live = live
        self._players: dict[Client, _Player] = {}
        self._queue: deque[_Player] = deque()
        self._names: set[str] = set()  # names of all clients

    @property
    def conditions(self) -> ConditionSet:
        return ConditionSet(self._rules, self._limits)

    # What the core calls

    def end(self, client: Client) -> BspServer:
        return BspServer()

    def connected(self, client: Client) -> None:
        client.limit(self._handshake, lambda: self._silent(client))

    def take(self, client: Client, event: FromClient) -> None:
        player = self._players.get(client)
        match event:
            case Joined(name) if player is None:
                self._join(client, name)
            case _ if player and player.room:
                assert isinstance(event, FromPlayer), "the wire has no words for anything else"
                self._play(player.room, player, event)
            case Left():
                if player:
                    self._leave(player)
                client.close()

    # What the server calls

    def stop(self, why: str = STOPPED) -> None:
        """Break off all games, and send away the players."""
        self._queue.clear()
        for room in list(self.rooms):
            if not room.match.is_over:
                self._do(room, room.match.host(Abort(why)))
            self._tell_over(room)
        for client, player in list(self._players.items()):
            if player.room is None:
                client.close()

    # Before the game

    def _silent(self, client: Client) -> None:
        said = f"{client.label} has not joined within {self._handshake:g} s; it is closed"
        self._log.say("refused", said, client=client.label)
        client.close(0)

    def _join(self, client: Client, wanted: str) -> None:
        client.free()
        is_guest = not wanted or self._is_taken(wanted, client.address)
        name = self._guest() if is_guest else wanted
        player = self._players[client] = _Player(client, name, is_guest)
        self._names.add(name)
        said = f"{client.label} joined as {name}"
        if wanted and is_guest:
            said += f", for the name {wanted} is taken or has no room"
        self._log.say("joined", said, client=client.label, name=name)
        client.send(Welcome(name, ()))
        self._queue.append(player)
        if len(self._queue) >= 2:
            self._begin([self._queue.popleft(), self._queue.popleft()])
        self._show_lobby()

    def _show_lobby(self) -> None:
        if self._live:
            comes = f"{2 - len(self._queue)} more, and a game begins."
            names = [player.name for player in self._queue]
            self._live.waits(names, comes, board_in_words(self._rules))

    def _is_taken(self, name: str, address: str) -> bool:
        """Whether a client cannot have a name: another client has it, it is like a guest's, or the
        ledger has no room for a new name from this address."""
        return (
            name in self._names
            or bool(_GUEST.fullmatch(name))
            or not self._store.has_room(name, len(self._names), address)
        )

    def _guest(self) -> str:
        """The first free name of guest-1, guest-2 and so on."""
        number = 1
        while (name := f"guest-{number}") in self._names:
            number += 1
        return name

    def _leave(self, player: _Player) -> None:
        """Let a player go who waits for a game."""
        if player in self._queue:
            self._queue.remove(player)
            self._show_lobby()
        self._log.say("left", f"{player.name} left", client=player.client.label, name=player.name)
        self._forget(player)

    def _forget(self, player: _Player) -> None:
        player.room = None  # breaks the cycle of room and player, to free both at once
        del self._players[player.client]
        self._names.discard(player.name)

    # The game

    def _begin(self, players: list[_Player]) -> None:
        setup = self._draw()
        seats = tuple(RecordedSeat.of(player.name) for player in players)
        seating = Seating(
            rules=self._rules,
            seats=seats,
            answer_ms=(self._limits.timeout_ms,) * 2,
            limits=self._limits,
            isolation="none",
            rated=not any(player.is_guest for player in players),
        )
        names = [player.name for player in players]
        self.games += 1
        limits = (self._limits.timeout_ms / 1000,) * 2
        watch = (
            GameWatch(self._live, names, number=self.games, limits=limits) if self._live else None
        )
        room = Room(self.games, players, Match(seating, [setup], watch), watch)
        self.rooms.add(room)
        for player in players:
            player.room = room
        first, second = room.names
        said = f"game {room.number} begins: {first} against {second}"
        self._log.say("began", said, room=room.number, a=first, b=second)
        broken_off = if_broken_off(seating, setup, KILLED, room.started)
        addresses = [None if player.is_guest else player.client.address for player in players]
        self._store.begin(broken_off, addresses)
        self._do(room, room.match.start())

    def _play(self, room: Room, player: _Player, said: FromPlayer) -> None:
        seat = room.players.index(player)
        if room.is_late:
            self._late(room)
        self._do(room, room.match.receive(seat, said, room.ms))

    def _late(self, room: Room) -> None:
        """End a game in which the player who is to shoot has taken too long."""
        for seat in room.match.awaited:
            limit = f"{self._limits.timeout_ms / 1000:g} s"
            error = TimedOut(f"did not shoot within {limit}")
            self._do(room, room.match.receive(seat, error, room.ms))

    def _do(self, room: Room, todo: Sequence[Action]) -> None:
        for do in todo:
            match do:
                case Tell(_, GameOver() as over):
                    room.over = over  # told once the game is kept
                case Tell(seat, message):
                    room.players[seat].client.send(message)
                case Ask(seat, question, timeout_ms):
                    room.players[seat].client.send(question)
                    if timeout_ms is not None and not isinstance(question, Refused):
                        room.start_clock(timeout_ms, lambda: self._late(room))
        if room.match.is_over and todo:
            self._finish(room)

    def _finish(self, room: Room) -> None:
        """Stop the clock of a game that is over, ignore its players, and begin to store the
        game."""
        room.stop_clock()
        for player in room.players:
            player.client.is_deaf = True
        record = stamped(room.match, room.started, datetime.now(UTC))
        task = asyncio.get_running_loop().create_task(self._keep(room, record))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _keep(self, room: Room, record: GameRecord) -> None:
        kept = await self._store.keep(record)
        self._tell_over(room)
        tell_kept(self._log, room.number, kept, room.watch)

    def _tell_over(self, room: Room) -> None:
        """Tell both players that their game is over, and close their connections. A second call
        does nothing."""
        if room not in self.rooms:
            return
        self.rooms.discard(room)
        for player in room.players:
            if room.over:
                player.client.send(room.over)
            player.client.close()
            self._forget(player)
