"""bsp-hunt: a client of BSP that shoots at random until it hits, then beside its hits.

    python3 client.py HOST PORT [NAME] [--games N]

Every message is a line of words. A game is a connection: the client joins, is told when its turn
is, and each shot is told to both players. It prints how each game ended.
"""

import argparse
import random
import socket

ROWS = "ABCDEFGHIJ"
CELLS = [f"{row}{column}" for row in ROWS for column in range(1, 11)]


def neighbours(cell):
    row, column = ROWS.index(cell[0]), int(cell[1:])
    for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        if 0 <= row + down < 10 and 1 <= column + right <= 10:
            yield f"{ROWS[row + down]}{column + right}"


def shoot(fresh, hits):
    """A cell that is not shot at yet, beside a hit if there is one."""
    beside = {cell for hit in hits for cell in neighbours(hit)} & fresh
    return random.choice(sorted(beside or fresh))


def play(lines, say):
    """Play one game, and return its last line; "" if the server has gone."""
    own, up = "", ""  # letters: A or B
    fresh, hits = set(CELLS), set()
    for line in lines:
        word, *values = line.split()
        if word == "START_GAME":
            own = values[0]  # the own fleet follows, which takes no part in the shooting
        elif word == "TURN":
            up = values[0]
            if up == own:
                say(f"SHOT {shoot(fresh, hits)}")
        elif word in ("HIT", "MISS") and up == own:
            fresh.discard(values[0])
            if word == "HIT":
                hits.add(values[0])
        elif word == "END_GAME":
            return line.strip() + f" (I was {own})"
    return ""


def main():
    parser = argparse.ArgumentParser(description="Play BSP at a server.")
    parser.add_argument("host")
    parser.add_argument("port", type=int)
    parser.add_argument("name", nargs="?", default="", help="none: a guest, who is not rated")
    parser.add_argument("--games", type=int, default=1, help="how many, one after another")
    options = parser.parse_args()
    for _ in range(options.games):
        with socket.create_connection((options.host, options.port)) as connection:
            lines = connection.makefile(encoding="ascii", newline="\n")

            def say(words, connection=connection):
                connection.sendall(f"{words}\n".encode("ascii"))

            say(f"JOIN {options.name}".strip())
            ended = play(lines, say)
        print(ended or "the server has closed the connection", flush=True)


if __name__ == "__main__":
    main()
