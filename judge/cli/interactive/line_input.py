"""Lines that are typed at a prompt, or come from a pipe.

In a terminal they can be edited, and those before called back; that history is in memory alone and
ends with the command. What comes from a pipe is printed behind its prompt, so that the output
reads as if it had been typed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from judge.cli.interactive import fleet_input
from judge.documents.rules import Fleet, Rules
from judge.show.text import Style, clean, paint, wrap


class LineInput:
    """Asks for one line after another; ``words`` are completed by TAB."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._typed = sys.stdin is not None and sys.stdin.isatty()
        if self._typed:
            _edit_lines(words)

    def ask(self, prompt: str) -> str | None:
        """The next line, without the white space around it; None at the end of input."""
        if self._typed:
            sys.stdout.flush()
            try:
                return input(prompt).strip()
            except EOFError:
                click.echo()
                return None
            except UnicodeDecodeError:
                return "\N{REPLACEMENT CHARACTER}"
        line = sys.stdin.buffer.readline(_LONGEST) if sys.stdin is not None else b""
        text = line.decode("utf-8", "replace").strip()
        click.echo(f"{prompt}{text}" if line else prompt.rstrip())
        return text if line else None


class PlayerLeft(Exception):
    """The person who plays has left."""


class Dialogue:
    """Asks whoever types for lines and fleets, and says what was wrong; ``wire`` is in whose words a
    fleet may be typed."""

    def __init__(self, words: Sequence[str], rules: Rules, wire: str, *, colour: bool) -> None:
        self._lines = LineInput(words)
        self._rules = rules
        self._wire = wire
        self._colour = colour

    def ask(self, prompt: str, help_: str) -> str:
        """A line that is no call for help; raises `PlayerLeft` at the end of input, or for quit."""
        while (line := self._lines.ask(prompt)) is not None and line != "quit":
            if line != "help":
                return line
            self.say(help_)
        raise PlayerLeft

    def fleet(self, seed: int, whose: str = "") -> Fleet:
        """A fleet; ``seed`` draws the one by luck."""
        help_ = fleet_input.help_(self._rules)
        return fleet_input.typed(
            self._rules,
            self._wire,
            seed=seed,
            ask=lambda what: self.ask(f"{whose}{what}> ", help_),
            say=self.say,
            wrong=self.wrong,
        )

    def wrong(self, why: str) -> None:
        said = why if why.endswith((".", "?")) else f"{why}."
        self.say(*(paint(line, Style.RED, self._colour) for line in wrap(clean(said))))

    def say(self, *lines: str) -> None:
        click.echo("\n".join(lines), color=self._colour)


_LONGEST = 2**16


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
