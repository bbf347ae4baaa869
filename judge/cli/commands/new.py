"""judge new: makes a bot to start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from judge import quoting
from judge.cli.configuration import Command
from judge.cli.output import note, say
from judge.cli.values.value import Value
from judge.errors import UsageError
from judge.game.variants import BRAINJAR
from judge.likeness import did_you_mean
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import SCAFFOLDS, Made, make
from judge.process.bots.specs import bundled_folders


def _language(text: str) -> str:
    """Return the name of the template that was typed by its name or by the suffix of its files. If
    several templates have that suffix, the first of them is taken. Raises ValueError if no template
    has that name or suffix."""
    asked = text.strip().lower()
    for name, starter in SCAFFOLDS.items():
        if asked in (name, Path(starter.source).suffix.removeprefix(".")):
            return name
    near = (
        did_you_mean(asked, SCAFFOLDS)
        or " The language comes before the folder: judge new python FOLDER."
    )
    raise ValueError(f"there is no template in {text!r}, only in {', '.join(SCAFFOLDS)}.{near}")


class _Folder(click.Path):
    """The type of a folder's path. An empty path, which click takes for this folder, is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not os.fspath(value).strip():
            self.fail("its name is empty; name a folder that is not there yet", param, ctx)
        return super().convert(value, param, ctx)


LANGUAGE = Value("LANGUAGE", _language, names=lambda: SCAFFOLDS)


@click.command(cls=Command)
@click.argument("language", type=LANGUAGE)
@click.argument("folder", type=_Folder(path_type=Path))
def new(language: str, folder: Path) -> None:
    """Make a bot in FOLDER, in LANGUAGE, that plays at once and is yours to make stronger.

    LANGUAGE is python, javascript, typescript, bash, perl, c, go, rust, java, ruby or lua, for a
    bot that speaks brainjar; open-python, for one that plays by all rules; broadsides-ruby, for a
    player of broadsides in Ruby, which stays alive for a game; or contest-python or contest-c, for
    one of the Battleships contest, which stays alive for a match. FOLDER must not exist yet, or be
    empty; the bot has the folder's name. Bots in C, Go, Rust, Java and TypeScript are built if
    their compiler is there.

    \b
    Examples:
      judge new python mybot  a bot in Python, in the folder mybot
      judge new c fast        a bot in C, built at once
    """
    made = make(language, folder)
    say(_told(language, made))
    if str(folder) in bundled_folders():
        note(
            f"here {folder} now means this bot, and not the bundled bot {folder}; "
            "rename the folder to play against that one"
        )
    if made.unbuilt:
        build = SCAFFOLDS[language].build
        command = f"cd {quoting.folder(str(folder))} && {build}"
        note(f"it is not built, for {made.unbuilt}; mend that, and then: `{command}`")
        return
    try:
        find(_spec(folder))
    except UsageError as error:
        note(f"it cannot run here yet: {error}")


def _told(language: str, made: Made) -> str:
    starter, bot = SCAFFOLDS[language], quoting.word(_spec(made.folder))
    source = quoting.word(str(made.folder / starter.source))
    by = "" if starter.rules == BRAINJAR.name else f" --rules {starter.rules}"
    beginner = "parity" if bot == "hunt" else "hunt"
    strongest = (
        f"{beginner} is a beginner's opponent. The strongest one, in every game, is captain:",
        f"  judge fight {bot} captain{by} --games {starter.games} --no-ledger",
    )
    return "\n".join(
        (
            f"Made {bot}, a bot in {starter.language}: {', '.join(made.files)}.",
            f"How it plays is in {source}: place and shoot. What next:",
            f"  judge check {bot}{by}",
            f"  judge test {bot}{by} --boards {starter.games}",
            f"  judge fight {bot} {beginner}{by} --games {starter.games} --no-ledger",
            *(strongest if bot != "captain" else ()),
        )
    )


def _spec(folder: Path) -> str:
    """Return the folder's path as the name of a bot. A path that begins with a dash gets a ``./``
    before it, so that it is not an option."""
    text = str(folder)
    return f"./{text}" if text.startswith("-") else text
