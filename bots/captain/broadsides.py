"""captain's words in broadsides: lines that begin with INFO tell, and those with ACTION ask."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def play(lines, reply_to):
    """Play one game; `reply_to` answers questions of the protocol `open`."""
    asked, shots, own_is_next = {}, [], False
    for line in lines:
        match line.split():
            case ["INFO", "SETUP", _, board, ships]:
                columns, rows = map(int, board.removeprefix("board:").split("x"))
                fleet = [int(size) for size in ships.removeprefix("ships:").split(",")]
                rules = {"columns": columns, "rows": rows, "fleet": fleet, "sinking": "nothing"}
                rules |= {"repeat": "old-answer", "may_skip": False, "timeout_ms": 60_000}
                asked = {"rules": rules, "seat": 0, "present": [True, True], "shots": shots}
            case ["ACTION", "SHIPS", _]:
                ships = reply_to(asked | {"cmd": "place"})["ships"]
                words = (f"{size}:{name(x, y)}:{way[0].upper()}" for size, x, y, way in ships)
                print("SHIPS", *words, flush=True)
            case ["ACTION", "SHOTS", count]:
                due = reply_to(asked | {"cmd": "shoot", "due": int(count)})["shots"]
                print("SHOTS", *(name(x, y) for _, x, y in due), flush=True)
                own_is_next = True
            case ["INFO", "SHOTS", _, *answers] if own_is_next:
                # The other player may have the same name, so the order tells whose volley it is.
                for answer in answers:
                    cell, _, result = answer.partition(":")
                    x, y = LETTERS.index(cell[0]), int(cell[1:]) - 1
                    shots.append([0, 1, x, y, 3 if result == "hit" else 1, None])
                own_is_next = False
            case ["ACTION", "FINISH"]:
                print("FINISH", flush=True)


def name(column, row):
    return f"{LETTERS[column]}{row + 1}"
