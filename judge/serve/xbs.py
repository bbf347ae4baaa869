"""XBS: one table, a lobby and then its game, for two to nine players.

Players join with a board, the host starts the game, and everyone may chat, skip a turn, leave and
come back. To leave changes nothing in the game: whoever is gone is shot at and scores, its turn
waits for it, and is skipped once it has been gone for the grace.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random, SystemRandom

from judge.contest.ledger.condition_set import ConditionSet
from judge.errors import BotError, JudgeFault
from judge.game.events import Shot, TurnSkipped
from judge.game.limits import Limits
from judge.game.outcome import shortened
from judge.game.record import GameRecord
from judge.game.variants import XBS
from judge.play.deal import Abort, Ask, Deal, Do, Seating, SkipTurn, Tell, Withdraw
from judge.play.match import MOST_WORDS, Match
from judge.play.referee import stamp
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.serve.admission import network
from judge.serve.allowance import Allowance
from judge.serve.core import Client
from judge.serve.ledger_store import KILLED, STOPPED, GameStore, if_broken_off
from judge.serve.log import Log
from judge.serve.worker import Worker
from judge.serve.xbs_bots import TableBots
from judge.serve.xbs_places import Options, TablePlace
from judge.serve.xbs_statistics import Sitting, TableSetting, keep
from judge.serve.xbs_timers import Timers
from judge.show.live import GameWatch, Live
from judge.show.one_game import headline
from judge.wire.messages import (
    Arrived,
    Chat,
    Denied,
    Departed,
    Dismissed,
    Fired,
    FromClient,
    FromPlayer,
    GameOver,
    Inquired,
    Joined,
    Left,
    Lobby,
    Said,
    Skipped,
    Taunt,
    TauntAdded,
    ToClient,
    Told,
    ToPlayer,
    Welcome,
)
from judge.wire.xbs.notation import name_flaw
from judge.wire.xbs.server import XbsServer

IDLE = 600.0  # seconds until a client has to have joined
MOST_TAUNTS = 50  # of a player and a kind
MOST_LEAVES, LEAVE_SECONDS = 10, 5.0  # from an address, or a place: so many, then one each 5 s
LONGEST_REASON = 100  # characters of what somebody says who leaves
BOOTED = "booted"


class XbsTable:
    """The `Hall` of XBS. ``luck`` draws the order of turns, and taunts; ``over`` is called when all
    games are played. ``live`` is told what spectators may see."""

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
        self.match: Match | None = None
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
        self._watch: GameWatch | None = None
        self.bots = TableBots(
            bots, run, ready=self._begin_if_due, heard=self._hear_bot, failed=self._fail
        )
        self._limits = run.conditions.limits if run else Limits(timeout_ms=XBS.timeout_ms)
        self._clients: dict[Client, TablePlace | None] = {}
        self._loop = asyncio.get_running_loop()
        self._over: GameOver | None = None
        self._started = datetime.now(UTC)
        self._asked_at = 0.0
        self._words = Allowance(MOST_WORDS, 1.0)  # of each name: who does not read is dropped
        self._leaves = Allowance(MOST_LEAVES, LEAVE_SECONDS)  # of each network
        self._leaves_of_game = Allowance(MOST_LEAVES, LEAVE_SECONDS)  # of each name in the game
        self._timers = Timers(options, self.skip, self._abandon)
        self._statistics = Worker("statistics") if options.stats else None
        self._is_stopped = False
        self._is_due = False  # the game, which waits for bots to be gone
        self._seat_bots()

    @property
    def conditions(self) -> ConditionSet:
        return ConditionSet(self.options.rules, self._limits)

    @property
    def lobby(self) -> Lobby:
        options = self.options
        rules = replace(options.rules, players=(options.least, options.most))
        is_started = self.match is not None
        return Lobby(options.title, rules, options.letters, len(self.places), is_started)

    # What the core calls

    def end(self, client: Client) -> XbsServer:
        return XbsServer(self.options.dialect)

    def connected(self, client: Client) -> None:
        if client.network in self.barred_networks:
            client.close(0)
            return
        self._clients[client] = None
        client.send(self.lobby)
        if self.match:
            has_room = not self.match.is_over and any(one.client is None for one in self._people)
        else:
            has_room = len(self.places) < self.options.most
        if not has_room:
            self._dismiss(client, "")
            return
        client.limit(IDLE, lambda: self._dismiss(client, ""))

    def take(self, client: Client, event: FromClient) -> None:
        place = self._clients.get(client)
        match event:
            case Inquired():
                client.send(self.lobby)
            case Joined():
                self._join(client, event)
            case Left(why):
                self._leave(client, why)
            case Said(text, to) if place:
                self._chat(place, text, to)
            case TauntAdded(on_hit, text) if place:
                kept = place.taunts[on_hit][: MOST_TAUNTS - 1]
                place.taunts[on_hit] = [*kept, text] if text else []
            case Fired() | Skipped() if place and self.match:
                seat, ms = self.places.index(place), (self._loop.time() - self._asked_at) * 1000
                self._do(self.match.receive(seat, event, ms))

    # What the server and the host call

    def stop(self, why: str = STOPPED) -> None:
        """Break off the game, or the lobby, and send everyone away."""
        self._is_stopped = True
        if self.match is None:
            for client in list(self._clients):
                self._dismiss(client, "game aborted")
        elif not self.match.is_over:
            self._do(self.match.host(Abort(why)))
        self._tell_over()
        if self._run:
            self._run.interrupt()

    def start(self) -> None:
        """Begin the game, or let it begin as soon as bots of this machine may."""
        self._is_due = True
        self._begin_if_due()

    def _begin_if_due(self) -> None:
        options = self.options
        if not self._is_due or self.match or self._is_stopped:
            return
        if len(self.places) < (options.most if options.auto_start else options.least):
            self._is_due = False  # somebody has left meanwhile
        elif self.bots.may_begin():
            self._is_due = False
            self._begin()

    def _begin(self) -> None:
        """Begin the game; the order of turns is drawn."""
        self._luck.shuffle(self.places)
        rules, count = self.options.rules, len(self.places)
        seats = tuple(
            self.bots.sit_down(seat, place, rules, count, self._luck.randrange)
            for seat, place in enumerate(self.places)
        )
        isolation = self._run.conditions.isolation if self._run else None
        table = Seating(
            rules=rules,
            seats=seats,
            answer_ms=tuple(self._limits.timeout_ms if one.bot else None for one in self.places),
            limits=self._limits,
            isolation=isolation.name if isolation else "none",
            enforcement=isolation.enforcement if isolation else (),
        )
        fleets = {seat: one.fleet for seat, one in enumerate(self.places) if one.fleet}
        game = f"xbs-{secrets.token_hex(8)}"
        deal = Deal(id=game, seed=None, first=0, rules=rules, fleets=fleets)
        self._started = datetime.now(UTC)
        self._leaves_of_game = Allowance(MOST_LEAVES, LEAVE_SECONDS)
        names = ", ".join(place.name for place in self.places)
        self.games += 1
        self._log.say("began", f"game {self.games} begins: {names}", room=self.games)
        broken_off = if_broken_off(table, deal, KILLED, self._started)
        addresses = [None if place.bot else place.address for place in self.places]
        self._store.begin(broken_off, addresses)
        if self._live:
            called = [place.name for place in self.places]
            self._watch = GameWatch(self._live, called, number=self.games)
        self.match = Match(table, [deal], self._watch)
        self._show_lobby()
        self._do(self.match.start())

    def skip(self, why: str) -> None:
        """Let whoever is up skip its turn."""
        if self.match and self.match.awaited:
            self._do(self.match.host(SkipTurn(self.match.awaited[0], why)))

    def say(self, text: str, to: TablePlace | None = None) -> None:
        """Say something as the host, to one player or to all."""
        for place in self.places if to is None else [to]:
            self._tell(place, Chat(None, text, is_private=False))
        if self._live and to is None:
            self._live.say(None, text)

    def boot(self, place: TablePlace) -> None:
        """Send a player away, who may come back."""
        if client := place.client:
            client.flush()
            self._absent(place, BOOTED)
            self._clients[client] = None
            self._dismiss(client, BOOTED)

    def bar_name(self, name: str) -> None:
        self.barred_names.add(name)
        for place in [one for one in self.places if one.name == name]:
            self.boot(place)

    def bar_address(self, address: str) -> None:
        """Send away all from an address, or of IPv6 from its network, and bar it; raises ValueError
        for what is no address."""
        self.barred_networks.add(barred := network(address))
        for client, place in list(self._clients.items()):
            if client.network == barred:
                if place:
                    self.boot(place)
                else:
                    self._dismiss(client, BOOTED)

    # Bots

    @property
    def _people(self) -> list[TablePlace]:
        """The places of all but bots of this machine."""
        return [place for place in self.places if place.bot is None]

    def _seat_bots(self) -> None:
        """Give the bots of this machine their places in a new lobby."""
        for bot in self.bots.bots:
            end = XbsServer(self.options.dialect)
            self.places.append(TablePlace(bot.name, "this machine", None, end, None, bot))
        self._show_lobby()
        if self.options.auto_start and len(self.places) == self.options.most:
            self._loop.call_soon(self.start)

    def _hear_bot(self, seat: int, said: FromPlayer | BotError, ms: float) -> None:
        if self.match and not self.match.is_over:
            seated = self.places[seat].seated
            assert seated, "it has just said something"
            self._do(self.match.receive(seat, said, ms, seated.evidence))

    def _fail(self, error: JudgeFault) -> None:
        """Break off a game that the judge cannot play, which is no bot's fault."""
        self._log.say("bug", f"the game is broken off: {error}", error=str(error))
        if self.match and not self.match.is_over:
            self._do(self.match.host(Abort(str(error))))

    # Coming and going

    def _join(self, client: Client, joined: Joined) -> None:
        name = joined.name
        if name in self.barred_names:
            self._dismiss(client, BOOTED)
        elif not self._leaves.has(client.network):
            self._dismiss(client, "wait before you join again")
        elif self.match:
            self._come_back(client, self.match, name)
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
                self._tell(other, Arrived(name))
            end = client.end
            assert isinstance(end, XbsServer), "this table made it"
            place = TablePlace(name, client.address, joined.fleet, end, client)
            self.places.append(place)
            self._clients[client] = place
            said = f"{client.label} joined as {name}"
            self._log.say("joined", said, client=client.label, name=name)
            self._show_lobby()
            if self.options.auto_start and len(self.places) == self.options.most:
                self.start()

    def _flaw(self, name: str, address: str) -> str:
        """Why nobody can join under a name, if so."""
        if flaw := name_flaw(name, self.options.rules.columns):
            return flaw
        if any(place.name == name for place in self.places):
            return "name in use"
        has_room = self._store.has_room(name, len(self.places), address)
        return "" if has_room else "invalid name"

    def _come_back(self, client: Client, match: Match, name: str) -> None:
        place = next((one for one in self.places if one.name == name), None)
        if place is None or match.is_over:
            self._dismiss(client, "game is already started")
            return
        if (
            place.client
            or place.bot
            or not (self.options.from_anywhere or client.address == place.address)
        ):
            client.send(Denied("name in use"))
            return
        if not self._leaves_of_game.has(place.name):
            self._dismiss(client, "wait before you join again")
            return
        client.free()
        end = client.end
        assert isinstance(end, XbsServer), "this table made it"
        place.end.adopt(end)
        client.end, place.client, place.status = place.end, client, ""
        self._clients[client] = place
        seat = self.places.index(place)
        self._log.say("joined", f"{client.label} is {name} again", client=client.label, name=name)
        self._do(match.back(seat))

    def _leave(self, client: Client, why: str) -> None:
        """Let a client go that has said so, or whose stream has ended."""
        place = self._clients.pop(client, None)
        client.flush()
        if place:
            self._leaves.use(client.network)
            self._leaves_of_game.use(place.name)
            self._absent(place, shortened(why, LONGEST_REASON))
        client.close()

    def _absent(self, place: TablePlace, why: str) -> None:
        """Note that a player is gone, and tell the others."""
        said = f"{place.name} left{f': {why}' if why else ''}"
        label = place.client.label if place.client else ""
        self._log.say("left", said, client=label, name=place.name)
        if self.match is None:
            self.places.remove(place)
            for other in self.places:
                self._tell(other, Departed(place.name, why))
            self._show_lobby()
        elif not self.match.is_over:
            place.client, place.gone_at = None, self._loop.time()
            place.status = why or "disconnected"
            seat = self.places.index(place)
            self._do(self.match.away(seat, why, is_sent_away=why == BOOTED))

    def _dismiss(self, client: Client, why: str) -> None:
        """End the connection of a client that has no place, or none any more."""
        self._clients.pop(client, None)
        client.send(Dismissed(why))
        client.close()

    # The game

    def _do(self, todo: Sequence[Do]) -> None:
        for do in todo:
            match do:
                case Tell(_, GameOver() as over):
                    self._over = over  # told once it is kept
                case Tell(seat, message):
                    self._tell_of_game(seat, message)
                case Ask(seat, question, timeout_ms):
                    self._asked_at = self._loop.time()
                    if seated := self.places[seat].seated:
                        seated.ask(question, timeout_ms)
                    else:
                        self._tell(self.places[seat], question)
                case Withdraw(seat):
                    if seated := self.places[seat].seated:
                        seated.withdraw()
        if self.match and self.match.is_over and todo:
            self._finish(self.match)
        else:
            self._set_timers()

    def _set_timers(self) -> None:
        self._timers.clear()
        if self.match and not self.match.is_over and self.match.awaited:
            up = self.places[self.match.awaited[0]]
            self._timers.set(up, self._people, self._asked_at)

    def _abandon(self) -> None:
        if self.match:
            self._do(self.match.host(Abort("everyone had gone")))

    def _chat(self, place: TablePlace, text: str, to: int | None) -> None:
        if not self._words.take(place.name):
            return
        seat = self.places.index(place)
        for number, other in enumerate(self.places):
            if other is not place and to in (None, number) and not other.is_behind:
                self._tell(other, Chat(seat, text, is_private=to is not None))
        if self._live and to is None:
            self._live.say(place.name, text)
        whom = "" if to is None else f" to {self.places[to].name}"
        self._log.say("said", f"{place.name}{whom}: {text}", name=place.name)

    def _show_lobby(self) -> None:
        if self._live is None:
            return
        options = self.options
        least, most = options.least, options.most
        about = f"For {most if least == most else f'{least} to {most}'} players."
        waiting = () if self.match else self.places
        self._live.waits([place.name for place in waiting], about)

    def _tell(self, place: TablePlace, message: ToClient) -> None:
        if place.seated:
            if isinstance(message, ToPlayer):
                place.seated.tell(message)
        elif place.client:
            place.client.send(message)
        else:
            place.end.send(message)
            place.end.data_to_send()  # nobody hears it

    def _tell_of_game(self, seat: int, message: ToClient) -> None:
        """Tell a seat what has happened, with the taunt of whom it has shot at."""
        place = self.places[seat]
        for event in message.events if isinstance(message, Told) else ():
            if isinstance(event, TurnSkipped) and event.seat == seat:
                place.skips += 1
            if isinstance(event, Shot) and event.seat == seat:
                words = self.places[event.target].taunts[event.is_hit]
                if words:
                    self._tell(place, Taunt(event.target, self._luck.choice(words)))
        self._tell(place, message)

    def _finish(self, match: Match) -> None:
        """Keep a game that is over."""
        self._timers.clear()
        for client in self._clients:
            client.is_deaf = True
        now = stamp(datetime.now(UTC))
        record = replace(match.records[0], started=stamp(self._started), finished=now)
        sittings = [Sitting(one.name, one.address, one.status) for one in self.places]
        task = self._loop.create_task(self._keep(self.games, record, sittings))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _keep(self, game: int, record: GameRecord, sittings: list[Sitting]) -> None:
        kept = await self._store.keep(record)
        await self._count(record, sittings)
        if kept:
            if self._watch:
                self._watch.keep(kept)
            number = "" if kept.number is None else f", {kept.called} in the ledger"
            won = None if kept.outcome.winner is None else kept.seats[kept.outcome.winner].name
            self._log.say(
                "ended",
                f"game {game} is over{number}: {headline(kept)}",
                room=game,
                number=kept.number,
                winner=won,
                termination=kept.outcome.termination,
            )
        self._tell_over()

    async def _count(self, record: GameRecord, sittings: list[Sitting]) -> None:
        """Add a game to the statistics, if they are wanted."""
        options = self.options
        if options.stats is None or self._statistics is None:
            return
        setting = TableSetting(options.title, options.least, options.most, options.letters)
        try:
            await self._statistics.do(keep, options.stats, setting, record, sittings)
        except JudgeFault as error:
            self._log.say("unkept", str(error), error=str(error))

    def _tell_over(self) -> None:
        """Tell all that the game is over and let them go; then open the next lobby."""
        if self._over is None:
            return
        over, self._over = self._over, None
        places, self.places, self.match = self.places, [], None
        self._show_lobby()
        for place in places:
            self._tell(place, over)
            if place.seated:
                self.bots.stand_up(place.seated, self._limits.timeout_ms)
        for client in list(self._clients):
            self._clients.pop(client)
            client.close()
        if self._is_stopped:
            return
        if self.options.repeat is not None and self.games >= self.options.repeat:
            self._all_are_over()
        else:
            self._seat_bots()
