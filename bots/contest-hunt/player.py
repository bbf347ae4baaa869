"""contest-hunt, an AI of the Battleships contest: places its ships at random and shoots beside its hits.

The judge starts it once for a match, with the path of a socket as its last argument. The player
connects to the socket, says its name, and then gets messages of 256 bytes each. An answer goes out
in one piece. The player speaks both dialects of the wire; `answer` has the difference.
"""

import json
import os
import random
import socket
import sys

FRAME = 256

# Kinds of messages, in their key mt.
HELLO, SETUP, START, PLACE, PLACED, SHOOT, SHOT, TOLD = range(1, 9)

RIGHT, DOWN = 72, 86
HIT = 88


class Player:
    def __init__(self, luck):
        self.luck = luck
        self.size = self.number = 0
        self.start()

    def start(self):
        """A game begins."""
        self.taken = set()  # the cells of its ships, as (row, column)
        self.shot_at = set()
        self.hits = set()

    def place(self, length):
        """A ship, drawn anew until it overlaps no other."""
        while True:
            way = self.luck.choice([RIGHT, DOWN])
            room = self.size - length + 1
            row = self.luck.randrange(self.size if way == RIGHT else room)
            column = self.luck.randrange(room if way == RIGHT else self.size)
            steps = range(length)
            cells = {(row, column + i) if way == RIGHT else (row + i, column) for i in steps}
            if not cells & self.taken:
                self.taken |= cells
                return {"mt": PLACED, "r": row, "c": column, "l": length, "d": way}

    def shoot(self):
        """A fresh cell: beside a hit if there is one, else anywhere."""
        side = range(self.size)
        fresh = [(r, c) for r in side for c in side if (r, c) not in self.shot_at]
        beside = [cell for cell in fresh if self.is_beside_a_hit(*cell)]
        cell = self.luck.choice(beside or fresh or [(0, 0)])
        self.shot_at.add(cell)
        return {"mt": SHOT, "r": cell[0], "c": cell[1]}

    def is_beside_a_hit(self, row, column):
        beside = {(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)}
        return bool(beside & self.hits)

    def hear(self, number, shot):
        """Note the result of a shot by the player of that number."""
        if number == self.number and shot["v"] == HIT:
            self.hits.add((shot["r"], shot["c"]))


def answer(player, message):
    """The answer to a message; most messages want none."""
    kind = message["mt"]
    if kind == SETUP:
        player.size, player.number = message["bs"], message["pn"]
    elif kind == START:
        player.start()
    elif kind == PLACE:
        return player.place(message["l"])
    elif kind == SHOOT:
        return player.shoot()
    elif kind == TOLD and "v" in message:  # dialect 1: the shot of one player
        player.hear(message["pn"], message)
    elif kind == TOLD:  # dialect 2: the shots of both, which may also ask for the next shot
        for number in (1, 2):
            player.hear(number, message[f"p{number}"]["st"])
        if message["ns"]:
            return player.shoot()
    return None


def main():
    # All luck comes from BOT_SEED, so that a match can be played again.
    player = Player(random.Random(os.environ.get("BOT_SEED")))
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    judge.connect(sys.argv[-1])
    judge.sendall(json.dumps({"mt": HELLO, "ai": "contest-hunt", "au": "the judge"}).encode())
    while frame := judge.recv(FRAME):  # nothing more comes when the match is over
        reply = answer(player, json.loads(frame.rstrip(b"\0")))
        if reply:
            judge.sendall(json.dumps(reply).encode())


main()
