"""click's types for ledgers, games and the names of bots. A shell completes their values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from judge.cli.values.files import file_seen_from
from judge.cli.values.value import Value
from judge.errors import JudgeFault, UsageError

if TYPE_CHECKING:
    import click

    from judge.contest.ledger.tally import Tally

MOST_OFFERED = 50  # numbers of games that a shell is offered


def _ledgers() -> list[str]:
    from judge.cli.ledgers.which_ledger import ledgers_in

    return [str(path) for path in ledgers_in(Path())]


def _games(ctx: click.Context, begun: str, *, has_bare_numbers: bool = False) -> Iterable[str]:
    """Return the words to offer: the ledgers, or after a # the numbers of a ledger's last games. If
    ``has_bare_numbers``, a number without a # is completed, too."""
    place, mark, digits = begun.rpartition("#")
    if not mark and not (has_bare_numbers and digits.isdecimal()):
        return _ledgers()
    tally = _tally(Path(place) if place else _named(ctx))
    numbers = map(str, range(tally.recorded, 0, -1) if tally else ())
    found = (f"{place}{mark}{number}" for number in numbers if number.startswith(digits))
    return islice(found, MOST_OFFERED)


def _players(ctx: click.Context, _: str) -> Sequence[str]:
    """Return the bots of the ledger that was typed, or else of the usual one."""
    tally = _tally(_named(ctx))
    return sorted(tally.versions) if tally else []


def _contestants(ctx: click.Context, begun: str) -> Sequence[str]:
    """Return the bots in the folder of a contest, or those of the ledger if no folder is typed."""
    # Behind an option that has no value yet, click has not told arguments from other words.
    folder = ctx.params.get("folder") or next((Path(word) for word in ctx.args), None)
    if folder is None:
        return _players(ctx, begun)
    from judge.process.bots.bot import contestants

    try:
        return [bot.name for bot in contestants(folder)[0]]
    except UsageError:
        return []


def _named(ctx: click.Context) -> Path | None:
    """Return the ledger that was typed before the word to complete, or None."""
    typed: Path | None = ctx.params.get("ledger") or ctx.params.get("path")
    words = ctx.params.get("words") or ()
    if typed is None and words and words[0].endswith(".json"):
        return Path(words[0])
    return typed


def _tally(ledger: Path | None) -> Tally | None:
    """Read the tally of a ledger, or of the usual one if ``ledger`` is None. Returns None if there
    is no such ledger or it cannot be read."""
    from judge.cli.ledgers.which_ledger import ledgers_in, usual
    from judge.contest.ledger.ledger import read

    path = usual(ledgers_in(Path())) if ledger is None else ledger
    try:
        return read(path) if path else None
    except (UsageError, JudgeFault):
        return None


LEDGER = Value(
    "FILE",
    lambda text: Path(text).expanduser(),
    names=_ledgers,
    files=True,
    seen_from=file_seen_from,
)
GAME = Value(
    "GAME",
    str,
    offers=_games,
    files=True,
    seen_from=lambda folder, text: text if text[:1] == "#" else str(folder / text),
)
NUMBER = Value("NUMBER", str, offers=partial(_games, has_bare_numbers=True), files=True)
PLAYER = Value("BOT", str, offers=_players)
CONTESTANT = Value("BOT", str, offers=_contestants)
LEDGER_OR_PLAYER = Value("BOT", str, offers=lambda *begun: [*_players(*begun), *_ledgers()])
