"""salvo: fires where most ships could lie, and where its hits go on; for broadsides.

It is started once for a game and reads lines: `INFO …` tells what has happened, `ACTION …` asks, and
is answered by one line. A cell is (column, row), both counted from 0, so (2, 4) is C5.
"""

import os
import random
import sys

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ON_A_HIT = 2  # how much more a place for a ship counts for each hit that it explains


def named(cell):
    return f"{LETTERS[cell[0]]}{cell[1] + 1}"


def cell_of(name):
    return LETTERS.index(name[0]), int(name[1:]) - 1


def places(columns, rows, length):
    """Every place for a ship of that length, as its cells."""
    for column in range(columns):
        for row in range(rows):
            if column + length <= columns:
                yield [(column + i, row) for i in range(length)]
            if row + length <= rows:
                yield [(column, row + i) for i in range(length)]


class Player:
    def __init__(self, luck):
        self.luck = luck
        self.answers = {}  # to its own shots: whether each cell was hit
        self.own_volley_is_next = False

    def begin(self, board, ships):
        columns, rows = map(int, board.split("x"))
        self.cells = [(column, row) for column in range(columns) for row in range(rows)]
        self.lengths = [int(length) for length in ships.split(",")]
        self.places = {length: list(places(columns, rows, length)) for length in self.lengths}

    def place(self):
        """A fleet: every ship drawn by itself, and all of them anew if two overlap."""
        while True:
            fleet = [self.luck.choice(self.places[length]) for length in self.lengths]
            if len({cell for ship in fleet for cell in ship}) == sum(self.lengths):
                return "SHIPS " + " ".join(map(self.ship, fleet))

    @staticmethod
    def ship(cells):
        way = "H" if cells[0][1] == cells[-1][1] else "V"
        return f"{len(cells)}:{named(cells[0])}:{way}"

    def shoot(self, count):
        """The fresh cells that count for most; old ones where there are too few."""
        self.own_volley_is_next = True
        weights = self.weights()
        fresh = [cell for cell in self.cells if cell not in self.answers]
        self.luck.shuffle(fresh)
        fresh.sort(key=lambda cell: -weights.get(cell, 0))
        volley = [*fresh, *self.cells][:count]
        return "SHOTS " + " ".join(map(named, volley))

    def weights(self):
        """The number of ships that could lie on each fresh cell. No sinking is told, so a ship that
        explains hits may be one that has been sunk; but then others lie beside it no more often."""
        weights = {}
        for length in self.lengths:
            for place in self.places[length]:
                told = [self.answers.get(cell) for cell in place]
                if False in told or None not in told:
                    continue
                for cell, answer in zip(place, told, strict=True):
                    if answer is None:
                        weights[cell] = weights.get(cell, 0) + 1 + ON_A_HIT * told.count(True)
        return weights

    def volley(self, answers):
        """The player's own volley is told next after a question for shots. To look at the name
        instead goes wrong where the opponent has the same one."""
        if self.own_volley_is_next:
            self.own_volley_is_next = False
            for answer in answers:
                cell, _, result = answer.partition(":")
                self.answers[cell_of(cell)] = result == "hit"


def main():
    # All luck comes from BOT_SEED, so that a game can be played again.
    player = Player(random.Random(os.environ.get("BOT_SEED")))
    for line in sys.stdin:
        match line.split():
            case ["INFO", "SETUP", _, board, ships]:
                player.begin(board.removeprefix("board:"), ships.removeprefix("ships:"))
            case ["INFO", "SHOTS", _, *answers]:
                player.volley(answers)
            case ["ACTION", "SHIPS", _]:
                print(player.place(), flush=True)
            case ["ACTION", "SHOTS", count]:
                print(player.shoot(int(count)), flush=True)
            case ["ACTION", "FINISH"]:
                print("FINISH", flush=True)


if __name__ == "__main__":
    main()
