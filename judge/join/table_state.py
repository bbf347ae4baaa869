"""The state of a table as one of its clients knows it: its players, their boards, whose turn it is.

Pure: it takes messages with the time of their arrival, and returns sentences on what happened. The
line mode and the screen both show a `TableState`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain

from judge.documents.game import Outcome, Result
from judge.documents.rules import Fleet, Rules
from judge.game.events import Back, Event, Gone, Shot, TurnSkipped
from judge.join.address import Game
from judge.join.cells import named
from judge.join.repeated_news import RepeatedNews
from judge.show.one_game import ending
from judge.show.text import clean, many
from judge.wire.messages import (
    Arrived,
    AskShots,
    Chat,
    Denied,
    Departed,
    Dismissed,
    GameOver,
    GameStart,
    Lobby,
    Refused,
    Rejoined,
    ToClient,
    Told,
    Welcome,
)


class ClientStage(Enum):
    """How far a client has come at a table."""

    OUTSIDE = "outside"  # it has no place
    WAITING = "waiting"  # it has a place, and the game has not begun
    PLAYING = "playing"
    CUT = "cut"  # its connection was cut in the middle of a game
    OVER = "over"


@dataclass(slots=True)
class TablePlayer:
    """A player at the table. ``away`` says why the player has left; empty if the player is there.
    ``waits`` is whether it was said that this player's turn waits while the player is away."""

    name: str
    shots: list[Shot] = field(default_factory=list)  # shots at its board
    points: int = 0
    skips: int = 0
    away: str = ""
    waits: bool = False


class TableState:
    """The state of one table. ``players`` are in the order of turns once the game has begun, and
    ``own`` is the client's index in ``players``. ``up`` is the seat that is to shoot, or None, and
    ``up_since`` is when its turn began. ``shot_at`` is the seat that the last shot was fired at."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules: Rules = game.rules
        self.lobby: Lobby | None = None
        self.stage = ClientStage.OUTSIDE
        self.players: list[TablePlayer] = []
        self.own: int | None = None
        self.fleet: Fleet | None = None
        self.up: int | None = None
        self.up_since = 0.0
        self.shot_at: int | None = None
        self.may_shoot = False  # the client was asked for a shot and has not sent it
        self.outcome: Outcome | None = None
        self._repeated = RepeatedNews()

    def take(self, message: ToClient, now: float) -> list[str]:
        """Take in a message. Returns sentences on what happened, without control characters."""
        said = self._people(message) if self.stage is not ClientStage.PLAYING else None
        return self._game(message, now) if said is None else said

    def note_standing(self, standing: Sequence[tuple[int, int]]) -> None:
        """Take over the points and skips of each seat, if there is a pair for each player."""
        if len(standing) == len(self.players):
            for player, (points, skips) in zip(self.players, standing, strict=True):
                player.points, player.skips = points, skips

    @property
    def shots(self) -> int:
        """The number of shots at all boards."""
        return sum(len(player.shots) for player in self.players)

    @property
    def is_own_turn(self) -> bool:
        return self.stage is ClientStage.PLAYING and self.up is not None and self.up == self.own

    @property
    def is_cut(self) -> bool:
        return self.stage is ClientStage.CUT

    @property
    def opponents(self) -> list[int]:
        """The seats of the other players; players who have left come last."""
        others = [seat for seat in range(len(self.players)) if seat != self.own]
        return sorted(others, key=lambda seat: bool(self.players[seat].away))

    def name_of(self, seat: int | None) -> str:
        """How sentences to the client's player name a seat, such as "you". None is the host."""
        if seat is None:
            return "the host"
        if seat == self.own:
            return "you"
        if not self.game.announces:
            return "the opponent"
        return clean(self.players[seat].name)

    def left(self) -> None:
        """Note that the client has left a lobby, or a game that goes on."""
        self.stage, self.up, self.may_shoot = ClientStage.OVER, None, False

    # Messages

    def _people(self, message: ToClient) -> list[str] | None:
        """Take in a message on the table, its players or the start of the game. Returns None for
        any other message."""
        match message:
            case Lobby():
                self.lobby, self.rules = message, message.rules
                return [_described(message)]
            case Denied() if self.stage is ClientStage.CUT:
                return []  # the table may not have noticed yet that the client is gone
            case Denied(why):
                is_started = self.lobby is not None and self.lobby.is_started
                refused = "let you in by" if is_started else "take"
                return [f"the table does not {refused} that name: {clean(why)}"]
            case Welcome(name, others):
                if self.stage is ClientStage.CUT:
                    return []
                self.stage = ClientStage.WAITING
                self.players = [*map(TablePlayer, others), TablePlayer(name)]
                self.own = len(others)
                return ["you have a place, and wait for the game"]
            case Arrived(name):
                self.players.append(TablePlayer(name))
                return [f"{clean(name)} is at the table"]
            case Departed(name, why):
                self.players = [player for player in self.players if player.name != name]
                return [f"{clean(name)} left the table{_because(why)}"]
            case GameStart(seat=seat, names=names, rules=rules, fleet=fleet):
                self.stage, self.own, self.fleet, self.rules = (
                    ClientStage.PLAYING,
                    seat,
                    fleet,
                    rules,
                )
                self.players = [TablePlayer(name) for name in names]
                order = ", ".join(map(self.name_of, range(len(names))))
                return [f"the game begins; the order of turns: {order}"]
        return None

    def _game(self, message: ToClient, now: float) -> list[str]:
        match message:
            case Told(events, up):
                return [*chain.from_iterable(map(self._event, events)), *self._turn(up, now)]
            case AskShots():
                self.may_shoot = True
            case Refused(why, again):
                self.may_shoot = isinstance(again, AskShots)
                return [f"refused: {clean(why)}"]
            case Chat(seat, text, is_private):
                private = " (to you alone)" if is_private and seat is not None else ""
                return [f"{self.name_of(seat)}{private}: {clean(text)}"]
            case Rejoined(view):
                self.stage = ClientStage.PLAYING
                for seat, player in enumerate(self.players):
                    player.shots = [shot for shot in view.shots if shot.target == seat]
                    player.away = player.away if not view.present[seat] else ""
                back = f"you are back in the game, after {many(len(view.shots), 'shot')}"
                return [*self._repeated.game_over(), back]
            case GameOver(outcome):
                self.stage, self.outcome, self.up, self.may_shoot = (
                    ClientStage.OVER,
                    outcome,
                    None,
                    False,
                )
                names = [self.name_of(seat) for seat in range(len(self.players))]
                over = f"the game is over: {ending(names, outcome, self.rules)}"
                return [*self._repeated.game_over(), over]
            case Dismissed(why):
                return self._dismissed(why)
        return []

    def _dismissed(self, why: str) -> list[str]:
        self.up, self.may_shoot = None, False
        if self.stage in (ClientStage.OVER, ClientStage.CUT):
            return []
        held = self._repeated.game_over()
        if self.stage is ClientStage.PLAYING and self.game.announces and not why:
            self.stage = ClientStage.CUT
            return [*held, "the connection was cut"]
        was, self.stage = (
            self.stage,
            ClientStage.OVER if self.stage is ClientStage.PLAYING else ClientStage.OUTSIDE,
        )
        during = " in the middle of the game" if was is ClientStage.PLAYING else ""
        return [*held, f"the server closed the connection{during}{_because(why)}"]

    def _turn(self, up: tuple[int, ...], now: float) -> list[str]:
        before = self.up
        self.up = up[0] if up else None
        self.may_shoot = self.may_shoot and self.up == before
        if self.up is None or self.up == before:
            return []
        self.up_since = now
        held = self._repeated.turn_over()
        player = self.players[self.up]
        if not player.away:
            whose = "your" if self.up == self.own else f"{self.name_of(self.up)}'s"
            return [*held, f"it is {whose} turn"]
        waits, player.waits = player.waits, True
        return held if waits else [*held, f"{self.name_of(self.up)} is gone, and its turn waits"]

    def _event(self, event: Event) -> list[str]:
        """Take in an event. Returns the sentences on it and on earlier news that were held back."""
        repeated = self._repeated
        match event:
            case Shot(seat, target, cell, result):
                self.players[target].shots.append(event)
                self.shot_at = target
                if event.is_hit:
                    self.players[seat].points += 1
                did = {Result.HIT: "hit", Result.SUNK: "hit, and a ship sank"}.get(result, "miss")
                where = named(cell, self.game, self.rules)
                shot = f"{self.name_of(seat)} shot at {self.name_of(target)}, {where}: {did}"
                return [*repeated.acted(seat), shot]
            case TurnSkipped(seat, why):
                self.players[seat].skips += 1
                if why:
                    whose = "your" if seat == self.own else f"{self.name_of(seat)}'s"
                    return repeated.skipped(seat, f"the host skipped {whose} turn{_because(why)}")
                skipped = f"{self.name_of(seat)} skipped a turn"
                return [skipped] if seat == self.own else repeated.skipped(seat, skipped)
            case Gone(seat, _, detail):
                self.players[seat].away, self.players[seat].waits = detail or "gone", False
                return repeated.moved(seat, f"{self.name_of(seat)} left the game{_because(detail)}")
            case Back(seat) if seat != self.own:
                self.players[seat].away = ""
                said = repeated.acted(seat)
                return [*said, *repeated.moved(seat, f"{self.name_of(seat)} came back")]
            case Back(seat):
                self.players[seat].away = ""
        return []


def _because(why: str) -> str:
    return f": {clean(why)}" if why else ""


def _described(lobby: Lobby) -> str:
    rules = lobby.rules
    least, most = rules.players
    goal = sum(rules.lengths) if rules.points is None else rules.points
    ships = " ".join(map(str, rules.lengths))
    wanted = str(most) if least == most else f"{least} to {most}"
    are = "player is" if lobby.joined == 1 else "players are"
    began = "; its game has begun" if lobby.is_started else ""
    return (
        f"the table {clean(lobby.title)}: {lobby.joined} {are} there, {wanted} may play; boards of "
        f"{rules.columns}×{rules.rows}, ships of {ships}; {goal} points end the game{began}"
    )
