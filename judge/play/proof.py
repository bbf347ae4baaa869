"""Finds out in a bot's first games whether the bot answers the same when it is forked.

In such a game, each request also goes to a fork, which has to answer the same. If it does not, the
request goes to further processes by exec. If one of them answers otherwise than the first, luck
decides this answer, and the fork's only has to be legal. If all answer the same, the fork is wrong.
The game itself uses the answers of the first process.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from judge.documents.game import RecordedSeat
from judge.documents.rules import Repeat, Rules
from judge.errors import BotError, IllegalFleet, JudgeFault, MachineBusy
from judge.game.events import Target
from judge.play.player import ProgramPlayer
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from judge.process.run.exchange_files import SeatLog
from judge.wire.interface import Wire
from judge.wire.messages import (
    AskShots,
    Fired,
    FromPlayer,
    GameOver,
    Placed,
    Question,
    Refused,
    ToPlayer,
)

ENOUGH = 12  # requests of a proof; after a shorter game the next game goes on with it
# Processes by exec that have to answer like the first until a fork is called wrong. A bot that draws
# one of two answers gives the same one twelve times in one of 4,096 requests.
TRIES = 12
_MOST_SHOWN = 80  # characters of a reply


@dataclass(slots=True)
class Proof:
    """The findings on whether one bot may be forked. At most one game at a time adds to them."""

    name: str
    asked: int = 0
    difference: str = ""
    """A sentence that says why the bot is not forked. It is empty until a fork fails."""
    _is_over: bool = False
    _trying: threading.Lock = field(default_factory=threading.Lock)

    @property
    def holds(self) -> bool:
        """Whether the proof is over and the bot may be forked."""
        return self._is_over and not self.difference

    def begin(self) -> bool:
        """Claim a game for the proof. Returns False if the proof is over or another game is
        claimed. After True the caller has to call ``end``."""
        return not self._is_over and self._trying.acquire(blocking=False)

    def end(self) -> None:
        self._is_over = bool(self.difference) or self.asked >= ENOUGH
        self._trying.release()


class Proofs:
    """The proofs of a run, by the bots' digests. Thread-safe."""

    def __init__(self) -> None:
        self._proofs: dict[str, Proof] = {}

    def of(self, bot: Bot) -> Proof:
        return self._proofs.setdefault(bot.digest, Proof(bot.name))

    @property
    def differences(self) -> list[str]:
        """The sentences on the bots that are not forked because their proofs failed."""
        return [proof.difference for proof in self._proofs.values() if proof.difference]


class ProvingPlayer(ProgramPlayer):
    """A program that plays by exec over the first of three connections. The third connection, by
    fork, gets the same questions, and the second, by exec, those that the fork answers
    differently."""

    def __init__(
        self,
        entry: RecordedSeat,
        wires: Sequence[Wire],
        connections: Sequence[Connection],
        rules: Rules,
        proof: Proof,
        *,
        log: SeatLog | None = None,
    ) -> None:
        super().__init__(entry, wires[0], connections[0], log)
        self._again, self._forked = (
            ProgramPlayer(entry, wire, connection)
            for wire, connection in zip(wires[1:], connections[1:], strict=True)
        )
        self._rules = rules
        self._proof = proof
        self._question: tuple[Question, float | None] | None = None
        self._is_proved = False  # also in the later games of a match

    def tell(self, message: ToPlayer) -> None:
        super().tell(message)
        if isinstance(message, GameOver):
            self._is_proved = self._proof.asked >= ENOUGH
        for other in (self._again, self._forked):
            other.tell(message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._question = (question, timeout_ms)
        super().ask(question, timeout_ms)

    def answer(self) -> FromPlayer:
        answer: FromPlayer | BotError
        try:
            answer = super().answer()
        except BotError as error:
            answer = error
        self._compare(answer)
        if isinstance(answer, BotError):
            raise answer
        return answer

    def _compare(self, answer: FromPlayer | BotError) -> None:
        assert self._question is not None, "it has been asked"
        question, timeout_ms = self._question
        proof = self._proof
        if proof.difference or self._is_proved:
            return
        forked = _answer_of(self._forked, question, timeout_ms)
        proof.asked += 1
        if isinstance(forked, JudgeFault):
            proof.difference = f"{proof.name} is not forked: {forked}"
            return
        if _key(answer) == _key(forked):
            return
        has_luck = any(
            _key(answer) != _key(_answer_of(self._again, question, timeout_ms))
            for _ in range(TRIES)
        )
        is_well = not isinstance(forked, BotError) and is_legal(question, forked, self._rules)
        if not (has_luck and is_well):
            proof.difference = self._told(answer, forked)

    def _told(self, answer: FromPlayer | BotError, forked: FromPlayer | BotError) -> str:
        def shown(player: ProgramPlayer, answer: FromPlayer | BotError) -> str:
            if isinstance(answer, BotError):
                return f"it {answer}"
            run = player.evidence(0)
            return f"it replied {run.stdout.strip()[:_MOST_SHOWN]!r}" if run else "it replied"

        return (
            f"{self._proof.name} is not forked, for it would play otherwise: by exec "
            f"{shown(self, answer)}, and by fork {shown(self._forked, forked)}; all its games are "
            "played by exec"
        )


def _answer_of(
    player: ProgramPlayer, question: Question, timeout_ms: float | None
) -> FromPlayer | BotError | JudgeFault:
    try:
        player.ask(question, timeout_ms)
        return player.answer()
    except MachineBusy:
        raise  # the game is played again
    except (BotError, JudgeFault) as error:
        return error


def _key(said: object) -> object:
    return (type(said), str(said)) if isinstance(said, Exception) else said


def is_legal(question: Question, said: FromPlayer, rules: Rules) -> bool:
    """Whether the rules allow this answer to the question. Checks only shots and whole fleets."""
    asked = question.again if isinstance(question, Refused) else question
    match asked, said:
        case AskShots(view), Fired(targets):
            before = {Target(shot.target, shot.cell) for shot in view.shots}
            fresh = {
                target
                for target in targets
                if target.seat != view.seat and rules.on_grid(target.cell)
            }
            if rules.repeat is Repeat.ILLEGAL:
                fresh -= before
            return len(targets) == view.due and len(fresh) == len({*targets})
        case _, Placed(fleet):
            try:
                rules.check_fleet(fleet)
            except IllegalFleet:
                return False
            return True
        case _:
            return True
