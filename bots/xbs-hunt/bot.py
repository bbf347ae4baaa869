"""xbs-hunt: shoots at random until it hits, then beside its hits.

    python3 bot.py [-n NAME] [-h HOST [-p PORT]]

It speaks the protocol of XBS: over stdin and stdout, as a shell-bot of that system does, or with
`-h` as a player at a server. A line is a type and its values, with `|` between them. Everything that
it knows it reads from the boards that it is told, which hold `.` for a square that nobody has shot
at, `X` for a hit and `0` for a miss.
"""

import os
import random
import sys


def neighbours(square, width, height):
    row, column = divmod(square, width)
    if column > 0:
        yield square - 1
    if column < width - 1:
        yield square + 1
    if row > 0:
        yield square - width
    if row < height - 1:
        yield square + width


def place(ships, width, height, luck):
    """A board with these ships, as one text; all fleets are equally likely."""
    while True:
        board = ["."] * (width * height)
        for letter, length in ships:
            across = luck.choice(
                [step for step in (1, width) if length <= (width, height)[step > 1]]
            )
            columns = width - (length - 1) * (across == 1)
            rows = height - (length - 1) * (across != 1)
            first = luck.randrange(rows) * width + luck.randrange(columns)
            squares = range(first, first + length * across, across)
            if any(board[square] != "." for square in squares):
                break
            for square in squares:
                board[square] = letter
        else:
            return "".join(board)


def shoot(boards, width, height, luck):
    """The name of an opponent, and a square of its board."""
    fresh = [
        (name, i) for name, board in boards.items() for i, one in enumerate(board) if one == "."
    ]
    beside = [
        (name, i)
        for name, i in fresh
        if any(boards[name][other] == "X" for other in neighbours(i, width, height))
    ]
    return luck.choice(beside or fresh)


def play(lines, say, name):
    """Play until the lines end, the player is told to quit, or it is refused."""
    luck = random.Random(os.environ.get("BOT_SEED"))
    boards, width, height = {}, 0, 0
    for line in lines:
        kind, *values = line.rstrip("\n").split("|")
        if kind == "G":
            width, height, count = map(int, values[7:10])
            ships = [(ship[0], int(ship[1:])) for ship in values[10 : 10 + count]]
            boards = {}
            if values[2] == "Y":  # the player comes back, and the table knows its board
                say("J", name)
            else:
                say("J", name, place(ships, width, height, luck))
        elif kind == "J" and values[0] != name:
            boards[values[0]] = "." * (width * height)
        elif kind == "L":  # somebody has left before the game
            boards.pop(values[0], None)
        elif kind == "B" and values[0] != name:
            boards[values[0]] = values[2]
        elif kind == "N" and values[0] == name:
            target, square = shoot(boards, width, height, luck)
            say("S", target, square % width + 1, square // width + 1)
        elif kind in ("E", "Q"):
            break


def at_a_server(host, port, name):
    """Join the game at a server, and print what is told of it at its end."""
    import socket

    def shown(lines):
        for line in lines:
            if line[:1] in "EFR":
                print(line, end="", flush=True)
            yield line

    with socket.create_connection((host, port)) as connection:

        def say(*values):
            connection.sendall(("|".join(map(str, values)) + "\n").encode())

        play(shown(connection.makefile(encoding="utf-8", newline="\n")), say, name)


def as_a_shell_bot(name):
    def say(*values):
        print(*values, sep="|", flush=True)

    say("I", name, "1.0.0")
    play(sys.stdin, say, name)


def main():
    if not sys.argv[1:]:
        as_a_shell_bot("hunt")
        return
    import argparse  # which takes longer than all before

    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-n", "--name", default="hunt")
    parser.add_argument("-h", "--host")
    parser.add_argument("-p", "--port", type=int, default=7948)
    options = parser.parse_args()
    if options.host:
        at_a_server(options.host, options.port, options.name)
    else:
        as_a_shell_bot(options.name)


main()
