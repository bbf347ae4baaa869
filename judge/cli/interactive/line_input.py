"""Lines that are typed at a prompt, or come from a pipe.

In a terminal they can be edited, and those before called back; that history is in memory alone and
ends with the command. A line from a pipe is printed behind its prompt, so that the output reads as
if it had been typed.
"""

from __future__ import annotations

import contextlib
import os
import sys
import termios
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from judge.cli.interactive import fleet_input
from judge.documents.rules import Fleet, Rules
from judge.errors import BadOutput, BotError
from judge.show.text import Style, clean, paint, wrap
from judge.waiting import apart, ready
from judge.wire.lines import LineBuffer


def typed(prompt: str) -> str:
    """A line that is typed at a prompt. Raises `EOFError`, and `UnicodeDecodeError`.

    Python hears no signal there, so another thread asks; a signal leaves it behind, and the
    terminal as it was before.
    """
    with contextlib.ExitStack() as undo:
        with contextlib.suppress(termios.error):  # it is gone
            modes = termios.tcgetattr(sys.stdin)
            undo.callback(partial(_restore, modes))
        return apart(partial(input, prompt))


def _restore(modes: list[Any]) -> None:
    with contextlib.suppress(termios.error):
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


class PlayerLeft(Exception):
    """The person who plays has left."""


class Dialogue:
    """Asks whoever types for lines and fleets, and says what was wrong; ``words`` are completed by TAB,
    and ``wire`` is in whose words a fleet may be typed."""

    def __init__(self, words: Sequence[str], rules: Rules, wire: str, *, colour: bool) -> None:
        self._rules = rules
        self._wire = wire
        self._colour = colour
        self._typed = sys.stdin is not None and sys.stdin.isatty()
        self._piped = LineBuffer(_LONGEST)
        if self._typed:
            _edit_lines(words)

    def ask(self, prompt: str, help_: str) -> str:
        """A line that is not a call for help; raises `PlayerLeft` at the end of input, or for quit."""
        while (line := self._line(prompt)) is not None and line != "quit":
            if line != "help":
                return line
            self.say(help_)
        raise PlayerLeft

    def fleet(self, seed: int, whose: str = "") -> Fleet:
        """A fleet typed ship by ship, or all at once; an impossible one is said to be wrong, and asked
        for again. The word random draws by ``seed``."""
        help_ = fleet_input.help_(self._rules)
        ships: Fleet = ()
        lengths = self._rules.lengths
        while len(ships) < len(lengths):
            length = lengths[len(ships)]
            line = self.ask(f"{whose}your ship of {length}> ", help_)
            try:
                if line == fleet_input.RANDOM:
                    fleet = fleet_input.drawn(self._rules, seed)
                    self.say(fleet_input.named(fleet, self._rules))
                    return fleet
                if line.startswith("{"):
                    return fleet_input.parsed(line, self._rules, self._wire)
                new = fleet_input.ship(line, length, self._rules)
                fleet_input.require_room(self._rules, (*ships, new))
                ships = (*ships, new)
            except (BotError, ValueError) as error:
                self.wrong(str(error))
        return ships

    def wrong(self, why: str) -> None:
        said = why if why.endswith((".", "?")) else f"{why}."
        self.say(*(paint(line, Style.RED, self._colour) for line in wrap(clean(said))))

    def say(self, *lines: str) -> None:
        click.echo("\n".join(lines), color=self._colour)

    def _line(self, prompt: str) -> str | None:
        """The next line, without the white space around it; None at the end of input."""
        if self._typed:
            sys.stdout.flush()
            try:
                return typed(prompt).strip()
            except EOFError:
                click.echo()
                return None
            except UnicodeDecodeError:
                return "\N{REPLACEMENT CHARACTER}"
        line = self._piped_line() if sys.stdin is not None else None
        text = None if line is None else line.decode("utf-8", "replace").strip()
        click.echo(prompt.rstrip() if text is None else f"{prompt}{text}")
        return text

    def _piped_line(self) -> bytes | None:
        """The next line of a pipe; one that is too long is as good as one that cannot be read."""
        descriptor = sys.stdin.fileno()
        try:
            while (line := self._piped.take()) is None and not self._piped.has_ended:
                ready(descriptor)
                self._piped.add(os.read(descriptor, _LONGEST))
        except BadOutput:
            return "\N{REPLACEMENT CHARACTER}".encode()
        return line


_LONGEST = 2**16  # bytes of a line


def _edit_lines(words: Sequence[str]) -> None:
    try:
        import readline
    except ImportError:  # a Python built without it: lines are typed as the terminal has it
        return

    def complete(begun: str, number: int) -> str | None:
        found = [f"{word} " for word in words if word.startswith(begun)]
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
