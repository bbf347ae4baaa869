"""The screen to step through one game or several, by keys or by itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from string import digits
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import Binding, BindingType
from textual.events import Key  # noqa: TC002 - Textual reads the annotations of handlers

from judge.screen.pictures import Pace, PictureApp
from judge.screen.scrubber import Scrubber
from judge.show.replay import Replay, picture
from judge.show.text import many

if TYPE_CHECKING:
    from textual.widget import Widget

DELAY_MS = 500  # milliseconds a step, if the screen plays by itself without a given pace
BETWEEN_SECONDS = 3.0  # seconds that the end of a game is shown, if several play by themselves
JUMP = 10
_STEPS = {"right": 1, "down": 1, "left": -1, "up": -1, "pagedown": JUMP, "pageup": -JUMP}

HELP = (
    "← → step, PgUp PgDn ten, Home End, 12 Enter go to 12, space plays (+ - speed), f fog, q quits"
)
HELP_OF_SEVERAL = HELP.replace("← → step", "← → step, ↑ ↓ game")


class Eyes(NamedTuple):
    """A view of a game: what ``seat`` knows, or the truth for None. Without ``shows_ships`` the
    ships are hidden before the end."""

    seat: int | None
    shows_ships: bool = True


class ReplayApp(PictureApp):
    """The screen to step through ``count`` games. ``game`` returns the game at an index from 0. At
    first the screen shows what ``seat`` knows. With ``seat=None`` it shows the truth, but hides the
    ships before the end if fleets are placed ship by ship. With a ``delay``, in milliseconds a
    step, the screen plays by itself from the start."""

    MOVES_BELOW = 0  # the step's own moves are among the other lines
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,Q,escape,ctrl+d,ctrl+q", "quit", "quit", priority=True),
    ]

    def __init__(
        self,
        game: Callable[[int], Replay],
        count: int,
        *,
        seat: int | None,
        delay: int | None,
        colour: bool,
    ) -> None:
        super().__init__(colour=colour)
        self._game = game
        self._count = count
        self._place = 0
        self._replayed = game(0)
        # The contest's own programs hide ships that were placed one by one.
        first = [Eyes(None, shows_ships=False)] if self._replayed.first < 0 else []
        self._eyes = deque([*first, Eyes(None), *map(Eyes, range(len(self._replayed.names)))])
        if seat is not None:
            self._eyes.rotate(-self._eyes.index(Eyes(seat)))
        self._pace = Pace(self, delay or DELAY_MS, runs=delay is not None)
        self._step = 0 if self._pace.runs else self._replayed.first
        self._typed = ""  # the digits of a number that is being typed

    def below(self) -> Sequence[Widget]:
        return [Scrubber()]

    async def redraw(self) -> None:
        replayed, step = self._replayed, self._step
        columns = max(1, self.size.width)
        seat, shows_ships = self._eyes[0]
        await self.show(
            picture(
                replayed,
                step,
                seat=seat,
                shows_ships=shows_ships,
                columns=columns,
                colour=self.colour,
            )
        )
        self.query_one(Scrubber).show(replayed.first, step, replayed.last)
        games = f"{self._place + 1:,} of {many(self._count, 'game')}; " * (self._count > 1)
        if self._typed:
            self.say(f"{games}go to {self._typed}_")
        elif self._pace.runs:
            self.say(f"{games}playing, a step every {self._pace.delay / 1000:g} s; space stops")
        else:
            help_ = HELP if self._count == 1 else HELP_OF_SEVERAL
            self.say(games + help_, is_help=not games)
        is_last = step == replayed.last
        self._pace.wait(self._play_on, BETWEEN_SECONDS if is_last else 0.0)

    async def on_key(self, event: Key) -> None:
        self._do(event.key, event.character or "")
        await self.redraw()

    async def on_scrubber_moved(self, event: Scrubber.Moved) -> None:
        self._go_to(event.step)
        await self.redraw()

    # Helpers

    async def _play_on(self) -> None:
        if self._step == self._replayed.last:
            self._take(self._place + 1)
            self._step = 0
        else:
            self._go_to(self._step + 1)
        self._pace.runs = self._step < self._replayed.last or self._place + 1 < self._count
        await self.redraw()

    def _take(self, place: int) -> None:
        """Go to the game at an index, and there to the same step, if the game has it."""
        self._place = max(0, min(place, self._count - 1))
        self._replayed = self._game(self._place)
        self._go_to(self._step)

    def _do(self, key: str, character: str) -> None:
        typed, self._typed = self._typed, ""
        if self._count > 1 and key in ("up", "down"):
            self._take(self._place + (1 if key == "down" else -1))
            return
        if key in _STEPS:
            self._go_to(self._step + _STEPS[key])
            return
        if self._pace.takes(key, character):
            if key == "space" and self._pace.runs and self._step == self._replayed.last:
                self._go_to(0)
            return
        match key, character:
            case "home", _:
                self._go_to(self._replayed.first)
            case "end", _:
                self._go_to(self._replayed.last)
            case "enter" | "ctrl+j", _:
                self._go_to(int(typed) if typed else self._step + 1)
            case _, "f" | "F":
                self._eyes.rotate(-1)
            case "backspace", _:
                self._typed = typed[:-1]
            case _, digit if digit and digit in digits:
                self._typed = (typed + digit)[-6:]
            case _:  # any other key keeps the typed digits
                self._typed = typed

    def _go_to(self, step: int) -> None:
        self._step = max(self._replayed.first, min(step, self._replayed.last))
