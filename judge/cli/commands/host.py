"""judge host: runs a hosted ladder, and carries out the commands of its organiser."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from judge.cli import CommandGroup
from judge.cli.commands import ledger_orders
from judge.cli.configuration import Command
from judge.cli.options import (
    BOT_SIZE,
    MEMORY_LIMIT,
    OUTPUT_LIMIT,
    TIMEOUT,
    fair_jobs,
    jobs,
    option,
    settled,
)
from judge.cli.output import note, say
from judge.cli.settings import Settings
from judge.cli.values.files import ABOUT
from judge.cli.values.games import CONTEST_TITLE, RULES
from judge.cli.values.network import URL
from judge.cli.values.numbers import SHARE, count
from judge.errors import JudgeFault, UsageError
from judge.quoting import word
from judge.serve.host.folder import HostFolder, name_flaw
from judge.show.text import clean


class _HostCommands(CommandGroup):
    """The commands that follow the folder. Without a command, `run` is called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # A shell that completes the word behind the folder is offered the commands.
        is_alone = len(args) == 1 and not ctx.resilient_parsing
        is_run = is_alone or (len(args) > 1 and args[1].startswith("-"))
        if is_run and not args[0].startswith("-"):
            args = [args[0], run.name or "", *args[1:]]
        return super().parse_args(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        if incomplete.startswith("-"):
            return run.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)


@click.group(cls=_HostCommands)
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_context
def host(ctx: click.Context, folder: Path) -> None:
    """Host a ladder in FOLDER: entrants upload bots, which play day and night.

    `judge host FOLDER` alone runs the ladder until it is interrupted; `judge host FOLDER --help`
    lists its options. The other commands are for the organiser. A running ladder carries them out
    within a second. The bots in FOLDER/bots play too.

    \b
    Examples:
      judge host pond run --port 8000  run the ladder in the folder pond
      judge host pond invite ann       a link by which ann uploads a bot
    """
    ctx.obj = HostFolder(folder)


def _folder() -> HostFolder:
    """Return the folder that was typed, which need not be a ladder's."""
    context = click.get_current_context().parent
    assert context is not None, "it stands in a group"
    folder: HostFolder = context.obj
    return folder


def _ladder() -> HostFolder:
    folder = _folder()
    folder.require()
    return folder


@host.command(cls=Command, usual=("host", "port", "url", "open", "rules"))
@option("--host", "The address to listen at.", metavar="ADDRESS", default="127.0.0.1")
@option("--port", "The port; 0: any that is free.", type=count(0, 65535), default="8090")
@option(
    "--url",
    "The URL of the ladder, such as https://ladder.example.org; links begin with it.",
    type=URL,
    show_default="the address that it listens at",
)
@option(
    "--behind-proxy",
    "A proxy on this machine passes requests on: trust the client addresses that it reports.",
    is_flag=True,
)
@option("--open", "Let anybody register a name.", is_flag=True)
@option("--approve", "A registered entrant waits for `approve` before the bot plays.", is_flag=True)
@option("--title", "The title of the ladder.", type=CONTEST_TITLE, show_default="the folder's name")
@option("--about", "A text on the ladder in Markdown.", type=ABOUT, show_default="none")
@option(
    "--share-new",
    "The share of the games that newcomers play in, while there are any.",
    type=SHARE,
    default="50%",
)
@settled(
    jobs("How many games are played at once."),
    option("--rules", "The rules: a name, or a JSON file.", type=RULES, default="brainjar"),
    TIMEOUT,
    MEMORY_LIMIT,
    OUTPUT_LIMIT,
    BOT_SIZE,
)
def run(
    *,
    host: str,
    port: int,
    url: str | None,
    behind_proxy: bool,
    open: bool,  # noqa: A002 - as its option is called
    approve: bool,
    title: str | None,
    about: str | None,
    share_new: float,
    settings: Settings,
) -> None:
    """Run the ladder until it is interrupted. A later run goes on with the same uploads and games.

    The ladder needs bubblewrap, and executes what is uploaded only inside of it.

    \b
    Examples:
      judge host pond run --port 8000       the ladder in the folder pond
      judge host pond run --open --approve  anybody may register, and you approve
    """
    from judge.serve.host.gate import Hosting
    from judge.serve.host.server import host as hosted
    from judge.serve.server import Address, bug_in_words, is_open
    from judge.show.pages.host import Ladder

    folder = _folder()
    most_jobs = fair_jobs(settings.limits.cores)
    settings = replace(settings, isolation="bwrap", jobs=min(settings.jobs, most_jobs))
    hosting = Hosting(
        ladder=Ladder(title or folder.path.name, about or "", open),
        where=Address(host, port),
        url=url or "",
        is_approving=approve,
        behind_proxy=behind_proxy,
        new_share=share_new,
    )
    if is_open(host) and not behind_proxy:
        note(
            f"{host} is open to others than this machine, and nothing is encrypted: tokens can be read "
            "on the way; the guide hosting has a proxy with TLS"
        )

    def ready(begins_with: str) -> None:
        say(f"The ladder {clean(str(folder.path))} is at {begins_with}/")

    def failed(error: BaseException) -> None:
        is_bug = not isinstance(error, JudgeFault | OSError)
        note(bug_in_words(error)[1] if is_bug else f"the ladder goes on after a fault: {error}")

    hosted(folder, settings, hosting, tell=note, bug=failed, ready=ready)


@host.command(cls=Command)
@click.argument("name")
@option(
    "--email", "Where you reach the entrant; only `list` shows it.", default="", show_default="none"
)
def invite(name: str, email: str) -> None:
    """Invite NAME, and print the link by which that entrant uploads a bot.

    The link has a token; the ladder keeps only the hash of the token. An entrant who is invited
    again gets a new link, and the old link is not valid any more.

    \b
    Examples:
      judge host pond invite ann                          the link for ann
      judge host pond invite ann --email ann@example.org  and an address
    """
    if flaw := name_flaw(name):
        raise UsageError(flaw)
    folder = _folder()
    folder.make()
    token = folder.invite(name, email)
    click.echo(f"{folder.read().url}/enter/{token}")


@host.command(cls=Command)
@click.argument("name")
def revoke(name: str) -> None:
    """Make the token of NAME invalid. The bot plays on; `retire` ends that.

    \b
    Examples:
      judge host pond revoke ann  ann can upload no more
      judge host pond retire ann  ann's bot plays no more
    """
    _ladder().set(name, token=None)
    say(f"{clean(name)} cannot enter any more; `invite` gives a new link.")


@host.command(cls=Command)
@click.argument("name")
def approve(name: str) -> None:
    """Let the bot of NAME, a registered entrant, play.

    \b
    Examples:
      judge host pond list         who waits
      judge host pond approve ann  let ann's bot play
    """
    _ladder().set(name, approved=True)
    say(f"{clean(name)} plays once a version is accepted.")


@host.command(cls=Command)
@click.argument("name")
@option("--undo", "Show it again.", is_flag=True)
def hide(name: str, undo: bool) -> None:
    """Leave the bot of NAME out of all public pages. The bot plays on.

    \b
    Examples:
      judge host pond hide ann         on no public page
      judge host pond hide ann --undo  on public pages again
    """
    _ladder().set(name, hidden=not undo)
    say(f"{clean(name)} is {'on public pages again' if undo else 'on no public page'}.")


@host.command(cls=Command)
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
def remove(names: tuple[str, ...]) -> None:
    """Remove entrants, which makes room for others. The removed bots play no more, but their games
    stay.

    No stranger may register the name of a bot that was sent or has played.

    \b
    Examples:
      judge host pond remove ann      one entrant
      judge host pond remove ann bob  two
    """
    _ladder().remove(names)
    say(f"Removed: {clean(', '.join(names))}.")


@host.command("list", cls=Command)
def list_() -> None:
    """List the entrants, what they have uploaded, and how to reach them.

    \b
    Examples:
      judge host pond list          all entrants
      judge host ladders/2026 list  those of another ladder
    """
    from judge.serve.host.uploads import uploads_in

    folder = _ladder()
    uploads = uploads_in(folder.uploads)
    for entrant in folder.read().entrants:
        flags = [
            name
            for name, is_set in (
                ("revoked", entrant.token is None),
                ("not approved", not entrant.approved),
                ("hidden", entrant.hidden),
            )
            if is_set
        ]
        sent = [f"#{one.number} {one.state}" for one in reversed(uploads.get(entrant.name, []))]
        said = [*(sent or ["no upload"]), *flags, *filter(None, [entrant.email])]
        say(f"{clean(entrant.name)}: {clean(', '.join(said))}")


def _of_the_ladder(command: click.Command, more: str, *examples: str) -> None:
    """Add a copy of a command of `judge ledger` to `judge host`. The copy gives its order to the
    ladder's own ledger. Its help is the first paragraph of the command's help, ``more``, and the
    ``examples``, each from the command's name on."""

    def order(**given: Any) -> None:
        ledger = _ladder().ledger
        if not ledger.exists():
            raise UsageError(f"{ledger} holds no game yet")
        context = click.get_current_context()
        assert context.parent is not None, "it stands in a group"
        typed = word(str(context.parent.params["folder"]))
        context.meta[ledger_orders.UNDO] = f"judge host {typed} undo"
        context.invoke(command, ledger=ledger, **given)

    params = [
        copy.copy(parameter)
        for parameter in command.params
        if parameter.name not in ("ledger", "config")
    ]
    for parameter in params:
        if isinstance(parameter, click.Argument):
            parameter.metavar = (parameter.metavar or "").replace("[LEDGER] ", "")
    first = (command.help or "").partition("\n\n")[0]
    lines = "\n".join(f"  judge host pond {example}" for example in examples)
    help_ = f"{first}\n\n{more}\n\n\b\nExamples:\n{lines}"
    host.add_command(Command(command.name, params=params, callback=order, help=help_))


_of_the_ladder(
    ledger_orders.retire,
    "It plays no more.",
    "retire ann  ann's bot plays no more",
    "undo        it plays again",
)
_of_the_ladder(
    ledger_orders.disqualify,
    "It plays no more.",
    "disqualify ann --reason 'a copy'  no game of ann counts",
    "undo                              they count again",
)
_of_the_ladder(
    ledger_orders.void,
    "Nothing is removed: a new entry of the journal says which games do not count, and why.",
    "void 12 13 --reason 'power cut'               two games",
    "void --bot ann --cause timeout --reason disk  time-outs",
)
_of_the_ladder(
    ledger_orders.undo,
    "`judge ledger show FOLDER/ledger.json` lists orders and their numbers.",
    "undo    the last order",
    "undo 3  order 3",
)
