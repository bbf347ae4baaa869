"""judge menu: a few questions in a terminal, and the command that comes of the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from judge import quoting
from judge.cli.configuration import Command
from judge.cli.contests.plan import options_of
from judge.cli.ledgers.chosen_games import PLAYTHROUGH_MS
from judge.cli.ledgers.game_source import contest_in, holds_games, the_games
from judge.cli.ledgers.ledger_values import LEDGER
from judge.cli.ledgers.which_ledger import USUAL, is_kept, ledgers_in, of_folder, usual
from judge.cli.values.games import VARIANT_NAMES, WHICH
from judge.cli.values.games import rules as rules_of
from judge.cli.values.numbers import DURATION, PAUSE, count
from judge.contest.formats.table import FORMATS
from judge.contest.ledger.ledger import read
from judge.documents.rules import Rules
from judge.errors import JudgeFault, UsageError
from judge.game.variants import BRAINJAR, undrawn
from judge.logs.contest.chosen import ALL, FORM, LAST, ONE_OF_EACH
from judge.play.run import spoken
from judge.process.bots.bot import find_all
from judge.show.text import clean

# The opponent that is offered for each protocol that is the usual one of some rules.
_OPPONENTS = {"contest": "contest-hunt", "xbs": "xbs-hunt", "broadsides": "salvo"}
_ANY_OPPONENT = "hunter"
_LOGS = ("match_log.json", "contest_log.json", "logs/match_log.json", "logs/contest_log.json")
_LOG_FOLDER = "logs"
_LEADERBOARDS = "leaderboards"

Words = list[str]


class _Choice(NamedTuple):
    """What can be done: its name, what it does, and the questions that make a command of it."""

    name: str
    does: str
    words: Callable[[], Words]


@click.command(cls=Command)
@click.pass_context
def menu(ctx: click.Context) -> None:
    """Ask in a terminal what to do, print the command that does it, and run it.

    Every question has a default in brackets, which Enter takes; a wrong answer is asked for again.
    Test a bot in games against another, run a contest, replay games, or play yourself.
    """
    _require_terminal()
    choices = {one.name: one for one in _CHOICES}
    _say("What would you like to do?")
    for one in _CHOICES:
        _say(f"  {one.name:8}{one.does}")
    chosen = choices[_one_of("Your choice", list(choices), "test")]
    config = ctx.find_root().params["config"]
    words = [*(["--config", config] if config else []), *chosen.words()]
    _say(f"\n$ {quoting.line(['judge', *words])}\n")
    command = ctx.find_root().command
    status: int | None = command.main(words, prog_name="judge", standalone_mode=False)
    ctx.exit(status or 0)


def _require_terminal() -> None:
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr)):
        raise UsageError(
            "judge menu needs a terminal to ask its questions in; judge --help lists the commands"
        )


# What can be done


def _test() -> Words:
    rules = _rules()
    bot = _bot("The bot to test", rules)
    other = _bot("Against which bot", rules, _opponent(rules))
    what = "Games of the match" if rules.value.match > 1 else "Games"
    games = _number(what, rules.value.match if rules.value.match > 1 else 20)
    options = ["--games", str(games), *rules.words, *_log_of(rules)]
    found = ledgers_in(Path())
    options += _ledger_for(rules, found or [one for one in [usual(found)] if one], USUAL)
    if click.confirm("Show every shot of every game?", err=True):
        shown = _asked("How long each shot is shown", "250ms", _kept(PAUSE))
        options += ["--watch", "--delay", shown]
    return _command("fight", [bot, other], options)


def _contest() -> Words:
    rules = _rules()
    folder = _asked("The folder with the bots", None, _folder)
    format_ = _one_of("The format", list(FORMATS), "lives" if rules.value.match > 1 else "rounds")
    options = ["--format", format_, *rules.words, *_log_of(rules)]
    ledger = of_folder(Path(folder))
    options += _ledger_for(rules, [ledger] if is_kept(ledger) else [], ledger)
    if format_ == "gauntlet":
        options += ["--bot", _asked("Whose gauntlet it is", None, str)]
    for name, default in options_of(format_, rules.value).items():
        if default is not None:
            options += [f"--{name}", str(_number(_NUMBERS[name], default))]
    return _command("rank", [folder], options)


def _log_of(rules: _Rules) -> Words:
    """The option that writes a log of matches, which is offered when games are replayed."""
    from judge.logs.formats import FORMATS  # here, so that it costs nothing before it is needed

    is_logged = FORMATS["contest-text"].unsupported(rules.value, 2) is None
    return ["--game-log", _LOG_FOLDER] if is_logged else []


def _ledger_for(rules: _Rules, found: Sequence[Path], new: Path) -> Words:
    """The option that names a ledger, which is asked for where none of those ``found`` goes without
    saying: they are several, or hold games by other rules."""
    fitting = [path for path in found if _takes(path, rules.value)]
    if not found or (len(found) == 1 and fitting):
        return []
    for path in found:
        _say(f"  {clean(str(path))}{'' if path in fitting else ' holds games by other rules'}")
    stem = Path(rules.words[-1] if rules.words else BRAINJAR.name).stem
    offered = fitting[0] if fitting else new.with_name(f"{stem}-{new.name}")

    def taken(text: str) -> str:
        if not _takes(Path(text), rules.value):
            raise UsageError(f"{text} holds games by other rules")
        return _kept(LEDGER)(text)

    return ["--ledger", _asked("The ledger for these games", str(offered), taken)]


def _takes(ledger: Path, rules: Rules) -> bool:
    """Whether games by these rules can be added to a ledger; the command says what else may be
    wrong with it."""
    try:
        held = read(ledger).tables if is_kept(ledger) else {}
    except (UsageError, JudgeFault):
        return True
    return not held or any(one.rules == undrawn(rules) for one in held)


def _replay() -> Words:
    """The newest of the logs and ledgers that lie here is the default."""
    found = [name for name in _LOGS if Path(name).is_file()]
    found += map(str, ledgers_in(Path()))
    found.sort(key=_changed, reverse=True)
    for name in found:
        _say(f"  {clean(name)}")
    place = _asked("A ledger, a game of it (LEDGER#N), a log or a page", _first(found), _place)
    options: Words = []
    if Path(place).suffix == ".json" and Path(place).is_file() and holds_games(Path(place)):
        options += _games_of([_LEADERBOARDS] if contest_in(Path(place)) else [])
    elif _is_of_match(place):
        options += _games_of([])
    return _command("replay", [place], options)


def _changed(name: str) -> int:
    """When a file was written; 0 where it is none, as of a ledger that is only its journal."""
    try:
        return Path(name).stat().st_mtime_ns
    except OSError:
        return 0


def _is_of_match(place: str) -> bool:
    """Whether it is a ledger, or a game of one, from whose match games can be chosen."""
    try:
        games = the_games(place, None)
        return games.is_ledger and bool(games.of_match())
    except (UsageError, JudgeFault):
        return False  # judge replay says what is wrong with it


def _games_of(before: Words) -> Words:
    """Which games of a match or a contest are shown and how; what stands ``before`` them is offered
    first."""
    names = [*before, LAST, ONE_OF_EACH, ALL]
    shown = ", ".join([*names, "every:N or a game's number"])

    def known(text: str) -> str:
        if text not in names and not text.isdecimal() and not FORM.fullmatch(text):
            raise UsageError(f"{text!r} is none of {shown}")
        return text if text in before else _kept(count() if text.isdecimal() else WHICH)(text)

    which = _asked(f"Which games ({shown})", names[0], known)
    if which in before:
        return []
    options = ["--game" if which.isdecimal() else "--which", which]
    if click.confirm("Step through by keys?", default=True, err=True):
        return [*options, "--step"]
    delay = _asked("How long each step is shown", f"{PLAYTHROUGH_MS}ms", _kept(DURATION))
    return [*options, "--delay", delay]


def _play() -> Words:
    rules = _rules()
    return _command("play", [_bot("Your opponent", rules, _opponent(rules))], rules.words)


_CHOICES = (
    _Choice("test", "a bot, in games against another", _test),
    _Choice("contest", "of all bots in a folder", _contest),
    _Choice("replay", "a game, or games of a log", _replay),
    _Choice("play", "against a bot yourself", _play),
)
_NUMBERS = {
    "rounds": "Rounds",
    "games": "Games when two bots meet",
    "lives": "Lives of each bot",
}


# Questions


class _Rules(NamedTuple):
    """The rules that were named, and how the command names them; brainjar goes without saying."""

    value: Rules
    words: Words


def _rules() -> _Rules:
    _say(f"  {', '.join(VARIANT_NAMES)}, or a file of rules that ends in .json")
    named = _asked("The rules", BRAINJAR.name, _checked(rules_of))
    words = [] if named == BRAINJAR.name else ["--rules", named]
    return _Rules(rules_of(named), words)


def _opponent(rules: _Rules) -> str:
    return _OPPONENTS.get(rules.value.wire, _ANY_OPPONENT)


def _bot(question: str, rules: _Rules, default: str | None = None) -> str:
    """A bot that is there and can play by the rules."""

    def known(text: str) -> str:
        (bot,) = find_all([text], most_bytes=rules.value.bot_bytes)
        spoken(bot, rules.value)
        return text

    return _asked(question, default, known)


def _folder(text: str) -> str:
    if not Path(text).is_dir():
        raise UsageError(f"{text} is no folder")
    return text


def _place(text: str) -> str:
    is_there = Path(text).exists() or is_kept(Path(text))
    if not is_there and not text.startswith("#") and "#" not in text[1:]:
        raise UsageError(f"there is no {text}")
    return text


def _number(question: str, default: int) -> int:
    return int(_asked(question, str(default), _kept(count())))


def _one_of(question: str, names: Sequence[str], default: str) -> str:
    shown = ", ".join(names)

    def known(text: str) -> str:
        if text not in names:
            raise UsageError(f"{text!r} is none of {shown}")
        return text

    return _asked(f"{question} ({shown})", default, known)


def _kept(kind: click.ParamType[Any]) -> Callable[[str], str]:
    """A reader that gives the text back which this type takes."""

    def kept(text: str) -> str:
        kind.convert(text, None, None)
        return text

    return kept


def _checked(read: Callable[[str], object]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        try:
            read(text)
        except ValueError as error:
            raise UsageError(str(error)) from None
        return text

    return checked


def _asked(question: str, default: str | None, read: Callable[[str], str]) -> str:
    """The answer to a question, which is asked again until it can be read."""

    def value(text: str) -> str:
        try:
            return read(text if text == default else text.strip())  # a name may end in a space
        except UsageError as error:
            raise click.UsageError(clean(str(error))) from None

    shown = question if default is None else f"{question} [{clean(default)}]"  # a file's name, too
    answer: str = click.prompt(
        shown, default=default, value_proc=value, err=True, show_default=False
    )
    return answer


def _first(names: Sequence[str]) -> str:
    return names[0] if names else str(USUAL)


def _command(name: str, arguments: Sequence[str], options: Sequence[str]) -> Words:
    """A command's words; no argument is taken for an option, whatever it begins with."""
    if any(word.startswith("-") for word in arguments):
        return [name, *options, "--", *arguments]
    return [name, *arguments, *options]


def _say(text: str) -> None:
    click.echo(text, err=True)
