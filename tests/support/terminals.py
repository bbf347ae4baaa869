"""A terminal for a command to run in, driven by pexpect, with pyte to say what is to be seen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import pexpect
import pyte

from commands import JUDGE, ROOT, Done

PATIENCE = 120.0  # seconds; a busy machine is no reason to fail

UP, DOWN, RIGHT, LEFT = b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D"
HOME, END, PAGE_UP, PAGE_DOWN = b"\x1b[H", b"\x1b[F", b"\x1b[5~", b"\x1b[6~"
ENTER, BACKSPACE, CTRL_C, CTRL_D, CTRL_Z = b"\r", b"\x7f", b"\x03", b"\x04", b"\x1a"

# The modes of the terminal are written down before and after, by a shell that sees nothing else.
AROUND = (
    'trap : INT; stty -a >"$0/before"; "$@"; echo $? >"$0/status"; stty -a >"$0/after"; echo .done.'
)

# A sequence that sets a colour, other than that the terminal has by itself.
COLOURS = re.compile(rb"\x1b\[(?:\d+;)*(?:[34][0-8]|9[0-7]|10[0-7])(?:;\d+)*m")

# How a command may come to know that its terminal is gone: it is sent SIGHUP; it ignores that
# signal, as after nohup; or the signal goes to its shell alone, which takes no notice.
HANG_UPS = {
    "told": 'exec "$@"',
    "deaf": 'trap "" HUP; exec "$@"',
    "not told": 'trap : HUP; "$@"; exit $?',
}


class Terminal:
    """One command in a terminal of its own, started by a shell that does what is ``around``."""

    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        *,
        columns: int = 80,
        rows: int = 24,
        around: str = AROUND,
        **environment: str,
    ) -> None:
        self.folder = folder
        self.output = b""
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._drawn: tuple[int, int, int] | None = None
        self._lines: list[str] = []
        variables = {name: os.environ[name] for name in os.environ if not _is_ours(name)}
        with warnings.catch_warnings():
            # pexpect forks where there are threads, of pytest's; the child does nothing but exec.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.child = pexpect.spawn(
                "sh",
                ["-c", around, str(folder), *command],
                dimensions=(rows, columns),
                cwd=str(folder),
                env=variables | {"TERM": "xterm", "PYTHONPATH": str(ROOT)} | environment,
                timeout=PATIENCE,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.child.close(force=True)

    @property
    def lines(self) -> list[str]:
        """The screen, line by line, without the spaces at their ends."""
        # Who waits looks at it thirty times a second, and to draw it takes milliseconds.
        drawn = (len(self.output), self.screen.lines, self.screen.columns)
        if drawn != self._drawn:
            self._drawn, self._lines = drawn, [line.rstrip() for line in self.screen.display]
        return self._lines

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def shows(self, *texts: str) -> str:
        """Wait until all of these are on the screen at once; return the screen."""
        return self.until(lambda: all(text in self.text for text in texts), f"shows {texts}")

    def hides(self, *texts: str) -> str:
        """Wait until none of these is on the screen."""
        return self.until(lambda: not any(text in self.text for text in texts), f"hides {texts}")

    def types(self, *keys: bytes | str) -> None:
        for key in keys:
            self.child.send(key)

    def resize(self, columns: int, rows: int) -> None:
        # What is drawn from here on is for the new size, so the picture begins anew.
        self.screen.resize(rows, columns)
        self.screen.reset()
        self._drawn = None
        self.child.setwinsize(rows, columns)

    def is_broken_off(self) -> int:
        """Type Ctrl-C; return the exit status."""
        self.types(CTRL_C)
        return self.ends()

    def ends(self) -> int:
        """Wait for the command's end; return its exit status."""
        self.until(lambda: b".done." in self.output, "ends")
        return int((self.folder / "status").read_text())

    def hang_up(self) -> int:
        """Close the terminal, as if its window were closed; return the exit status of the shell,
        once that has ended."""
        self.child.ptyproc.fileobj.close()
        end = time.monotonic() + PATIENCE
        while self.child.ptyproc.isalive():
            assert time.monotonic() < end, "the command goes on without its terminal"
            time.sleep(0.05)
        status: int | None = self.child.ptyproc.exitstatus
        assert status is not None, f"signal {self.child.ptyproc.signalstatus} ended it"
        return status

    def is_as_before(self) -> bool:
        """Whether the terminal, after the end, is as the command found it: modes, screen,
        cursor."""
        before, after = (_modes(self.folder / name) for name in ("before", "after"))
        entered, left = (self.output.count(b"\x1b[?1049" + end) for end in (b"h", b"l"))
        return before == after and entered == left and not self.screen.cursor.hidden

    def read(self) -> int:
        """Take in what has come; how many bytes that were."""
        try:
            data = self.child.read_nonblocking(2**16, timeout=0.03)
        except (pexpect.TIMEOUT, pexpect.EOF):
            return 0
        self.output += data
        self._stream.feed(data)
        return len(data)

    def until(self, true: Callable[[], object], what: str = "comes to that") -> str:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.read() == 0 and true():  # and not in the middle of a drawing
                return self.text
        raise AssertionError(f"it never {what}; the screen is\n{self.text}")


def _modes(path: Path) -> str:
    """The words of stty, but for the size, which is the window's."""
    return re.sub(r"rows \d+; columns \d+;", "", path.read_text())


def _is_ours(name: str) -> bool:
    return name.startswith("JUDGE_") or name in ("NO_COLOR", "COLUMNS", "LINES", "TERM")


def with_stderr_in_a_terminal(*arguments: str) -> Done:
    """The judge with a terminal for its stderr alone."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    with subprocess.Popen(
        [*JUDGE, *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the other end is closed
            while data := os.read(ours, 65536):
                shown += data
        out, _ = process.communicate(timeout=60)
    os.close(ours)
    return Done(process.returncode, out, shown.decode(errors="replace"))
