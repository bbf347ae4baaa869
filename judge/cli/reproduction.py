"""The printed command that plays a game again: what was typed, drawn, and set elsewhere."""

from __future__ import annotations

import click

from judge import quoting
from judge.cli.configuration import UNTYPED, settable, text_of
from judge.contest.seeds import spelled

# Options that shape no game: how much is shown, in what form, and how fast.
_OF_NO_GAME = frozenset(
    {
        *("cluster", "color", "csv", "delay", "io", "jobs", "json", "jsonl", "quiet", "seed"),
        *("trust_bots", "verbose", "watch"),
    }
)


def again(seed: int, *flags: str) -> str:
    """The command line that was typed, with the seed that was drawn, the options that came from
    elsewhere, and these ``flags``."""
    context = click.get_current_context()
    words: list[str] = context.meta["typed"]
    end = _end_of_options(words)
    more = _from_elsewhere(context)
    if not typed("--seed"):
        more += ["--seed", spelled(seed)]
    more += flags
    return quoting.line(["judge", context.info_name or "", *words[:end], *more, *words[end:]])


def with_option(*option: str) -> str:
    """The command line that was typed, with one option more, or two."""
    context = click.get_current_context()
    words: list[str] = context.meta["typed"]
    end = _end_of_options(words)
    command = context.command_path.split()[1:]
    return quoting.line(["judge", *command, *words[:end], *option, *words[end:]])


def _from_elsewhere(context: click.Context) -> list[str]:
    """The options that shape the games and that a variable or judge.toml has set."""
    found: list[str] = []
    for name, option in settable(context.command).items():
        elsewhere = context.get_parameter_source(name) in UNTYPED
        if name in _OF_NO_GAME or not elsewhere or not context.params.get(name, True):
            continue
        flag = max(option.opts, key=len)
        found += [flag] if option.is_flag else [flag, text_of(context, option)]
    return found


def typed(option: str) -> list[str]:
    """The words that were typed for an option that has a value; none if it was not typed."""
    words: list[str] = click.get_current_context().meta["typed"]
    for at, word in enumerate(words[: _end_of_options(words)]):
        if word == option:
            return words[at : at + 2]
        if word.startswith(f"{option}="):
            return [word]
    return []


def _end_of_options(words: list[str]) -> int:
    """The place of a "--": after it nothing is an option."""
    return words.index("--") if "--" in words else len(words)
