"""A naive oracle of the engine, written from the text of the rules alone.

Its law: sets of (seat, column, row), lists and plain ints; whatever can be counted from the fleets
and the shots is counted anew at every question. It shares no code with `judge`: of a `Rules` and
of a `Ship` it reads fields, and their enums compare equal to the strings that stand here. It is
slow and has no events; it is there to disagree with.

Calls answer None when they are allowed, else the kind of the error: "out-of-turn", "illegal-fleet"
or "illegal-move".
"""

from __future__ import annotations

OUT_OF_TURN, ILLEGAL_FLEET, ILLEGAL_MOVE = "out-of-turn", "illegal-fleet", "illegal-move"
REPEAT, MISS, HIT, SUNK = 0, 1, 3, 4


def cells_of(ship):
    """The (column, row) of a ship, from its left or top end."""
    across = ship.orientation == "horizontal"
    return [
        (ship.column + i, ship.row) if across else (ship.column, ship.row + i)
        for i in range(ship.length)
    ]


class Oracle:
    """One game. Seats are numbers; a target is a (seat, column, row)."""

    def __init__(self, rules, players=2, first=0):
        self.rules = rules
        self.first = first
        self.seats = list(range(players))
        self.fleets = {}  # seat -> ships, once placed
        self.out = {}  # seat -> termination, gone for good
        self.away = set()  # seats that left and may come back
        self.shots = []  # (seat, target, column, row, result, length sunk or None, that ship)
        self.playing = False
        self.rounds = 0
        self.turn = None  # the seat that is up, unless all play at once
        self.asked = []  # all at once: the seats of this round
        self.answers = {}  # all at once: seat -> targets, or a termination that it goes with
        self.over = None  # (winner, loser, termination, scores)

    # What can be counted

    def grid(self):
        return {(c, r) for c in range(self.rules.columns) for r in range(self.rules.rows)}

    def shot_at(self):
        return {(target, column, row) for _, target, column, row, *_ in self.shots}

    def present(self):
        return [s for s in self.seats if s not in self.out and s not in self.away]

    def fresh(self, seat):
        """The cells that this seat could shoot at and that nobody has shot at."""
        boards = [t for t in self.fleets if t != seat]
        return {(t, c, r) for t in boards for c, r in self.grid()} - self.shot_at()

    def afloat(self, seat):
        """The lengths of the seat's ships that have a cell left."""
        shot = self.shot_at()
        ships = self.fleets.get(seat, ())
        return [s.length for s in ships if any((seat, c, r) not in shot for c, r in cells_of(s))]

    def points(self, seat):
        return len(
            [1 for shooter, _, _, _, result, *_ in self.shots if shooter == seat and result >= HIT]
        )

    def still_in(self):
        """Who is not gone for good: who is away may come back, and may yet be the last one."""
        return [s for s in self.seats if s not in self.out]

    def has_forfeited(self, seat):
        """All at once: in this very round, so that it is not out yet."""
        return isinstance(self.answers.get(seat), str)

    def may_play(self, seat):
        if seat not in self.present():
            return False
        if self.rules.goal == "fleet" and not self.afloat(seat):
            return False
        return self.rules.repeat != "illegal" or bool(self.fresh(seat))

    # What is asked

    def to_move(self):
        if self.over:
            return ()
        if not self.playing:
            awaited = [s for s in self.seats if s not in self.fleets and s not in self.out]
            if self.rules.placing == "in-turn":
                return tuple(sorted(awaited, key=self.place_in_cycle)[:1])
            return tuple(awaited)
        if self.rules.turn == "both":
            return tuple(s for s in self.asked if s not in self.answers)
        return () if self.turn is None else (self.turn,)

    def shots_due(self, seat):
        if not self.playing or seat not in self.to_move():
            return 0
        if self.rules.turn != "salvo":
            return 1
        afloat = self.afloat(seat)
        due = len(afloat) + len([length for length in afloat if length in self.rules.salvo_bonus])
        if self.rules.repeat == "illegal":
            due = min(due, len(self.fresh(seat)))
        return max(due, 1)

    def told(self):
        """The shots in order as (seat, target, column, row, result, sunk, ship, repeat) are
        told."""
        answers = {}  # (target, column, row) -> what its first shot was told
        lines = []
        for seat, target, column, row, result, sunk, ship in self.shots:
            place = (target, column, row)
            said = result == REPEAT and self.rules.repeat not in ("old-answer", "miss")
            if result == REPEAT and self.rules.repeat == "miss":
                answer = (MISS, None, None)
            elif result == REPEAT:
                answer = answers[place]
            elif result == SUNK:
                answer = {
                    "ship": (SUNK, sunk, ship),
                    "size": (SUNK, sunk, None),
                    "sunk": (SUNK, None, None),
                    "nothing": (HIT, None, None),
                }[self.rules.sinking]
            else:
                answer = (result, None, None)
            answers.setdefault(place, answer)
            lines.append((seat, *place, *answer, said))
        return lines

    def view(self, seat):
        return {
            "seat": seat,
            "players": len(self.seats),
            "first": self.first,
            "rules": self.rules,
            "fleet": self.fleets.get(seat),
            "shots": self.told(),
            "due": self.shots_due(seat),
            "rounds": self.rounds,
            "present": [s in self.present() for s in self.seats],
        }

    def outcome(self):
        return self.over

    # Placing

    def place(self, seat, fleet):
        if self.playing or seat not in self.to_move():
            return OUT_OF_TURN
        cells = [cell for ship in fleet for cell in cells_of(ship)]
        if sorted(ship.length for ship in fleet) != sorted(self.rules.fleet):
            return ILLEGAL_FLEET
        if len(set(cells)) < len(cells) or not set(cells) <= self.grid():
            return ILLEGAL_FLEET
        self.fleets[seat] = fleet
        self.settle_placing()
        return None

    def settle_placing(self):
        for seat in self.out:
            self.fleets.pop(seat, None)  # never in the game
        left = self.present()
        waiting = any(s not in self.fleets for s in left)
        # Seat by seat or ship by ship, nobody is asked any more once there is no opponent.
        in_steps = self.rules.placing in ("in-turn", "ship-by-ship")
        if waiting and not (in_steps and len(left) <= 1):
            return
        if not left:
            self.end(None, self.both_failed())
        elif len(left) == 1:
            self.end(left[0], self.out[min(self.out)])
        else:
            self.playing = True
            if self.rules.turn == "both":
                self.asked = left
            else:
                self.turn = min(left, key=self.place_in_cycle)

    def place_in_cycle(self, seat):
        return (seat - self.first) % len(self.seats)

    # Shooting

    def shoot(self, seat, targets):
        if not self.playing or seat not in self.to_move():
            return OUT_OF_TURN
        if len(targets) != self.shots_due(seat):
            return ILLEGAL_MOVE
        for target, column, row in targets:
            if target == seat or target not in self.fleets or (column, row) not in self.grid():
                return ILLEGAL_MOVE
        repeated = len(set(targets)) < len(targets) or set(targets) & self.shot_at()
        if repeated and self.rules.repeat == "illegal":
            return ILLEGAL_MOVE
        self.answer(seat, targets)
        return None

    def skip(self, seat):
        if not self.playing or seat not in self.to_move():
            return OUT_OF_TURN
        if not self.rules.may_skip:
            return ILLEGAL_MOVE
        self.answer(seat, [])
        return None

    def answer(self, seat, targets):
        if self.rules.turn == "both":
            self.answers[seat] = targets
            self.resolve()
            return
        for target in targets:
            self.fire(seat, target)
        self.look(round_ended=False, only_fleets=True)
        if self.over:
            return
        again = self.rules.turn == "hit-again" and targets and self.shots[-1][4] >= HIT
        ended = False if again and self.may_play(seat) else self.pass_on()
        self.look(ended)

    def fire(self, seat, place):
        target, *cell = place
        result, sunk, sinks = MISS, None, None
        if place in self.shot_at():
            result = REPEAT
        for ship in self.fleets[target]:
            if result != REPEAT and tuple(cell) in cells_of(ship):
                places = {(target, c, r) for c, r in cells_of(ship)}
                left = places - self.shot_at() - {place}
                result = HIT if left else SUNK
                sunk, sinks = (None, None) if left else (ship.length, ship)
        self.shots.append((seat, *place, result, sunk, sinks))

    def pass_on(self):
        """Whether that ended a round; it does not when nobody is left to pass to."""
        old = self.turn
        cycle = [(old + i) % len(self.seats) for i in range(1, len(self.seats) + 1)]
        able = [s for s in cycle if self.may_play(s)]
        self.turn = able[0] if able else None
        if not able or self.place_in_cycle(self.turn) > self.place_in_cycle(old):
            return False
        self.rounds += 1
        return True

    def resolve(self):
        """All at once: once every answer of the round is in."""
        if not self.asked or any(s not in self.answers for s in self.asked):
            return
        going = {s: a for s, a in sorted(self.answers.items()) if isinstance(a, str)}
        self.out.update(going)
        self.away -= set(going)
        if going and self.end_by_going(going[min(going)]):
            return
        for seat in self.asked:
            if seat not in going:
                for target in self.answers[seat]:
                    self.fire(seat, target)
        self.rounds += 1
        self.new_round()
        self.look(round_ended=True)

    def new_round(self):
        self.answers = {}
        self.asked = [s for s in self.seats if self.may_play(s)]

    # Going

    def resign(self, seat):
        return self.forfeit(seat, "resigned")

    def forfeit(self, seat, termination, _detail=""):
        if self.over or seat not in self.still_in() or self.has_forfeited(seat):
            return OUT_OF_TURN
        if seat in self.asked:
            self.answers[seat] = str(termination)
            self.resolve()
            return None
        self.away.discard(seat)
        self.out[seat] = str(termination)
        if not self.playing:
            self.settle_placing()
        elif not self.end_by_going(str(termination)):
            self.gone(seat)
        return None

    def forfeit_together(self, going):
        """Pairs of seat and termination, of one step: a fleet, or a round of all at once."""
        if self.over or any(s not in self.still_in() or self.has_forfeited(s) for s, _ in going):
            return OUT_OF_TURN
        if self.playing:
            self.answers.update({seat: str(how) for seat, how in going})
            for seat in self.asked:
                self.answers.setdefault(seat, [])  # what has not come in does not count
            self.resolve()
        else:
            self.out.update({seat: str(how) for seat, how in going})
            self.settle_placing()
        return None

    def leave(self, seat):
        if self.over or seat not in self.present() or self.has_forfeited(seat):
            return OUT_OF_TURN
        if not self.rules.may_return or not self.playing:
            return self.forfeit(seat, "left")
        self.away.add(seat)
        self.answers.pop(seat, None)
        if seat in self.asked:
            self.asked.remove(seat)
            if any(s not in self.answers for s in self.asked):
                return None  # the round is judged when it is over
            if not self.asked:  # a round that all have left does not count
                self.new_round()
            self.resolve()
        if not self.over:
            self.gone(seat)
        return None

    def come_back(self, seat):
        if self.over or seat not in self.away:
            return OUT_OF_TURN
        self.away.remove(seat)
        if self.rules.turn == "both":
            if not self.asked:
                self.new_round()
        elif self.turn is None and self.may_play(seat):
            self.turn = seat
        return None

    def gone(self, seat):
        self.look(round_ended=False, only_fleets=True)
        if not self.over:
            self.look(self.pass_on() if seat == self.turn else False)

    def end_by_going(self, termination):
        left = self.still_in()
        if len(left) > 1:
            return False
        self.end(*((left[0], termination) if left else (None, self.both_failed())))
        return True

    def both_failed(self):
        """How it ends when nobody is left: a tie where games can be tied, else it is void."""
        rules = self.rules
        ties = rules.turn == "both" or rules.goal == "points" or rules.round_limit is not None
        return "both-failed" if ties else "void"

    # The end

    def look(self, round_ended, only_fleets=False):
        if self.rules.goal == "fleet":
            left = [s for s in self.still_in() if self.afloat(s)]
            if len(left) <= 1:
                self.end(left[0] if left else None, "fleet-destroyed")
        if self.over or only_fleets:
            return
        here = self.present()
        if self.rules.goal == "points":
            goal = sum(self.rules.fleet) if self.rules.points is None else self.rules.points
            points = {s: self.points(s) for s in here}
            alive = [s for s in here if self.afloat(s)]
            if round_ended and max(points.values(), default=0) >= goal:
                self.end(best(points), "goal")
            elif not any(s != t for s in here for t in alive):
                self.end(best(points), "all-dead")
        else:
            points = {s: len(self.afloat(s)) for s in here}
        limit = self.rules.round_limit
        if not self.over and round_ended and limit is not None and self.rounds >= limit:
            self.end(best(points), "round-limit")

    def end(self, winner, termination):
        loser = None
        if len(self.seats) == 2 and winner is not None:
            loser = 1 - winner
        scores = None
        if self.rules.goal == "points":
            scores = tuple(self.points(s) for s in self.seats)
        elif termination == "round-limit":
            scores = tuple(len(self.afloat(s)) for s in self.seats)
        self.over = (winner, loser, termination, scores)


def best(points):
    """The seat with the most, or None when several have it, or nobody is there."""
    first = [s for s in points if points[s] == max(points.values())]
    return first[0] if len(first) == 1 else None
