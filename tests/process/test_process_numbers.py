"""Luck by process id: a program that takes its luck from its number is lucky by its seed under
bwrap, where it would be the second process of a namespace in every game and every seat.
"""

from __future__ import annotations

import os
import select
from pathlib import Path

import pytest

from bot_files import python_bot
from changes import replace
from games import fired
from judge.contest.schedule import Fight, First
from judge.contest.threads import playing
from judge.contest.window import Fault
from judge.documents.game import GameRecord, Limits
from judge.documents.tasks import Task, TaskSeat
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.process.run.listening import RunEnd
from judge.process.sandbox.fork_launcher import ForkLauncher
from judge.wire import WIRES
from launching import PATIENT, Launching
from lines import Lines, tiny
from needs import held_by

SHORT = replace(BRAINJAR, name="short", round_limit=3)
LAUNCHES = ("exec", "fork")


def luck(seed: int) -> dict[str, str]:
    return {"BOT_SEED": str(seed)}


TELLS = """\
import os, sys
if "spin" in sys.argv:
    while True: pass
child = os.fork()
if not child:
    os._exit(0)
os.waitpid(child, 0)
print(os.getpid(), child - os.getpid(), os.getppid(), sorted(filter(str.isdecimal, os.listdir("/proc"))))
"""


@pytest.mark.parametrize("launch", LAUNCHES)
def test_the_number_comes_from_the_seed_alone(
    launch: str, launching: Launching, tmp_path: Path
) -> None:
    """Every move of a game has the number of its seed, however many moves and games were before,
    and whether the game before had any. Beside it a program sees the first process of its
    namespace alone; the numbers of its children follow its own. A new number takes no new
    interpreter after a game with moves.
    """
    launcher = launching(python_bot(tmp_path, TELLS), "bwrap", launch)
    assert isinstance(launcher, ForkLauncher)
    seen: dict[int, str] = {}
    servers = set()
    for number, seed in enumerate((1, 2, 2, 3, 1, 4, 2)):
        if is_after_none := number < 3:
            launcher.begin_game(luck(5))  # in which nobody moves
        launcher.begin_game(luck(seed))
        for _ in range(3):
            said = launcher.run("x", luck(seed)).stdout.decode()
            process = int(said.split()[0])
            assert said == f"{process} 1 0 ['1', '{process}']\n"
            assert seen.setdefault(seed, said) == said
        if not is_after_none:
            servers.add(launcher._server)
    assert len(set(seen.values())) == len(seen)
    assert len(servers) == 1


@pytest.mark.parametrize("launch", LAUNCHES)
def test_the_number_outlasts_a_fork_server(
    launch: str, launching: Launching, tmp_path: Path
) -> None:
    """After a move that was too late another one is started, and the game keeps its number; after
    a game without a move another one may be, too.
    """
    launcher = launching(python_bot(tmp_path, TELLS), "bwrap", launch, Limits(timeout_ms=5_000))
    launcher.begin_game(luck(9))
    before = launcher.run("x").stdout
    assert launcher.run("spin", seconds=0.2).ended is RunEnd.TIMED_OUT
    assert launcher.run("x").stdout == before
    launcher.begin_game(luck(8))
    launcher.begin_game(luck(9))
    assert launcher.run("x").stdout == before
    launcher.begin_game(luck(8))
    assert launcher.run("x").stdout != before


@pytest.mark.parametrize("connects", [False, True])
def test_a_program_that_lives_for_a_match_has_the_number_of_its_seed(
    connects: bool, launching: Launching, tmp_path: Path
) -> None:
    """Over pipes and over a socket."""
    source = "import os\nprint(os.getpid(), flush=True)\ninput()\n"
    launcher = launching(python_bot(tmp_path, source), "bwrap", life_seconds=60, connects=connects)
    numbers = []
    for seed in (1, 2, 1):
        launcher.begin_game(luck(seed))
        program = launcher.start(luck(seed))
        assert select.select([program.streams.stdout], [], [], 30)[0]
        numbers.append(int(os.read(program.streams.stdout, 20)))
        program.end()
    assert numbers[0] == numbers[2] != numbers[1]


# Games


LUCKY = """\
import json, os, random, sys
luck = random.Random(os.getpid())
request = json.loads(sys.argv[1])
if request["cmd"] == "init":
    rows = luck.sample(range(8), 4)
    print(json.dumps({
        str(size): {"point": f"{luck.randint(0, 8 - size)}{row}", "orientation": "horizontal"}
        for size, row in zip((2, 3, 4, 5), rows)
    }))
else:
    shot = set(request["hit"] + request["missed"])
    print(json.dumps({"move": luck.choice(
        [f"{x}{y}" for x in range(8) for y in range(8) if f"{x}{y}" not in shot])}))
"""


def fought(bot: Bot, launch: str, *, seed: int, jobs: int) -> list[GameRecord]:
    """Two pairs of games of a bot with itself."""
    conditions = Conditions(rules=SHORT, launch=launch, isolation=held_by("bwrap"))
    fight = Fight(4, seed, First.ALTERNATE)
    with playing(fight, [bot, bot], Run(conditions, [bot]), jobs=jobs) as results:
        records = [one for result in results if not isinstance(result, Fault) for one in result]
    assert len(records) == 4
    return records


@pytest.mark.parametrize("launch", LAUNCHES)
def test_fleets_by_process_id_differ_by_seat_and_by_pair(launch: str, tmp_path: Path) -> None:
    """In the two games of a pair each seat places the fleet of its seed; no other seat or pair has
    that fleet. The run with the same seed plays the same games.
    """
    bot = python_bot(tmp_path, LUCKY)
    records = fought(bot, launch, seed=5, jobs=1)
    one, again, other, again_too = [[seat.fleet for seat in one.seats] for one in records]
    assert (one, other) == (again, again_too)
    assert len({tuple(fleet) for fleet in (*one, *other) if fleet}) == 4
    repeated = fought(bot, launch, seed=5, jobs=2)
    assert [moves(one) for one in repeated] == [moves(one) for one in records]
    assert moves(fought(bot, launch, seed=6, jobs=1)[0]) != moves(records[0])


def moves(record: GameRecord) -> object:
    """The fleets that were placed and the cells that were shot at."""
    fleets = [seat.fleet for seat in record.seats]
    return record.id, fleets, fired(record.shots)


LIVES = """\
import os, random, sys
luck = random.Random(os.getpid())
cells = [f"{x} {y}" for x in range(9) for y in range(9)]
luck.shuffle(cells)
for line in sys.stdin:
    if line == "place\\n":
        print(luck.randrange(8), luck.randrange(9), "h", flush=True)
    elif line.startswith("shoot"):
        print(cells.pop(), flush=True)
"""


def test_a_living_player_by_process_id_differs_by_seat_and_repeats_by_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its fleet and its shots are those of its seat's seed in every match."""
    monkeypatch.setitem(WIRES, Lines.name, Lines)
    bot = python_bot(tmp_path, LIVES, wire="lines")
    rules = replace(tiny(), columns=9, rows=9, round_limit=100)
    conditions = Conditions(rules=rules, isolation=held_by("bwrap"), limits=PATIENT)
    with Run(conditions, [bot]) as run:

        def played(*seeds: int) -> list[object]:
            """Each seat's fleet and first shot."""
            seats = tuple(TaskSeat(bot.name, bot.digest, seed, bot.wires) for seed in seeds)
            record = run.play(Task("g", 1, 0, seats))
            return [
                (seat.fleet, next(one.cell for one in record.shots if one.seat == number))
                for number, seat in enumerate(record.seats)
            ]

        first, second = played(1, 2)
        assert first != second
        assert played(1, 2) == [first, second]
        assert played(3, 1)[1] == first
