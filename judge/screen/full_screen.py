"""The common part of all full screens: colours, the ways to leave, and the loss of the terminal."""

from __future__ import annotations

import asyncio
import os
import select
import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TextIO

from textual.app import App
from textual.binding import Binding, BindingType
from textual.drivers.linux_driver import LinuxDriver
from textual.filter import LineFilter, NoColor

LOOK_SECONDS = 0.25  # seconds between two checks that the terminal is still there


class FullScreen(App[None]):
    """A full screen. ``was_interrupted`` is whether the screen ended by Ctrl-C, by a signal, or
    because its terminal is gone."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "judge"
    # A scroll bar for the whole screen would only take columns from its lines. Boards that scroll
    # keep a column free for their bar, so that they are not laid out anew when it appears.
    # Backgrounds and texts have the terminal's own colours, whether it is light or dark.
    DEFAULT_CSS = """
    FullScreen Screen {
        overflow: hidden;
        VerticalScroll { scrollbar-gutter: stable; }
        * {
            scrollbar-size-vertical: 1;
            scrollbar-color: #808080;
            scrollbar-color-hover: #808080;
            scrollbar-color-active: #808080;
            scrollbar-background: ansi_default;
            scrollbar-background-hover: ansi_default;
            scrollbar-background-active: ansi_default;
        }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", "stop", priority=True),
        Binding("ctrl+z", "suspend_process", "put aside", priority=True),
    ]

    def __init__(self, *, colour: bool) -> None:
        super().__init__(driver_class=TerminalDriver)
        self.theme = "ansi-dark"
        self.colour = colour
        self.was_interrupted = False
        self.is_up = asyncio.Event()

    def on_mount(self) -> None:
        self.is_up.set()
        if self.was_interrupted:
            self.exit()

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Textual's usual filters; without ``colour``, also one that removes all colours."""
        filters = super().get_line_filters()
        return filters if self.colour else [*filters, NoColor()]

    def action_interrupt(self) -> None:
        """Leave the screen, and note that it was interrupted."""
        self.was_interrupted = True
        self.exit()


class TerminalDriver(LinuxDriver):
    """A driver that interrupts its screen when the terminal is gone.

    Textual does not notice a terminal that is gone. Its reader of keys then reads nothing, again
    and again. Its writer stops at the first error, and the screen waits for the writer for ever.
    SIGHUP may be ignored, as after nohup, or go only to the shell.
    """

    def __init__(self, app: App[Any], **more: Any) -> None:
        super().__init__(app, **more)
        assert isinstance(app, FullScreen), "it is one of ours"
        self._screen = app
        self._ours = [
            stream.fileno()
            for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)
            if stream is not None and stream.isatty()
        ]
        assert sys.__stderr__, "a full screen is drawn there"
        self._file = _Output(sys.__stderr__, self._lost)  # type: ignore[assignment]  # as much of a file as is used
        self._is_lost = False
        self._look()

    def run_input_thread(self) -> None:
        try:
            super().run_input_thread()
        except OSError:  # a read that was under way when the terminal went
            self._lost()

    # A handler may come while the main thread holds the lock of Textual's writer, and to write needs
    # that lock. So both handlers leave their work to the loop.

    def _sigtstp_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(super()._sigtstp_application)

    def _sigcont_application(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._go_on)

    def _go_on(self) -> None:
        """Go on after SIGSTOP as after Ctrl-Z. SIGSTOP gives no notice, so the screen is suspended
        only now. Without the suspension there would be a second reader of keys, and the exit would
        wait for the first reader."""
        if self._is_lost:
            return
        if self._auto_restart and not self._must_signal_resume:
            self.suspend_application_mode()
        super()._sigcont_application()

    def _look(self) -> None:
        """Leave the screen if the terminal is gone; check this every `LOOK_SECONDS`."""
        if self._is_lost:
            return
        if is_gone(self.fileno):
            self._lost()
        self._loop.call_later(LOOK_SECONDS, self._look)

    def _lost(self) -> None:
        """Leave the screen, and discard all further output to the terminal. Any thread may call
        this."""
        self._is_lost = True
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in self._ours:
            if is_gone(descriptor):
                os.dup2(nowhere, descriptor)
        os.close(nowhere)
        self._loop.call_soon_threadsafe(self._screen.action_interrupt)


class _Output:
    """An output file that calls ``lost`` instead of raising `OSError` when it cannot be written."""

    def __init__(self, file: TextIO, lost: Callable[[], None]) -> None:
        self._file = file
        self._lost = lost

    def fileno(self) -> int:
        return self._file.fileno()

    def write(self, text: str) -> None:
        try:
            self._file.write(text)
        except OSError:
            self._lost()

    def flush(self) -> None:
        try:
            self._file.flush()
        except OSError:
            self._lost()


def is_gone(descriptor: int) -> bool:
    """Whether the other side of a terminal was closed."""
    poll = select.poll()
    poll.register(descriptor, 0)
    return bool(poll.poll(0))  # poll reports an error or the end without being asked
