"""Seats programs at a table: the one place where a wire is joined to a channel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random

from judge.errors import UsageError
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.play.player import BotPlayer
from judge.play.referee import Conditions, Watch, play_game
from judge.process.bot import Bot
from judge.process.channel import LANG, Exec
from judge.process.launch import Stop
from judge.wire import WIRES


def require_playable(rules: Rules, bots: Iterable[Bot]) -> None:
    """Raise `UsageError`, before the first move, if a bot's wire cannot express these rules."""
    for bot in bots:
        if reason := WIRES[bot.wire].unsupported(rules):
            raise UsageError(
                f"{bot.name} cannot play the rules {rules.name!r}: in the {bot.wire} protocol, "
                f"which it speaks, {reason}"
            )


def play_bots(
    conditions: Conditions,
    bots: Sequence[Bot],
    *,
    game_id: str,
    seed: int,
    first: int,
    bot_seeds: Sequence[int],
    stop: Stop,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game of programs, each started anew for every move.

    All luck comes from the seeds: the fleet of rules that draw it, and each bot's BOT_SEED.
    Raises `JudgeFault`, and `Interrupted` once ``stop`` is set.
    """
    conditions = replace(conditions, rules=conditions.rules.drawn(Random(f"{seed}:fleet")))
    players = [
        seated(bot, conditions, seat=seat, seed=bot_seed, stop=stop)
        for seat, (bot, bot_seed) in enumerate(zip(bots, bot_seeds, strict=True))
    ]
    return play_game(conditions, players, game_id=game_id, seed=seed, first=first, watch=watch)


def seated(
    bot: Bot, conditions: Conditions, *, seat: int, seed: int, stop: Stop, lang: str = LANG
) -> BotPlayer:
    """A program as a player: its wire, and the channel by which it is started for each move."""
    return BotPlayer(
        bot.name,
        bot.digest,
        seed,
        WIRES[bot.wire](conditions.rules, seat, conditions.dialect or ""),
        Exec(
            bot,
            rules=conditions.rules,
            seed=seed,
            limits=conditions.limits,
            isolation=conditions.isolation,
            stop=stop,
            lang=lang,
        ),
    )
