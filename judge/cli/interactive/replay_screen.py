"""ReplayScreen through a game on a screen: which keys do what, and when it plays by itself."""

from __future__ import annotations

from collections.abc import Callable
from string import digits

from judge.cli.interactive import keys
from judge.cli.interactive.terminal import Screen, fits
from judge.show.replay import Replay, picture
from judge.show.text import Style, paint, wrap

DELAY_MS = 500  # where it is to play by itself and nobody has said how fast
FASTEST_MS, SLOWEST_MS = 1, 30_000
JUMP = 10
_STEPS = {
    keys.RIGHT: 1,
    keys.DOWN: 1,
    keys.LEFT: -1,
    keys.UP: -1,
    keys.PAGE_DOWN: JUMP,
    keys.PAGE_UP: -JUMP,
}

HELP = (
    "← → step, PgUp PgDn ten, Home End, 12 Enter go to 12, space plays (+ - speed), f fog, q quits"
)


HELP_OF_SEVERAL = HELP.replace("← → step", "← → step, ↑ ↓ game")
BETWEEN_SECONDS = 3.0  # for which the end of a game stands, where several play by themselves


class ReplayScreen:
    """Where its viewer is in a game, or in one of ``count`` games, of which ``game`` gives the one
    at a place counted from 0. ``seat`` is whose knowledge is shown, None for the truth; ``delay``,
    in milliseconds, plays by itself from the start."""

    def __init__(
        self,
        game: Callable[[int], Replay],
        count: int,
        screen: Screen,
        *,
        seat: int | None,
        delay: int | None,
        colour: bool,
    ) -> None:
        self._game = game
        self._count = count
        self._place = 0
        self._replayed = game(0)
        self._screen = screen
        self._seat = seat
        self._colour = colour
        self._delay = delay or DELAY_MS
        self._plays = delay is not None
        self._step = 0 if self._plays else self._replayed.first
        self._typed = ""  # the digits of a number that is being typed

    def run(self) -> None:
        """Show the game until its viewer has had enough."""
        while True:
            self._draw()
            key = self._screen.key(self._pause() if self._plays else None)
            if key in ("q", "Q", keys.ESCAPE, keys.END_OF_INPUT):
                return
            if key is None:
                self._play_on()
            else:
                self._do(key)

    def _pause(self) -> float:
        """For how many seconds a step stands that is followed by itself."""
        is_last = self._step == self._replayed.last
        return max(self._delay / 1000, BETWEEN_SECONDS if is_last else 0.0)

    def _play_on(self) -> None:
        if self._step == self._replayed.last:
            self._take(self._place + 1)
            self._step = 0
        else:
            self._go_to(self._step + 1)
        self._plays = self._step < self._replayed.last or self._place + 1 < self._count

    def _take(self, place: int) -> None:
        """Go to another game, to the same step as far as it has that."""
        self._place = max(0, min(place, self._count - 1))
        self._replayed = self._game(self._place)
        self._go_to(self._step)

    def _do(self, key: str) -> None:
        typed, self._typed = self._typed, ""
        if self._count > 1 and key in (keys.UP, keys.DOWN):
            self._take(self._place + (1 if key == keys.DOWN else -1))
            return
        if key in _STEPS:
            self._go_to(self._step + _STEPS[key])
            return
        match key:
            case keys.HOME:
                self._go_to(self._replayed.first)
            case keys.END:
                self._go_to(self._replayed.last)
            case keys.ENTER:
                self._go_to(int(typed) if typed else self._step + 1)
            case " ":
                self._plays = not self._plays
                if self._plays and self._step == self._replayed.last:
                    self._go_to(0)
            case "+" | "-":
                delay = self._delay // 2 if key == "+" else self._delay * 2
                self._delay = max(FASTEST_MS, min(delay, SLOWEST_MS))
            case "f" | "F":
                eyes = [None, *range(len(self._replayed.names))]
                self._seat = eyes[(eyes.index(self._seat) + 1) % len(eyes)]
            case keys.BACKSPACE:
                self._typed = typed[:-1]
            case digit if digit in digits:
                self._typed = (typed + digit)[-6:]
            case _:  # drawn again, with what was typed
                self._typed = typed

    def _go_to(self, step: int) -> None:
        self._step = max(self._replayed.first, min(step, self._replayed.last))

    def _draw(self) -> None:
        columns, rows = self._screen.size
        lines = picture(
            self._replayed, self._step, seat=self._seat, columns=columns, colour=self._colour
        )
        foot = ["", paint(f"go to {self._typed}_", Style.BOLD, self._colour)] if self._typed else []
        if not foot and self._plays:
            foot = ["", f"playing, a step every {self._delay / 1000:g} s; space stops"]
        if self._count > 1:
            lines[:1] = [lines[0], f"{self._place + 1:,} of {self._count:,} games"]
        help_ = foot or ["", *wrap(HELP if self._count == 1 else HELP_OF_SEVERAL, width=columns)]
        if fits([*lines, *help_], columns, rows):
            lines += help_
        elif foot:
            lines = [*lines[: max(0, rows - 1)], foot[-1]]
        self._screen.draw(lines)
