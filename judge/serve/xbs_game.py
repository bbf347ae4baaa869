"""A game at an XBS table: it is set up, played turn by turn, and stored when it is over."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random

from judge.documents.rules import Rules
from judge.errors import BotError
from judge.game.events import Shot, TurnSkipped
from judge.play.actions import Abort, Action, Ask, GameSetup, SkipTurn, Tell, Withdraw
from judge.play.match import Match
from judge.serve.ledger_store import KILLED, GameStore, if_broken_off, stamped, tell_kept
from judge.serve.log import Log
from judge.serve.xbs_bots import TableBots
from judge.serve.xbs_places import TablePlace
from judge.serve.xbs_timers import GONE, Timers
from judge.show.live import GameWatch, Live
from judge.wire.messages import Fired, FromPlayer, GameOver, Skipped, Taunt, ToClient, Told


class XbsGame:
    """One game. ``places`` are the players' places, in the order of turns. ``luck`` draws taunts
    and the bots' seeds. ``over`` is called when the game is over, and has to call `keep`."""

    def __init__(
        self,
        number: int,
        places: Sequence[TablePlace],
        rules: Rules,
        *,
        bots: TableBots,
        timers: Timers,
        luck: Random,
        log: Log,
        store: GameStore,
        live: Live | None,
        over: Callable[[XbsGame], None],
    ) -> None:
        self._number = number
        self._places = places
        self._bots = bots
        self._timers = timers
        self._luck = luck
        self._log = log
        self._store = store
        self._over = over
        self._end: GameOver | None = None
        self._loop = asyncio.get_running_loop()
        self._asked_at = 0.0
        game = f"xbs-{secrets.token_hex(8)}"
        seating = bots.sit_down(places, rules, luck.randrange, game)
        fleets = {seat: place.fleet for seat, place in enumerate(places) if place.fleet}
        setup = GameSetup(id=game, seed=None, first=0, rules=rules, fleets=fleets)
        self._started = self._finished = datetime.now(UTC)
        names = [place.name for place in places]
        log.say("began", f"game {number} begins: {', '.join(names)}", room=number)
        broken_off = if_broken_off(seating, setup, KILLED, self._started)
        store.begin(broken_off, [None if place.bot else place.address for place in places])
        limits = [None if place.bot else timers.turn for place in places]
        self._watch = GameWatch(live, names, number=number, limits=limits) if live else None
        self.match = Match(seating, [setup], self._watch)

    # What its table calls

    def start(self) -> None:
        self._do(self.match.start())

    def receive(self, place: TablePlace, said: Fired | Skipped) -> None:
        ms = (self._loop.time() - self._asked_at) * 1000
        self._do(self.match.receive(self._places.index(place), said, ms))

    def hear_bot(self, seat: int, answer: FromPlayer | BotError, ms: float) -> None:
        if not self.match.is_over:
            seated = self._places[seat].seated
            assert seated, "it has just said something"
            self._do(self.match.receive(seat, answer, ms, seated.evidence))

    def skip(self, why: str) -> None:
        """Skip the turn of the player who is to move."""
        if self.match.awaited:
            self._do(self.match.host(SkipTurn(self.match.awaited[0], why)))

    def break_off(self, why: str) -> None:
        if not self.match.is_over:
            self._do(self.match.host(Abort(why)))

    def away(self, place: TablePlace, why: str, *, is_sent_away: bool) -> None:
        """Go on without a player. The player may come back."""
        if not self.match.is_over:
            place.client, place.gone_at = None, self._loop.time()
            place.status = why or "disconnected"
            seat = self._places.index(place)
            self._do(self.match.away(seat, why, is_sent_away=is_sent_away))

    def back(self, place: TablePlace) -> None:
        self._do(self.match.back(self._places.index(place)))

    async def keep(self) -> None:
        """Write the game, which is over, to the store, and give its record to the live page."""
        record = stamped(self.match, self._started, self._finished)
        tell_kept(self._log, self._number, await self._store.keep(record), self._watch)

    def tell_over(self) -> None:
        """Tell all players how the game has ended, and end the bots' programs."""
        for place in self._places:
            if self._end:
                place.tell(self._end)
            if place.seated:
                self._bots.stand_up(place.seated)

    # The turns

    def _do(self, todo: Sequence[Action]) -> None:
        for do in todo:
            match do:
                case Tell(_, GameOver() as over):
                    self._end = over  # told once the game is kept
                case Tell(seat, message):
                    self._tell(seat, message)
                case Ask(seat, question, timeout_ms):
                    self._asked_at = self._loop.time()
                    if seated := self._places[seat].seated:
                        seated.ask(question, timeout_ms)
                    else:
                        self._places[seat].tell(question)
                case Withdraw(seat):
                    if seated := self._places[seat].seated:
                        seated.withdraw()
        if self.match.is_over and todo:
            self._timers.clear()
            self._finished = datetime.now(UTC)
            self._over(self)
        else:
            self._set_timers()

    def _set_timers(self) -> None:
        self._timers.clear()
        if not self.match.is_over and self.match.awaited:
            people = [place for place in self._places if place.bot is None]
            self._timers.set(self._places[self.match.awaited[0]], people, self._asked_at)

    def _tell(self, seat: int, message: ToClient) -> None:
        """Tell a seat a message. If the message has the seat's own shot, a taunt of the player who
        was shot at comes first, if there is one. The seat's skipped turns are counted and
        logged."""
        place = self._places[seat]
        for event in message.events if isinstance(message, Told) else ():
            if isinstance(event, TurnSkipped) and event.seat == seat:
                place.skips += 1
                is_gone = event.why == GONE
                again = is_gone and place.absence.is_skipped
                place.absence.is_skipped |= is_gone
                said = f"the turn of {place.name} is skipped: {event.why}"
                if is_gone:
                    said = f"the turns of {place.name} are skipped while it is gone"
                elif not event.why:
                    said = f"{place.name} skips its turn"
                self._log.say("skipped", said, again=again, name=place.name, room=self._number)
            if isinstance(event, Shot) and event.seat == seat:
                words = self._places[event.target].taunts[event.is_hit]
                if words:
                    place.tell(Taunt(event.target, self._luck.choice(words)))
        place.tell(message)
