"""The command line: `main`, and the table of commands.

The module of a command is imported when the command is looked up. `main` catches the exception that
ends a run early. `judge.cli.exit_status` turns the exception into an exit status and, unless a pipe
is broken, a line on stderr. So commands raise errors, and do not call ``sys.exit``.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any, NoReturn

import click

from judge import __version__, signals, waiting
from judge.errors import Interrupted, JudgeFault, UsageError

# The help of each command in one line. The module of a command, and the function in it, have the
# command's name.
COMMANDS = {
    "fight": "Play bots against each other, one game or many.",
    "rank": "Play all bots in a folder against each other, and rank them.",
    "standings": "Print the table of a ledger.",
    "ledger": "Check a ledger, look into it, or correct it.",
    "check": "Say whether a bot does what a bot has to, and what to mend.",
    "new": "Make a bot to start from, in a language of your choice.",
    "test": "Measure how many shots bots need to clear a board.",
    "compare": "Say whether a new version of a bot is stronger than the old.",
    "play": "Play against a bot yourself.",
    "tester": "Play both seats by hand, move by move, or step a bot.",
    "replay": "Step through a game that was played.",
    "menu": "Ask in a terminal what to do, and run the command for it.",
    "site": "Write a ledger as pages: the standings, bots and games.",
    "serve": "Serve a game over TCP, for people and bots.",
    "host": "Host a ladder: entrants upload bots, which play day and night.",
    "submit": "Send a bot to a hosted ladder.",
    "join": "Play at a server of a network game, or let a bot play there.",
    "bots": "List the bundled bots.",
    "guide": "Show a guide: how to write a bot, run a contest, and more.",
    "doctor": "Say what this machine offers, and how to get more.",
}

EPILOG = """\
Any option's default may come from a variable (JUDGE_TIMEOUT=500ms) or from a file (timeout =
"500ms", or the same in a table for one command, [fight]). The file is
$XDG_CONFIG_HOME/battleships-judge/judge.toml (~/.config unless that is set), or the one that
--config or JUDGE_CONFIG names; no other is read. A typed option beats the variable, and the variable
the file; judge doctor shows which holds.

TAB completes commands, options and bots once the line of your shell is in its start-up file:

\b
  bash   eval "$(_JUDGE_COMPLETE=bash_source judge)"
  zsh    eval "$(_JUDGE_COMPLETE=zsh_source judge)"
  fish   _JUDGE_COMPLETE=fish_source judge | source

Exit status: 0 done (a bot's loss is a result), 2 what was typed is wrong,
3 the bot of judge check does not conform or that of judge join failed,
1 anything else that kept the judge from its work, 130 interrupted.
JUDGE_TRACEBACK=1 shows where in the judge an error came from.
"""


class Context(click.Context):
    """A context whose help fits the terminal."""

    def make_formatter(self) -> click.HelpFormatter:
        from judge.cli.help import HelpFormatter

        return HelpFormatter()


class CommandGroup(click.Group):
    """A group of commands. Without any words, it prints its help on stderr and exits with status 2.
    The refusal of an unknown command names a similar one, if there is one."""

    context_class = Context

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:  # set while a shell completes
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        with formatter.section("Commands"):  # whole sentences, which click would cut
            formatter.write_dl(
                [(name, one.get_short_help_str(200)) for name, one in found.items() if one]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args[0] not in names and not args[0].startswith("-"):
            from judge.likeness import did_you_mean

            near = did_you_mean(args[0], names)
            raise UsageError(
                f"{ctx.command_path} has no command {args[0]!r}."
                f"{near or f' See {ctx.command_path} --help.'}"
            )
        return super().resolve_command(ctx, args)


class Commands(CommandGroup):
    """The group of the judge's commands. It lists their help without importing their modules."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"judge.cli.commands.{cmd_name}"), cmd_name)
        signals.look()
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*COMMANDS.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        names = [
            CompletionItem(name, help=help_)
            for name, help_ in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return names + click.Command.shell_complete(self, ctx, incomplete)


@click.group(
    "judge",
    cls=Commands,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EPILOG,
)
@click.option(
    "--config",
    metavar="FILE",
    type=click.Path(),
    envvar="JUDGE_CONFIG",
    help="Take defaults of options from this file, not from your own judge.toml.",
)
@click.version_option(__version__, message="judge %(version)s", help="Show the version and exit.")
def cli(config: str | None) -> None:  # that is read in configuration.py
    """A judge of Battleships bots: plays programs against each other and ranks them.

    \b
    Examples:
      judge new python mybot  a bot to start from, in the folder mybot
      judge fight mybot hunt  one game against a bundled bot
    """  # noqa: D301 - click keeps the lines of a paragraph after \b


def main() -> NoReturn:
    """Run the typed command, and exit with one of the statuses that ``judge --help`` lists."""
    if sys.platform != "linux":
        click.echo(f"judge: this needs Linux; here it is {sys.platform}.", err=True)
        sys.exit(1)
    try:
        with signals.heard():
            status = _run()
    except Exception as error:  # noqa: BLE001 - every error ends here, as a sentence
        status = _end(error)
    except (Interrupted, KeyboardInterrupt) as error:
        status = _end(error)
    sys.exit(status)


def _run() -> int:
    if sys.stdout is None:
        raise JudgeFault("standard output is closed")
    if isinstance(sys.stdout, TextIOWrapper):  # a letter that it cannot encode is no error
        sys.stdout.reconfigure(errors="backslashreplace")
        sys.stdout = waiting.patient(sys.stdout)
    if isinstance(sys.stderr, TextIOWrapper):
        sys.stderr = waiting.patient(sys.stderr)
    if "_JUDGE_COMPLETE" in os.environ:
        import judge.cli.bash_completion  # noqa: F401 - click takes it for bash from now on
    # Not standalone: click returns the status, and lets errors through to be said by `_end`.
    status: int | None = cli.main(prog_name="judge", standalone_mode=False)
    sys.stdout.flush()
    return status or 0


def _end(error: BaseException) -> int:
    from judge.cli.exit_status import end

    return end(error)
