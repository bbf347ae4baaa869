"""A contest of seven bots on a small board, which by luck or by its seeds ends soon."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

from contest_folder import add_bots
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")
CELLS = [f"{column}{row}" for column in range(4) for row in range(4)]
ANY = """\
#!/usr/bin/env python3
import json, random, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("cmd") == "place":
        print(json.dumps({"ships": [[2, 0, 0, "horizontal"]]}), flush=True)
    elif asked.get("cmd") == "shoot":
        shot = {(x, y) for _, _, x, y, *_ in asked["shots"]}
        fresh = [(x, y) for x in range(4) for y in range(4) if (x, y) not in shot]
        cell = random.Random(f"{asked['rules']}{asked['shots']}").choice(fresh)
        print(json.dumps({"shots": [[1 - asked["seat"], *cell]]}), flush=True)
"""


def set_up() -> None:
    """Make a folder of seven bots, and the rules of a small board."""
    add_bots(**dict.fromkeys(NAMES, "#!/bin/sh\n"))
    rules = {**builtins(BRAINJAR), "name": "tiny", "columns": 4, "rows": 4, "fleet": [2]}
    Path("tiny.json").write_text(json.dumps(rules))


def by_luck(bot: Bot, seed: int, _: Callable[[], Connection]) -> Connection:
    """A player that is told apart from others by its seed alone, in this process."""
    luck = random.Random(f"{bot.name}{seed}")
    corner = luck.choice(["00", "20", "02", "22"])
    order = luck.sample(CELLS, len(CELLS))

    def answer(data: bytes) -> bytes:
        asked = json.loads(data)
        if asked["cmd"] == "init":
            return json.dumps({"2": {"point": corner, "orientation": "horizontal"}}).encode()
        shot = {*asked["hit"], *asked["missed"]}
        return json.dumps({"move": next(cell for cell in order if cell not in shot)}).encode()

    return Script(answer)


def of_matches() -> None:
    """Three programs that live for a match, and rules that count matches."""
    rules = {**json.loads(Path("tiny.json").read_text()), "match": 5}
    Path("tiny.json").write_text(json.dumps(rules))
    for name in NAMES:
        Path("bots", f"{name}.sh").unlink()
    for name in NAMES[:3]:
        Path("bots", name).mkdir()
        Path("bots", name, "any.py").write_text(ANY)
        manifest = {"command": ["python3", "any.py"], "wire": "open-lines"}
        Path("bots", name, "bot.json").write_text(json.dumps(manifest))


def as_usual(_: Bot, __: int, usual: Callable[[], Connection]) -> Connection:
    return usual()
