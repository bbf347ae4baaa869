"""Asks a bot about one position outside of a game, and returns its reply with the evidence.

The question goes over the same wire (protocol) and the same kind of connection as in a game, and
the game's rules judge the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from judge.documents.game import Evidence, GameRecord
from judge.documents.rules import Placing, Rules, Ship
from judge.errors import BotError, Crashed
from judge.game.game import Game
from judge.game.positions import Position
from judge.play.player import ProgramPlayer
from judge.play.run import OPPONENT, Run
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot
from judge.process.run.environment import LANG, variables
from judge.wire import messages
from judge.wire.interface import Wire
from judge.wire.messages import AskFleet, AskShip, AskShots, FromPlayer, GameStart, Refused

LEFT_EARLY = "exited with status 0 before its reply"
REFUSAL = "the reply cannot be taken: give another"


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a test: a position, or None for a whole game, and the circumstances.

    ``seed`` is the BOT_SEED. An empty ``dialect`` stands for the bot's usual one. With
    ``is_refused`` the question comes as if an earlier answer had been refused.
    """

    position: Position | None
    seed: int
    dialect: str = ""
    lang: str = LANG
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a bot. ``answer`` is None if the bot gave none that can be read. ``fault`` is
    the error of a missing, late, unreadable or illegal answer, or None for a right answer.
    ``folder`` is the bot's folder, ``variables`` are as in `told_beside`, and ``answer_ms`` is the
    time of the slowest answer. If the bot played a whole game, ``answer`` is its fleet and
    ``record`` the game's record."""

    question: Question
    answer: FromPlayer | None
    fault: BotError | None
    run: Evidence
    folder: str
    variables: Mapping[str, str]
    answer_ms: float
    wire: type[Wire]
    record: GameRecord | None = None
    seat: int = 0  # the seat of the bot in that game

    @property
    def asked(self) -> str:
        """The text that the bot was sent over its connection, as far as kept, or as its last
        argument."""
        if self.run.exchanges:
            return "".join(exchange.sent for exchange in self.run.exchanges)
        return self.run.argv[-1]


def ask(run: Run, bot: Bot, question: Question) -> Reply:
    """Put one question about a position to a bot, and return its reply. Raises `JudgeFault` if the
    judge or the machine cannot put the question, and `Interrupted` once the user stops the run."""
    position = question.position
    assert position is not None, "a whole game is played, not asked"
    seat, game = position.seat, position.game
    wire, dialect = spoken(bot, game.rules, run.conditions.dialect, game.players)
    question = replace(question, dialect=question.dialect or dialect)
    answer, fault, times = None, None, [0.0]
    with run.seat(
        bot,
        seat,
        question.seed,
        rules=game.rules,
        seats=game.players,
        dialect=question.dialect,
        lang=question.lang,
    ) as player:
        try:
            others = [f"{OPPONENT}{number or ''}" for number in range(game.players - 1)]
            names = (*others[:seat], bot.name, *others[seat:])
            fleet = game.fleet(seat)
            player.tell(GameStart(seat, names, game.rules, question.seed, fleet, game.first))
            asking = _Asking(player, run.conditions.limits.timeout_ms, question.is_refused, times)
            answer = asking.answer(position)
            _check(position.copy(), seat, answer)
        except BotError as error:
            error.__traceback__ = None  # a kept reply would keep the frames of the traceback
            fault = error
        evidence = player.evidence(seat)
    assert evidence is not None, "a program that was asked has run"
    return Reply(
        question=question,
        answer=answer,
        fault=fault,
        run=evidence,
        folder=str(bot.folder),
        variables=told_beside(bot, game.rules, question),
        answer_ms=max(times),
        wire=wire,
    )


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks a player for one answer and notes how long it took. A fleet is asked for ship by ship,
    with a time for each, if the rules say so."""

    player: ProgramPlayer
    timeout_ms: float
    is_refused: bool
    times: list[float]

    def answer(self, position: Position) -> FromPlayer:
        """The answer of the player. Raises `BotError` for a fault of the player, such as a late
        answer or one that cannot be read."""
        game = position.game
        if not game.is_placing:
            return self._put(AskShots(position.view), is_refused=self.is_refused)
        if game.rules.placing is not Placing.SHIP_BY_SHIP:
            return self._put(AskFleet(), is_refused=self.is_refused)
        ships: list[Ship] = []
        for length in game.rules.lengths:
            said = self._put(AskShip(length), is_refused=self.is_refused and not ships)
            if not isinstance(said, messages.PlacedShip):
                return said
            ships.append(said.ship)
        return messages.Placed(tuple(ships))

    def _put(self, asked: AskFleet | AskShip | AskShots, *, is_refused: bool) -> FromPlayer:
        self.player.ask(Refused(REFUSAL, asked) if is_refused else asked, self.timeout_ms)
        try:
            return self.player.answer()
        finally:
            self.times.append(self.player.milliseconds)


def told_beside(bot: Bot, rules: Rules, question: Question) -> Mapping[str, str]:
    """The environment variables that a bot gets with a question, without those of its scratch
    folder."""
    wire, _ = spoken(bot, rules)
    beside = {**wire.environment(rules), **wire.luck(question.seed)}
    return variables(bot.path, beside, question.lang)


def _check(game: Game, seat: int, answer: FromPlayer) -> None:
    """Raise `BotError` if the position does not allow the answer."""
    match answer:
        case messages.Placed(fleet):
            game.place(seat, fleet)
        case messages.Fired(targets):
            game.shoot(seat, targets)
        case messages.Skipped():
            game.skip(seat)
        case _:
            raise Crashed(LEFT_EARLY)
