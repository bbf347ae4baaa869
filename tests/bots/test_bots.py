"""The bundled bots, as programs of their own: no part of the judge takes part, but at the end.

Each is started as the judge starts a bot, one process a move with one compact JSON argument, the
six variables of its environment and the default memory limit, from a copy of `bots/` in which the
compiled ones have been built.
"""

import inspect
import json
import os
import random
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import ladder
from bundled import BOTS, GRID, Game, load, run_here, uniform_fleet
from changes import replace
from judge.contest.schedule import Solo
from judge.documents.codec import builtins
from judge.documents.game import RecordedSeat, Termination
from judge.errors import UsageError
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.solo import Board, clear_boards
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import SCAFFOLDS, make
from judge.process.run.connection import Script
from judge.stats.samples import spread
from judge.wire.brainjar import Brainjar
from judge.wire.messages import AskFleet, Placed
from needs import need

SCHEMA = BOTS.parent / "schemas" / "bot.schema.json"
FOLDERS = sorted(
    folder.name for folder in BOTS.iterdir() if folder.is_dir() and folder.name[0] != "_"
)
SPEAKING = [  # brainjar, as all but the players of another system
    name for name in FOLDERS if '"brainjar"' in (BOTS / name / "bot.json").read_text()
]
IN_OTHER_LANGUAGES = [name for name in SPEAKING if "-" in name]
BUILT = {"heatmap-c": "heatmap-c/bot", "heatmap-java": "heatmap-java/Bot.class"}
PROGRAMS = {"heatmap-c": ["make", "cc"], "heatmap-java": ["make", "javac", "java"]}
# The memory limit, in KiB, set by a shell: to run a function in the child, this whole process would
# be forked for each question.
LIMITED = ["sh", "-c", 'ulimit -d 262144 && exec "$0" "$@"']

LADDER = {  # the most shots, on average, that a rung may need for a uniform fleet
    "random": 60.7,
    "hunt": 43.5,
    "parity": 41.4,
    "hunter": 35.7,
    "heatmap": 31.9,
}
MODULES = {name: load(name) for name in LADDER}
GENERAL = ("random", "hunt", "parity", "hunter")  # which play on any board, with any ships


class AllOfThem:
    """Luck that chooses everything at once."""

    def choice(self, options: list[int]) -> list[int]:
        return options


def candidates(strategy: str, game: Game) -> list[int]:
    """The cells, "XY" as the number XY, among which luck decides in the Python bot's next shot."""
    bot = MODULES[strategy]
    if strategy in GENERAL:
        hit, missed = (
            [bot.RIGHT * int(column) + int(row) for column, row in cells]
            for cells in (game.hit, game.missed)
        )
        sunk = [(0, None, size) for size in game.destroyed]
        sea = bot.Sea(builtins(BRAINJAR), [0], {*hit, *missed}, hit, sunk)
        return [
            10 * column + row
            for column, row in map(bot.column_and_row, bot.shoot(sea, AllOfThem()))
        ]
    facts = {
        "hit": set(map(int, game.hit)),
        "missed": set(map(int, game.missed)),
        "destroyed": game.destroyed,
        "luck": AllOfThem(),
    }
    chosen: list[int] = bot.shoot(
        *(facts[name] for name in inspect.signature(bot.shoot).parameters)
    )
    return chosen


@pytest.fixture(scope="session")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of `bots/` as git has it, outside the tree."""
    copy = tmp_path_factory.mktemp("copy") / "bots"
    built = shutil.ignore_patterns(*(Path(target).name for target in BUILT.values()))
    shutil.copytree(BOTS, copy, ignore=built)
    return copy


@dataclass
class Program:
    """A bot as the judge would start it."""

    folder: Path

    @property
    def command(self) -> list[str]:
        if (self.folder / "run.sh").exists():
            return ["./run.sh"]
        command: list[str] = json.loads((self.folder / "bot.json").read_text())["command"]
        return [sys.executable if word == "python3" else word for word in command]

    def run(self, request: dict[str, Any], **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*LIMITED, *self.command, json.dumps(request, separators=(",", ":"))],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "HOME": "/", "LANG": "C.UTF-8", "TMPDIR": "/tmp"}
            | {"BOT_RULES": json.dumps(builtins(BRAINJAR))}
            | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def ask(self, request: dict[str, Any], seed: int | None = None) -> Any:
        run = self.run(request) if seed is None else self.run(request, BOT_SEED=str(seed))
        assert (run.returncode, run.stderr) == (0, "")
        return json.loads(run.stdout)


@pytest.fixture(params=SPEAKING)
def bot(request: pytest.FixtureRequest, bots: Path) -> Program:
    name: str = request.param
    program = Program(bots / name)
    for word in PROGRAMS.get(name, program.command[:1]):
        need(word)
    if name in BUILT:
        subprocess.run(["make", "--silent", "-C", bots, BUILT[name]], check=True)
    return program


@pytest.mark.parametrize("name", FOLDERS)
def test_starts(name: str) -> None:
    """A bot has an executable run.sh or a manifest that its schema accepts, or both."""
    folder = BOTS / name
    script, manifest = folder / "run.sh", folder / "bot.json"
    assert script.exists() or manifest.exists()
    if script.exists():
        assert os.access(script, os.X_OK)
    if manifest.exists():
        schema = json.loads(SCHEMA.read_text())
        jsonschema.validate(json.loads(manifest.read_text()), schema)


def test_places_by_real_luck_without_a_seed(bot: Program) -> None:
    """Without a seed two fleets differ (but for one time in twenty million)."""
    assert bot.ask({"cmd": "init"}) != bot.ask({"cmd": "init"})


@pytest.mark.parametrize("bot", IN_OTHER_LANGUAGES, indirect=True)
def test_plays_a_whole_game(bot: Program) -> None:
    """From the first seat, told as the description says, it clears the grid by legal shots; the last,
    asked for again, is the same. Those in Python play a whole game in tests/check/test_check.py."""
    luck = random.Random(0)
    game = Game(uniform_fleet(luck))
    while not game.over:
        request = game.request()
        reply = bot.ask(request, seed=3)
        game.shoot(reply["move"])
        if not game.over:  # luck fires every other shot
            fresh = [cell for cell in GRID if cell not in game.hit + game.missed]
            game.shoot(luck.choice(fresh))
    assert bot.ask(request, seed=3) == reply


@pytest.mark.parametrize("bot", IN_OTHER_LANGUAGES, indirect=True)
def test_shoots_as_the_python_bot_may(bot: Program) -> None:
    """parity-perl fires at a cell that luck may choose in parity, and so do all named like that."""
    strategy = bot.folder.name.split("-")[0]
    for seed in range(12):
        luck = random.Random(seed)
        game = Game(uniform_fleet(luck))
        ships = [cell for ship in game.fleet.values() for cell in ship]
        water = [cell for cell in GRID if cell not in ships]
        for cell in luck.sample(ships, luck.randrange(13)) + luck.sample(water, seed):
            game.shoot(cell)
        assert int(bot.ask(game.request(), seed)["move"]) in candidates(strategy, game)


def test_the_c_bot_needs_no_building(bots: Path, tmp_path: Path) -> None:
    """The C bot is compiled in the scratch folder and cleaned up if `make` has not been run."""
    need("cc")
    folder = tmp_path / "heatmap-c"
    shutil.copytree(bots / "heatmap-c", folder, ignore=shutil.ignore_patterns("bot"))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    run = Program(folder).run({"cmd": "init"}, TMPDIR=str(scratch))
    assert (run.returncode, run.stderr, list(scratch.iterdir())) == (0, "", [])
    assert sorted(json.loads(run.stdout)) == ["2", "3", "4", "5"]
    assert not (folder / "bot").exists()


@pytest.mark.parametrize(
    ("name", "seconds", "is_run"),
    [
        ("heatmap-c", 0, True),
        ("contest-random", 0, True),
        ("contest-rows", 0, True),
        ("heatmap-c", -1, False),
    ],
)
def test_what_make_has_built_is_run(
    bots: Path, tmp_path: Path, name: str, seconds: int, is_run: bool
) -> None:
    """Unless the source is newer: in the copy that the judge makes for a game all files are of one
    time, and to compile takes many times as long as to play."""
    need("cc")
    folder = tmp_path / name
    shutil.copytree(bots / name, folder, ignore=shutil.ignore_patterns("bot"))
    (folder / "bot").write_text("#!/bin/sh\necho built\n")
    (folder / "bot").chmod(0o755)
    for file, time in (("bot.c", 1000), ("bot", 1000 + seconds)):
        os.utime(folder / file, (time, time))
    run = Program(folder).run({"cmd": "init"})
    assert (run.returncode, run.stdout == "built\n") == (0, is_run)


def test_the_java_bot_says_that_it_is_not_built(bots: Path, tmp_path: Path) -> None:
    """The Java bot is refused with the command that mends it if `make` has not been run."""
    need("java")
    folder = tmp_path / "heatmap-java"
    shutil.copytree(bots / "heatmap-java", folder, ignore=shutil.ignore_patterns("*.class"))
    with pytest.raises(
        UsageError, match=r"is not built: .* that folder: `make -C \.\. heatmap-java/Bot\.class`"
    ):
        find(str(folder))


@pytest.mark.parametrize("seed", range(3))
def test_the_ladder_places_alike(seed: int) -> None:
    """All rungs draw the same fleet from the same luck: the ladder measures shooting alone."""
    fleets = {ladder.ask(name, b'{"cmd":"init"}', seed) for name in LADDER}
    assert len(fleets) == 1


@pytest.mark.parametrize("name", LADDER)
def test_the_ladder_is_as_strong_as_it_says(name: str) -> None:
    """A rung's mean is no more, by four standard errors, than what is claimed for it."""
    boards = Solo(bots=1, boards=40, seed=1)
    shots = spread([len(ladder.measure(name, "readme", board).shots) for board in boards])
    assert shots is not None
    assert shots.se is not None
    assert shots.mean <= LADDER[name] + 4 * shots.se


@pytest.mark.parametrize(
    ("columns", "rows", "fleet"),
    [(10, 10, [6, 5, 4, 3, 2]), (10, 3, [1, 5, 2]), (2, 9, [7, 3]), (1, 10, [1])],
)
@pytest.mark.parametrize("name", [*GENERAL, "python", "open-python"])
def test_any_board_is_played_over_brainjar(
    name: str, columns: int, rows: int, fleet: list[int], tmp_path: Path
) -> None:
    """The general bots, and what `judge new python` and `judge new open-python` make, place and
    shoot on the board of BOT_RULES, with its ships; they clear it, and forfeit nothing."""
    rules = replace(BRAINJAR, columns=columns, rows=rows, fleet=tuple(fleet))
    if name in SCAFFOLDS:
        make(name, tmp_path / "mine")
    bot = find(str(tmp_path / "mine") if name in SCAFFOLDS else str(BOTS / name))
    program = bot.folder / bot.command[-1]
    code = compile(program.read_text(), program, "exec")
    environment = {"BOT_RULES": json.dumps(builtins(rules)), "BOT_SEED": "1"}

    def answer(data: bytes) -> bytes:
        return run_here(code, data.decode(), **environment).encode()

    places = Brainjar(rules, 0, "readme")
    places.send(AskFleet())
    places.receive_data(answer(places.data_to_send()))
    places.receive_data(b"")
    placed = places.next_event()
    assert isinstance(placed, Placed)
    rules.check_fleet(placed.fleet)
    entry = RecordedSeat.of(name, digest=bot.digest, seed=1)
    player = ProgramPlayer(entry, Brainjar(rules, 0, "readme"), Script(answer))
    board = Board("1", 1, random_fleet(rules, random.Random(2)))
    (record,) = clear_boards(Conditions(rules=rules, dialect="readme"), player, [board])
    assert record.outcome.termination is Termination.FLEET_DESTROYED, record.outcome.detail
    assert len(record.shots) <= columns * rows
