"""A command that is a family of commands, as judge ledger."""

from __future__ import annotations

import click

from judge.errors import UsageError
from judge.likeness import did_you_mean


class CommandGroup(click.Group):
    """A group whose members are named in a sentence when one is mistyped."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            near = did_you_mean(args[0], self.commands)
            raise UsageError(
                f"{ctx.command_path} has no command {args[0]!r}."
                f"{near or f' See {ctx.command_path} --help.'}"
            )
        return super().resolve_command(ctx, args)
