"""foresight: knows which of its shots sank which ship, and thinks about the shots after the next.

`exact` fires at the cell most likely to hit. That is not quite the best: a cell a little less
likely may part the fleets that are still possible better. So this bot lists those fleets, as soon
as they are few enough, and tries its best cells out: for each it sums, over all these fleets, the
misses that follow if it goes on at the likeliest cell, or, if the fleets are fewer, if it thinks
ahead once more. Earlier it fires by a table, opening.bin, for which a program has done the same
(see scripts/fleets/opening.c). If shots that are not its own have led off the table, it fires at
the likeliest cell.

How much it thinks depends on the number of fleets alone and not on a clock, so that it always
fires the same shot when it is told the same. From that it works out what its shots sank where it
is not told (result 3 for every hit): it plays its own game again, and where a hit may have sunk a
ship compares what it would have fired next, had it been told so and had it not, with what it did
fire. Whatever that leaves open is counted both ways.

A set of cells is a number: cell "XY" is bit 8 * X + Y. So is a set of fleets: bit i is fleet i.
"""

import json
import os
import random
import sys
from collections import defaultdict
from functools import cache
from heapq import nlargest
from itertools import compress
from pathlib import Path

SIDE = 8
LINES = {  # every way for a ship of each size to lie
    size: [
        sum(1 << SIDE * column + row + step * i for i in range(size))
        for step, columns, rows in ((1, SIDE, SIDE + 1 - size), (SIDE, SIDE + 1 - size, SIDE))
        for column in range(columns)
        for row in range(rows)
    ]
    for size in (2, 3, 4, 5)
}
MISS, HIT = 0, 1  # answers to a shot; one that sinks a ship is answered by the ship's size
WIDTH = 5  # cells that are tried out for a shot
MOST = 3000  # fleets that are listed
EFFORT = 50_000  # fleets at most, times WIDTH for every shot that is thought about


def bits(number):
    """The positions of the bits that are set, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


class Opening:
    """A table of what to fire, a tree: a node has a cell, and for some of the answers a next node.

    Breadth first, a byte for every node's cell, then for each one with a bit for every answer that
    has a next node. As these come in the order of their parents, counting bits finds them.
    """

    def __init__(self, path):
        table = path.read_bytes()
        self.cells, self.answers = table[: len(table) // 2], table[len(table) // 2 :]

    def next(self, node, answer):
        """The node after this one, given the answer to its shot; None where the table ends."""
        if not self.answers[node] >> answer & 1:
            return None
        earlier_siblings = self.answers[node] & (1 << answer) - 1
        before = int.from_bytes(self.answers[:node], "big")
        return 1 + before.bit_count() + earlier_siblings.bit_count()


OPENING = Opening(Path(__file__).with_name("opening.bin"))


class Pairs:
    """All ways for two ships to lie; a set of them is a number with a bit for each."""

    def __init__(self, some, others):
        self.pairs = [(one, two) for one in some for two in others if not one & two]
        self.all = (1 << len(self.pairs)) - 1
        # Turned on its side, the table of the pairs' cells gives the set of pairs with a cell.
        columns = zip(*(f"{one | two:064b}" for one, two in self.pairs), strict=True)
        self.having = [int("".join(column), 2) for column in columns][::-1] or [0] * 64
        self.pairs.reverse()  # the last one is bit 0
        self.clear_of, self.covering = cache(self._clear_of), cache(self._covering)

    def _clear_of(self, cells):
        """The pairs that have none of the cells."""
        found = self.all
        for cell in bits(cells):
            found &= ~self.having[cell]
        return found

    def _covering(self, cells):
        """The pairs that have all of the cells."""
        found = self.all
        for cell in bits(cells):
            found &= self.having[cell]
        return found

    def fitting(self, some, others, hit):
        """With each two of these lines that do not cross, the pairs that make a fleet with them.

        A fleet has no two ships crossing, and no hit is left uncovered.
        """
        for one in some:
            clear_of_one = self.clear_of(one)
            for other in others:
                if not one & other:
                    fitting = clear_of_one & self.clear_of(other)
                    if open_hits := hit & ~one & ~other:
                        fitting &= self.covering(open_hits)
                    if fitting:
                        yield one, other, fitting


def count_lines(choices, hit):
    """The number of fleets that have a line, for each line.

    A fleet is a line for each ship out of its choices, no two crossing, no hit left uncovered.
    """
    fleets = defaultdict(int)
    two, three, four, five = choices
    for some, others, rest in ((two, five, Pairs(three, four)), (three, four, Pairs(two, five))):
        for one, other, fitting in rest.fitting(some, others, hit):
            fleets[one] += fitting.bit_count()
            fleets[other] += fitting.bit_count()
    return fleets


def list_fleets(choices, hit, most):
    """The same fleets, each the lines of its ships; None if they are more than that many."""
    two, three, four, five = choices
    rest = Pairs(three, four)
    found = []
    room = most
    for one, other, fitting in rest.fitting(two, five, hit):
        room -= fitting.bit_count()
        if room < 0:
            return None
        found += [(one, *rest.pairs[i], other) for i in bits(fitting)]
    return found


class Lookahead:
    """Fleets, with the true one among them, and the gain of firing at their cells.

    ``columns`` are the cells that are fresh and in some of the fleets: (those fleets, the cell).
    """

    def __init__(self, fleets, hit):
        having, lying = defaultdict(int), defaultdict(int)
        for i, fleet in enumerate(fleets):
            for line in fleet:
                lying[line] |= 1 << i
        self.endings = defaultdict(list)  # by cell: its lines, the other cells, the fleets with it
        for line, those in sorted(lying.items()):
            for cell in bits(line & ~hit):
                having[cell] |= those
                others = line & ~hit & ~(1 << cell)
                self.endings[cell].append((line.bit_count(), others, those))
        self.all = (1 << len(fleets)) - 1
        self.columns = [(those, cell) for cell, those in sorted(having.items())]

    def after_hit(self, struck, cell, hits):
        """The fleets that the cell is in, by answers: hit, or the size sunk.

        ``hits`` are the cells hit since these fleets were listed.
        """
        groups = {}
        for size, others, those in self.endings[cell]:
            if not others & ~hits and (sunk := struck & those):
                groups[size] = groups.get(size, 0) | sunk
        for sunk in groups.values():
            struck ^= sunk
        return [*groups.values(), struck]

    def misses_after(self, shot, among, columns, hits, depth, *, bound):
        """The misses that follow this shot in all those fleets, its own included.

        Or some number not below the bound, if they are as many as that.
        """
        those, cell = shot
        struck = among & those
        left = [column for column in columns if column[1] != cell]
        misses = (among ^ struck).bit_count()
        if misses < bound:
            misses += self.misses(among ^ struck, left, hits, depth)
        for group in self.after_hit(struck, cell, hits):
            if misses >= bound:
                break
            misses += self.misses(group, left, hits | 1 << cell, depth)
        return misses

    def misses(self, among, columns, hits, depth):
        """The misses to come in all those fleets, thinking ahead for that many shots that may miss.

        From then on the shots are at the likeliest cell, the first of equals.
        """
        if not among & among - 1:  # none or one: no more misses
            return 0
        counts = [(those & among).bit_count() for those, _ in columns]
        most, fleets = max(counts, default=0), among.bit_count()
        if not most:  # all the same from here on, told apart only by which shot sank what
            return 0
        if fleets == 2 and most == 1:
            return 1
        shot = columns[counts.index(most)]
        columns = list(compress(columns, counts))
        if depth and most < fleets:
            return self.best(among, columns, hits, depth)[0]
        return self.misses_after(shot, among, columns, hits, depth, bound=fleets * SIDE * SIDE)

    def tried(self, among, columns, width):
        """The shots that are tried out, at most ``width`` of them, likeliest first.

        A cell that is in all fleets is a gift: it costs no miss, and its answer may tell something.
        """
        counts = {cell: (those & among).bit_count() for those, cell in columns}
        likeliest = nlargest(width, columns, key=lambda column: counts[column[1]])
        return likeliest[:1] if counts[likeliest[0][1]] == among.bit_count() else likeliest

    def best(self, among, columns, hits, depth, width=WIDTH):
        """The fewest misses to come with that depth of thought, and the first shot to get there."""
        fewest, found = among.bit_count() * SIDE * SIDE, None
        for shot in self.tried(among, columns, width):
            misses = self.misses_after(shot, among, columns, hits, depth - 1, bound=fewest)
            if misses < fewest:
                fewest, found = misses, shot[1]
        return fewest, found

    def is_best(self, cell, depth):
        """Whether `best` finds that cell among all fleets, which is known sooner than which it is."""

        def misses(shot, bound):
            return self.misses_after(shot, self.all, self.columns, 0, depth - 1, bound=bound)

        tried = self.tried(self.all, self.columns, WIDTH)
        for place, shot in enumerate(tried):
            if shot[1] == cell:
                its = misses(shot, self.all.bit_count() * SIDE * SIDE)
                return all(misses(before, its + 1) > its for before in tried[:place]) and all(
                    misses(after, its) >= its for after in tried[place + 1 :]
                )
        return False


def possible_lines(hit, missed, sinkings):
    """The lines of each ship that do not by themselves contradict what is known."""
    choices = []
    for size, lines in LINES.items():
        if size in sinkings:
            last, hit_by_then = sinkings[size]
            fit = [line for line in lines if line & last and not line & ~hit_by_then]
        else:
            fit = [line for line in lines if not line & missed and line & ~hit]
        choices.append(fit)
    return choices


def best_shot(hit, missed, stories):
    """The best fresh cell, the first of equals; None if no fleet is possible."""
    known, ahead, depth = weigh(hit, missed, stories)
    return ahead.best(ahead.all, ahead.columns, 0, depth)[1] if ahead else known


def would_fire(hit, missed, stories, cell):
    """Whether `best_shot` is that cell."""
    known, ahead, depth = weigh(hit, missed, stories)
    return ahead.is_best(cell, depth) if ahead else known == cell


def weigh(hit, missed, stories):
    """The best shot, or where that wants thought: the fleets to think about, and how deeply.

    A story is what may have been sunk by what, {size: (the sinking hit, all hits by then)}, and the
    node of the table that this leads to, if any. Every fleet belongs to one story alone, so that
    the counts add up.
    """
    if len(stories) == 1 and stories[0][1] is not None:
        return OPENING.cells[stories[0][1]], None, 0
    choices = [possible_lines(hit, missed, sinkings) for sinkings, _ in stories]
    fleets = []
    for lines in choices:
        some = list_fleets(lines, hit, MOST - len(fleets))
        if some is None:
            return likeliest_cell(hit, choices), None, 0
        fleets += some
    if not fleets:
        return None, None, 0
    depth, effort = 0, len(fleets)
    while effort * WIDTH <= EFFORT:
        depth, effort = depth + 1, effort * WIDTH
    return None, Lookahead(fleets, hit), depth


def likeliest_cell(hit, choices):
    """The fresh cell that the most fleets have a ship on, the first of equals."""
    chance = [0] * SIDE * SIDE
    for lines in choices:
        for line, fleets in count_lines(lines, hit).items():
            for cell in bits(line & ~hit):
                chance[cell] += fleets
    return chance.index(max(chance))


def agreeing(stories, hit, missed, fired):
    """The stories under which this bot would have fired that shot."""
    by_told = defaultdict(list)  # what it was told then: that many ships sunk
    for story in stories:
        by_told[len(story[0])].append(story)
    if len(by_told) > 1:
        kept = [group for group in by_told.values() if would_fire(hit, missed, group, fired)]
        stories = [story for group in kept for story in group]
    return stories


def read_stories(shots, destroyed):
    """The stories that explain the shots, (cell, result) in order, and the ships destroyed."""
    names_sinkings = any(result == 4 for _, result in shots)
    hit = missed = 0
    stories = [({}, 0)]
    for cell, result in shots:
        stories = agreeing(stories, hit, missed, cell)
        if result == 1:
            missed |= 1 << cell
            stories = [(sinkings, follow(node, cell, MISS)) for sinkings, node in stories]
            continue
        hit |= 1 << cell
        sunk = []
        for sinkings, node in stories:
            if len(sinkings) < len(destroyed):
                size = destroyed[len(sinkings)]
                story = sinkings | {size: (1 << cell, hit)}
                if all(possible_lines(hit, missed, story)):
                    sunk.append((story, follow(node, cell, size)))
        afloat = [(sinkings, follow(node, cell, HIT)) for sinkings, node in stories]
        stories = sunk if result == 4 else afloat if names_sinkings else afloat + sunk
    return [story for story in stories if len(story[0]) == len(destroyed)]


def follow(node, cell, answer):
    """The table's next node after this one, if that was the shot."""
    if node is None or OPENING.cells[node] != cell:
        return None
    return OPENING.next(node, answer)


def shoot(shots, destroyed):
    """The best fresh cell after these shots, (cell, result) in order."""
    hit = sum(1 << cell for cell, result in shots if result != 1)
    missed = sum(1 << cell for cell, result in shots if result == 1)
    best = best_shot(hit, missed, read_stories(shots, destroyed))
    if best is None:  # somebody else fired them: all that is known is that the sunk lie on hits
        best = best_shot(hit, missed, [(dict.fromkeys(destroyed, (hit, hit)), None)])
    return best


def place(luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    while True:
        fleet = {size: luck.choice(lines) for size, lines in LINES.items()}
        taken = 0
        for line in fleet.values():
            taken |= line
        if taken.bit_count() == sum(fleet):
            return fleet


def name(cell):
    return f"{cell // SIDE}{cell % SIDE}"


def main():
    request = json.loads(sys.argv[1])
    if request["cmd"] == "init":
        seed = os.environ.get("BOT_SEED")  # with one, the fleet can be had again
        reply = {}
        for size, line in place(random.Random(seed)).items():
            start, second, *_ = bits(line)
            orientation = "vertical" if second == start + 1 else "horizontal"
            reply[size] = {"point": name(start), "orientation": orientation}
    else:
        moves = [tuple(map(int, move)) for move in request["moves"]]
        me = request["you"]
        shots = [(SIDE * column + row, result) for who, column, row, result in moves if who == me]
        destroyed = [int(size) for size in request["destroyed"]]  # strings in one dialect
        reply = {"move": name(shoot(shots, destroyed))}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
