"""captain's words in broadsides: a line that begins with INFO tells, and one with ACTION asks."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def play(lines, reply_to):
    """Play one game; `reply_to` answers questions of the wire `open`."""
    known, shots, own_volley_is_next = {}, [], False
    for line in lines:
        match line.split():
            case ["INFO", "SETUP", _, board, ships]:
                columns, rows = map(int, board.removeprefix("board:").split("x"))
                fleet = [int(size) for size in ships.removeprefix("ships:").split(",")]
                rules = {"columns": columns, "rows": rows, "fleet": fleet, "sinking": "nothing"}
                rules |= {"repeat": "old-answer", "may_skip": False, "timeout_ms": 60_000}
                known = {"rules": rules, "seat": 0, "present": [True, True], "shots": shots}
            case ["ACTION", "SHIPS", _]:
                lying = reply_to(known | {"cmd": "place"})["ships"]
                print("SHIPS", *(word_for(*ship) for ship in lying), flush=True)
            case ["ACTION", "SHOTS", count]:
                volley = reply_to(known | {"cmd": "shoot", "due": int(count)})["shots"]
                print("SHOTS", *(cell_name(x, y) for _, x, y in volley), flush=True)
                own_volley_is_next = True
            case ["INFO", "SHOTS", _, *answers] if own_volley_is_next:
                # The other player may have the same name, so the order tells whose volley it is.
                for answer in answers:
                    cell, _, result = answer.partition(":")
                    x, y = LETTERS.index(cell[0]), int(cell[1:]) - 1
                    shots.append([0, 1, x, y, 3 if result == "hit" else 1, None])
                own_volley_is_next = False
            case ["ACTION", "FINISH"]:
                print("FINISH", flush=True)


def word_for(size, column, row, orientation):
    return f"{size}:{cell_name(column, row)}:{orientation[0].upper()}"


def cell_name(column, row):
    return f"{LETTERS[column]}{row + 1}"
