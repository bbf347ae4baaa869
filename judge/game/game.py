"""The engine: the position of one game, who is up, what a shot hits, and when and why the game
ends.

Pure: it has no clock and no random numbers, and knows nothing of the players. An illegal call
raises and changes nothing. Variants differ only in the fields of `Rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from enum import Enum

from msgspec import structs

from judge.documents.game import (
    HIT,
    MISS,
    MOST_DETAIL,
    MOST_SAID,
    SUNK,
    Outcome,
    Result,
    Termination,
    shortened,
)
from judge.documents.rules import Cell, Fleet, Goal, Placing, Repeat, Rules, Ship, Sinking, Turn
from judge.errors import IllegalMove, OutOfTurn, UsageError
from judge.game.events import Back, Event, FleetPlaced, Gone, Shot, Target, TurnSkipped, View


class _Presence(Enum):
    PRESENT = "present"
    AWAY = "away"  # left, and may come back
    OUT = "out"  # gone for good


# As in `judge.documents.game`: found once, and not for every shot.
_PRESENT, _OUT = _Presence.PRESENT, _Presence.OUT


@dataclass(slots=True)
class _Seat:
    """The state of one seat: its presence, fleet, points, and the shots at its board."""

    presence: _Presence = _PRESENT
    gone: Gone | None = None
    fleet: Fleet | None = None
    ships: dict[Cell, Ship] = field(default_factory=dict)
    afloat: dict[Ship, int] = field(default_factory=dict)  # unhit cells by ship afloat
    announced: dict[Cell, Shot] = field(
        default_factory=dict
    )  # for each cell shot at, the first shot as players were told it
    fresh: int = 0  # cells of its board that were not shot at; 0 before it has a fleet
    points: int = 0

    def place(self, fleet: Fleet, cells: int) -> None:
        self.fleet = fleet
        self.fresh = cells
        self.ships = {cell: ship for ship in fleet for cell in ship.cells}
        self.afloat = {ship: ship.length for ship in fleet}

    def hit(self, cell: Cell) -> tuple[Result, Ship | None]:
        """Take the first shot at a cell. Return its result, and the ship that it sinks, or None."""
        ship = self.ships.get(cell)
        if ship is None:
            return MISS, None
        self.afloat[ship] -= 1
        if self.afloat[ship]:
            return HIT, None
        del self.afloat[ship]
        return SUNK, ship


class Game:
    """A game between ``players`` seats; the seat ``first`` moves first.

    The caller asks the seats in `to_move` and reports what each did. A call that the position does
    not allow raises `OutOfTurn`: it is the caller's mistake. A fleet or a move against the rules
    raises `IllegalFleet` or `IllegalMove`, and the caller decides what that costs
    (`Rules.bad_move`).
    """

    def __init__(self, rules: Rules, players: int = 2, first: int = 0) -> None:
        if not isinstance(rules, Rules):
            raise UsageError(f"{rules!r} is not Rules: give judge.rules({rules!r})")
        if not rules.players[0] <= players <= rules.players[1] or not 0 <= first < players:
            raise OutOfTurn(f"{rules.name} is not played by {players} seats with {first} first")
        self.rules = rules
        self.players = players
        self.first = first
        self.shots: list[Shot] = []
        self.rounds = 0
        self.outcome: Outcome | None = None
        self._seats = [_Seat() for _ in range(players)]
        self._present = (True,) * players
        self.announced_shots: list[Shot] = []  # the shots as players were told them
        self._fresh = 0  # cells on all boards that were not shot at
        self.is_placing = True
        """Whether the game is in its placing of fleets, or has ended in it."""
        self._is_salvo = rules.turn is Turn.SALVO
        self._all_at_once = rules.turn is Turn.BOTH
        self._hit_shoots_again = rules.turn is Turn.HIT_AGAIN
        self._goal_is_fleet = rules.goal is Goal.FLEET
        self._repeat_is_illegal = rules.repeat is Repeat.ILLEGAL
        self._up: tuple[int, ...] = ()
        self._answers: dict[int, tuple[Target, ...] | TurnSkipped | Gone] = {}

    # The position

    @property
    def to_move(self) -> tuple[int, ...]:
        """The seats whose answer is awaited; empty if the game is over or nobody may move now."""
        if self.outcome:
            return ()
        if not self.is_placing:
            if not self._answers:
                return self._up
            return tuple([seat for seat in self._up if seat not in self._answers])
        waiting = [
            number for number, seat in enumerate(self._seats) if not (seat.fleet or seat.gone)
        ]
        if self.rules.placing is Placing.IN_TURN and waiting:
            return (min(waiting, key=self._place_in_order),)
        return tuple(waiting)

    def _is_up(self, seat: int) -> bool:
        if self.is_placing or self.outcome:
            return seat in self.to_move
        return seat in self._up and seat not in self._answers

    def shots_due(self, seat: int) -> int:
        """The number of shots in this seat's next volley; 0 if the seat is not up."""
        return 0 if self.is_placing or not self._is_up(seat) else self._volley(seat)

    def _volley(self, seat: int) -> int:
        """The number of shots in the next volley of a seat that is up."""
        if not self._is_salvo:
            return 1
        afloat = [ship.length for ship in self._seats[seat].afloat]
        return self.rules.volley(afloat, self._fresh_cells(seat))

    def fleet(self, seat: int) -> Fleet | None:
        return self._seats[seat].fleet

    def has_ship(self, seat: int, cell: Cell) -> bool:
        """Whether a ship of the seat lies on a cell, afloat or sunk."""
        return cell in self._seats[seat].ships

    def is_in(self, seat: int) -> bool:
        """Whether a seat is still in the game, even if its player is away. Once the game is over,
        no seat is in it."""
        return not self.outcome and not (
            self._seats[seat].presence is _OUT or isinstance(self._answers.get(seat), Gone)
        )

    def is_away(self, seat: int) -> bool:
        """Whether a seat has left and may come back."""
        return self._seats[seat].presence is _Presence.AWAY

    def view(self, seat: int, rules_told: Rules | None = None) -> View:
        """All that ``seat`` may know of this position, and nothing else. ``rules_told`` are the
        rules that the seat is told, if these are not the game's."""
        return View(
            seat=seat,
            players=self.players,
            first=self.first,
            rules=rules_told or self.rules,
            fleet=self._seats[seat].fleet,
            shots=tuple(self.announced_shots),
            due=self.shots_due(seat),
            rounds=self.rounds,
            present=self._present,
        )

    def legal_shots(self, seat: int) -> list[Target]:
        """Every target that the seat may shoot at now, board by board; empty if the seat is not up
        for a shot. If a repeat is illegal, a volley may name each target once only."""
        if not self.shots_due(seat):
            return []
        columns, rows = range(self.rules.columns), range(self.rules.rows)
        return [
            Target(number, cell)
            for number, board in enumerate(self._seats)
            if number != seat and board.fleet is not None
            for cell in (Cell(column, row) for column in columns for row in rows)
            if not (self._repeat_is_illegal and cell in board.announced)
        ]

    def copy(self) -> Game:
        """An independent copy of the game."""
        other = copy(self)
        other.shots, other.announced_shots = [*self.shots], [*self.announced_shots]
        other._seats = [  # noqa: SLF001 - of the same class
            replace(
                seat, ships={**seat.ships}, afloat={**seat.afloat}, announced={**seat.announced}
            )
            for seat in self._seats
        ]
        other._answers = {**self._answers}  # noqa: SLF001 - the same
        return other

    # The acts of a seat

    def place(self, seat: int, fleet: Fleet) -> tuple[Event, ...]:
        if not self.is_placing:
            raise OutOfTurn("the fleets are placed already")
        self._require_up(seat)
        self.rules.check_fleet(fleet)
        cells = self.rules.columns * self.rules.rows
        self._seats[seat].place(tuple(fleet), cells)
        self._fresh += cells
        return (FleetPlaced(seat), *self._begin_if_placed())

    def shoot(self, seat: int, targets: Sequence[Target]) -> tuple[Event, ...]:
        """Fire a volley, once all its shots have been checked. If several seats are up at once, the
        volley takes effect when the last of them has answered."""
        self._require_playing(seat)
        self._check_volley(seat, targets)
        if self._up != (seat,):
            return self._answer(seat, tuple(targets))
        fired = [self._fire(seat, target) for target in targets]
        round_over = self._pass_turn(seat, again=fired[-1].is_hit)
        return (*fired, *self._end_if_decided(round_over))

    def skip(self, seat: int, why: str = "") -> tuple[Event, ...]:
        self._require_playing(seat)
        if not self.rules.may_skip:
            raise IllegalMove(f"a turn cannot be skipped in {self.rules.name}")
        skipped = TurnSkipped(seat, why)
        if self._up != (seat,):
            return self._answer(seat, skipped)
        round_over = self._pass_turn(seat, again=False)
        return (skipped, *self._end_if_decided(round_over))

    def resign(self, seat: int) -> tuple[Event, ...]:
        return self.forfeit(seat, Termination.RESIGNED, "")

    def forfeit(self, seat: int, termination: Termination, detail: str) -> tuple[Event, ...]:
        """Take a seat out of the game for good, whoever's turn it is. If all seats shoot at once
        and this one is up, the forfeit takes effect when the last seat has answered."""
        gone = Gone(seat, termination, detail)
        if self.is_placing:
            return self.forfeit_together([gone])
        self._require_in(seat)
        if seat in self._up:
            return self._answer(seat, gone)
        self._remove(gone)
        return (gone, *self._end_if_alone([gone]), *self._end_if_decided(round_over=False))

    def forfeit_together(self, gone: Sequence[Gone]) -> tuple[Event, ...]:
        """Take several seats, which failed in the same step, out of the game.

        During the placing, the other seats go on placing their fleets, unless these forfeits decide
        the game. Later, these forfeits end the turn, or the round if all seats shoot at once: a
        seat whose answer is still awaited fires nothing.
        """
        for one in gone:
            self._require_in(one.seat)
        if self.is_placing:
            for one in gone:
                self._remove(one)
            return (*gone, *self._begin_if_placed())
        self._answers |= {one.seat: one for one in gone}
        self._answers |= dict.fromkeys(self.to_move, ())
        return self._resolve(passing=gone[-1].seat)

    def leave(self, seat: int) -> tuple[Event, ...]:
        """Let a seat leave the game. The player may come back if the rules allow that and the
        placing is over; otherwise the seat forfeits."""
        self._require_in(seat)
        if self._seats[seat].presence is _Presence.AWAY:
            raise OutOfTurn(f"seat {seat} has left already")
        if not self.rules.may_return or self.is_placing:
            return self.forfeit(seat, Termination.LEFT, "left the game")
        self._set_presence(seat, _Presence.AWAY)
        gone, was_up = Gone(seat, None), seat in self._up
        self._answers.pop(seat, None)
        self._up = tuple(other for other in self._up if other != seat)
        if was_up and self.to_move:
            return (gone,)  # the round goes on without this seat until the others have answered
        if was_up:
            if not self._all_at_once or self._answers:
                return (gone, *self._resolve(passing=seat))
            self._pass_turn(seat, again=False)  # no seat has answered, so the round does not count
        return (gone, *self._end_if_decided(round_over=False))

    def come_back(self, seat: int) -> tuple[Event, ...]:
        self._require_in(seat)
        if self._seats[seat].presence is not _Presence.AWAY:
            raise OutOfTurn(f"seat {seat} has not left")
        self._set_presence(seat, _PRESENT)
        if not self._up and self._may_play(seat):
            self._up = (seat,)
        return (Back(seat),)

    def abort(self, detail: str) -> tuple[Event, ...]:
        """End the game now, without a winner or a loser."""
        if self.outcome:
            raise OutOfTurn("the game is over")
        return self._end(None, Termination.ABORTED, detail)

    # Checks before an act

    def _require_in(self, seat: int) -> None:
        if self.outcome:
            raise OutOfTurn("the game is over")
        if not 0 <= seat < self.players:
            raise OutOfTurn(f"there is no seat {seat}")
        if not self.is_in(seat):
            raise OutOfTurn(f"seat {seat} is out of the game")

    def _require_up(self, seat: int) -> None:
        if not self._is_up(seat):
            raise OutOfTurn("the game is over" if self.outcome else f"seat {seat} is not up")

    def _require_playing(self, seat: int) -> None:
        if self.is_placing or not self._is_up(seat):
            self._require_up(seat)
            raise OutOfTurn("the fleets are not placed yet")

    def _check_volley(self, seat: int, targets: Sequence[Target]) -> None:
        due = self._volley(seat)
        if len(targets) != due:
            raise IllegalMove(
                f"fired {len(targets)} shot{'s' * (len(targets) != 1)} where {due} "
                f"{'is' if due == 1 else 'are'} due"
            )
        for number, target in enumerate(targets):
            shot_at, cell = target
            if shot_at == seat or not 0 <= shot_at < self.players:
                raise IllegalMove(f"seat {shot_at} is not an opponent")
            board = self._seats[shot_at]
            if board.fleet is None:
                raise IllegalMove(f"seat {shot_at} has no fleet to shoot at")
            if not self.rules.on_grid(cell):
                grid = f"{self.rules.columns}×{self.rules.rows} grid"
                raise IllegalMove("shot at ", cell, f", outside the {grid}")
            shot_before = cell in board.announced or (number and target in targets[:number])
            if shot_before and self._repeat_is_illegal:
                raise IllegalMove("shot at ", cell, ", which was shot at before")

    # Effects of an act

    def _begin_if_placed(self) -> tuple[Event, ...]:
        """Begin play once no fleet is awaited, or end the game if forfeits have decided it."""
        in_steps = self.rules.placing in (Placing.IN_TURN, Placing.SHIP_BY_SHIP)
        hopeless = in_steps and len(self._still_in()) < 2
        if self.to_move and not hopeless:
            return ()
        if ending := self._end_if_alone([seat.gone for seat in self._seats if seat.gone]):
            return ending
        self.is_placing = False
        self._pass_turn(after=(self.first - 1) % self.players, again=False)
        return ()

    def _answer(
        self, seat: int, answer: tuple[Target, ...] | TurnSkipped | Gone
    ) -> tuple[Event, ...]:
        self._answers[seat] = answer
        return () if len(self._answers) < len(self._up) else self._resolve(passing=seat)

    def _resolve(self, passing: int) -> tuple[Event, ...]:
        """Let the answers of the turn take effect, once all have come: forfeits first, then volleys
        in the order of seats. No shot is fired if the forfeits end the game."""
        answers = sorted(self._answers.items())
        self._answers = {}
        gone: list[Gone] = []
        skipped: list[TurnSkipped] = []
        volleys: list[tuple[int, tuple[Target, ...]]] = []
        for seat, answer in answers:
            match answer:
                case Gone():
                    self._remove(answer)
                    gone.append(answer)
                case TurnSkipped():
                    skipped.append(answer)
                case _:
                    volleys.append((seat, answer))
        if ending := self._end_if_alone(gone):
            return (*gone, *ending)
        fired = [self._fire(seat, target) for seat, volley in volleys for target in volley]
        round_over = self._pass_turn(passing, again=bool(fired) and fired[-1].is_hit)
        return (*gone, *skipped, *fired, *self._end_if_decided(round_over))

    def _fire(self, seat: int, target: Target) -> Shot:
        number, cell = target
        board = self._seats[number]
        before = board.announced.get(cell)
        if before is None:
            result, ship = board.hit(cell)
            shot = told = Shot(seat, number, cell, result)
            if result is not MISS:
                self._seats[seat].points += 1
            if ship:
                shot = structs.replace(shot, sunk=ship.length, ship=ship)
                told = self._tell_sinking(shot)
            board.announced[cell] = told
            board.fresh -= 1
            self._fresh -= 1
        else:
            shot = Shot(seat, number, cell, Result.REPEAT, repeat=True)
            told = self._tell_repeat(shot, before)
        self.shots.append(shot)
        self.announced_shots.append(told)
        return shot

    def _tell_repeat(self, shot: Shot, before: Shot) -> Shot:
        if self.rules.repeat is Repeat.MISS:
            return structs.replace(shot, result=MISS, repeat=False)
        said = self.rules.repeat is not Repeat.OLD_ANSWER
        return structs.replace(
            shot, result=before.result, sunk=before.sunk, ship=before.ship, repeat=said
        )

    def _tell_sinking(self, shot: Shot) -> Shot:
        match self.rules.sinking:
            case Sinking.SHIP:
                return shot
            case Sinking.SIZE:
                return structs.replace(shot, ship=None)
            case Sinking.SUNK:
                return structs.replace(shot, sunk=None, ship=None)
            case Sinking.NOTHING:
                return structs.replace(shot, result=HIT, sunk=None, ship=None)

    def _pass_turn(self, after: int, again: bool) -> bool:
        """Set which seats are up next, and return whether this ends a round."""
        if self._all_at_once:
            self._up = tuple(filter(self._may_play, range(self.players)))
            return True
        if again and self._hit_shoots_again and self._may_play(after):
            self._up = (after,)
            return False
        for step in range(1, self.players + 1):
            up = (after + step) % self.players
            if self._may_play(up):
                self._up = (up,)
                return self._place_in_order(up) <= self._place_in_order(after)
        self._up = ()
        return False

    def _place_in_order(self, seat: int) -> int:
        return (seat - self.first) % self.players

    def _may_play(self, number: int) -> bool:
        seat = self._seats[number]
        if seat.presence is not _PRESENT or seat.fleet is None:
            return False
        if self._goal_is_fleet and not seat.afloat:
            return False
        return not self._repeat_is_illegal or self._fresh > seat.fresh

    def _fresh_cells(self, number: int) -> int:
        """The number of cells on the other seats' boards that were not shot at."""
        return self._fresh - self._seats[number].fresh

    def _still_in(self) -> list[int]:
        return [i for i, seat in enumerate(self._seats) if seat.presence is not _OUT]

    def _remove(self, gone: Gone) -> None:
        if self.is_placing:
            self._fresh -= self._seats[gone.seat].fresh
            self._seats[gone.seat] = _Seat()  # its fleet, if it has one, leaves the game too
        self._set_presence(gone.seat, _OUT)
        self._seats[gone.seat].gone = gone

    def _set_presence(self, seat: int, presence: _Presence) -> None:
        self._seats[seat].presence = presence
        self._present = tuple(seat.presence is _PRESENT for seat in self._seats)

    # How it ends

    def _end(
        self,
        winner: int | None,
        termination: Termination,
        detail: str = "",
        scores: tuple[int, ...] | None = None,
    ) -> tuple[Event, ...]:
        if not self._goal_is_fleet:
            scores = self._points()
        loser = 1 - winner if winner is not None and self.players == 2 else None
        self.outcome = Outcome(winner, loser, termination, detail, scores=scores)
        return (self.outcome,)

    def _end_if_alone(self, gone: Sequence[Gone]) -> tuple[Event, ...]:
        """End the game if these forfeits leave at most one seat in it."""
        if not gone:
            return ()
        still_in = self._still_in()
        if len(still_in) > 1:
            return ()
        if still_in:
            termination = gone[0].termination
            assert termination is not None, "who may come back is still in"
            return self._end(still_in[0], termination, gone[0].detail)
        both = Termination.BOTH_FAILED if self.rules.has_ties else Termination.VOID
        most = min(MOST_SAID, MOST_DETAIL // len(gone) - 2)
        return self._end(None, both, "; ".join(shortened(one.detail, most) for one in gone))

    def _end_if_decided(self, round_over: bool) -> tuple[Event, ...]:
        """Count a round that is over. End the game if fleets or points decide it, if the goal is
        points and no ship is left to hit, or if the round limit is reached."""
        if self.outcome:
            return ()
        afloat = [i for i, s in enumerate(self._seats) if s.afloat and s.presence is not _OUT]
        decided = self._goal_is_fleet and len(afloat) < 2
        # The last turn of a game does not complete a round, unless all seats shoot at once.
        if not decided or self._all_at_once:
            self.rounds += round_over
        if decided:
            return self._end(afloat[0] if afloat else None, Termination.FLEET_DESTROYED)
        at_limit = round_over and self.rounds == self.rules.round_limit
        if self._goal_is_fleet and not at_limit:
            return ()
        present = [i for i, s in enumerate(self._seats) if s.presence is _PRESENT]
        if not self._goal_is_fleet:
            points = self._points()
            best = max((points[seat] for seat in present), default=0)
            if round_over and best >= self.rules.points_goal:
                return self._end(_best(points, present), Termination.GOAL)
            alive = {seat for seat in present if self._seats[seat].afloat}
            if not any(alive - {seat} for seat in present):
                return self._end(_best(points, present), Termination.ALL_DEAD)
        if at_limit:
            ships = tuple(len(seat.afloat) for seat in self._seats)
            scores = ships if self._goal_is_fleet else self._points()
            return self._end(_best(scores, present), Termination.ROUND_LIMIT, scores=scores)
        return ()

    def _points(self) -> tuple[int, ...]:
        return tuple(seat.points for seat in self._seats)


def _best(scores: Sequence[int], seats: Sequence[int]) -> int | None:
    """The one of ``seats`` with the best score, or None if several share the best score or there
    are no seats."""
    best = max((scores[seat] for seat in seats), default=None)
    leaders = [seat for seat in seats if scores[seat] == best]
    return leaders[0] if len(leaders) == 1 else None
