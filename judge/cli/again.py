"""The command line that was typed, with what was drawn for it: so it can be run again."""

from __future__ import annotations

import shlex
from typing import Any

import click

from judge.cli.configuration import Command


class Remembering(Command):
    """A command that knows how it was typed."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["typed"] = list(args)
        return super().parse_args(ctx, args)


def again(seed: int) -> str:
    """The command line that was typed, with the seed that was drawn."""
    context = click.get_current_context()
    typed: list[Any] = context.meta["typed"]
    given = any(word == "--seed" or word.startswith("--seed=") for word in typed)
    # Before a "--", if there is one: after it nothing is an option.
    end = typed.index("--") if "--" in typed else len(typed)
    seeded = [] if given else ["--seed", str(seed)]
    return shlex.join(["judge", context.info_name or "", *typed[:end], *seeded, *typed[end:]])
