"""judge check: whether bots do what a bot has to do, and what to mend."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import click

from judge.check.checks import checks_of
from judge.check.examination import CheckReport, claims, examine
from judge.cli import options
from judge.cli.configuration import Command
from judge.cli.contests.contestants import lying_in, say_left_out
from judge.cli.exit_status import BOT_FAILED
from judge.cli.options import SHARE, option
from judge.cli.output import width
from judge.cli.reproduction import again, checking
from judge.cli.settings import Settings
from judge.cli.setup import set_up_found
from judge.cli.sinks import Ended, Started, StepDone, telling
from judge.cli.values.games import BOT
from judge.cli.values.value import Value
from judge.errors import BotChanged, Interrupted, MachineBusy, UsageError
from judge.likeness import did_you_mean
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot, LeftOut, distinct, find
from judge.process.bots.specs import is_shelf
from judge.process.bots.stamps import stamp_of
from judge.show.check import document, documents, standing, table, text
from judge.waiting import sleep
from judge.wire import WIRES

LOOK_SECONDS = 0.3  # seconds between two inspections of the files, with --watch


def _words(*_: object) -> list[str]:
    """Return the words for a shell to complete. Each stands in the name of only one check of its
    wire, so that it chooses that check."""
    found: dict[str, None] = {}
    for wire in WIRES.values():
        names = checks_of(wire, wire.dialects[0]).claims
        for word in (part.strip(",") for name in names for part in name.split()):
            # A shell need not quote these.
            if len(word) > 3 and word.isalpha() and sum(_means(word, name) for name in names) == 1:
                found[word] = None
    return [*found]


@click.command(
    cls=Command,
    epilog="3 a bot does not conform",
    usual=("only", "watch", "rules", "seed", "verbose"),
)
@click.argument("specs", metavar="BOT...|FOLDER", type=BOT, nargs=-1, required=True)
@option(
    "--only",
    "Ask this check alone: its name, or a part of it. May be given again for more.",
    type=Value("NAME", str, names=_words),
    multiple=True,
    show_default="all checks",
)
@option("--watch", "Check again whenever a file of a bot changes, until Ctrl-C.", is_flag=True)
@SHARE
@options.checking
def check(
    *, specs: tuple[str, ...], only: tuple[str, ...], watch: bool, settings: Settings
) -> None:
    """Ask BOT two hundred questions that a game could bring, and say what is wrong and how to mend
    it. A bot that speaks a wire that keeps state plays some 40 games instead.

    BOT is named as in judge fight, and is started in the very same way. Several bots, or all that
    lie in FOLDER, give a table. Questions come from both seats, in the dialect that the bot says it
    speaks; a note tells how the bot replies in another dialect. The same seed asks the same
    questions.

    \b
    Examples:
      judge check mybot --watch                 ask again after each change
      judge check mybot --only fresh --verbose  ask one thing, and see all replies
    """
    seed = settings.drawn_seed()
    command = "" if watch else again(seed)  # a watch needs no command to go on

    def once() -> bool:
        if len(specs) > 1 or is_shelf(specs[0]):
            return _many(specs, only, seed, settings, command)
        return _one(specs[0], only, seed, settings, command)

    try:
        conforms = _again_and_again(once, specs, settings) if watch else once()
    except Interrupted:
        raise Interrupted(again=again(seed)) from None
    if not conforms:
        click.get_current_context().exit(BOT_FAILED)


def _again_and_again(
    once: Callable[[], bool], specs: Sequence[str], settings: Settings
) -> NoReturn:
    """Call ``once``, and again after each change of a bot's files. A `UsageError` or `BotChanged`
    is noted, and the next change of a bot's files may mend it."""
    # An error here is not noted: no change to a file can mend a bot that is not there at all.
    bots, _ = _found(specs, settings)
    while True:
        before = _stamps(bots)
        try:
            bots, _ = _found(specs, settings)
            before = _stamps(bots)
            once()
        except (UsageError, BotChanged) as error:
            settings.tell(str(error))
        settings.tell("checks again when a file changes; Ctrl-C ends it")
        while _stamps(bots) == before:
            sleep(LOOK_SECONDS)


def _stamps(bots: Sequence[Bot]) -> list[tuple[int, ...] | None]:
    """Return the stamps of the bots' files and of the folders in which the files lie, ordered by
    path. The stamp of a missing file is None."""
    files = {look.path for bot in bots for look in bot.stamps}
    stamps: list[tuple[int, ...] | None] = []
    for path in sorted(files | {os.path.dirname(file) for file in files}):  # noqa: PTH120 - as looks
        try:
            stamps.append(stamp_of(os.lstat(path)))
        except OSError:
            stamps.append(None)
    return stamps


def _one(spec: str, only: Sequence[str], seed: int, settings: Settings, command: str) -> bool:
    """Check a bot, print the report with the ``command`` that checks again, and return whether the
    bot conforms."""
    found = _sayable(find(spec, **settings.finding), settings)
    setup = set_up_found((found,), settings, specs=[spec])
    (bot,) = setup.bots
    chosen = _chosen(only, setup.bots, spec, settings)[bot.name]
    with telling(settings) as take:

        def tell_progress(claim: str, number: int, of: int) -> None:
            if number == 1:
                take(Started(steps=of))
            take(StepDone(standing=lambda: claim))

        report = examine(
            bot,
            setup.run(),
            seed=seed,
            jobs=setup.jobs,
            only=chosen or (),
            tell_progress=tell_progress,
        )
        take(
            Ended(
                text=lambda colour: text(
                    report,
                    again=command,
                    colour=colour,
                    width=width(),
                    verbose=settings.verbose,
                ),
                document=lambda: document(report),
            )
        )
    return report.conforms


def _many(
    specs: Sequence[str], only: Sequence[str], seed: int, settings: Settings, command: str
) -> bool:
    """Check several bots, print a table, and return whether all of them conform. Raises
    `MachineBusy` after the table if the machine was too busy to check some bot."""
    bots, left_out = _found(specs, settings)
    chosen = _chosen(only, bots, specs[0], settings)
    unasked = [
        LeftOut(bot.name, "no check of that name is for it") for bot in bots if not chosen[bot.name]
    ]
    if only:
        say_left_out(unasked, settings)
        left_out = (*left_out, *unasked)
        bots = tuple(bot for bot in bots if chosen[bot.name])
    setup = set_up_found(bots, settings, specs=[bot.name for bot in bots])
    reports: list[CheckReport] = []
    busy: list[LeftOut] = []
    with telling(settings) as take:
        take(Started(steps=len(bots), at_once=1))
        for bot in setup.bots:
            try:
                reports.append(
                    examine(bot, setup.run(), seed=seed, jobs=setup.jobs, only=chosen[bot.name])
                )
            except MachineBusy as error:
                busy.append(LeftOut(bot.name, f"it could not be checked: {error}"))
            take(StepDone(standing=lambda: standing(reports)))
        take(
            Ended(
                text=lambda colour: table(reports, again=command, colour=colour, width=width()),
                document=lambda: documents(reports, (*left_out, *busy)),
            )
        )
    if busy:
        raise MachineBusy(
            "; ".join(f"{left_out.name} is left out: {left_out.reason}" for left_out in busy)
        )
    return all(report.conforms for report in reports)


def _found(specs: Sequence[str], settings: Settings) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """Return the bots that were named and the bots in the named folders, and what is left out of
    these folders."""
    bots: list[Bot] = []
    left_out: list[LeftOut] = []
    for spec in specs:
        if not is_shelf(spec):
            bots.append(_sayable(find(spec, **settings.finding), settings))
            continue
        found, others = lying_in(
            Path(spec).expanduser(), settings, renamed=lambda bot: _sayable(bot, settings)
        )
        if not found:
            why = "; a bot is a folder with a bot.json or a run.sh, a script, or a program"
            if others:
                why = f": {others[0].name} is not a bot: {others[0].reason}"
            raise UsageError(f"{spec} holds no bot that can be checked{why}")
        bots += found
        left_out += others
    return distinct(bots), tuple(left_out)


def _sayable(bot: Bot, settings: Settings) -> Bot:
    """Return the bot under a name that its protocol can express, if there is one, so that a bot can
    be checked whatever its name is. A note tells a changed name."""
    try:
        wire, _ = spoken(bot, settings.rules, settings.dialect)
    except UsageError:
        return bot  # it cannot play these rules under any name
    name = "".join(one if one.isascii() and one.isalnum() else "_" for one in bot.name)
    reason = wire.unsayable(bot.name)
    if reason is None or wire.unsayable(name) is not None:
        return bot
    settings.tell(
        f"{bot.name} is checked under the name {name}: it speaks {wire.name}, where {reason}"
    )
    return replace(bot, name=name)


def _chosen(
    only: Sequence[str], bots: Sequence[Bot], spec: str, settings: Settings
) -> dict[str, tuple[str, ...]]:
    """Return, by the name of each bot, the bot's checks whose names contain a word of ``only``. If
    ``only`` is empty, every bot has an empty tuple, and all checks are made. Raises `UsageError`
    for a word that no name contains, with a name or a word like it and the command that shows the
    names of the checks of the bots of ``spec``."""
    names = {bot.name: claims(bot, settings.rules, settings.dialect) for bot in bots}
    every = dict.fromkeys(name for of_one in names.values() for name in of_one)
    for word in only:
        if not any(_means(word, name) for name in every):
            words = {part.strip(",") for name in every for part in name.split() if len(part) > 3}
            near = did_you_mean(word, [*every, *sorted(words)], likeness=0.75)
            raise UsageError(
                f"--only {word}: there is no such check.{near} `{checking(spec)} --json` names them all"
            )
    return {
        bot: tuple(name for name in of_one if any(_means(word, name) for word in only))
        for bot, of_one in names.items()
    }


def _means(word: str, name: str) -> bool:
    return word.casefold() in name.casefold()
