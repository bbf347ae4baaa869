"""judge menu: asks questions in a terminal, and runs the commands that the answers make."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from judge import quoting
from judge.cli.configuration import Command
from judge.cli.interactive.questions import LOG, Answers, MenuQuestion, answer, ledgers, places, say
from judge.cli.values.games import rules as rules_of
from judge.cli.values.numbers import PAUSE, count
from judge.contest.formats.registry import FORMATS, USUAL
from judge.errors import UsageError
from judge.game.variants import VARIANTS
from judge.process.bots.scaffolds import SCAFFOLDS
from judge.wire import WIRES

AIS = Path("AI_Files")  # the folder of bots of the contest's programs
PAIRED = [name for name, row in FORMATS.items() if "bot" not in row.options]
FOR_AIS = next(name for name, row in FORMATS.items() if row.is_for_ais)
LOGGED = ("all", "first-last:5", "each:5", "none")
LATER = ("last", "one-of-each")  # games that are shown when all are over
SHOWN = ("last", "one-of-each", "all", "every:25")


_NUMBER = count().read


def _folder(text: str) -> None:
    if not Path(text).is_dir():
        raise UsageError(f"{text} is not a folder")


Q = MenuQuestion
QUESTIONS = {
    "rules": Q("The rules", lambda a: a.usual_rules, lambda _: [*VARIANTS], rules_of),
    "size": Q(
        "Rows of the board, 3 to 10",
        lambda a: "10" if a["rules"] == "contest" else None,
        reads=lambda text: rules_of(f"contest-{text}"),
    ),
    "folder": Q(
        "The folder with the bots", lambda _: str(AIS if AIS.is_dir() else "."), reads=_folder
    ),
    "bot": Q("Which bot", lambda a: a.bots[0], lambda a: a.bots, str),
    "other": Q("Against which bot", lambda a: WIRES[a.rules.wire].rival, lambda a: a.bots, str),
    "number": Q("Games", lambda a: str(a.rules.match if a.plays_matches else 20), reads=_NUMBER),
    "log": Q(
        "Which games to log", lambda a: LOGGED[0] if a.plays_matches else None, lambda _: LOGGED
    ),
    "show": Q(
        "Which games to show",
        lambda _: "none",
        lambda a: ["none", "all", *(LATER if a.get("log", "none") != "none" else ())],
    ),
    "delay": Q(
        "How long each shot is shown",
        lambda a: None if a["show"] == "none" else "300ms",
        reads=PAUSE.read,
    ),
    "format": Q("The format", lambda a: FOR_AIS if a.plays_matches else USUAL, lambda _: PAIRED),
    "rounds": Q("Rounds", lambda a: a.of_format("rounds"), reads=_NUMBER),
    "lives": Q("Lives of each bot", lambda a: a.of_format("lives"), reads=_NUMBER),
    "games": Q(
        "Games when two bots meet",
        lambda a: str(a.rules.match) if a.plays_matches else a.of_format("games"),
        reads=_NUMBER,
    ),
    "place": Q(
        "A ledger, a game of it (LEDGER#N), a log or a page", lambda a: places(a)[0], places, str
    ),
    "which": Q(
        "Which games",
        lambda a: "last" if Path(a["place"]).name == LOG.name else None,
        lambda _: SHOWN,
    ),
    "ledger": Q("The ledger", lambda a: ledgers(a)[0], ledgers, str),
    "language": Q("The language", lambda _: "python", lambda _: [*SCAFFOLDS]),
    "new": Q("The folder to make", lambda _: "mybot", reads=str),
    "pages": Q("The folder for the pages", lambda _: "public", reads=str),
}
"""All questions, by the names of their answers."""

TASKS = {
    "test": ("fight", "bot other", "rules size folder bot other number log show delay"),
    "contest": ("rank", "folder", "rules size folder format rounds lives games"),
    "replay": ("replay", "place", "place which"),
    "play": ("play", "bot", "rules size folder bot"),
    "check": ("check", "bot", "rules size folder bot"),
    "new": ("new", "language new", "language new"),
    "standings": ("standings", "ledger", "ledger"),
    "site": ("site", "pages", "pages ledger"),
}
"""The tasks of the menu. Each has its command, the answers that are the command's arguments, and
the questions to ask."""

OPTIONS = {
    "number": "--games",
    "log": "--game-log-games",
    **{name: f"--{name}" for name in ("format", "rounds", "lives", "games", "which", "ledger")},
}


def _commands(task: str, a: Answers) -> Iterator[list[str]]:
    command, named, _ = TASKS[task]
    arguments = [a[name] for name in named.split()]
    is_usual = "rules" not in a or a.rules_name == a.usual_rules
    options = [] if is_usual else ["--rules", a.rules_name]
    for name, option in OPTIONS.items():
        if name not in named.split() and a.get(name, "none") != "none":
            options += [option, a[name]]
    if command in ("fight", "rank") and a.plays_matches and a.get("log") != "none":
        options += ["--game-log", str(LOG.parent)]
    if a.get("show") == "all":
        options += ["--watch", "--delay", a["delay"]]
    is_odd = any(word.startswith("-") for word in arguments)  # click would take it for an option
    yield [command, *options, "--", *arguments] if is_odd else [command, *arguments, *options]
    if a.get("show") in LATER:
        yield ["replay", str(LOG), "--which", a["show"], "--delay", a["delay"]]


@click.command(cls=Command)
@click.pass_context
def menu(ctx: click.Context) -> None:
    """Ask in a terminal what to do, print the command that does it, and run it.

    Every question has a default in brackets, which Enter takes; a wrong answer is asked for again.
    Test a bot in games against another, run a contest, replay games, play yourself, check a bot,
    begin a new one, or see the standings, also as pages.

    \b
    Examples:
      judge menu                     a few questions, then the command
      judge menu --config mine.toml  the same, with defaults from a file
    """
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise UsageError(
            "judge menu needs a terminal to ask its questions in; judge --help lists the commands"
        )
    answers = Answers()
    task = answer(Q("What to do", lambda _: "test", lambda _: [*TASKS]), answers) or ""
    answers.take_usual(TASKS[task][0], ctx.find_root())
    for name in TASKS[task][2].split():
        if (said := answer(QUESTIONS[name], answers)) is not None:
            answers[name] = said
    config = ctx.find_root().params["config"]
    for command in _commands(task, answers):
        words = [*(["--config", config] if config else []), *command]
        say(f"\n$ {quoting.line(['judge', *words])}\n")
        judge = ctx.find_root().command
        if status := judge.main(words, prog_name="judge", standalone_mode=False):
            ctx.exit(status)
