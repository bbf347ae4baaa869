"""Reads lines that are typed at a prompt, or come from a pipe.

In a terminal a line can be edited, and earlier lines can be called back. These earlier lines are
kept in memory alone. A line from a pipe is printed after its prompt, so the output reads as if the
line had been typed.
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
from judge.cli.output import folded, width
from judge.documents.rules import Fleet, Rules
from judge.errors import BadOutput, BotError
from judge.show.text import Style, clean, painted
from judge.waiting import apart, ready
from judge.wire.lines import LineBuffer


def typed(prompt: str) -> str:
    """Ask for a line at a prompt. Raises `EOFError` at the end of input, or `UnicodeDecodeError`
    for a line that is not text.

    Python handles no signal while it reads a line, so another thread reads. After a signal that
    thread goes on waiting, and the terminal gets its former modes back.
    """
    with contextlib.ExitStack() as undo:
        with contextlib.suppress(termios.error):  # the terminal is gone
            modes = termios.tcgetattr(sys.stdin)
            undo.callback(partial(_restore, modes))
        return apart(partial(input, prompt))


def _restore(modes: list[Any]) -> None:
    with contextlib.suppress(termios.error):
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, modes)


class PlayerLeft(Exception):
    """The person who plays has left."""


class Dialogue:
    """Asks a person for lines and fleets, and says what was wrong with them. TAB completes the
    ``words``. A fleet may also be typed as a reply of the protocol ``wire``."""

    def __init__(self, words: Sequence[str], rules: Rules, wire: str, *, colour: bool) -> None:
        self._rules = rules
        self._wire = wire
        self._colour = colour
        self._typed = sys.stdin is not None and sys.stdin.isatty()
        self._piped = LineBuffer(_LONGEST)
        if self._typed:
            _edit_lines(words)

    def ask(self, prompt: str, help_: str) -> str:
        """Return the next line. The line ``help`` shows the help, and another line is asked for.
        Raises `PlayerLeft` for ``quit`` and at the end of input."""
        while (line := self._line(prompt)) is not None and line != "quit":
            if line != "help":
                return line
            self.say(help_)
        raise PlayerLeft

    def fleet(self, seed: int, whose: str = "") -> Fleet:
        """Ask for a fleet, ship by ship or all at once. An impossible ship or fleet is refused, and
        asked for again. The word ``random`` draws a fleet by ``seed``. Prompts begin with
        ``whose``."""
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
        self.say(*painted(clean(said), Style.RED, self._colour, width()))

    def say(self, *lines: str) -> None:
        click.echo("\n".join(lines), color=self._colour)

    def tell(self, sentence: str) -> None:
        self.say(folded(sentence, sys.stdout))

    def _line(self, prompt: str) -> str | None:
        """Return the next line without the white space around it, or None at the end of input."""
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
        """Return the next line of a pipe, or None at its end. A line that is too long counts as
        unreadable text."""
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
    except ImportError:  # Python was built without it: the terminal alone edits lines
        return

    def complete(begun: str, number: int) -> str | None:
        found = [f"{word} " for word in words if word.startswith(begun)]
        return found[number] if number < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims(" ")
    readline.parse_and_bind("tab: complete")
