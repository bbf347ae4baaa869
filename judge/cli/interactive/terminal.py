"""A terminal taken over: drawn as a whole, read key by key, and given back as it was found.

However it ends (an error, Ctrl-C, a signal that ends the judge, Ctrl-Z for a while) the modes, the
cursor and what stood on the screen before come back. Ctrl-C and Ctrl-Z stay the signals that they
are everywhere else.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import sys
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, TextIO

from judge.cli.interactive.keys import END_OF_INPUT, Decoder
from judge.show.text import cells, clean, fitted

RESIZED = "resized"  # no key, but just as much a reason to draw again

_ESCAPE_SECONDS = 0.05  # after which an Escape is the key, not the beginning of another
_ENTER = b"\x1b[?1049h\x1b[?25l"  # the other screen, without a cursor
_LEAVE = b"\x1b[?25h\x1b[?1049l"
_STOPPING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def is_smart(out: TextIO) -> bool:
    """Whether ``out`` is a terminal on which more can be done than to add lines."""
    return out.isatty() and os.environ.get("TERM", "") not in ("", "dumb")


def can_be_taken_over(out: TextIO) -> bool:
    """Whether someone sits there who sees the screen and has its keys."""
    return is_smart(out) and sys.stdin is not None and sys.stdin.isatty()


class Screen:
    """The screen, as long as `taken_over` lasts."""

    def __init__(self, out: TextIO) -> None:
        out.flush()
        self._out = out.fileno()
        self._encoding = out.encoding
        self._has_keys = sys.stdin is not None and sys.stdin.isatty()
        self._in = sys.stdin.fileno() if self._has_keys else self._out
        self._found: list[Any] = termios.tcgetattr(self._in)
        self._inside = False
        self._decoder = Decoder()
        self._keys: deque[str] = deque()
        self._listen, self.wakes = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows, at this instant."""
        columns, rows = os.get_terminal_size(self._out)
        return columns or 80, rows or 24  # a terminal may not know its own

    def draw(self, lines: Sequence[str]) -> None:
        """Draw these lines, and nothing else. What has no room is cut, never broken."""
        columns, rows = self.size
        drawn = ""
        for row, line in enumerate(lines[:rows], 1):
            # What stood there before goes first: erasing behind a full line takes its last cell.
            drawn += f"\x1b[{row};1H\x1b[2K{fitted(line, columns)}\x1b[0m"
        self._write(drawn + (f"\x1b[{len(lines) + 1};1H\x1b[J" if len(lines) < rows else ""))

    def key(self, seconds: float | None = None) -> str | None:
        """The next key, `RESIZED`, or None if neither comes in time."""
        while not self._keys:
            sources = [self._listen, self._in] if self._has_keys else [self._listen]
            ready, _, _ = select.select(sources, [], [], seconds)
            if not ready:
                return None
            if self._listen in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._listen, 1024)
                return RESIZED
            self._read()
        return self._keys.popleft()

    def _read(self) -> None:
        data = os.read(self._in, 1024)
        self._keys += self._decoder.feed(data)
        if not data:
            self._keys.append(END_OF_INPUT)
        elif self._decoder.begun and not select.select([self._in], [], [], _ESCAPE_SECONDS)[0]:
            self._keys += self._decoder.flush()

    def _write(self, text: str) -> None:
        data = memoryview(text.encode(self._encoding, "replace"))
        while data:  # past Python's own buffer, which a signal's handler may not write to as well
            data = data[os.write(self._out, data) :]

    def enter(self) -> None:
        """Take the terminal over, or over again after others have had it."""
        self._inside = True
        modes = list(self._found)
        modes[3] &= ~(termios.ECHO | termios.ICANON)
        modes[6] = [*modes[6]]
        modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._in, termios.TCSADRAIN, modes)
        os.write(self._out, _ENTER + b"\x1b[2J")

    def leave(self) -> None:
        """Give it back; a second time does nothing."""
        if not self._inside:
            return
        self._inside = False
        with contextlib.suppress(OSError):  # a terminal that is gone
            os.write(self._out, _LEAVE)
        with contextlib.suppress(termios.error):
            termios.tcsetattr(self._in, termios.TCSADRAIN, self._found)

    def close(self) -> None:
        os.close(self._listen)
        os.close(self.wakes)

    def resized(self, *_: object) -> None:
        """Have `key` say so: what is seen may be broken, or not there."""
        with contextlib.suppress(BlockingIOError):
            os.write(self.wakes, b".")

    def suspend(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: give the terminal back, and stop here until told to go on."""
        self.leave()
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        signal.pthread_kill(threading.get_ident(), signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, handler)

    def resume(self, *_: object) -> None:
        self.enter()
        self.resized()


@contextlib.contextmanager
def taken_over(out: TextIO) -> Iterator[Screen]:
    """The terminal that ``out`` is, until the block is left. For the main thread."""
    screen = Screen(out)
    atexit.register(screen.leave)  # for the instant between two lines here that a signal may hit
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], None]] = {
        signal.SIGWINCH: screen.resized,
        signal.SIGCONT: screen.resume,
        signal.SIGTSTP: screen.suspend,
    }
    before = {number: signal.getsignal(number) for number in handlers}
    # A signal that comes just before `key` begins to wait, or to another thread, wakes it too.
    wakened = signal.set_wakeup_fd(screen.wakes, warn_on_full_buffer=False)
    try:
        for number, handler in handlers.items():
            if before[number] is not signal.SIG_IGN:  # a shell without job control
                signal.signal(number, handler)
        screen.enter()
        yield screen
    finally:
        try:
            masked = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)
        finally:  # a signal may have come up to here, and none does from here on
            screen.leave()
            for number, old in before.items():
                signal.signal(number, old)
            signal.set_wakeup_fd(wakened)
            atexit.unregister(screen.leave)
            screen.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def fits(lines: Iterable[str], columns: int, rows: int) -> bool:
    """Whether all of it can be seen."""
    lines = list(lines)
    return len(lines) <= rows and all(cells(clean(line)) <= columns for line in lines)
