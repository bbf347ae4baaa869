"""Seats programs at a table, two or one alone: the one place where a wire is joined to a channel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from random import Random

from judge.errors import UsageError
from judge.game.record import GameRecord
from judge.game.rules import Fleet, Rules
from judge.play.player import BotPlayer
from judge.play.referee import Conditions, Watch, play_game
from judge.play.solo import play_alone
from judge.process.bot import Bot
from judge.process.channel import CHANNELS, LANG
from judge.process.launch import Stop
from judge.process.launchers import Launchers
from judge.wire import WIRES
from judge.wire.messages import AskFleet, Placed


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
    launchers: Launchers | None = None,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game of programs, each started anew for every move.

    All luck comes from the seeds: the fleet of rules that draw it, and each bot's BOT_SEED.
    ``launchers`` are those of a run of more than this game.
    Raises `JudgeFault`, and `Interrupted` once ``stop`` is set.
    """
    conditions = replace(conditions, rules=conditions.rules.drawn(Random(f"{seed}:fleet")))
    with ExitStack() as kept:
        if launchers is None:
            launchers = kept.enter_context(closing(Launchers(stop)))
        players = [
            kept.enter_context(
                bot_player(conditions, bot, seat, bot_seed, stop, launchers=launchers)
            )
            for seat, (bot, bot_seed) in enumerate(zip(bots, bot_seeds, strict=True))
        ]
        return play_game(conditions, players, game_id=game_id, seed=seed, first=first, watch=watch)


def play_bot_alone(
    conditions: Conditions,
    bot: Bot,
    fleet: Fleet,
    *,
    game_id: str,
    seed: int,
    bot_seed: int,
    stop: Stop,
    launchers: Launchers | None = None,
) -> GameRecord:
    """Let one program clear the board of this fleet, started and held as in any game.

    The rules' fleet must be drawn, and ``fleet`` legal by them. Raises as `play_bots`.
    """
    with bot_player(conditions, bot, 0, bot_seed, stop, launchers=launchers) as player:
        return play_alone(conditions, player, fleet, game_id=game_id, seed=seed)


def placed_by(
    conditions: Conditions,
    bot: Bot,
    *,
    bot_seed: int,
    stop: Stop,
    launchers: Launchers | None = None,
) -> Fleet:
    """The fleet that a program places when it is asked to; raises `BotError` if it is not legal,
    and besides as `play_bots`."""
    with bot_player(conditions, bot, 1, bot_seed, stop, launchers=launchers) as player:
        answer = player.ask(AskFleet())
    assert isinstance(answer, Placed), "nothing else is an answer to this question"
    conditions.rules.check_fleet(answer.fleet)
    return answer.fleet


@contextmanager
def bot_player(
    conditions: Conditions,
    bot: Bot,
    seat: int,
    bot_seed: int,
    stop: Stop,
    *,
    launchers: Launchers | None = None,
    lang: str = LANG,
) -> Iterator[BotPlayer]:
    """A program in a seat of a game, whose fleet is drawn; ``lang`` is its LANG."""
    with closing(
        CHANNELS[conditions.launch](
            bot,
            rules=conditions.rules,
            seed=bot_seed,
            limits=conditions.limits,
            isolation=conditions.isolation,
            stop=stop,
            lang=lang,
            launchers=launchers,
        )
    ) as channel:
        wire = WIRES[bot.wire](conditions.rules, seat, conditions.dialect or "")
        yield BotPlayer(bot.name, bot.digest, bot_seed, wire, channel)
