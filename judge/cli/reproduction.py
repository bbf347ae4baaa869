"""The command line that was typed, with what was drawn for it: so it can be run again."""

from __future__ import annotations

import click

from judge import quoting
from judge.cli.configuration import Command


class Remembering(Command):
    """A command that knows how it was typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["typed"] = list(args)
        return super().parse_args(ctx, args)


def again(seed: int) -> str:
    """The command line that was typed, with the seed that was drawn."""
    context = click.get_current_context()
    words: list[str] = context.meta["typed"]
    end = _end_of_options(words)
    seeded = [] if typed("--seed") else ["--seed", str(seed)]
    return quoting.line(["judge", context.info_name or "", *words[:end], *seeded, *words[end:]])


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
    """Where there is a "--": after it nothing is an option."""
    return words.index("--") if "--" in words else len(words)
