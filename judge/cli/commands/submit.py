"""judge submit: sends a bot to a hosted ladder."""

from __future__ import annotations

import sys
from functools import partial
from urllib.parse import urlsplit

import click

from judge.cli.configuration import Command
from judge.cli.exit_status import BOT_FAILED
from judge.cli.options import option
from judge.cli.output import note, say
from judge.cli.values.games import BOT
from judge.cli.values.network import LADDER
from judge.errors import UsageError
from judge.join.submission import LadderClient, packed
from judge.process.bots.bot import find
from judge.show.text import clean, clean_lines
from judge.waiting import apart, sleep

ASK_SECONDS = 1.0  # seconds between two questions about an upload


@click.command(cls=Command, epilog="3 the bot does not conform")
@click.argument("bot", type=BOT)
@click.argument("ladder", metavar="ADDRESS", type=LADDER)
@option(
    "--token",
    "The token of your entry. Others can see what is typed: set JUDGE_TOKEN, or token in judge.toml.",
    metavar="TOKEN",
    show_default="that of the link, or it is asked for",
)
@click.pass_context
def submit(ctx: click.Context, bot: str, ladder: tuple[str, str], token: str | None) -> None:
    """Send BOT to the ladder at ADDRESS, and say whether it is accepted.

    ADDRESS is that of the ladder, as https://ladder.example.org, or the link that you were sent. BOT
    is named as in judge fight. The ladder checks it as judge check does.

    \b
    Examples:
      judge submit mybot https://ladder.example.org  the token is asked for
      judge submit bot.py http://127.0.0.1:8000      a ladder on this machine
    """
    from judge.serve.server import is_open

    url, of_link = ladder
    found = find(bot)
    token = token or of_link or _asked()
    parts = urlsplit(url)
    if parts.scheme == "http" and is_open(parts.hostname or ""):
        note(f"{url} is not encrypted: anyone between can read the token")
    client = LadderClient(url, token)
    name, data = packed(found)
    sent = apart(lambda: client.submit(name, data))
    note(f"{clean(name)} is upload {sent.number}, and is checked now")
    while sent.state == "waiting":
        sleep(ASK_SECONDS)
        sent = apart(partial(client.state, sent.number))
    for line in clean_lines(sent.report):
        click.echo(line)
    say(f"Upload {sent.number} is {clean(sent.state)}.")
    if sent.state == "rejected":
        ctx.exit(BOT_FAILED)


def _asked() -> str:
    """Ask for the token, typed unseen. Raises `UsageError` unless stdin is a terminal."""
    if not sys.stdin.isatty():
        raise UsageError("there is no token: set JUDGE_TOKEN, or token in judge.toml")
    typed: str = click.prompt("Token", hide_input=True, err=True)
    return typed.strip()
