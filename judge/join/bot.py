"""A bot at a server's table: passes the server's messages to the bot, and the bot's answers to the
server.

An illegal answer of the bot is not sent: the bot is asked again. If the bot fails, the client
leaves the game. The client sends only messages that the published servers know.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from random import SystemRandom
from typing import TypeVar

from msgspec import structs

from judge import waiting
from judge.documents.game import Outcome
from judge.documents.rules import Fleet, Rules
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    IllegalFleet,
    IllegalMove,
    Interrupted,
    NotOpen,
    ServerFault,
    UsageError,
)
from judge.game.events import View
from judge.join.address import Address, hint, other_game
from judge.join.connection import MOST_RECEIVED, ServerConnection
from judge.join.flaws import flaw
from judge.join.names import name_at
from judge.join.placing import board_at
from judge.join.seat_rotation import SeatRotation
from judge.join.traffic_log import TrafficLog
from judge.play.match import MOST_CHAT_LINES, MOST_REFUSALS
from judge.play.player import Player, join
from judge.play.run import OPPONENT
from judge.wire.messages import (
    Arrived,
    AskFleet,
    AskShots,
    Denied,
    Departed,
    Dismissed,
    FromClient,
    FromPlayer,
    GameOver,
    GameStart,
    Joined,
    Left,
    Lobby,
    Placed,
    Question,
    Refused,
    Rejoined,
    Resigned,
    Said,
    TauntAdded,
    ToClient,
    Told,
    ToPlayer,
    Welcome,
)
from judge.wire.xbs.client import XbsClient

T = TypeVar("T")

MOST_TURNS = 10_000  # turns of the bot in a game: the largest boards take some 4,000

Seating = Callable[[Rules, int], AbstractContextManager[Player]]
"""Called with rules and the bot's seed; returns a context whose value is the bot as a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerBounds:
    """Limits for a server, in seconds except ``received``, the most bytes of one connection.
    ``greeting`` limits the wait for the answer to a new client. ``game`` limits the wait for the
    answer to a shot and, at BSP, for every turn. ``others`` limits any other wait for players. A
    table that is not open yet or a cut connection is tried for ``back`` seconds, every ``between``
    seconds."""

    greeting: float = 30.0
    game: float = 120.0
    others: float = 12 * 3600.0
    back: float = 30.0
    between: float = 0.5
    received: int = MOST_RECEIVED


@dataclass(frozen=True, slots=True)
class Finished:
    """The outcome of a game, with the names of its seats and the bot's own seat. At BSP the names
    are the letters A and B."""

    names: tuple[str, ...]
    own: int
    outcome: Outcome


@dataclass(kw_only=True)
class BotClient:
    """The client of a bot that plays at a server. ``tell`` is called with sentences for the user,
    such as that the game begins. ``heard`` is called with each message of the server, and the
    points and skips of each seat, or none at BSP. ``board`` is the text of a board to join with
    instead of the bot's own fleet, or "random". A table that gives the bot a place is sent the
    ``taunts``.

    `play` raises `BotError` for a fault of the bot, `ServerFault` for a fault of the server,
    `NotOpen` if the bot gets no place, `UsageError` if the name or ``board`` does not fit the
    table, and `Interrupted` after `stop`.
    """

    address: Address
    usual_name: str
    given_name: str | None
    seat: Seating
    seed: Callable[[], int]
    timeout_ms: int
    log: TrafficLog
    tell: Callable[[str], None]
    bounds: ServerBounds = field(default_factory=ServerBounds)
    board: str | None = None
    taunts: Sequence[TauntAdded] = ()
    heard: Callable[[ToClient, Sequence[tuple[int, int]]], None] = lambda *_: None
    is_stopped: bool = field(default=False, init=False)
    _game: _BotGame | None = field(default=None, init=False)

    def say(self, message: FromClient) -> None:
        """Send a message to the server, if there is a connection. Any thread may call `say`."""
        if self._game:
            self._game.say(message)

    def stop(self) -> None:
        """Have the bot leave its game, and `play` raise `Interrupted`. Any thread may call this."""
        self.is_stopped = True
        if self._game:
            self._game.stop()

    def require_running(self) -> None:
        """Raise `Interrupted` if `stop` was called."""
        if self.is_stopped:
            raise Interrupted

    def play(self, *, again: bool = False) -> Finished:
        """Play one game. With ``again``, for use after an earlier game, a table that is not open
        yet is tried for ``bounds.back`` seconds."""
        deadline = time.monotonic() + self.bounds.back
        while True:
            self.require_running()
            with ExitStack() as stack:
                try:
                    self._game = _BotGame(self, stack)
                    return self._game.play()
                except NotOpen:
                    if not again or time.monotonic() > deadline:
                        raise
            waiting.sleep(self.bounds.between)


class _BotGame:
    """One game of a `BotClient`, from connecting to the end of the game."""

    def __init__(self, client: BotClient, stack: ExitStack) -> None:
        self._client = client
        self._stack = stack
        self._connection: ServerConnection | None = None
        stack.callback(self._hang_up)
        self._name = ""
        self._has_place = False
        self._player: Player | None = None
        self._seed = client.seed()
        self._start: GameStart | None = None
        self._seats: SeatRotation | None = None
        self._turns = 0
        self._back_until: float | None = (
            None  # the deadline for coming back, once the connection was cut
        )
        self._limit = self._deadline = 0.0
        self._await(client.bounds.greeting)

    def play(self) -> Finished:
        client, game = self._client, self._client.address.game
        try:
            if game.announces:
                self._connection = self._connected()
            else:
                name = name_at(game, None, client.given_name, client.usual_name)
                # The bot is started first: published servers close a connection whose client has
                # not joined within two seconds.
                self._sit_down(game.rules)
                self._connection = self._connected()
                self.say(Joined(name))
                self._await(client.bounds.greeting)
            return self._play()
        except BotError as error:
            self._leave(error)
            raise
        except Interrupted:
            self._leave(None)
            raise

    def _play(self) -> Finished:
        while True:
            match self._next():
                case GameOver(outcome) as over:
                    assert self._start, "a game that is over has begun"
                    self._tell(over)
                    assert self._player, "and was played"
                    self._player.part(self._client.timeout_ms)
                    self._player.finish()
                    return Finished(self._start.names, self._start.seat, outcome)
                case Dismissed(why):
                    self._dismissed(why)
                case AskShots() | Refused(again=AskShots()) as question:
                    self._turn(question)
                case message:
                    self._hear(message)

    def _next(self) -> ToClient:
        assert self._connection, "it is connected"
        left = self._deadline - time.monotonic()
        if left > 0 and (message := self._connection.next(left)):
            self._client.require_running()
            end = self._connection.end
            self._client.heard(message, end.standing if isinstance(end, XbsClient) else ())
            return message
        address = self._client.address
        if self._limit == self._client.bounds.others:
            happened = "nobody has moved" if self._start else "no game has begun"
            hours = f"{self._limit / 3600:g} h"
            raise ServerFault(f"at the server at {address} {happened} for {hours}")
        raise ServerFault(
            f"the server at {address} has not answered for {self._limit:g} s, "
            f"{'in the middle of a game' if self._start else 'where it has to answer a client'}"
            f"{'' if self._is_known else other_game(address)}"
        )

    def _await(self, seconds: float) -> None:
        """Set the server's deadline for its next step: ``seconds`` from now."""
        self._limit, self._deadline = seconds, time.monotonic() + seconds

    @property
    def _is_known(self) -> bool:
        """Whether the server has spoken the game's protocol."""
        return self._has_place or bool(self._name)

    def say(self, message: FromClient) -> None:
        if self._connection:
            self._connection.say(message)

    def stop(self) -> None:
        """Leave the game, and cut the connection to end a wait in another thread."""
        self._leave(None)
        if self._connection:
            self._connection.cut()

    def _connected(self, end: XbsClient | None = None) -> ServerConnection:
        client = self._client
        return ServerConnection(client.address, client.log, end, most=client.bounds.received)

    def _hang_up(self) -> None:
        if self._connection:
            self._connection.close()

    # Before the game

    def _hear(self, message: ToClient) -> None:
        tell = self._client.tell
        match message:
            case Lobby():
                self._come_in(message)
            case Denied(why):
                raise UsageError(
                    f"the server at {self._client.address} does not take the name "
                    f"{self._name!r}: {why}; --name gives another"
                )
            case Welcome():
                self._has_place = True
                self._await(self._client.bounds.others)
                self._taunt()
                if self._start is None:
                    as_whom = f" as {self._name}" if self._name else ""
                    tell(f"joined {self._client.address}{as_whom}, and waits for the game")
            case Arrived(name):
                tell(f"{name} is at the table")
            case Departed(name, why):
                tell(f"{name} left the table{f': {why}' if why else ''}")
            case GameStart():
                self._begin(message)
            case Told(events, up):
                self._tell(message)
                bounds = self._client.bounds
                if up and not self._client.address.game.announces:
                    self._await(bounds.game)  # the server has a clock for every turn
                elif events:
                    self._await(bounds.others)
            case Rejoined():
                self._back_until = None
                tell("the bot is back at the table")
            case _ if self._start and isinstance(message, ToPlayer):
                self._tell(message)

    def _taunt(self) -> None:
        for taunt in self._client.taunts:
            self.say(taunt)

    def _come_in(self, lobby: Lobby) -> None:
        """Ask for a place at the server's table. Raises `NotOpen` if the table's game has begun,
        and `UsageError` if the name or the board does not fit the table."""
        if self._player:
            return  # the server sends its table again
        client = self._client
        if lobby.is_started:
            raise NotOpen(f"at {client.address} a game is under way; it takes players after that")
        self._name = name_at(client.address.game, lobby, client.given_name, client.usual_name)
        self._sit_down(lobby.rules)
        fleet = self._fleet(lobby.rules)
        if client.board is not None:
            fleet = board_at(client.address.game, lobby, client.board, SystemRandom())
        self.say(Joined(self._name, fleet=fleet))
        self._await(client.bounds.greeting)

    def _sit_down(self, rules: Rules) -> None:
        self._player = self._stack.enter_context(self._client.seat(rules, self._seed))
        join(self._player, self._client.timeout_ms)

    def _fleet(self, rules: Rules) -> Fleet:
        """Tell the bot that a game starts, with made-up opponents, and then ask it for its
        fleet."""
        assert self._player, "it has sat down"
        others = tuple(f"{OPPONENT}{seat}" for seat in range(1, max(2, rules.players[0])))
        self._player.tell(GameStart(0, (self._name, *others), rules, self._seed, None, 0))

        def placed(said: FromPlayer) -> Fleet:
            if not isinstance(said, Placed):
                raise BadOutput("gave no fleet where one was asked for")
            rules.check_fleet(said.fleet)
            return said.fleet

        return self._answer(AskFleet(), placed)

    # The game

    def _begin(self, start: GameStart) -> None:
        self._start = start
        self._await(self._client.bounds.others)
        self._seats = SeatRotation(start.seat, len(start.names))
        seat, names = start.seat + 1, ", ".join(start.names)
        self._client.tell(
            f"the game begins: the bot has seat {seat} of {len(start.names)}: {names}"
        )
        self._tell(structs.replace(start, seed=self._seed))

    def _tell(self, message: ToPlayer) -> None:
        assert self._player, "it has sat down"
        assert self._seats, "the game has begun"
        self._player.tell(self._seats.to_player(message))

    def _turn(self, question: AskShots | Refused) -> None:
        """Have the bot take its turn, and send its answer unless the turn is over by then."""
        self._turns += 1
        if self._turns > MOST_TURNS:
            raise ServerFault(
                f"the server at {self._client.address} gave the bot more than {MOST_TURNS:,} turns"
            )
        assert self._seats, "the game has begun"
        asked = self._seats.to_player(question)
        assert isinstance(asked, AskShots | Refused), "it stays what it is"
        view = asked.view if isinstance(asked, AskShots) else _view_of(asked)

        def legal(said: FromPlayer) -> FromPlayer:
            if why := flaw(view, said):
                raise IllegalMove(why)
            return said

        said = self._answer(asked, legal)
        assert self._connection, "it is connected"
        assert self._start, "and plays"
        if not self._connection.passed_on(self._start.seat):
            self.say(self._seats.from_player(said))
        self._await(self._client.bounds.game)

    def _answer(self, question: Question, take: Callable[[FromPlayer], T]) -> T:
        """Ask the bot, and return what ``take`` makes of its answer. A wrong answer is refused and
        the bot is asked again, at most `MOST_REFUSALS` times; then the last error is raised."""
        assert self._player, "it has sat down"
        again = question.again if isinstance(question, Refused) else question
        for _ in range(MOST_REFUSALS + 1):
            try:
                self._player.ask(question, self._client.timeout_ms)
                return take(self._said())
            except (BadOutput, IllegalFleet, IllegalMove) as error:
                assert isinstance(again, AskFleet | AskShots), "it is asked for nothing else"
                last, question = error, Refused(str(error), again)
        raise last

    def _said(self) -> FromPlayer:
        """The bot's next answer. Up to `MOST_CHAT_LINES` chat lines before it are sent to the
        table, if a game with chat has begun. Raises `Crashed` if the bot leaves."""
        assert self._player, "it has sat down"
        words = 0
        while isinstance(said := self._player.answer(), Said):
            words += 1
            if words <= MOST_CHAT_LINES and self._seats and self._client.address.game.announces:
                self.say(self._seats.from_player(said))
        if isinstance(said, Left):
            raise Crashed(said.why)
        return said

    # The end

    def _dismissed(self, why: str) -> None:
        """Act on a closed connection. A game of Xterm Boat Sinker that was cut without a reason is
        taken up again. Otherwise raises `NotOpen` before the game, and `ServerFault` during it."""
        address = self._client.address
        if self._start is None:
            if not self._has_place and not why:
                raise NotOpen(
                    f"the server at {address} closed the connection before the game"
                    f"{hint(address, self._client.given_name, is_known=self._is_known)}"
                )
            said = f": {why}" if why else ""
            raise NotOpen(f"the server at {address} sent the bot away before the game{said}")
        if why or not address.game.announces:
            said = f", and said: {why}" if why else ""
            raise ServerFault(
                f"the server at {address} closed the connection in the middle of a game{said}"
            )
        self._come_back()

    def _come_back(self) -> None:
        """Try to take the bot's place again. Raises `ServerFault` after ``bounds.back`` seconds."""
        self._client.tell("the connection was cut; the bot tries to come back")
        if self._back_until is None:
            self._back_until = time.monotonic() + self._client.bounds.back
        while time.monotonic() <= self._back_until:
            self._client.require_running()
            waiting.sleep(self._client.bounds.between)
            if self._is_back():
                return
        raise ServerFault(
            f"the server at {self._client.address} closed the connection in the middle of a game, "
            f"and did not take the bot back within {self._client.bounds.back:g} s"
        )

    def _is_back(self) -> bool:
        """Connect once more, and return whether the table gives the bot its place again."""
        assert self._connection, "it was connected"
        end = self._connection.end
        assert isinstance(end, XbsClient), "at BSP nobody comes back"
        self._connection.close()
        self._await(self._client.bounds.greeting)
        try:
            self._connection = self._connected(end)
        except NotOpen:
            return False
        end.come_back()
        while True:
            match self._next():
                case Lobby(is_started=False):
                    raise ServerFault(
                        f"the table at {self._client.address} has begun another game meanwhile"
                    )
                case Lobby():
                    assert self._start, "it comes back to a game"
                    self.say(Joined(self._name, fleet=self._start.fleet))
                case Welcome():
                    self._await(self._client.bounds.others)
                    return True
                case Denied() | Dismissed() | GameOver():
                    return False  # the table may not have noticed yet that the bot is gone
                case message:
                    self._hear(message)

    def _leave(self, error: BotError | None) -> None:
        """Tell the server that the bot leaves, if the bot has a place."""
        if self._has_place:
            why = "its program failed" if error else "it was stopped"
            is_bsp = not self._client.address.game.announces
            self.say(Resigned() if is_bsp else Left(why))


def _view_of(refused: Refused) -> View:
    assert isinstance(refused.again, AskShots), "a shot was refused"
    return refused.again.view
