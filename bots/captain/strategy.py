"""The strategy of captain: where to shoot, and how to place a fleet, on any board.

It fires where most of the fleets that are still possible have a ship. A fleet is possible if it
explains all that is told: each hit, each miss, and each sinking as far as the rules tell of it. Few
fleets are listed. Many are drawn by a Markov chain: one or two ships of a fleet at a time are drawn
anew, so that in the long run all possible fleets come up as often.

A volley is declared before any of its shots is answered. So each of its cells is the one that tells
the most beside those that are chosen already.

The number of draws depends on the position alone. A clock ends them only at a deadline.

A cell is a number, column * rows + row, and a set of cells a number with a bit for each cell. A line
is such a set: a way for a ship to lie. A set of lines, or of fleets, is a number as well.
"""

import json
import sys
import time
from functools import cache
from itertools import combinations, islice, product, starmap
from math import log2, prod
from pathlib import Path

STEPS = 250  # draws for one shot; four times as many save no shots
STEPS_OF_VOLLEY = 1000  # draws for a volley
SETTLING = 60  # first draws that do not count, as they depend on where the chain begins
SHARE = 20160  # what a draw counts, divided among all lines that it might have been
LISTED = 500  # fleets that are listed
WAYS = 1_000_000  # the ships' lines, multiplied, up to which listing is tried
TRIES = 5_000  # ships that are placed, at most, to list fleets or to find a first one
HIT_BITS = 1.5  # how many bits of news a hit of a volley is worth
TIE = 0.01  # a difference in chance that is too small to matter


def bits(number):
    """The positions of the bits that are set, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


@cache
def lines_of(columns, rows, size):
    """Every way for a ship of this size to lie."""
    upright = [
        sum(1 << column * rows + row + i for i in range(size))
        for column in range(columns)
        for row in range(rows + 1 - size)
    ]
    flat = [
        sum(1 << (column + i) * rows + row for i in range(size))
        for column in range(columns + 1 - size)
        for row in range(rows)
    ]
    return list(dict.fromkeys(upright + flat))  # a ship of one cell lies both ways


def line_of(ship, rows):
    """The line of a ship as the protocol `open` tells it."""
    size, column, row, way = ship
    step = 1 if way == "vertical" else rows
    return sum(1 << column * rows + row + step * i for i in range(size))


def ship_of(line, rows):
    """The ship of a line, as the protocol `open` tells it."""
    first, *others = bits(line)
    way = "vertical" if (first + 1) % rows and others[:1] == [first + 1] else "horizontal"
    return [line.bit_count(), *divmod(first, rows), way]


class Board:
    """A board to shoot at, and what is known of it.

    ``fleet`` has the sizes of the ships whose place is not told. ``order`` has the shots that hit,
    in order. ``sinkings`` has for a shot that sank a ship the size that was told, or None; it is
    itself None if the rules tell no sinkings. ``whole`` has the sizes of ships that are sunk by
    shots that are not told.
    """

    def __init__(self, rules):
        self.columns, self.rows, self.fleet = rules["columns"], rules["rows"], [*rules["fleet"]]
        self.shot = self.hit = self.water = 0
        self.hits = 0
        self.order = {}
        self.sinkings = None if rules.get("sinking", "size") == "nothing" else {}
        self.whole = None

    def tell(self, cell, result, ship=None):
        """Note what came of a shot; of several at one cell the first counts."""
        if self.shot >> cell & 1:
            return
        self.shot |= 1 << cell
        if result not in (3, 4):
            self.water |= 1 << cell
            return
        self.hits += 1
        self.hit |= 1 << cell
        self.order[cell] = self.hits
        if isinstance(ship, list):  # where it lies is told, so that no other ship is there
            self.fleet.remove(ship[0])
            self.hit &= ~line_of(ship, self.rows)
            self.water |= line_of(ship, self.rows)
        elif result == 4:
            self.sinkings[cell] = ship

    def fresh(self):
        return ~self.shot & (1 << self.columns * self.rows) - 1

    def allows(self, line):
        """Whether a ship may lie there, as far as this line alone can tell."""
        if line & self.water:
            return False
        if self.sinkings is None:
            return True
        is_sunk, size = not line & ~self.hit, line.bit_count()
        if self.whole is not None:
            return is_sunk == (size in self.whole)
        ends = [cell for cell in bits(line & self.hit) if cell in self.sinkings]
        if not is_sunk:
            return not ends
        last = max(bits(line), key=self.order.__getitem__)
        return ends == [last] and self.sinkings[last] in (None, size)


class Ships:
    """The lines that ships of one size may take; sets of them have a bit for each.

    ``planes`` has a number for each line, written upright: its first element has the lowest bit of
    each of them, its second the next. One addition so reaches the numbers of many lines.
    """

    def __init__(self, size, lines, cells):
        self.size, self.lines = size, lines
        self.all = (1 << len(lines)) - 1
        self.through = [0] * cells  # by cell, the lines with it
        for i, line in enumerate(lines):
            for cell in bits(line):
                self.through[cell] |= 1 << i
        self.clear, self.covering = cache(self._clear), cache(self._covering)
        self.planes, self.draws = [0] * 64, 0

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

    def count(self, lines):
        """Count a draw among these lines, each as likely: a share of it for each."""
        self.draws += 1
        share, place = SHARE // lines.bit_count(), 0
        while share:
            if share & 1:
                carry, at = lines, place
                while carry:
                    self.planes[at], carry = self.planes[at] ^ carry, self.planes[at] & carry
                    at += 1
            share >>= 1
            place += 1

    def chances(self):
        """By cell, the chance that one such ship is there, after all draws."""
        planes = [(plane, 1 << i) for i, plane in enumerate(self.planes) if plane]
        total = SHARE * max(1, self.draws)
        return [
            sum((plane & lines).bit_count() * value for plane, value in planes) / total
            for lines in self.through
        ]


class Fleets:
    """The fleets that are possible on a board: listed, or drawn by a Markov chain.

    ``at`` is the fleet at which the chain is, a line for each ship, and ``drawn`` are all cells of
    the fleets that were listed or drawn.
    """

    def __init__(self, board, luck):
        self.luck, self.hit, self.cells = luck, board.hit, board.columns * board.rows
        self.kinds = {}
        for size in board.fleet:
            if size not in self.kinds:
                lines = lines_of(board.columns, board.rows, size)
                fit = [line for line in lines if board.allows(line)]
                self.kinds[size] = Ships(size, fit, self.cells)
        self.ships = [self.kinds[size] for size in board.fleet]
        self.drawn, self.tries = [], 0
        self.at = None

    def look(self, steps, deadline, *, keep):
        """The mean number of ships on each cell; keep the fleets if they are asked for."""
        if prod(len(ship.lines) for ship in self.ships) <= WAYS:
            fleets = [tuple(sorted(at)) for at in islice(self.all_from([], 0), LISTED)]
            if len(fleets) < LISTED and self.tries < TRIES:  # these are all
                self.drawn = [sum(fleet) for fleet in dict.fromkeys(fleets)]  # equal ships: once
                return [n / max(1, len(self.drawn)) for n in map(int.bit_count, self.by_cell())]
        self.tries = 0
        self.at = next(self.all_from([], 0), None)
        if self.at is None:
            return [0] * self.cells
        for step in range(-SETTLING, steps):
            if step == 0:
                for ship in self.kinds.values():
                    ship.planes, ship.draws = [0] * 64, 0
            self.step()
            if keep and step >= 0 and not step % 2:
                self.drawn.append(sum(self.at))
            if not step % 256 and time.monotonic() > deadline:
                print("captain: the clock has ended the draws", file=sys.stderr)
                break
        chances = [
            [n * self.ships.count(ship) for n in ship.chances()] for ship in self.kinds.values()
        ]
        return [sum(numbers) for numbers in zip(*chances, strict=True)]

    def by_cell(self):
        """By cell, the set of those drawn fleets that have it."""
        texts = zip(*(f"{cells:0{self.cells}b}" for cells in self.drawn), strict=True)
        return [int("".join(text), 2) for text in texts][::-1] or [0] * self.cells

    def all_from(self, at, taken):
        """Every fleet that begins with these ships, by number and line, in random order.

        Ships for a hit come first, for the hit that the fewest lines can explain; then the others.
        """
        done = dict(at)
        left = {id(ship): i for i, ship in enumerate(self.ships) if i not in done}
        if not left:
            if not self.hit & ~taken:
                yield [done[i] for i in range(len(self.ships))]
            return
        free = {i: self.ships[i].clear(taken) for i in left.values()}  # one ship of each size
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
        for option in options:
            self.tries += 1
            if self.tries > TRIES:
                return
            yield from self.all_from([*at, option], taken | option[1])

    def step(self):
        """Draw a ship anew among the lines that are clear of the others and cover its hits.

        A hit passes from one ship to another only if both move. So a second ship is chosen, and
        if the two cover a hit, both are drawn anew.
        """
        at, random_ = self.at, self.luck.random
        one = int(random_() * len(at))
        if self.hit and len(at) > 1:
            two = (one + 1 + int(random_() * (len(at) - 1))) % len(at)
            if hits := (at[one] | at[two]) & self.hit:
                self.step_of_two(one, two, hits)
                return
        lines = self.ships[one].covering(at[one] & self.hit) & self.clear_of_all_but(one, one)
        self.ships[one].count(lines)
        at[one] = self.ships[one].lines[self.one_of(lines)]

    def step_of_two(self, one, two, hits):
        """Draw two ships anew that cover these hits together, one of them the first hit."""
        first = (hits & -hits).bit_length() - 1
        ways, total = [], 0
        for covers, other in ((one, two), (two, one)):
            ship, rest = self.ships[covers], self.ships[other]
            others = self.clear_of_all_but(other, covers)
            for i in bits(self.clear_of_all_but(covers, other) & ship.through[first]):
                line = ship.lines[i]
                lines = others & rest.clear(line) & rest.covering(hits & ~line)
                if lines:
                    total += lines.bit_count()
                    ways.append((total, covers, i, other, lines))
        drawn = self.luck.random() * total
        _, covers, i, other, lines = next(way for way in ways if drawn < way[0])
        self.ships[one].count(1 << i if covers == one else lines)
        self.at[covers] = self.ships[covers].lines[i]
        self.at[other] = self.ships[other].lines[self.one_of(lines)]

    def clear_of_all_but(self, one, two):
        """The lines of ship ``one`` that cross no ship but these two."""
        ship = self.ships[one]
        lines = ship.all
        for i, line in enumerate(self.at):
            if i not in (one, two):
                lines &= ship.clear(line)
        return lines

    def one_of(self, lines):
        """One of the lines, each as likely: drop half of them at random until one is left."""
        width = lines.bit_length()
        while lines & lines - 1:
            lines = lines & self.luck.getrandbits(width) or lines
        return lines.bit_length() - 1


def best_shot(boards, luck, deadline, points):
    """The seat and the cell that are most likely to be hit.

    Among equal chances it takes those at the player with the fewest points. The leader cannot shoot
    at its own board, so that the boards of the others are what the leader lives on.
    """
    chances = {}
    for seat, board in boards.items():
        found = Fleets(board, luck).look(STEPS, deadline, keep=False)
        chances.update({(seat, cell): found[cell] for cell in bits(board.fresh())})
    most = max(chances.values()) - (TIE if len(boards) > 1 else 0)
    equal = [target for target, chance in chances.items() if chance >= most]
    return min(equal, key=lambda target: (points[target[0]], -chances[target]))


def best_volley(boards, due, luck, deadline):
    """The cells of a volley, chosen one after another by the news that each adds to the others.

    News is counted in bits, and a likely hit adds to it: a ship that is sunk early fires no more. The
    fleets are parted into groups by what the shots that are chosen already would find.
    """
    volley, fresh, groups = [], {}, {}
    chances, having = {}, {}
    for seat, board in boards.items():
        fleets = Fleets(board, luck)
        chances[seat] = fleets.look(STEPS_OF_VOLLEY, deadline, keep=True)
        having[seat] = fleets.by_cell()
        groups[seat] = [(1 << len(fleets.drawn)) - 1]
        fresh.update(dict.fromkeys((seat, cell) for cell in bits(board.fresh())))
    in_bits = cache(lambda number: number * log2(number) if number else 0)

    def worth(target):
        seat, cell = target
        news = 0
        for group in groups[seat]:
            all_, struck = group.bit_count(), (group & having[seat][cell]).bit_count()
            news += in_bits(all_) - in_bits(struck) - in_bits(all_ - struck)
        drawn = sum(map(int.bit_count, groups[seat]))
        return news / max(1, drawn) + HIT_BITS * chances[seat][cell]

    while fresh and len(volley) < due:
        seat, cell = best = max(fresh, key=worth)
        volley.append(best)
        del fresh[best]
        cells = having[seat][cell]
        parts = [part for group in groups[seat] for part in (group & cells, group & ~cells)]
        groups[seat] = [part for part in parts if part]
    return volley


def place(rules, luck, ships=()):
    """A fleet that begins with those ships. Each line is drawn by its weight; the whole is drawn
    anew if two ships cross, and often if two touch: who finds one of them may find the other."""
    columns, rows = rules["columns"], rules["rows"]
    lying = [line_of(ship, rows) for ship in ships]
    ways = [lines_of(columns, rows, size) for size in rules["fleet"][len(lying) :]]
    tables = json.loads(Path(__file__).with_name("placement.json").read_text())
    table = tables.get(f"{columns}x{rows}", {"touching": 1, "lines": {}})
    weights = table["lines"]
    heavy = [[weight(ship_of(line, rows), columns, weights) for line in lines] for lines in ways]
    for _ in range(1000):
        fleet = lying + [luck.choices(*way)[0] for way in zip(ways, heavy, strict=True)]
        is_legal = len(set().union(*map(bits, fleet))) == sum(rules["fleet"])
        if is_legal and luck.random() < table["touching"] ** touching(fleet, rows):
            return fleet
    begun = list(enumerate(lying))  # the board is nearly full
    return next(Fleets(Board(rules), luck).all_from(begun, sum(lying)))


def touching(fleet, rows):
    """How many pairs of ships have cells side by side."""

    def adjacent(one, other):
        return abs(one // rows - other // rows) + abs(one % rows - other % rows) == 1

    pairs = combinations([[*bits(line)] for line in fleet], 2)
    return sum(any(starmap(adjacent, product(*pair))) for pair in pairs)


def weight(ship, side, weights):
    """How heavy a line is, by the row that it lies in, and its place in the row, from the edge."""
    size, column, row, way = ship
    across, along = (column, row) if way == "vertical" else (row, column)
    rows = weights.get(str(size))
    return rows[min(across, side - 1 - across)][min(along, side - size - along)] if rows else 1
