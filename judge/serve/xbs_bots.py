"""The bots of this machine that have a place in each game of an XBS table.

Each game starts the bots' programs anew, and clients may begin one game after another. So the
number of games a minute is limited, and a game begins only once all programs of the last one ended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from judge.contest.seeds import SEED_LIMIT
from judge.documents.game import Limits, RecordedSeat
from judge.documents.rules import Rules
from judge.errors import JudgeFault
from judge.game.variants import XBS
from judge.play.actions import Seating
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.serve.bot_seat import BotSeat, Heard
from judge.serve.rate_limits import Allowance
from judge.serve.xbs_places import TablePlace

MOST_GAMES, GAME_SECONDS = 10, 6.0  # games: 10 at once, then one each 6 s
LOOK_SECONDS = 1.0


class TableBots:
    """The bots of one table. ``ready`` is called when it is time to ask `may_begin` again.
    ``heard`` is called with a bot's message or fault, and ``failed`` with a fault of the judge."""

    def __init__(
        self,
        bots: Sequence[Bot],
        run: Run | None,
        *,
        ready: Callable[[], None],
        heard: Heard,
        failed: Callable[[JudgeFault], None],
    ) -> None:
        self.bots = bots if run else ()
        self.limits = run.conditions.limits if run else Limits(timeout_ms=XBS.timeout_ms)
        self._run = run
        self._ready = ready
        self._heard = heard
        self._failed = failed
        self._games = Allowance(MOST_GAMES, GAME_SECONDS)
        self.parting = 0  # bots of the last game whose programs have not ended yet
        self._timer: asyncio.TimerHandle | None = None

    def may_begin(self) -> bool:
        """Whether a game may begin now. If so, the game is counted. If not, ``ready`` is called
        later."""
        if not self.bots:
            return True
        if self._timer is None and not self.parting:
            if self._games.take(self):
                return True
            self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self._look)
        return False

    def sit_down(
        self, places: Sequence[TablePlace], rules: Rules, seed: Callable[[int], int], game: str
    ) -> Seating:
        """Seat all players of a new game, and start the programs of the bots among them. ``game``
        is the game's id."""
        isolation = self._run.conditions.isolation if self._run else None
        return Seating(
            rules=rules,
            seats=tuple(
                self._entry(seat, place, rules, len(places), seed, game=game)
                for seat, place in enumerate(places)
            ),
            answer_ms=tuple(self.limits.timeout_ms if place.bot else None for place in places),
            limits=self.limits,
            isolation=isolation.name if isolation else "none",
            enforcement=isolation.enforcement if isolation else (),
        )

    def _entry(
        self,
        seat: int,
        place: TablePlace,
        rules: Rules,
        seats: int,
        seed: Callable[[int], int],
        *,
        game: str,
    ) -> RecordedSeat:
        """A player's entry in the record. If the player is a bot, its program is started."""
        if place.bot is None or self._run is None:
            return RecordedSeat.of(place.name)
        place.seated = BotSeat(
            self._run,
            place.bot,
            seat,
            seed=seed(SEED_LIMIT),
            rules=rules,
            seats=seats,
            game=game,
            heard=self._heard,
            failed=self._failed,
        )
        return place.seated.entry

    def stand_up(self, seated: BotSeat) -> None:
        """Begin to end a bot's program, since its game is over."""
        self.parting += 1
        seated.stand_up(self.limits.timeout_ms, self._parted)

    def _parted(self) -> None:
        self.parting -= 1
        if not self.parting:
            self._ready()

    def _look(self) -> None:
        self._timer = None
        self._ready()
