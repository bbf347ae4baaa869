"""Builds the command that repeats a run, from the typed words, the drawn seed and the options that
a variable or judge.toml has set."""

from __future__ import annotations

import click

from judge import quoting
from judge.cli.configuration import UNTYPED, settable, text_of
from judge.contest.seeds import spelled

# Options that shape no game, and the seed, which `again` adds by itself.
_OF_NO_GAME = frozenset(
    {
        *("cluster", "color", "csv", "delay", "io", "jobs", "json", "jsonl", "quiet", "seed"),
        *("trust_bots", "verbose", "watch"),
    }
)


def again(seed: int, *flags: str) -> str:
    """Return the command line that was typed, with the seed and these ``flags``. Options that shape
    the games and that a variable or judge.toml has set are added."""
    more = _from_elsewhere(click.get_current_context())
    if not typed("--seed"):
        more += ["--seed", spelled(seed)]
    return with_options(*more, *flags)


def with_options(*options: str) -> str:
    """Return the command line that was typed, with further options, whose words are ``options``."""
    context = click.get_current_context()
    words: list[str] = context.meta["typed"]
    end = _end_of_options(words)
    command = context.command_path.split()[1:]
    return quoting.line(["judge", *command, *words[:end], *options, *words[end:]])


def _from_elsewhere(context: click.Context) -> list[str]:
    """Return the words of the options that shape the games and that a variable or judge.toml has
    set."""
    found: list[str] = []
    for name, option in settable(context.command).items():
        elsewhere = context.get_parameter_source(name) in UNTYPED
        if name in _OF_NO_GAME or not elsewhere or not context.params.get(name, True):
            continue
        flag = max(option.opts, key=len)
        found += [flag] if option.is_flag else [flag, text_of(context, option)]
    return found


def typed(option: str) -> list[str]:
    """Return the words that were typed for an option that has a value, or no words if it was not
    typed."""
    words: list[str] = click.get_current_context().meta["typed"]
    for at, word in enumerate(words[: _end_of_options(words)]):
        if word == option:
            return words[at : at + 2]
        if word.startswith(f"{option}="):
            return [word]
    return []


def checking(bot: str) -> str:
    """Return the command that checks a bot as this run has named it, by the rules of this run and
    with the folder that it shares."""
    return quoting.line(["judge", "check", bot, *typed("--rules"), *typed("--share")])


def _end_of_options(words: list[str]) -> int:
    """Return the index of the word ``--``, which ends the options, or else the number of words."""
    return words.index("--") if "--" in words else len(words)
