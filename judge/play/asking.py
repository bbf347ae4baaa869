"""Asks a bot about one position, as the referee does in a game, and keeps whatever comes of it.

The question goes by the same wire and the same channel as in a game, and the engine judges the
answer. What a fault costs in a game is not for here to say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from judge.errors import BotError
from judge.game.positions import Position
from judge.game.record import Evidence
from judge.play.referee import Conditions, apply
from judge.play.table import bot_player
from judge.process.bot import Bot
from judge.process.channel import LANG, variables
from judge.process.launch import Stop
from judge.wire.messages import AskFleet, AskShots, FromBot


@dataclass(frozen=True, slots=True)
class Question:
    """A position, and what else a bot could tell it from others by; ``seed`` is its BOT_SEED."""

    position: Position
    seed: int
    dialect: str = "readme"
    lang: str = LANG


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the ``answer``, unless it could not be read, and the ``fault``, if it could
    not or was against the rules. ``folder`` is where the bot lay, and ``variables`` what it was told
    beside the argument."""

    question: Question
    answer: FromBot | None
    fault: BotError | None
    run: Evidence
    folder: str
    variables: Mapping[str, str]


def ask(bot: Bot, question: Question, conditions: Conditions, stop: Stop) -> Reply:
    """Put one question to a bot; raises `JudgeFault`, and `Interrupted` once ``stop`` is set."""
    seat, game = question.position.seat, question.position.game
    told = replace(conditions, dialect=question.dialect)
    answer, fault = None, None
    with bot_player(told, bot, seat, question.seed, stop, lang=question.lang) as player:
        try:
            answer = player.ask(AskFleet() if game.is_placing else AskShots(question.position.view))
            apply(question.position.copy(), seat, answer)
        except BotError as error:
            error.__traceback__ = None  # a reply is kept, and frames with it would be
            fault = error
        run = player.evidence(seat)
    assert run is not None, "a program that was asked has run"
    told_beside = variables(bot, conditions.rules, question.seed, question.lang)
    return Reply(question, answer, fault, run, str(bot.folder), told_beside)
