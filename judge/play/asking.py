"""Asks a bot about one position, as the referee does in a game, and keeps whatever comes of it.

The question goes by the same wire and the same connection as in a game, and the engine judges the
answer. What a fault costs in a game is not for here to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.errors import BotError
from judge.game.evidence import Evidence
from judge.game.game import Game
from judge.game.positions import Position
from judge.game.rules import Rules
from judge.play.run import OPPONENT, Run, spoken
from judge.process.bots.bot import Bot
from judge.process.run.connection import LANG, variables
from judge.wire.messages import AskFleet, AskShots, Fired, FromPlayer, GameStart, Placed


@dataclass(frozen=True, slots=True)
class Question:
    """A position, or None for a whole game, and what else a bot could tell it from others by;
    ``seed`` is its BOT_SEED."""

    position: Position | None
    seed: int
    dialect: str = "readme"
    lang: str = LANG


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the ``answer``, unless it could not be read, and the ``fault``, if it could
    not or was against the rules. ``folder`` is where the bot lay, and ``variables`` what it was
    told beside the argument. Of a whole game the answer is the fleet, ``answer_ms`` is the time of
    the slowest answer, and ``workplace`` as its wire has it."""

    question: Question
    answer: FromPlayer | None
    fault: BotError | None
    run: Evidence
    folder: str
    variables: Mapping[str, str]
    answer_ms: float
    workplace: Sequence[str] | None = None

    @property
    def asked(self) -> str:
        """What the bot was asked, as far as it is kept."""
        if self.run.exchanges:
            return "".join(one.sent for one in self.run.exchanges)
        return self.run.argv[-1]


def ask(run: Run, bot: Bot, question: Question) -> Reply:
    """Put one question to a bot; raises `JudgeFault`, and `Interrupted` on a stop."""
    position = question.position
    assert position is not None, "a whole game is played, not asked"
    seat, game = position.seat, position.game
    answer, fault = None, None
    timeout_ms = run.conditions.limits.timeout_ms
    with run.seat(bot, seat, question.seed, dialect=question.dialect, lang=question.lang) as player:
        try:
            names = [OPPONENT] * game.players
            names[seat] = bot.name
            fleet = game.fleet(seat)
            player.tell(GameStart(seat, tuple(names), game.rules, question.seed, fleet, game.first))
            asked = AskFleet() if game.is_placing else AskShots(position.view)
            player.ask(asked, timeout_ms)
            answer = player.answer()
            _check(position.copy(), seat, answer)
        except BotError as error:
            error.__traceback__ = None  # a reply is kept, and frames with it would be
            fault = error
        evidence = player.evidence(seat)
    assert evidence is not None, "a program that was asked has run"
    beside = told_beside(bot, run.conditions.rules, question)
    return Reply(question, answer, fault, evidence, str(bot.folder), beside, evidence.wall_ms)


def told_beside(bot: Bot, rules: Rules, question: Question) -> Mapping[str, str]:
    """The variables that a bot gets with a question, but for those of its scratch folder."""
    wire, _ = spoken(bot, rules)
    beside = {**wire.environment(rules), **wire.luck(question.seed)}
    return variables(bot.path, beside, question.lang)


def _check(game: Game, seat: int, answer: FromPlayer) -> None:
    """Raise `BotError` if the position does not allow the answer."""
    match answer:
        case Placed(fleet):
            game.place(seat, fleet)
        case Fired(targets):
            game.shoot(seat, targets)
