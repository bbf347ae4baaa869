"""The strategy of captain: where to shoot, and how to place a fleet, on any board.

It shoots at the cell that has a ship in most of the fleets that are still possible. A fleet is
possible if it explains all that is told: each hit, each miss, and each sinking as far as the rules
tell of it. If few fleets are possible, all of them are listed. If many are, a Markov chain draws
some: each step draws one or two ships of a fleet anew, so that in the long run all possible fleets
come up equally often.

A volley is declared before any of its shots is answered. So its cells are chosen one after another,
each for what it tells beside those that are chosen already.

The number of steps depends on the position alone. A clock ends the search only at a deadline.

A cell is a number, column * rows + row. A line is the cells of a ship that lies somewhere. Sets of
cells, of lines and of fleets are numbers as well, with a bit for each member; so a line is a number.
"""

import json
import sys
import time
from functools import cache
from itertools import combinations, islice
from math import inf, log2, prod
from pathlib import Path

HIT, SUNK = 3, 4  # results of a shot, as the wire `open` tells them
STEPS = 250  # of the chain for a shot; four times as many save no shots
STEPS_OF_VOLLEY = 1000
SETTLING = 60  # first steps, which do not count, as they depend on the fleet that comes first
UNIT = 20160  # the weight of a step: a whole number, so that equal chances are exactly equal
LISTED = 500  # fewer fleets than this are listed
WAYS = 1_000_000  # listing is tried if the numbers of the ships' lines, multiplied, are no more
TRIES = 5_000  # ships that are placed, at most, to list fleets or to find the first one
SHARE_OF_LIMIT = 0.75  # after which the clock ends the search
HIT_BITS = 1.5  # the bits of news that a hit of a volley is worth
TIE = 0.01  # a difference in chance that is too small to matter
PLACINGS = 1000  # fleets that are drawn, at most, to place one


class Clock:
    """Ends the search shortly before the time for an answer is over, and says so on stderr."""

    def __init__(self, limit_ms):
        self.deadline = time.monotonic() + SHARE_OF_LIMIT * limit_ms / 1000
        self.is_announced = False

    def has_ended(self):
        if time.monotonic() <= self.deadline:
            return False
        if not self.is_announced:
            self.is_announced = True
            print("captain: the clock has ended the search", file=sys.stderr)
        return True


def bits(number):
    """The positions of the bits that are set, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


@cache
def lines_of(columns, rows, size):
    """Every line of a ship of this size."""
    vertical = [
        sum(1 << column * rows + row + i for i in range(size))
        for column in range(columns)
        for row in range(rows + 1 - size)
    ]
    horizontal = [
        sum(1 << (column + i) * rows + row for i in range(size))
        for column in range(columns + 1 - size)
        for row in range(rows)
    ]
    return list(dict.fromkeys(vertical + horizontal))  # a ship of one cell has each line twice


def line_of(ship, rows):
    """The line of a ship as the wire `open` tells it."""
    size, column, row, orientation = ship
    step = 1 if orientation == "vertical" else rows
    return sum(1 << column * rows + row + step * i for i in range(size))


def ship_of(line, rows):
    """The ship with this line, as the wire `open` tells it."""
    first, *others = bits(line)
    is_vertical = (first + 1) % rows and others[:1] == [first + 1]
    orientation = "vertical" if is_vertical else "horizontal"
    return [line.bit_count(), *divmod(first, rows), orientation]


class Board:
    """A board to shoot at, and what is known of it.

    A ship that is told whole when it sinks is done with: it is no longer in ``fleet``, and its hits
    are no longer in ``hit``.
    """

    def __init__(self, rules):
        self.columns, self.rows = rules["columns"], rules["rows"]
        self.fleet = [*rules["fleet"]]  # sizes of ships whose place is not told
        self.shot = 0  # cells that were shot at
        self.hit = 0  # cells that the ships in `fleet` have to explain
        self.empty = 0  # cells that none of these ships can have
        self.hits = 0  # their number, on all ships
        self.order = {}  # by cell, the number of the hit there
        # By the cell of a shot that sank a ship, the size that was told, or None.
        self.sinkings = None if rules.get("sinking", "size") == "nothing" else {}
        self.sunk_sizes = None  # set if it is told which sizes are sunk, but not by which shots

    def note(self, cell, result, ship=None):
        """Note the result of a shot. Only the first of several shots at one cell counts."""
        if self.shot >> cell & 1:
            return
        self.shot |= 1 << cell
        if result not in (HIT, SUNK):
            self.empty |= 1 << cell
            return
        self.hits += 1
        self.hit |= 1 << cell
        self.order[cell] = self.hits
        if isinstance(ship, list):
            self.fleet.remove(ship[0])
            self.hit &= ~line_of(ship, self.rows)
            self.empty |= line_of(ship, self.rows)
        elif result == SUNK:
            self.sinkings[cell] = ship

    def fresh(self):
        """The cells that were not shot at."""
        return ~self.shot & (1 << self.columns * self.rows) - 1

    def allows(self, line):
        """Whether a ship may lie there, as far as this line alone can tell."""
        if line & self.empty:
            return False
        if self.sinkings is None:
            return True
        is_sunk, size = not line & ~self.hit, line.bit_count()
        if self.sunk_sizes is not None:
            return is_sunk == (size in self.sunk_sizes)
        sinking = [cell for cell in bits(line & self.hit) if cell in self.sinkings]
        if not is_sunk:
            return not sinking
        last = max(bits(line), key=self.order.__getitem__)
        return sinking == [last] and self.sinkings[last] in (None, size)


class Kind:
    """The ships of one size: the lines that they may have, and how often the chain drew each."""

    def __init__(self, size, lines, cells):
        self.size, self.lines = size, lines
        self.all = (1 << len(lines)) - 1
        self.through = [0] * cells  # by cell, the lines that have it
        for i, line in enumerate(lines):
            for cell in bits(line):
                self.through[cell] |= 1 << i
        self.clear, self.covering = cache(self._clear), cache(self._covering)
        self.forget()

    def _clear(self, cells):
        """The lines that have none of the cells."""
        crossing = 0
        for cell in bits(cells):
            crossing |= self.through[cell]
        return self.all & ~crossing

    def _covering(self, cells):
        """The lines that have all of the cells."""
        found = self.all
        for cell in bits(cells):
            found &= self.through[cell]
        return found

    def forget(self):
        """Forget all steps."""
        self.steps = 0
        self.weights = {}  # by set of lines

    def count(self, lines):
        """Count a step that drew one of these lines. Each was as likely, so all share the weight."""
        self.steps += 1
        self.weights[lines] = self.weights.get(lines, 0) + UNIT // lines.bit_count()

    def chances(self):
        """By cell, the chance that one such ship is there, after all steps."""
        total = UNIT * max(1, self.steps)
        weights = self.weights.items()
        return [
            sum([(lines & through).bit_count() * weight for lines, weight in weights]) / total
            for through in self.through
        ]


class Fleets:
    """The fleets that are possible on a board: a list of all, or a sample.

    A fleet is a list of lines, one for each ship of the board's fleet.
    """

    def __init__(self, board, luck, clock):
        self.luck, self.clock = luck, clock
        self.hit, self.cells = board.hit, board.columns * board.rows
        kinds = {}
        for size in dict.fromkeys(board.fleet):
            lines = lines_of(board.columns, board.rows, size)
            kinds[size] = Kind(size, [line for line in lines if board.allows(line)], self.cells)
        self.kinds = list(kinds.values())
        self.ships = [kinds[size] for size in board.fleet]  # the kind of each ship
        self.tries = 0  # ships that were placed
        self.fleet = None  # that the chain has reached
        self.found = []  # the cells of each fleet that is listed, or of every second in the chain

    def chances(self, steps):
        """By cell, the mean number of ships there: how likely a shot is to hit."""
        if prod(len(kind.lines) for kind in self.ships) <= WAYS:
            fleets = list(islice(self.all_with({}), LISTED))
            if len(fleets) < LISTED and self.tries < TRIES:  # these are all
                different = {tuple(sorted(fleet)): sum(fleet) for fleet in fleets}
                self.found = list(different.values())
                return [n.bit_count() / max(1, len(different)) for n in self.found_by_cell()]
        self.tries = 0
        self.fleet = next(self.all_with({}), None)
        if self.fleet is None:
            return [0] * self.cells
        for step in range(-SETTLING, steps):
            if step == 0:
                for kind in self.kinds:
                    kind.forget()
            self.step()
            if step >= 0 and not step % 2:
                self.found.append(sum(self.fleet))
            if self.clock.has_ended():
                break
        chances = [[n * self.ships.count(kind) for n in kind.chances()] for kind in self.kinds]
        return [sum(numbers) for numbers in zip(*chances, strict=True)]

    def found_by_cell(self):
        """By cell, the set of those fleets in ``found`` that have a ship there."""
        by_cell = [0] * self.cells
        for i, fleet in enumerate(self.found):
            for cell in bits(fleet):
                by_cell[cell] |= 1 << i
        return by_cell

    def all_with(self, lying):
        """Every fleet in which these ships lie, in random order; ``lying`` has lines by ship.

        While a hit is not explained, the next ship is one that explains it; the hit with the fewest
        such lines comes first. Then the longest ship is next. After `TRIES` it gives up.
        """
        taken = sum(lying.values())
        if len(lying) == len(self.ships):
            if not self.hit & ~taken:
                yield [lying[i] for i in range(len(self.ships))]
            return
        left = {kind: i for i, kind in enumerate(self.ships) if i not in lying}  # one of each kind
        free = {i: kind.clear(taken) for kind, i in left.items()}
        if hits := self.hit & ~taken:
            explaining = (
                {i: lines & self.ships[i].through[cell] for i, lines in free.items()}
                for cell in bits(hits)
            )
            ways = min(explaining, key=lambda ways: sum(map(int.bit_count, ways.values())))
        else:
            longest = max(free, key=lambda i: self.ships[i].size)
            ways = {longest: free[longest]}
        options = [(i, self.ships[i].lines[n]) for i, lines in ways.items() for n in bits(lines)]
        self.luck.shuffle(options)
        for i, line in options:
            self.tries += 1
            if self.tries > TRIES or self.clock.has_ended():
                return
            yield from self.all_with({**lying, i: line})

    def step(self):
        """Draw a ship anew among the lines that are clear of the others and cover its hits.

        A hit passes from one ship to another only if both move. So a second ship is chosen, and
        if the two cover a hit, both are drawn anew.
        """
        fleet, random_ = self.fleet, self.luck.random
        ship = int(random_() * len(fleet))
        if self.hit and len(fleet) > 1:
            other = (ship + 1 + int(random_() * (len(fleet) - 1))) % len(fleet)
            if hits := (fleet[ship] | fleet[other]) & self.hit:
                self.step_of_two(ship, other, hits)
                return
        kind = self.ships[ship]
        lines = kind.covering(fleet[ship] & self.hit) & self.free(ship, ship)
        kind.count(lines)
        fleet[ship] = kind.lines[self.one_of(lines)]

    def step_of_two(self, ship, other, hits):
        """Draw two ships anew that cover these hits together.

        One of them, either, covers the first hit. Each of its lines is as likely as there are lines
        for the other ship beside it.
        """
        hit = next(bits(hits))
        ways, total = [], 0
        for first, second in ((ship, other), (other, ship)):
            kind, second_kind = self.ships[first], self.ships[second]
            second_free = self.free(second, first)
            for i in bits(self.free(first, second) & kind.through[hit]):
                line = kind.lines[i]
                lines = second_free & second_kind.clear(line) & second_kind.covering(hits & ~line)
                if lines:
                    total += lines.bit_count()
                    ways.append((total, first, i, second, lines))
        drawn = self.luck.random() * total
        _, first, i, second, lines = next(way for way in ways if drawn < way[0])
        self.ships[ship].count(1 << i if first == ship else lines)
        self.fleet[first] = self.ships[first].lines[i]
        self.fleet[second] = self.ships[second].lines[self.one_of(lines)]

    def free(self, ship, other):
        """The lines of a ship that cross no ship but itself and one other."""
        kind = self.ships[ship]
        lines = kind.all
        for i, line in enumerate(self.fleet):
            if i not in (ship, other):
                lines &= kind.clear(line)
        return lines

    def one_of(self, lines):
        """One of the lines, each as likely: drop half of them at random until one is left."""
        width = lines.bit_length()
        while lines & lines - 1:
            lines = lines & self.luck.getrandbits(width) or lines
        return lines.bit_length() - 1


def likeliest_shot(boards, luck, clock, points):
    """The seat and the cell that are most likely to be hit.

    Among equal chances it takes those at the player with the fewest points. The leader's own board
    can wait, as it is the only one at which the leader cannot shoot.
    """
    chances = {}
    for seat, board in boards.items():
        found = Fleets(board, luck, clock).chances(STEPS)
        chances.update({(seat, cell): found[cell] for cell in bits(board.fresh())})
    least = max(chances.values()) - (TIE if len(boards) > 1 else 0)
    equal = [target for target, chance in chances.items() if chance >= least]
    return min(equal, key=lambda target: (points[target[0]], -chances[target]))


def best_volley(boards, due, luck, clock):
    """The cells of a volley, chosen one after another by the news that each adds to the others.

    News is counted in bits, and a likely hit adds to it: a ship that is sunk early fires no more.
    ``groups`` has, by seat, the fleets that the shots that are chosen already would not tell apart.
    """
    volley, fresh, groups = [], {}, {}
    chances, with_ship = {}, {}
    for seat, board in boards.items():
        fleets = Fleets(board, luck, clock)
        chances[seat] = fleets.chances(STEPS_OF_VOLLEY)
        with_ship[seat] = fleets.found_by_cell()
        groups[seat] = [(1 << len(fleets.found)) - 1]
        fresh.update(dict.fromkeys((seat, cell) for cell in bits(board.fresh())))
    in_bits = cache(lambda number: number * log2(number) if number else 0)

    def worth(target):
        seat, cell = target
        hit = HIT_BITS * chances[seat][cell]
        if clock.has_ended():
            return hit
        news = 0
        for group in groups[seat]:
            all_, struck = group.bit_count(), (group & with_ship[seat][cell]).bit_count()
            news += in_bits(all_) - in_bits(struck) - in_bits(all_ - struck)
        return news / max(1, sum(map(int.bit_count, groups[seat]))) + hit

    while fresh and len(volley) < due:
        seat, cell = best = max(fresh, key=worth)
        volley.append(best)
        del fresh[best]
        struck = with_ship[seat][cell]
        parts = [part for group in groups[seat] for part in (group & struck, group & ~struck)]
        groups[seat] = [part for part in parts if part]
    return volley


def place(rules, luck, ships=()):
    """A fleet, as lines, that begins with these ships.

    Each line is drawn by its weight. The whole is drawn anew if two ships cross, and often if two
    touch: who finds one of them may find the other.
    """
    columns, rows = rules["columns"], rules["rows"]
    lying = [line_of(ship, rows) for ship in ships]
    choices = [lines_of(columns, rows, size) for size in rules["fleet"][len(lying) :]]
    tables = json.loads(Path(__file__).with_name("placement.json").read_text())
    table = tables.get(f"{columns}x{rows}", {"touching": 1, "lines": {}})
    weights = [
        [weight(ship_of(line, rows), columns, table["lines"]) for line in lines]
        for lines in choices
    ]
    for _ in range(PLACINGS):
        drawn = [luck.choices(*pair)[0] for pair in zip(choices, weights, strict=True)]
        fleet = lying + drawn
        is_legal = len(set().union(*map(bits, fleet))) == sum(rules["fleet"])
        if is_legal and luck.random() < table["touching"] ** touching(fleet, rows):
            return fleet
    # The board is nearly full. No clock ends this, as there is no reply without a fleet.
    return next(Fleets(Board(rules), luck, Clock(inf)).all_with(dict(enumerate(lying))))


def touching(fleet, rows):
    """How many pairs of ships have cells side by side."""

    def is_beside(cell, other):
        return abs(cell // rows - other // rows) + abs(cell % rows - other % rows) == 1

    return sum(
        any(is_beside(cell, other) for cell in bits(line) for other in bits(other_line))
        for line, other_line in combinations(fleet, 2)
    )


def weight(ship, side, weights):
    """How heavy a line is, by the row that it lies in, and its place in the row, from the edge."""
    size, column, row, orientation = ship
    across, along = (column, row) if orientation == "vertical" else (row, column)
    rows = weights.get(str(size))
    return rows[min(across, side - 1 - across)][min(along, side - size - along)] if rows else 1
