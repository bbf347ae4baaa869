"""Bots of this machine at tables of network games."""

from __future__ import annotations

from judge.cli.settings import Color, OutputFormat, Settings
from judge.contest.settings import AskedLevel
from judge.documents.game import Limits
from judge.documents.rules import Rules


def table_settings(rules: Rules, timeout_ms: int, isolation: AskedLevel) -> Settings:
    """The conditions of a bot at a table where these rules are played."""
    return Settings(
        seed=None,
        first=None,
        jobs=1,
        rules=rules,
        wire=None,
        dialect=None,
        limits=Limits(timeout_ms=timeout_ms),
        bot_size_bytes=rules.bot_bytes,
        python=None,
        launch="exec",
        isolation=isolation,
        report=OutputFormat.TEXT,
        quiet=False,
        color=Color.AUTO,
    )
