"""The notes of `judge rank` before the first game: where games go, and how the contest stands."""

from __future__ import annotations

from pathlib import Path

from judge.cli.contests.contestants import say_who_is_gone
from judge.cli.ledgers.ledger_option import is_ledger_named, say_what_has_changed
from judge.cli.output import note
from judge.cli.settings import Settings
from judge.contest.contest import Contest
from judge.contest.formats.registry import format_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.seeds import GUESSABLE
from judge.documents.standings import RankStart


def say_where(*, is_new: bool, settings: Settings) -> None:
    if is_new and not settings.quiet and not is_ledger_named():
        note(f"the games of this contest are kept in {settings.ledger}")


def say_how_it_stands(
    ledger: Ledger, contest: Contest, start: RankStart, folder: Path, settings: Settings
) -> None:
    """The notes on a contest before it goes on."""
    say_who_is_gone(contest.gone(), folder, ledger.path)
    say_what_has_changed(ledger, {bot.name: bot.digest for bot in contest.setup.bots})
    if start.missing == 0:
        _say_all_is_played(contest, ledger.path)
    if start.missing == start.games:
        _say_what_can_be_guessed(contest, settings)


def _say_all_is_played(contest: Contest, path: Path) -> None:
    plan = contest.run.plan
    if not format_of(plan).has_places and plan.match == 1:
        count = plan.units // 2
        rounds = "the round" if count == 1 else f"all {count} rounds"
        note(f"every game of {rounds} is in {path} already; --rounds {count + 1} would play more")
    else:
        note(f"this contest ({plan.format}) is over, and every game of it is in {path}")


def _say_what_can_be_guessed(contest: Contest, settings: Settings) -> None:
    """Say, before the first game and not again, that a typed seed is too short to be a secret."""
    if settings.seed is not None and contest.run.seed < GUESSABLE:
        note(
            f"seed {contest.run.seed} is so short that a bot could guess it, and with it its opponents' "
            "luck; one that the judge draws cannot be guessed"
        )
