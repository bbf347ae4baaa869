"""The two bots that the bench measures with, their game by the judge, and the same moves without
it.

Both play one and the same game every time, so that each of its moves can be started again barely,
as the judge started it. What is measured, and how, stands in bench.py.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from threading import Semaphore
from typing import NamedTuple

from judge.game.events import Event, FleetPlaced, Shot
from judge.game.game import Game
from judge.game.limits import Limits
from judge.game.record import GameRecord
from judge.game.variants import VARIANTS
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.run import Run, Task, TaskSeat
from judge.process.bots.bot import Bot, find
from judge.process.sandbox.isolation import Unlimited

RULES = VARIANTS["brainjar"]
PATIENT = Limits(timeout_ms=30_000)  # a busy machine slows the bench, but loses no game
CONDITIONS = Conditions(rules=RULES, dialect="readme", isolation=Unlimited(), limits=PATIENT)
SEED = 1
ANY_NUMBER = 100_000  # more than a game has moves
GAMES = 10  # in a run of which the games share what is started for a bot

# Two bots that play one game: a ship a column, and shots at the next cell in order. The last ship
# ends where a game takes as many shots as one of the bundled hunter: some 36.
FLEET = (
    '{"2":{"point":"10","orientation":"vertical"},"3":{"point":"20","orientation":"vertical"},'
    '"4":{"point":"30","orientation":"vertical"},"5":{"point":"40","orientation":"vertical"}}'
)

PYTHON_BOT = f"""\
import json
import sys

question = json.loads(sys.argv[-1])
if question["cmd"] == "init":
    print('{FLEET}')
else:
    column, row = divmod(len(question["hit"]) + len(question["missed"]), 8)
    print(json.dumps({{"move": f"{{column}}{{row}}"}}))
"""

# The same bot over three protocols, so that it does the same work over each.
BOT_OF_WIRES = f"""\
import json
import sys

for text in sys.argv[1:] or sys.stdin:
    asked = json.loads(text)
    if asked["cmd"] == "init":
        print('{FLEET}', flush=True)
    elif asked["cmd"] == "place":
        ships = [[2, 1, 0], [3, 2, 0], [4, 3, 0], [5, 4, 0]]
        print(json.dumps({{"ships": [[*ship, "vertical"] for ship in ships]}}), flush=True)
    elif asked["cmd"] == "move":
        column, row = divmod(len(asked["hit"]) + len(asked["missed"]), 8)
        print(json.dumps({{"move": f"{{column}}{{row}}"}}), flush=True)
    elif asked["cmd"] == "shoot":
        seat = asked["seat"]
        cell = divmod(sum(shot[0] == seat for shot in asked["shots"]), 8)
        print(json.dumps({{"shots": [[1 - seat, *cell]]}}), flush=True)
"""

C_BOT = f"""\
#include <stdio.h>
#include <string.h>

static int cells(const char *question, const char *key) {{
    int quotes = 0;
    for (const char *at = strstr(question, key) + strlen(key); *at != ']'; at++)
        quotes += *at == '"';
    return quotes / 2;
}}

int main(int argc, char **argv) {{
    const char *question = argv[argc - 1];
    if (strstr(question, "\\"init\\""))
        return puts({json.dumps(FLEET)}) < 0;
    int next = cells(question, "\\"hit\\":[") + cells(question, "\\"missed\\":[");
    return printf("{{\\"move\\":\\"%d%d\\"}}\\n", next / 8, next % 8) < 0;
}}
"""


# Writes down the command and the environment that it was started with, and becomes that command.
TELLER = """\
import json, os, sys
with open(sys.argv[1], "a") as told:
    print(json.dumps([sys.argv[2:], dict(os.environ)]), file=told)
os.execv(sys.argv[2], sys.argv[2:])
"""


class Move(NamedTuple):
    """One run of a bot: its command and the whole of its environment."""

    command: list[str]
    environment: Mapping[str, str]


def python_bot(folder: Path) -> Bot:
    """The bot in Python, run by the interpreter that runs us."""
    program = folder / "in_order.py"
    program.write_text(PYTHON_BOT)
    return find(str(program))


def bot_of_wires(folder: Path, wire: str) -> Bot:
    """The bot in Python that speaks several protocols, in one of them."""
    program = folder / "of_wires.py"
    program.write_text(BOT_OF_WIRES)
    return find(str(program), wire=wire)


def c_bot(folder: Path) -> Bot:
    """The bot in C, compiled now."""
    return compiled(C_BOT, folder / "in_order")


def compiled(text: str, program: Path) -> Bot:
    """A bot in C of this source."""
    compiler = shutil.which("cc")
    if not compiler:
        sys.exit("bench: there is no C compiler (Debian, Ubuntu: apt install build-essential)")
    source = program.with_suffix(".c")
    source.write_text(text)
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return find(str(program))


def play(
    bot: Bot,
    conditions: Conditions = CONDITIONS,
    watch: Watch | None = None,
    run: Run | None = None,
) -> GameRecord:
    """A game of the bot against itself on the judge's own path; by itself, or in a run."""
    seats = (TaskSeat(bot.name, bot.digest, SEED, bot.wires),) * 2
    with nullcontext(run) if run else Run(conditions, [bot]) as played_in:
        return played_in.play(Task("bench", SEED, 0, seats), watch)


def raced(
    bot: Bot, moves: Sequence[Move], conditions: Conditions = CONDITIONS
) -> tuple[float, float]:
    """Milliseconds that the judge's game took, and that its moves take when started barely.

    Each is started so right after the judge has done with it: a machine that is slow for a while
    is slow for both.
    """
    base = 0.0
    left = iter(moves)

    def start_the_same(_: Game, event: Event) -> None:
        nonlocal base
        if isinstance(event, FleetPlaced | Shot):
            base += timed(lambda: start(*next(left)))

    whole = timed(lambda: play(bot, conditions, start_the_same))
    assert next(left, None) is None, "a move is a fleet or a shot"
    return whole - base, base


def in_turns(bot: Bot, moves: Sequence[Move], conditions: Conditions) -> tuple[float, float]:
    """The same, on average, of whole games in one run, and then of all moves of one: where one move
    makes the next ready, it is not to be given the time of a bare start for that.
    """

    def play_all() -> None:
        with Run(conditions, [bot]) as run:
            for _ in range(GAMES):
                play(bot, conditions, run=run)

    return timed(play_all) / GAMES, timed(lambda: start_all(moves))


def in_step(games: Sequence[Callable[[Watch], object]]) -> list[float]:
    """Milliseconds that each of two games takes which have as many moves. They are played side by
    side and never at once, a move of the one and a move of the other: a machine that is slow for a
    while is slow for both.
    """
    taken = [0.0, 0.0]
    turns = [Semaphore(1), Semaphore(0)]

    def play_in_step(number: int) -> None:
        mine, others = turns[number], turns[1 - number]
        mine.acquire()
        began = time.perf_counter()

        def give_way(_: Game, event: Event) -> None:
            nonlocal began
            if isinstance(event, FleetPlaced | Shot):
                taken[number] += time.perf_counter() - began
                others.release()
                mine.acquire()
                began = time.perf_counter()

        try:
            games[number](give_way)
        finally:
            taken[number] += time.perf_counter() - began
            others.release(ANY_NUMBER)  # the other goes on to its end, however this one ended

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(play_in_step, (0, 1)))
    return [1000 * seconds for seconds in taken]


def moves_of(bot: Bot, folder: Path) -> list[Move]:
    """All moves of that game, as the judge started them; it is the same game every time."""
    told = folder / "moves.jsonl"
    teller = (sys.executable, "-c", TELLER, str(told))
    record = play(replace(bot, command=(*teller, *bot.command)))
    if record.outcome.termination != "fleet-destroyed":
        sys.exit(f"bench: its own bot lost by {record.outcome}")
    return [Move(*json.loads(line)) for line in told.read_text().splitlines()]


NOWHERE = [
    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
]


def start_all(moves: Iterable[Move]) -> None:
    for move in moves:
        start(*move)


def start(command: list[str], environment: Mapping[str, str]) -> None:
    """Nothing but posix_spawn and wait4, its output nowhere; ends the bench if it fails."""
    process = os.posix_spawn(command[0], command, environment, file_actions=NOWHERE)
    _, status, _ = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(command)} failed")


def timed(work: Callable[[], object]) -> float:
    """Wall time in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000
