"""click's types for ledgers, games and bots' names, which a shell completes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from judge.cli.values.files import file_seen_from
from judge.cli.values.value import Value
from judge.errors import JudgeFault, UsageError

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

MOST_OFFERED = 50  # numbers of games


class GameType(Value):
    """click's type for what names a game: of a ledger, the numbers of its last games complete."""

    has_bare_numbers = False  # a bare number never names a file

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        place, mark, digits = incomplete.rpartition("#")
        if not mark:
            if not (self.has_bare_numbers and incomplete.isdecimal()):
                return super().shell_complete(ctx, param, incomplete)
            place, digits = "", incomplete
        ledger = Path(place) if place else _named(ctx)
        numbers = map(str, _numbers_in(ledger))
        found = (number for number in numbers if number.startswith(digits))
        return [CompletionItem(f"{place}{mark}{number}") for number in islice(found, MOST_OFFERED)]


class NumberType(GameType):
    """The same where a number may stand without its mark."""

    has_bare_numbers = True


class BotType(Value):
    """click's type for the name of a bot in a ledger."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = [name for name in _bots_in(_named(ctx)) if name.startswith(incomplete)]
        others = super().shell_complete(ctx, param, incomplete)
        return [CompletionItem(name) for name in sorted(names)] + others


class ContestantType(Value):
    """click's type for the name of a bot in the folder of a contest; as long as no folder is typed,
    the bots of the ledger are offered."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        # Behind an option that has no value yet, click has not told arguments from other words.
        folder = ctx.params.get("folder") or next((Path(word) for word in ctx.args), None)
        names = _bots_in(_named(ctx)) if folder is None else _bots_of(folder)
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _bots_of(folder: Path) -> list[str]:
    """The bots in a folder, by name; none if it cannot be read."""
    from judge.process.bots.bot import contestants

    try:
        bots, _ = contestants(folder)
    except UsageError:
        return []
    return [bot.name for bot in bots]


def _named(ctx: click.Context) -> Path | None:
    """The ledger that was typed before the word that is to be completed, if one was."""
    typed: Path | None = ctx.params.get("ledger") or ctx.params.get("path")
    words = ctx.params.get("words") or ()
    if typed is None and words and words[0].endswith(".json"):
        return Path(words[0])
    return typed


def _meant(ledger: Path | None) -> Path | None:
    """That ledger, or else the one that is meant where none is named."""
    from judge.cli.ledgers.which_ledger import ledgers_in, usual

    return usual(ledgers_in(Path())) if ledger is None else ledger


def _ledger_names() -> list[str]:
    from judge.cli.ledgers.which_ledger import ledgers_in

    return [str(path) for path in ledgers_in(Path())]


def _numbers_in(ledger: Path | None) -> Iterable[int]:
    """The numbers of the games of a ledger, the newest first; none if it cannot be read."""
    from judge.contest.ledger.ledger import read

    try:
        return range(read(path).recorded, 0, -1) if (path := _meant(ledger)) else ()
    except (UsageError, JudgeFault):
        return ()


def _bots_in(ledger: Path | None) -> Iterable[str]:
    """The bots of a ledger; none if it cannot be read."""
    from judge.contest.ledger.ledger import read

    try:
        return read(path).versions if (path := _meant(ledger)) else ()
    except (UsageError, JudgeFault):
        return ()


LEDGER = Value(
    "FILE",
    lambda text: Path(text).expanduser(),
    names=_ledger_names,
    files=True,
    seen_from=file_seen_from,
)
GAME = GameType(
    "GAME",
    str,
    names=_ledger_names,
    files=True,
    seen_from=lambda folder, text: text if text[:1] == "#" else str(folder / text),
)
NUMBER = NumberType("NUMBER", str, names=_ledger_names, files=True)
PLAYER = BotType("BOT", str)
CONTESTANT = ContestantType("BOT", str)
LEDGER_OR_PLAYER = BotType("BOT", str, names=_ledger_names)
