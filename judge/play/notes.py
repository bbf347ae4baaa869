"""The notes of one game under way: shots, incidents, times and evidence, from which the record is
made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import structs

from judge.documents.game import (
    Evidence,
    GameRecord,
    Incident,
    IncidentKind,
    OfMatch,
    Outcome,
    RecordedShot,
    Termination,
)
from judge.documents.rules import Fleet
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.game.game import Game
from judge.play.actions import GameSetup, Seating

MOST_WAITS = 1000  # incidents that note a seat as away or back


class Notes:
    """The notes of one game. The order of answers to questions asked together does not change the
    notes."""

    def __init__(self, seating: Seating, setup: GameSetup, game: Game) -> None:
        self._seating = seating
        self._setup = setup
        self._game = game
        self._shots: list[RecordedShot] = []
        self._incidents: list[Incident] = []
        self._evidence: list[Evidence] = []
        self._placing_ms: list[float | None] = [None] * len(seating.seats)
        self._volley_ms: dict[int, float] = {}
        self._kicked: set[int] = set()
        self._waits: Counter[int] = Counter()
        self._is_placing = True  # whether the fleets were still being placed before the next events

    def time(self, seat: int, ms: float) -> None:
        """Add milliseconds to a seat's placing time or, after the placing, note them for its
        turn."""
        if self._is_placing:
            self._placing_ms[seat] = round((self._placing_ms[seat] or 0.0) + ms, 2)
        else:
            self._volley_ms[seat] = round(ms, 2) if ms else 0.0  # 0 for a player in this process

    def prove(self, evidence: Evidence | None) -> None:
        """Keep the evidence of a forfeit, if there is any."""
        if evidence is not None:
            self._evidence.append(evidence)

    def kick(self, seat: int) -> None:
        """Note, before a seat leaves, that the host removes it.

        If the seat may come back, its incident is a kick instead of a leave.
        """
        self._kicked.add(seat)

    def waits_for(self, seat: int, kind: IncidentKind) -> None:
        """Note that a seat is ``away`` or ``back``, or was sent away by the host (``boot``). The
        game does not change, since the seat's turn waits. The first `MOST_WAITS` such incidents of
        a seat are kept."""
        self._waits[seat] += 1
        if self._waits[seat] <= MOST_WAITS:
            self._aside(seat, kind)

    def add(self, events: Sequence[Event]) -> tuple[Event, ...]:
        """Note the events, and return those that players are told, as players may know them.

        The first shot of a volley gets the time of the volley, and the others get 0.
        """
        public: list[Event] = []
        for event in events:
            match event:
                case Shot():
                    public.append(self._game.announced_shots[len(self._shots)])
                    self._shots.append(event.recorded(self._volley_ms.pop(event.seat, 0.0)))
                case TurnSkipped(seat):
                    public.append(event)
                    self._aside(seat, IncidentKind.SKIP)
                case Back(seat):
                    public.append(event)
                    self._aside(seat, IncidentKind.RETURN)
                case Gone(seat, None):
                    public.append(event)
                    is_kicked = seat in self._kicked
                    self._aside(seat, IncidentKind.KICK if is_kicked else IncidentKind.LEAVE)
                    self._kicked.discard(seat)
                case Gone(seat, Termination() as termination):
                    public.append(structs.replace(event, detail=""))  # it may quote a bot
                    # With more than two seats several may forfeit; the outcome names the last.
                    detail = event.detail if self._game.players > 2 else ""
                    self._aside(seat, IncidentKind(termination), detail)
                case Outcome():
                    pass  # `GameOver` tells the outcome
                case _:
                    public.append(event)
        self._is_placing = self._game.is_placing
        return tuple(public)

    def record(self, outcome: Outcome, game_of_match: int, placed: Sequence[Fleet]) -> GameRecord:
        """The record of the game, which is over. ``placed`` has the ships of each seat, if the game
        ended before all fleets were placed ship by ship. The driver fills in ``started`` and
        ``finished``."""
        seating, game = self._seating, self._game
        of_match = None
        if seating.match is not None:
            of_match = OfMatch(seating.match, game_of_match, seating.games)
        evidence = tuple(sorted(self._evidence, key=lambda one: one.seat))
        return GameRecord(
            version=1,
            id=self._setup.id,
            number=None,
            match=of_match,
            rules=game.rules,
            rated=seating.rated and outcome.termination.is_rated,
            seed=self._setup.seed,
            first=game.first,
            isolation=seating.isolation,
            enforcement=seating.enforcement,
            host=seating.host,
            limits=seating.limits,
            seats=tuple(
                structs.replace(
                    seat, fleet=game.fleet(number), ms=self._placing_ms[number], placed=ships
                )
                for number, (seat, ships) in enumerate(zip(seating.seats, placed, strict=True))
            ),
            shots=tuple(self._shots),
            incidents=tuple(self._incidents),
            outcome=structs.replace(outcome, evidence=evidence or None),
            started="",
            finished="",
        )

    def _aside(self, seat: int, kind: IncidentKind, detail: str = "") -> None:
        self._incidents.append(Incident(len(self._shots), seat, kind, detail))
