"""judge ledger void, reset, retire, disqualify and undo: the orders that an organiser gives.

Each order adds one entry to the journal and removes nothing.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.ledgers.ledger_option import ledger_and, opened
from judge.cli.ledgers.which_ledger import LEDGER_OR_PLAYER, NUMBER, PLAYER
from judge.cli.options import LEDGER_FILE, option
from judge.cli.output import say
from judge.cli.values.value import Choice
from judge.contest import ledger_games
from judge.contest.ledger import order_entries
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import Tally
from judge.contest.schedule import is_of_a_contest
from judge.documents.game import Termination
from judge.documents.ledger import Order, Undo
from judge.errors import LedgerError, UsageError
from judge.quoting import word
from judge.show.ledger import effect, taken_back
from judge.show.text import clean, many

REASON = option("--reason", "The reason; needed, and kept in the journal.", metavar="TEXT")
UNDO = "judge.undo"
"""The key in a context's ``meta`` of the command that takes an order back. Without the key, that
command is `judge ledger undo`."""
_SEVERAL = re.compile("#?[0-9]{1,9}(?:[-,–]#?[0-9]{1,9})+,?")
CAUSES = [termination.value for termination in Termination if termination.is_forfeit]


@click.command(cls=Command)
@click.argument("words", metavar="[LEDGER] [NUMBER]...", type=NUMBER, nargs=-1)
@option("--bot", "Only games of this bot.", type=PLAYER, show_default="any")
@option(
    "--cause",
    "Only games that a bot, or --bot, forfeited in this way.",
    type=Choice(CAUSES),
    show_default="any",
)
@option(
    "--since",
    "Only games from this one on, or begun from this time on (local, unless it says its zone).",
    metavar="NUMBER|TIME",
    show_default="the first",
)
@REASON
@LEDGER_FILE
def void(
    words: Sequence[str],
    bot: str | None,
    cause: str | None,
    since: str | None,
    reason: str | None,
    ledger: Path | None,
) -> None:
    """Take games out of the count: these NUMBERs, or all of a kind.

    Nothing is removed: a new entry of the journal says which games do not count, and why. All
    points are computed anew without these games. `judge rank` plays the void games of its contest
    again, unless --final is given.

    \b
    Examples:
      judge ledger void 12 13 --reason 'power cut'               two games
      judge ledger void --bot ann --cause timeout --reason disk  time-outs
    """
    path, typed = ledger_and(words, ledger)
    tally = read(path)
    filters = (bot, cause, since) != (None, None, None)
    if bool(typed) == filters:
        raise UsageError("say which games: by their numbers, or by --bot, --cause and --since")
    if typed:
        games = sorted({number_of(one) for one in typed})
    else:
        wanted = ledger_games.Wanted() if since is None else ledger_games.since(since)
        whose = None if bot is None else order_entries.bot_of(tally, bot, path)
        games = [*ledger_games.games_that_count(path, replace(wanted, bot=whose, cause=cause))]
    _order(path, partial(order_entries.void, games=games, reason=reason or ""))
    if note := _not_played_again(path, frozenset(games)):
        say(note)


def _not_played_again(path: Path, games: Collection[int]) -> str | None:
    """Return the note on the voided games that no contest plays again, or None if there are no such
    games."""
    of_none = sum(not is_of_a_contest(id_) for id_ in ledger_games.ids_of(path, games))
    if not of_none:
        return None
    if of_none < len(games):
        return f"`judge rank` plays them again, but for {many(of_none, 'game')} of no contest."
    if of_none == 1:
        return "It is a game of no contest, and is not played again by `judge rank`."
    return "They are games of no contest, and are not played again by `judge rank`."


@click.command(cls=Command)
@click.argument("words", metavar="[LEDGER] BOT", type=LEDGER_OR_PLAYER, nargs=-1, required=True)
@LEDGER_FILE
def reset(words: Sequence[str], ledger: Path | None) -> None:
    """Start the points of BOT at 10 again.

    Later games are those of a new version of BOT. Its earlier games go on to count for its
    opponents.

    \b
    Examples:
      judge ledger reset mybot                      in the only ledger here
      judge ledger reset contest.ledger.json mybot  in the ledger of a contest
    """
    path, bot = _bot(words, ledger)
    _order(path, partial(order_entries.reset, bot=bot))


@click.command(cls=Command)
@click.argument("words", metavar="[LEDGER] BOT", type=LEDGER_OR_PLAYER, nargs=-1, required=True)
@LEDGER_FILE
def retire(words: Sequence[str], ledger: Path | None) -> None:
    """Take BOT from the table. Its games go on to count.

    \b
    Examples:
      judge ledger retire mybot                      in the only ledger here
      judge ledger retire contest.ledger.json mybot  in the ledger of a contest
    """
    path, bot = _bot(words, ledger)
    _order(path, partial(order_entries.retire, bot=bot))


@click.command(cls=Command)
@click.argument("words", metavar="[LEDGER] BOT", type=LEDGER_OR_PLAYER, nargs=-1, required=True)
@REASON
@LEDGER_FILE
def disqualify(words: Sequence[str], reason: str | None, ledger: Path | None) -> None:
    """Take all games of BOT out of the count, those to come as well.

    \b
    Examples:
      judge ledger disqualify ann --reason 'a copy'         in the only one here
      judge ledger disqualify l.json ann --reason 'a copy'  in that ledger
    """
    path, bot = _bot(words, ledger)
    _order(path, partial(order_entries.disqualify, bot=bot, reason=reason or ""))


@click.command(cls=Command)
@click.argument("words", metavar="[LEDGER] [ORDER]", nargs=-1)
@LEDGER_FILE
def undo(words: Sequence[str], ledger: Path | None) -> None:
    """Take back what was ordered last, or the ORDER of that number.

    The ledger is then as if the order had never been given. `judge ledger show` lists orders and
    their numbers.

    \b
    Examples:
      judge ledger undo    the last order
      judge ledger undo 3  order 3
    """
    path, typed = ledger_and(words, ledger)
    if len(typed) > 1:
        raise UsageError(f"{' '.join(typed)}: name one order")
    number = number_of(typed[0], "an order") if typed else None
    read(path)  # an order does not create a ledger
    entries: list[Undo] = []

    def give(tally: Tally) -> Undo:
        entries.append(order_entries.undo(tally, number))
        return entries[-1]

    with _ordering(path) as kept:
        kept.order(give)
        number_of_it = entries[-1].order
        order = kept.tally.orders.given[number_of_it - 1].order
    say(f"{clean(str(path))}: {taken_back(number_of_it, order)}.")


def number_of(text: str, what: str = "a game") -> int:
    """Return the number that a text such as ``12`` or ``#12`` means. Raises `UsageError` for any
    other text."""
    digits = text.removeprefix("#")
    if not digits.isdecimal() or len(digits) > 9:
        several = "; name several as in 1 2 3" if _SEVERAL.fullmatch(text) else ""
        raise UsageError(f"{text} is not the number of {what}{several}")
    return int(digits)


def _bot(words: Sequence[str], option: Path | None) -> tuple[Path, str]:
    """Return the ledger and the bot that were typed. Raises `UsageError` for an unknown bot."""
    path, typed = ledger_and(words, option, most=1)
    return path, order_entries.bot_of(read(path), typed[0], path)


@contextlib.contextmanager
def _ordering(path: Path) -> Iterator[Ledger]:
    """Open a ledger for an order. A `LedgerError` in opening it says that nothing was ordered."""
    with contextlib.ExitStack() as stack:
        try:
            ledger = stack.enter_context(opened(path))
        except LedgerError as error:
            raise LedgerError(f"nothing was ordered: {error}") from None
        yield ledger


def _order(path: Path, give: Callable[[Tally], Order]) -> None:
    with _ordering(path) as ledger:
        ledger.order(give)
        given = ledger.tally.orders.given
        number, said = len(given), effect(given[-1].order)
    undo = click.get_current_context().meta.get(UNDO, f"judge ledger undo {word(str(path))}")
    say(
        f"{clean(str(path))}: {said}.\n"
        f"This is order {number}; `{clean(undo)} {number}` takes it back."
    )
