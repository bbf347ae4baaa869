"""Drives a match: asks the players that are up, and hands their answers to the match.

A player's `BotError` is handed to the match, which decides what it costs. Any other error passes
through, and costs no bot anything.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from msgspec import structs

from judge.documents.game import GameRecord, RecordedSeat
from judge.documents.rules import Fleet
from judge.errors import BotError, Interrupted, JudgeFault
from judge.play.actions import Abort, Action, Ask, GameSetup, Seating, Tell
from judge.play.conditions import Conditions
from judge.play.match import Match, Watch
from judge.play.player import JOIN_MS, AnswerWaiter, Player
from judge.wire import WIRES
from judge.wire.messages import FromPlayer, Question, Refused


def play(match: Match, players: Sequence[Player], *, at_once: bool = False) -> list[GameRecord]:
    """Play a match to its end, and return the records. Raises as `play_game`.

    With ``at_once``, seats that answer together are asked at the same time, otherwise one by one.
    """
    return _Referee(match, players, at_once=at_once).play()


def play_game(
    conditions: Conditions,
    players: Sequence[Player],
    *,
    game_id: str,
    seed: int | None,
    first: int = 0,
    fleets: Mapping[int, Fleet] | None = None,
    watch: Watch | None = None,
    at_once: bool = False,
) -> GameRecord:
    """Play one game to its end and return its record. The ship lengths of the rules must be drawn.
    See `play`, `GameSetup` and `Match`.

    Raises `JudgeFault` if the judge or the machine cannot play the game, and `Interrupted` once the
    user stops the run; never `BotError`.
    """
    rules = conditions.rules
    setup = GameSetup(id=game_id, seed=seed, first=first, rules=rules, fleets=fleets or {})
    match = Match(table_with(conditions, players), [setup], watch)
    (record,) = play(match, players, at_once=at_once)
    return record


def play_match(
    conditions: Conditions,
    players: Sequence[Player],
    setups: Sequence[GameSetup],
    *,
    match_id: str,
    watch: Watch | None = None,
    at_once: bool = False,
) -> list[GameRecord]:
    """Play the games of a match until it is over, and return their records; see `play_game`.

    The list is shorter than ``setups`` if the match ends early, as by a forfeit.
    """
    seating = replace(table_with(conditions, players), match=match_id, games=len(setups))
    return play(Match(seating, setups, watch), players, at_once=at_once)


def table_with(
    conditions: Conditions, players: Sequence[Player], absent: Sequence[RecordedSeat] = ()
) -> Seating:
    """The seating of these players. The ``absent`` seats come after theirs, and have no player."""
    most = max(JOIN_MS, conditions.limits.timeout_ms)
    join_ms = {seat: most for seat, player in enumerate(players) if player.joins}
    seating = seating_for(conditions, [*(player.entry for player in players), *absent])
    return replace(seating, join_ms=join_ms, absent=range(len(players), len(seating.seats)))


def take_leave(match: Match, players: Sequence[Player]) -> None:
    """Take leave of all players of a match that is over: tell each farewell, hear the answers, and
    let each program exit.

    A stop by the user or a `JudgeFault` ends this quietly, since the games have been played.
    """
    with contextlib.suppress(Interrupted, JudgeFault):
        for seat in match.in_order:
            players[seat].part(match.seating.answer_ms[seat])
        for seat in match.in_order:
            players[seat].hear_out()
        for seat in match.in_order:
            players[seat].finish()


def seating_for(conditions: Conditions, entries: Sequence[RecordedSeat]) -> Seating:
    """The seating for these seats, under these conditions."""
    limits = conditions.limits
    return Seating(
        rules=conditions.rules,
        seats=tuple(entries),
        name_of_cell={
            seat: WIRES[entry.wire].name_of_cell
            for seat, entry in enumerate(entries)
            if entry.wire in WIRES
        },
        answer_ms=(limits.timeout_ms,) * len(entries),
        limits=limits,
        isolation=conditions.isolation.name,
        enforcement=conditions.isolation.enforcement,
    )


class _Referee:
    def __init__(self, match: Match, players: Sequence[Player], *, at_once: bool) -> None:
        self._match = match
        self._players = players
        self._evidence = [partial(player.evidence, seat) for seat, player in enumerate(players)]
        self._at_once = at_once
        self._asked: dict[int, Question | None] = {}  # the open question of each seat
        self._ears = AnswerWaiter()
        self._todo: deque[Action] = deque()
        self._began = datetime.now(UTC)
        self._records: list[GameRecord] = []

    def play(self) -> list[GameRecord]:
        match, todo = self._match, self._todo
        self._take(match.start())
        while todo or not match.is_over:
            if todo and (self._at_once or not self._asked or not isinstance(todo[0], Ask)):
                self._do(todo.popleft())
                continue
            waiting = [seat for seat, asked in self._asked.items() if match.is_open(seat, asked)]
            if waiting:
                self._hear(waiting[0] if len(waiting) == 1 else self._first(waiting))
            elif todo:
                self._do(todo.popleft())
            else:  # nobody can come back here, only at a server
                self._take(match.host(Abort("all players have left")))
        take_leave(match, self._players)
        return self._records

    def _first(self, waiting: Sequence[int]) -> int:
        """The seat to hear next."""
        return self._ears.first_to_answer({seat: self._players[seat] for seat in waiting})

    def _do(self, do: Action) -> None:
        if isinstance(do, Tell):
            try:
                self._players[do.seat].tell(do.message)
            except BotError as error:
                self._feed(do.seat, error, 0.0)
        elif isinstance(do, Ask) and self._match.is_open(do.seat, asked := asked_by(do.message)):
            player = self._players[do.seat]
            self._asked[do.seat] = asked
            try:
                player.ask(do.message, do.timeout_ms)
            except BotError as error:
                self._feed(do.seat, error, player.milliseconds)

    def _hear(self, seat: int) -> None:
        player = self._players[seat]
        asked = self._asked.pop(seat)
        answer: FromPlayer | BotError
        try:
            answer = player.answer()
        except BotError as error:
            answer = error
        self._feed(seat, answer, player.milliseconds)
        if self._match.is_open(seat, asked) and not any(
            isinstance(do, Ask) and do.seat == seat for do in self._todo
        ):
            self._asked[seat] = asked  # the seat has only sent chat

    def _feed(self, seat: int, answer: FromPlayer | BotError, ms: float) -> None:
        self._take(self._match.receive(seat, answer, ms, self._evidence[seat]))

    def _take(self, todo: Sequence[Action]) -> None:
        """Take the next actions, and the records of the games that are over."""
        self._todo.extend(todo)
        if len(self._match.records) == len(self._records):
            return
        for record in self._match.records[len(self._records) :]:
            now = datetime.now(UTC)
            self._records.append(
                structs.replace(record, started=stamp(self._began), finished=stamp(now))
            )
            self._began = now


def asked_by(question: Question) -> Question | None:
    """The question within a `Refused`, or the question itself, or None if a `Refused` has none."""
    return question.again if isinstance(question, Refused) else question


def stamp(moment: datetime) -> str:
    """A time as records have it, in ISO 8601 with milliseconds and ``Z``."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
