"""A player of broadsides in Python that learns: the cell where it begins to fire depends on the
number of games it has played, and its data have a line for each."""

from __future__ import annotations

from pathlib import Path

LEARNER = """\
import os, sys
data = os.path.basename(__file__)[:-3] + ".txt"
games = open(data).read().splitlines() if os.path.exists(data) else []
cells = [column + str(row) for row in range(1, 11) for column in "ABCDEFGHIJ"]
start = len(games) * 7 % 100
cells = cells[start:] + cells[:start]
opponents = ""
for line in sys.stdin:
    asked = line.split()
    if asked[1] == "SETUP":
        opponents = asked[2]
    elif asked[1] == "SHIPS" and asked[0] == "ACTION":
        print("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H", flush=True)
    elif asked[:2] == ["ACTION", "SHOTS"]:
        count = int(asked[2])
        print("SHOTS", *cells[:count], flush=True)
        cells = cells[count:] + cells[:count]
    elif asked[1] == "FINISH":
        with open(data, "a") as file:
            file.write(f"{len(games) + 1} {opponents} {data}\\n")
        print("FINISH", flush=True)
"""


def learners(folder: Path, *names: str) -> Path:
    """A folder of such players."""
    folder.mkdir()
    for name in names:
        (folder / f"{name}.py").write_text(LEARNER)
    return folder
