"""--game-log: every game of a command as a log of another system; `written_logs` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from judge.cli.configuration import is_typed
from judge.contest.schedule import Pairing, without
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.contest.contest_run import ContestRun
    from judge.contest.ledger.ledger import Ledger
    from judge.contest.no_ledger import NoLedger


def logs_of(
    path: str | None,
    format_: str | None,
    bots: Sequence[Bot],
    rules: Rules,
    *,
    games: int | None,
    seats: int,
    which: str | None = None,
) -> GameLogs:
    """Open the log of this number of ``games`` of these bots, None for those of a contest; a game has
    ``seats`` seats.

    ``path`` is a file or a folder; without one nothing is logged. Without a ``format_`` it is the
    first that fits the rules. ``which`` are the games of a match that its log has, all unless given.
    Raises `UsageError` if they cannot be logged.
    """
    if path is not None:
        # Imported here, so a run without a log loads no format.
        from judge.cli.ledgers.written_logs import opened

        return opened(path, format_, bots, rules, games=games, seats=seats, which=which)
    for name in ("format", "games"):
        if is_typed(f"game_log_{name}"):
            raise UsageError(f"--game-log-{name} needs --game-log")
    return GameLogs()


class GameLogs:
    """The logs of a command's games. This class itself writes no log."""

    def begin(self, run: ContestRun, ledger: Ledger | NoLedger) -> None:
        """Begin the log of a contest, or go on with it."""

    def following(
        self, schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool] = lambda _: False
    ) -> Iterator[Pairing]:
        """The games of a schedule but for those that are played."""
        return without(schedule, is_played)

    def keep(self, record: GameRecord) -> None:
        """Log a game; raises `JudgeFault` if it cannot be."""
