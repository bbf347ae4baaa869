"""Asks the questions of judge menu. Enter takes the default, and a number a name of the list."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import click

from judge.cli.configuration import commands_of, find, variable
from judge.cli.interactive.line_input import typed
from judge.cli.ledgers.which_ledger import USUAL, ledgers_in
from judge.cli.output import folded
from judge.cli.values.games import rules as rules_of
from judge.contest.formats.registry import FORMATS
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import BRAINJAR
from judge.play.spoken import chosen
from judge.process.bots.bot import bundled, lying_at
from judge.show.text import clean

LOG = Path("logs", "match_log.json")
LOGS = (LOG, LOG.with_name("contest_log.json"), Path(LOG.name), Path("contest_log.json"))


class Answers(dict[str, str]):
    """The answers so far, by the names of their questions."""

    usual_rules = BRAINJAR.name  # those of the command without --rules

    def take_usual(self, name: str, judge: click.Context) -> None:
        """Set `usual_rules` to those that a variable or judge.toml gives the command, or else to
        brainjar."""
        command = commands_of(judge)[name]
        set_ = os.environ.get(variable("rules")) or find(name, command, judge).values.get("rules")
        self.usual_rules = set_ or BRAINJAR.name

    @property
    def rules(self) -> Rules:
        return rules_of(self.rules_name)

    @property
    def rules_name(self) -> str:
        return self["rules"] if self.get("size", "10") == "10" else f"contest-{self['size']}"

    @property
    def plays_matches(self) -> bool:
        """Whether the rules count matches of several games."""
        return self.rules.match > 1

    @cached_property
    def bots(self) -> list[str]:
        """The paths or names of the bots that can play the rules: the chosen folder if it is a bot,
        the bots in it, and the bundled bots."""
        folder = Path(self["folder"])
        found = {str(path): _wires(path) for path in (folder, *sorted(folder.iterdir()))}
        found |= {bot.name: bot.wires for bot in bundled()}
        return [name for name, wires in found.items() if _can_play(wires, self.rules)]

    def of_format(self, name: str) -> str | None:
        """Return the default of an option in the chosen format, or None for an option without
        one."""
        found = FORMATS[self["format"]].options.get(name)
        return None if found is None or found.default is None else str(found.default)


def _wires(path: Path) -> Sequence[str] | None:
    try:
        return lying_at(path).wires
    except UsageError:
        return None  # it is not a bot


def _can_play(wires: Sequence[str] | None, rules: Rules) -> bool:
    try:
        return wires is not None and bool(chosen(wires, rules))
    except UsageError:
        return False


def ledgers(_: Answers) -> list[str]:
    return list(map(str, ledgers_in(Path()))) or [str(USUAL)]


def places(_: Answers) -> list[str]:
    """Return the paths of logs (`LOGS`) and of the ledgers in the current folder, the newest first.
    Without any, return `USUAL`."""
    found = [*filter(Path.is_file, LOGS), *ledgers_in(Path())]
    written = {path: path.stat().st_mtime_ns if path.exists() else 0 for path in found}
    return list(map(str, sorted(found, key=written.__getitem__, reverse=True))) or [str(USUAL)]


class MenuQuestion(NamedTuple):
    """A question of the menu. It is asked if ``default`` returns a text for the answers so far. One
    of the ``names`` can be chosen by its number. ``reads`` raises an error for a wrong answer;
    without it, only the names are answers."""

    asks: str
    default: Callable[[Answers], str | None]
    names: Callable[[Answers], Sequence[str]] = lambda _: ()
    reads: Callable[[str], Any] | None = None


def answer(question: MenuQuestion, answers: Answers) -> str | None:
    """Ask a question until the answer can be read, and return the answer. Returns None if the
    question is not to be asked."""
    if (default := question.default(answers)) is None:
        return None
    names = question.names(answers)
    for number, name in enumerate(names, 1):
        say(f"  {number:>2}  {clean(name)}")

    def value(text: str) -> str:
        text = text if text == default else text.strip()  # a name may end in a space
        if text.isdecimal() and 0 < int(text) <= len(names):
            text = names[int(text) - 1]
        if question.reads is None and text not in names:
            raise click.UsageError(f"{clean(text)!r} is neither one of these nor its number")
        try:
            if question.reads:
                question.reads(text)
        except (UsageError, ValueError) as error:
            raise click.UsageError(clean(str(error))) from None
        return text

    while True:
        asks = folded(f"{question.asks} [{clean(default)}]:", sys.stderr)
        click.echo(asks, nl=False, err=True)
        try:
            return value(typed(" ") or default)
        except EOFError:
            raise click.Abort from None
        except click.UsageError as error:
            say(folded(f"Error: {error.message}", sys.stderr))


def say(text: str) -> None:
    click.echo(text, err=True)
