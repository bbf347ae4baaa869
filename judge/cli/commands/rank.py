"""judge rank: plays every bot in a folder against every other, and ranks them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from judge.cli.configuration import Command, is_typed
from judge.cli.contests.contestants import awake, conforming, held, lying_in, taking_part
from judge.cli.contests.events import contest_events
from judge.cli.ledgers.game_logs import logs_of
from judge.cli.ledgers.ledger_option import is_ledger_named, require_no_contest_elsewhere
from judge.cli.ledgers.which_ledger import CONTESTANT
from judge.cli.options import BY, Decorator, for_games, option, ranking
from judge.cli.reproduction import checking
from judge.cli.settings import Settings
from judge.cli.setup import set_up_found
from judge.cli.sinks import tell
from judge.cli.values.numbers import DURATION, count
from judge.cli.values.value import Choice
from judge.cli.web import audience
from judge.contest.formats.registry import FORMATS
from judge.contest.plan import MOST, OPTIONS, Asked, require_bot, seats_of
from judge.contest.setup import require_seats
from judge.contest.standings.standings import RankedBy
from judge.documents.ledger import MOST_SEATS
from judge.errors import UsageError
from judge.process.bots.bot import Bot
from judge.show.page_words import CONTEST
from judge.show.text import in_a_list


def helps(name: str, *more: str) -> str:
    """Return the help of an option: the sentences that formats have for it, and ``more``."""
    specs = (row.options[name] for row in FORMATS.values() if name in row.options)
    return ". ".join(dict.fromkeys((*(spec.help for spec in specs), *more)))


def number_option(name: str, more: str = "", default: str = "") -> Decorator:
    """Return a decorator that adds an option of contest formats, whose value is a number. Its help
    has the default of each format."""
    specs = {row.name: row.options[name] for row in FORMATS.values() if name in row.options}
    formats: dict[int, list[str]] = {}
    for format_, spec in specs.items():
        if spec.default is not None:
            formats.setdefault(spec.default, []).append(format_)
    numbers = ", ".join(
        f"{in_a_list(names, len(names), name)} {number}" for number, names in formats.items()
    )
    told = [numbers if len(formats) > 1 else "".join(map(str, formats))]
    told += [f"{format_}: {spec.in_words}" for format_, spec in specs.items() if spec.in_words]
    return option(
        f"--{name}",
        f"{helps(name, *filter(None, [more]))}.",
        type=count(1, MOST[name]),
        show_default="; ".join(filter(None, (*told, default))),
    )


@click.command(cls=Command, usual=("rounds", "format", "check", "for", "ledger"))
@click.argument("folder", type=click.Path(path_type=Path))
@option(
    "--format",
    "How the contest is held; the guide `formats` says which is for what.",
    type=Choice(list(FORMATS)),
    show_default="that of the ledger, or rounds",
)
@number_option(
    "rounds",
    more="By rules with matches: how many matches every two bots play",
)
@number_option(
    "games",
    more="By rules with matches: the games of a match",
    default="of a match, as the rules have it",
)
@number_option("lives")
@option(
    "--for",
    "Play a contest in rounds for this time, where ranks are least decided. The same command plays that long again.",
    type=DURATION,
)
@option("--bot", f"{helps('bot')}.", type=CONTESTANT)
@option(
    "--seats",
    "How many bots play a game, by rules for more than two. The groups are balanced: every two bots "
    "meet about equally often, and in a round each bot sits in every seat once.",
    type=count(2, MOST_SEATS),
    show_default="that of the ledger, or 2",
)
@option("--check", "Check every bot first, and leave out each that does not conform.", is_flag=True)
@option("--final", "Do not play voided games anew.", is_flag=True)
@option(
    "--insist", "Also play the games of bots that time out or crash game after game.", is_flag=True
)
@BY
@for_games()
@option(
    "--delay",
    "How much later --web shows what happens, so that nobody learns from it during a game.",
    type=DURATION,
    show_default="at once",
)
@option("--verbose", "With --cluster: show what dask logs.", is_flag=True)
@ranking
def rank(
    *,
    folder: Path,
    format: str | None,  # noqa: A002 - as the option is called
    bot: str | None,
    seats: int | None,
    check: bool,
    final: bool,
    insist: bool,
    by: RankedBy,
    delay: int | None,
    settings: Settings,
    **more: int | None,  # rounds, games, lives; and for, which Python has for itself
) -> None:
    """Play every bot in FOLDER against every other, and print the table.

    The bots are what lies in FOLDER: folders with a run.sh or a bot.json, scripts, programs. A bot
    whose wires cannot express the rules is left out. In a round every two bots play a pair of
    games, in which each moves first once. Games are kept in FOLDER.ledger.json beside the folder,
    and a game that is there is never played again: the same command goes on where it was stopped,
    plays what a new bot is missing, or with more rounds just the new ones. The games of a bot that
    has forfeited five in a row by time-out or crash are put off until its files have changed. With
    --seats N, N bots play each game, and no game is put off.

    Other formats are a tournament, a Swiss contest, a knock-out, lives, and one bot's gauntlet. With
    --cluster several machines play one contest.

    \b
    Examples:
      judge rank contest --rounds 3              every two bots play three pairs
      judge rank contest --format swiss --check  only bots that conform
    """
    if delay and settings.web is None:
        raise UsageError("--delay needs --web")
    asked = Asked(
        format=format,
        bot=bot,
        seats=seats,
        budget_ms=more.pop("for"),
        seed=settings.seed,
        drawn=settings.drawn_seed(),
        final=final,
        typed=frozenset(filter(is_typed, OPTIONS)),
        **more,
    )
    tally = held(settings)
    seats = seats_of(asked, tally)
    require_seats(settings.rules, seats)
    bots, left_out = lying_in(folder, settings, seats)
    _require_two(bots, folder)
    row = None if format is None else FORMATS[format]
    if row is not None and "bot" in row.options and bot is not None:
        require_bot(bot, [bot.name for bot in bots])
    if settings.ledger is not None and not is_ledger_named():
        require_no_contest_elsewhere(settings.ledger, folder, {bot.name for bot in bots})
    found = len(bots)
    bots, taken_out = taking_part(bots, settings, tally)
    left_out = (*left_out, *taken_out)
    _require_two_of(found, bots, folder, "takes part")
    is_begun = tally is not None and tally.contest is not None
    if check or (row is not None and row.is_for_ais and not is_begun):
        found = len(bots)
        bots, failed = conforming(bots, settings) if check else awake(bots, settings)
        mend = f": `{checking(str(folder))}` says what to mend"
        _require_two_of(found, bots, folder, "conforms" if check else "can be started", mend)
        left_out = (*left_out, *failed)
    setup = set_up_found(bots, settings, seats)
    logs = logs_of(settings, bots, games=None, seats=seats)
    title = (tally and tally.description.title) or folder.resolve().name
    names = [bot.name for bot in bots]
    shown = audience(settings.web, title, names, CONTEST, back_ms=delay or 0)
    tell(
        contest_events(
            setup,
            folder,
            left_out,
            asked,
            logs,
            shown,
            settings,
            insist=insist,
            by=by,
        ),
        settings,
    )


def _require_two(bots: Sequence[Bot], folder: Path) -> None:
    if len(bots) < 2:
        found = f"only one bot, {bots[0].name}" if bots else "no bot"
        raise UsageError(f"{folder} holds {found}; a contest needs two")


def _require_two_of(
    found: int, bots: Sequence[Bot], folder: Path, does: str, mend: str = ""
) -> None:
    """Raise `UsageError` if fewer than two bots are left of those ``found`` in the folder."""
    if len(bots) < 2:
        left = f"only {bots[0].name}" if bots else "none"
        raise UsageError(
            f"{left} of the {found} bots of {folder} {does}; a contest needs two{mend}"
        )
