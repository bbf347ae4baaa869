"""The option --game-log, which logs every game of a command in another system's format.
`written_logs` writes the logs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from judge.cli.configuration import is_typed
from judge.cli.settings import Settings
from judge.contest.schedule import Pairing, without
from judge.documents.game import GameRecord
from judge.errors import UsageError
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.contest.contest_run import ContestRun
    from judge.contest.ledger.ledger import Ledger
    from judge.contest.no_ledger import NoLedger


def logs_of(settings: Settings, bots: Sequence[Bot], *, games: int | None, seats: int) -> GameLogs:
    """Open the logs of a command's games, or none if the user wants none. ``games`` is the number
    of games, or None for a contest. A game has ``seats`` seats. Raises `UsageError` if the games
    cannot be logged."""
    if settings.game_log is not None:
        # Imported here, so a run without a log loads no format.
        from judge.cli.ledgers.written_logs import opened

        return opened(settings.game_log, settings, bots, games=games, seats=seats)
    for name in ("format", "games"):
        if is_typed(f"game_log_{name}"):
            raise UsageError(f"--game-log-{name} needs --game-log")
    return GameLogs()


class GameLogs:
    """Logs the games of a command. This class itself writes no log."""

    def begin(self, run: ContestRun, ledger: Ledger | NoLedger) -> None:
        """Begin the log of a contest, with the games that its ledger holds already."""

    def following(
        self, schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool] = lambda _: False
    ) -> Iterator[Pairing]:
        """Yield the games of a schedule that are not played yet."""
        return without(schedule, is_played)

    def keep(self, record: GameRecord) -> None:
        """Log a game. Raises `JudgeFault` if the log cannot be written."""
