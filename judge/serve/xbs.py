"""The hall of the protocol XBS: one table with a lobby and then its game, for two to nine players.

Players join with a board. The host starts the game, or with ``auto_start`` a full table does.
Players may chat, skip their turn, leave and come back. A player who leaves a game stays in it:
others shoot at its board, and its turn waits. Once the player has been gone for the seconds of
`Options.grace`, its turns are skipped. This module has the coming and going of players.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from random import Random, SystemRandom

from msgspec.structs import replace

from judge.contest.ledger.condition_set import ConditionSet
from judge.documents.game import shortened
from judge.errors import BotError, JudgeFault
from judge.play.match import Match
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.process.bots.names import clean, look
from judge.serve.core import Client
from judge.serve.ledger_store import STOPPED, GameStore
from judge.serve.log import Log
from judge.serve.rate_limits import Allowance, network
from judge.serve.xbs_bots import TableBots
from judge.serve.xbs_chat import TableChat
from judge.serve.xbs_game import XbsGame
from judge.serve.xbs_places import Options, TablePlace
from judge.serve.xbs_rejoins import IN_USE, Rejoins
from judge.serve.xbs_timers import Timers
from judge.show.live import Live
from judge.show.live_game import board_in_words
from judge.wire.messages import (
    Arrived,
    Denied,
    Departed,
    Dismissed,
    Fired,
    FromClient,
    FromPlayer,
    Inquired,
    Joined,
    Left,
    Lobby,
    Said,
    Skipped,
    TauntAdded,
    Welcome,
)
from judge.wire.xbs.notation import name_flaw
from judge.wire.xbs.server import XbsServer

IDLE = 600.0  # seconds until a client has to have joined
MOST_LEAVES, LEAVE_SECONDS = (
    10,
    5.0,
)  # departures from a network, and of a name: 10, then one each 5 s
LONGEST_REASON = 100  # characters of a player's last words
BOOTED = "booted"


class XbsTable:
    """The `Hall` of XBS. ``luck`` draws the order of turns, taunts and the bots' seeds. ``over`` is
    called when all games are played. ``live`` gets the events that spectators may see."""

    def __init__(
        self,
        log: Log,
        store: GameStore,
        options: Options,
        *,
        over: Callable[[], None],
        luck: Random | None = None,
        bots: Sequence[Bot] = (),
        run: Run | None = None,
        live: Live | None = None,
    ) -> None:
        self.options = options
        self.places: list[TablePlace] = []
        self.tasks: set[asyncio.Task[None]] = set()
        self.barred_names: set[str] = set()
        self.barred_networks: set[str] = set()
        self.games = 0
        self._log = log
        self._store = store
        self._luck = luck or SystemRandom()
        self._all_are_over = over
        self._run = run
        self._live = live
        self._game: XbsGame | None = None
        self.bots = TableBots(
            bots, run, ready=self._begin_if_due, heard=self._hear_bot, failed=self._fail
        )
        self._clients: dict[Client, TablePlace | None] = {}
        self._loop = asyncio.get_running_loop()
        self._chat = TableChat(log, live)
        self._leaves = Allowance(MOST_LEAVES, LEAVE_SECONDS)  # departures from each network
        self._leaves_of_game = Allowance(
            MOST_LEAVES, LEAVE_SECONDS
        )  # departures of each name in the game
        self._rejoins = Rejoins(options, log)
        self._timers = Timers(options, self.skip, self._abandon)
        self._is_stopped = False
        self._is_due = False  # whether a game waits until its bots may start
        self._seat_bots()

    @property
    def conditions(self) -> ConditionSet:
        return ConditionSet(self.options.rules, self.bots.limits)

    @property
    def lobby(self) -> Lobby:
        options = self.options
        rules = replace(options.rules, players=(options.least, options.most))
        is_started = self.match is not None
        return Lobby(options.title, rules, options.letters, len(self.places), is_started)

    @property
    def match(self) -> Match | None:
        """The match under way, or over and not kept yet; None in the lobby."""
        return self._game.match if self._game else None

    # What the core calls

    def end(self, client: Client) -> XbsServer:
        return XbsServer(self.options.dialect)

    def connected(self, client: Client) -> None:
        if client.network in self.barred_networks:
            client.close(0)
            return
        for place in self.places:
            place.note_visit(client)
        self._clients[client] = None
        client.send(self.lobby)
        if self.match:
            is_gone = any(place.client is None and not place.bot for place in self.places)
            has_room = is_gone and not self.match.is_over
        else:
            has_room = len(self.places) < self.options.most
        if not has_room:
            self._dismiss(client, "")
            return
        client.limit(IDLE, lambda: self._dismiss(client, ""))

    def take(self, client: Client, event: FromClient) -> None:
        place = self._clients.get(client)
        if place and not isinstance(event, Left):
            place.note_heard()
        match event:
            case Inquired():
                client.send(self.lobby)
            case Joined():
                self._join(client, event)
            case Left(why):
                self._leave(client, why)
            case Said(text, to) if place:
                self._chat.say(self.places, place, text, to)
            case TauntAdded(on_hit, text) if place:
                place.add_taunt(on_hit, text)
            case Fired() | Skipped() if place and self._game:
                self._game.receive(place, event)

    # What the server and the host call

    def stop(self, why: str = STOPPED) -> None:
        """Break off the game, or the lobby, and send everyone away."""
        self._is_stopped = True
        if self._game:
            self._game.break_off(why)
        else:
            for client in list(self._clients):
                self._dismiss(client, "game aborted")
        self._tell_over()
        if self._run:
            self._run.interrupt()

    def start(self) -> None:
        """Begin the game if enough players are there, now or once the bots of this machine may
        start."""
        self._is_due = True
        self._begin_if_due()

    def _begin_if_due(self) -> None:
        options = self.options
        if not self._is_due or self.match or self._is_stopped:
            return
        if len(self.places) < (options.most if options.auto_start else options.least):
            self._is_due = False  # a player has left meanwhile
        elif self.bots.may_begin():
            self._is_due = False
            self._begin()

    def _begin(self) -> None:
        """Draw the order of turns, and begin the game."""
        self._luck.shuffle(self.places)
        self._leaves_of_game = Allowance(MOST_LEAVES, LEAVE_SECONDS)
        self._game = XbsGame(
            self.games + 1,
            self.places,
            self.options.rules,
            bots=self.bots,
            timers=self._timers,
            luck=self._luck,
            log=self._log,
            store=self._store,
            live=self._live,
            over=self._finish,
        )
        self.games += 1
        self._show_lobby()
        self._game.start()

    def skip(self, why: str) -> None:
        """Skip the turn of the player who is to move."""
        if self._game:
            self._game.skip(why)

    def say(self, text: str, to: TablePlace | None = None) -> None:
        """Say something as the host, to one player or to all."""
        self._chat.say_as_host(self.places, text, to)

    def boot(self, place: TablePlace) -> None:
        """Send a player away, unless the player is gone already. The player may come back."""
        if client := place.client:
            client.flush()
            self._absent(place, BOOTED)
            self._clients[client] = None
            self._dismiss(client, BOOTED)

    def bar_name(self, name: str) -> None:
        self.barred_names.add(name)
        for place in [place for place in self.places if place.name == name]:
            self.boot(place)

    def bar_address(self, address: str) -> None:
        """Bar an address, or the network of an IPv6 address, and send all its clients away. Raises
        `ValueError` for text that is not an address."""
        self.barred_networks.add(barred := network(address))
        for client, place in list(self._clients.items()):
            if client.network == barred:
                if place:
                    self.boot(place)
                else:
                    self._dismiss(client, BOOTED)

    def waiting(self, place: TablePlace) -> dict[int, Client]:
        """The clients that ask for the place of a player who is gone, by the numbers that they were
        told."""
        return {
            number: client
            for client, number in place.absence.asking.items()
            if client in self._clients and self._clients[client] is None
        }

    def let_in(self, place: TablePlace, client: Client | None) -> None:
        """Give the place of a player who is gone to a client that asks for it. With None, the next
        client that asks from the player's address gets the place."""
        if client and self._game:
            self._give_back(client, self._game, place)
        else:
            place.absence.is_let_in = True

    # The lobby

    def _seat_bots(self) -> None:
        """Give the bots of this machine their places in a new lobby. With ``auto_start`` the game
        begins at once if the bots take all places."""
        for bot in self.bots.bots:
            end = XbsServer(self.options.dialect)
            self.places.append(TablePlace(bot.name, "this machine", None, end, None, bot))
        self._show_lobby()
        if self.options.auto_start and len(self.places) == self.options.most:
            self._loop.call_soon(self.start)

    def _show_lobby(self) -> None:
        if self._live is None:
            return
        options = self.options
        if self._is_stopped or self.games == options.repeat:
            self._live.waits([])
        elif self.match:
            self._live.waits([], "After this game the lobby opens again.")
        else:
            names = [place.name for place in self.places]
            self._live.waits(names, options.missing(len(names)), board_in_words(options.rules))

    def _hear_bot(self, seat: int, answer: FromPlayer | BotError, ms: float) -> None:
        if self._game:
            self._game.hear_bot(seat, answer, ms)

    def _fail(self, error: JudgeFault) -> None:
        """Break off the game after a fault of the judge."""
        self._log.say("bug", f"the game is broken off: {error}", error=str(error))
        if self._game:
            self._game.break_off(str(error))

    # Coming and going

    def _join(self, client: Client, joined: Joined) -> None:
        name = joined.name
        if name in self.barred_names:
            self._dismiss(client, BOOTED)
        elif self._game:
            self._come_back(client, self._game, joined)
        elif not self._leaves.has(client.network):
            self._dismiss(client, "wait before you join again")
        elif len(self.places) == self.options.most:
            self._dismiss(client, "game is full")
        elif flaw := self._flaw(name, client.address):
            client.send(Denied(flaw))
        elif joined.fleet is None:
            self._dismiss(client, "invalid board")
        else:
            client.free()
            client.send(Welcome(name, tuple(place.name for place in self.places)))
            for other in self.places:
                other.tell(Arrived(name))
            end = client.end
            assert isinstance(end, XbsServer), "this table made it"
            place = TablePlace(name, client.address, joined.fleet, end, None)
            place.sit(client, self._clients.keys())
            self.places.append(place)
            self._clients[client] = place
            said = f"{client.label} joined as {name}"
            self._log.say("joined", said, client=client.label, name=name)
            self._show_lobby()
            if self.options.auto_start and len(self.places) == self.options.most:
                self.start()

    def _flaw(self, name: str, address: str) -> str:
        """The reason why a client from this address cannot join under a name; empty if the client
        can."""
        if flaw := name_flaw(name, self.options.rules.columns):
            return flaw
        if any(look(clean(place.name)) == look(clean(name)) for place in self.places):
            return IN_USE  # a player has this name, or one that looks the same
        has_room = self._store.has_room(name, len(self.places), address)
        return "" if has_room else "invalid name"

    def _come_back(self, client: Client, game: XbsGame, joined: Joined) -> None:
        place = next((place for place in self.places if place.name == joined.name), None)
        if place is None or game.match.is_over:
            self._dismiss(client, "game is already started")
        elif why := self._rejoins.refusal(
            client, joined, place, places=self.places, clients=self._clients.keys()
        ):
            client.send(Denied(why))
        elif not self._leaves_of_game.has(place.name):
            self._dismiss(client, "wait before you join again")
        else:
            self._give_back(client, game, place)

    def _give_back(self, client: Client, game: XbsGame, place: TablePlace) -> None:
        """Give a client the place of a player who was gone."""
        client.free()
        end = client.end
        assert isinstance(end, XbsServer), "this table made it"
        place.end.adopt(end)
        client.end = place.end
        place.sit(client, self._clients.keys())
        self._clients[client] = place
        said = f"{client.label} is {place.name} again"
        self._log.say("joined", said, client=client.label, name=place.name)
        game.back(place)

    def _leave(self, client: Client, why: str) -> None:
        """Let a client go that leaves, or whose stream has ended."""
        place = self._clients.pop(client, None)
        client.flush()
        if place:
            self._leaves.use(client.network)
            self._leaves_of_game.use(place.name)
            self._absent(place, shortened(why, LONGEST_REASON))
        client.close()

    def _absent(self, place: TablePlace, why: str) -> None:
        """Tell the others that a player is gone. A player who leaves the lobby loses the place."""
        said = f"{place.name} left{f': {why}' if why else ''}"
        label = place.client.label if place.client else ""
        self._log.say("left", said, client=label, name=place.name)
        if self._game is None:
            self.places.remove(place)
            for other in self.places:
                other.tell(Departed(place.name, why))
            self._show_lobby()
        else:
            self._game.away(place, why, is_sent_away=why == BOOTED)

    def _dismiss(self, client: Client, why: str) -> None:
        """Send a client away that has no place, or has lost its place; ``why`` is the reason."""
        self._clients.pop(client, None)
        client.send(Dismissed(why))
        client.close()

    # The end of a game

    def _abandon(self) -> None:
        if self._game:
            self._game.break_off("everyone had gone")

    def _finish(self, game: XbsGame) -> None:
        """Ignore what clients send from now on, and begin to store the game."""
        for client in self._clients:
            client.is_deaf = True
        task = self._loop.create_task(self._keep(game))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _keep(self, game: XbsGame) -> None:
        await game.keep()
        self._tell_over()

    def _tell_over(self) -> None:
        """Tell all players that the game is over, close their connections, and open the next lobby
        if games are left."""
        if self._game is None or not self._game.match.is_over:
            return
        game, self._game, self.places = self._game, None, []
        self._show_lobby()
        game.tell_over()
        for client in list(self._clients):
            self._clients.pop(client)
            client.close()
        if self._is_stopped:
            return
        if self.options.repeat is not None and self.games >= self.options.repeat:
            self._all_are_over()
        else:
            self._seat_bots()
