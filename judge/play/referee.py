"""Plays one game: asks whoever is up, holds the answer to the rules, writes the record.

Here a bot's fault becomes its loss, and only here. Anything but a `BotError` passes through
untouched: it is the judge's, and costs no bot anything. The referee names no concrete wire.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from random import Random

from judge.errors import BadOutput, BotError, IllegalFleet, IllegalMove
from judge.game.events import Back, Event, Gone, Shot, Skipped, Termination
from judge.game.game import Game
from judge.game.record import (
    Aside,
    Evidence,
    GameRecord,
    Limits,
    RecordedSeat,
    RecordedShot,
)
from judge.game.rules import BadMove, Fleet, Placing, Rules, random_fleet
from judge.play.player import Player
from judge.process.isolation import Isolation, Unlimited
from judge.wire import messages
from judge.wire.messages import AskFleet, AskShots, FromBot, Refused

Watch = Callable[[Game, Event], None]

MOST_REFUSALS = 1000  # where rules let a player try again: no one who means to play needs more


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Under which all games of a run are played; they go into every record."""

    rules: Rules
    dialect: str | None = None
    launch: str = "exec"
    isolation: Isolation = field(default_factory=Unlimited)
    limits: Limits = field(default_factory=Limits)


def play_game(
    conditions: Conditions,
    players: Sequence[Player],
    *,
    game_id: str,
    seed: int,
    first: int = 0,
    fleets: Mapping[int, Fleet] | None = None,
    watch: Watch | None = None,
) -> GameRecord:
    """Play one game to its end.

    The rules' fleet must be drawn. ``seed`` is where the fleets that the judge places come from.
    ``fleets`` has those of seats that are not asked for one; they must be legal.
    ``watch`` is called with each event, and the position after all that came of the same answer.
    Raises `JudgeFault` and `Interrupted`, never `BotError`.
    """
    referee = _Referee(
        conditions, players, seed=seed, first=first, fleets=fleets or {}, watch=watch
    )
    return referee.play(game_id)


class _Referee:
    def __init__(
        self,
        conditions: Conditions,
        players: Sequence[Player],
        *,
        seed: int,
        first: int,
        fleets: Mapping[int, Fleet],
        watch: Watch | None,
    ) -> None:
        self._conditions = conditions
        self._players = players
        self._seed = seed
        self._rng = Random(seed)
        self._fleets = fleets
        self._watch = watch
        self._game = Game(conditions.rules, len(players), first)
        self._shots: list[RecordedShot] = []
        self._asides: list[Aside] = []
        self._evidence: list[Evidence] = []
        self._placing_ms: list[float | None] = [None] * len(players)
        self._volley_ms: dict[int, float] = {}

    def play(self, game_id: str) -> GameRecord:
        started = datetime.now(UTC)
        while up := self._game.to_move:
            self._note(self._turn(up[0]))
        outcome = self._game.outcome
        assert outcome is not None, "someone is up until the game is over"
        return GameRecord(
            id=game_id,
            rules=self._game.rules,
            dialect=self._conditions.dialect,
            seed=self._seed,
            first=self._game.first,
            launch=self._conditions.launch,
            isolation=self._conditions.isolation.name,
            enforcement=self._conditions.isolation.enforcement,
            limits=self._conditions.limits,
            seats=tuple(
                RecordedSeat(
                    name=player.name,
                    digest=player.digest,
                    seed=player.seed,
                    fleet=self._game.fleet(seat),
                    ms=self._placing_ms[seat],
                )
                for seat, player in enumerate(self._players)
            ),
            shots=tuple(self._shots),
            asides=tuple(self._asides),
            outcome=outcome,
            evidence=tuple(self._evidence),
            started=stamp(started),
            finished=stamp(datetime.now(UTC)),
        )

    def _turn(self, seat: int) -> tuple[Event, ...]:
        """Ask one seat until it has answered or lost, and return what happened."""
        game, player = self._game, self._players[seat]
        if game.is_placing and seat in self._fleets:
            return game.place(seat, self._fleets[seat])
        if game.is_placing and game.rules.placing is Placing.JUDGE:
            return game.place(seat, random_fleet(game.rules, self._rng))
        question: messages.ToBot = AskFleet() if game.is_placing else AskShots(game.view(seat))
        for refusals in count():
            try:
                answer = player.ask(question)
                self._time(seat)
                return apply(game, seat, answer)
            except BotError as error:
                self._time(seat)
                may_try_again = isinstance(error, BadOutput | IllegalFleet | IllegalMove)
                patient = game.rules.bad_move is BadMove.ASK_AGAIN and refusals < MOST_REFUSALS
                if may_try_again and patient:
                    question = Refused(str(error))
                    continue
                if evidence := player.evidence(seat):
                    self._evidence.append(evidence)
                return game.forfeit(seat, Termination(error.termination), str(error))
        raise AssertionError("counting does not end")

    def _time(self, seat: int) -> None:
        milliseconds = round(self._players[seat].milliseconds, 2)
        if self._game.is_placing:
            self._placing_ms[seat] = milliseconds
        else:
            self._volley_ms[seat] = milliseconds

    def _note(self, events: Sequence[Event]) -> None:
        """Write down what happened. A volley's time stands at its first shot."""
        for event in events:
            match event:
                case Shot(seat=seat):
                    self._shots.append(RecordedShot(event, self._volley_ms.pop(seat, 0.0)))
                case Skipped(seat):
                    self._aside(seat, "skip")
                case Gone(seat, termination):
                    self._aside(seat, "leave" if termination is None else termination)
                case Back(seat):
                    self._aside(seat, "return")
            if self._watch:
                self._watch(self._game, event)

    def _aside(self, seat: int, what: str) -> None:
        self._asides.append(Aside(len(self._shots), seat, what))


def apply(game: Game, seat: int, answer: FromBot) -> tuple[Event, ...]:
    """Do what a seat answered; raises `IllegalFleet` or `IllegalMove` if the rules forbid it."""
    match answer:
        case messages.Placed(fleet):
            return game.place(seat, fleet)
        case messages.Fired(targets):
            return game.shoot(seat, targets)
        case messages.Skipped():
            return game.skip(seat)
        case messages.Resigned():
            return game.resign(seat)


def stamp(moment: datetime) -> str:
    """A moment as records have it."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
