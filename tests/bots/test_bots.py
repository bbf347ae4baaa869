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
from bundled import BOTS, GRID, Game, cells_of, is_cell, load, run_here, uniform_fleet
from changes import replace
from judge.contest.schedule import Solo
from judge.documents.codec import builtins
from judge.documents.game import RecordedSeat, Termination
from judge.errors import UsageError
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.solo import play_alone
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


def test_places_a_legal_fleet_by_its_seed(bot: Program) -> None:
    """Fleets are legal, the same for the same seed, and different for all others."""
    seeds = [0, 1, 2, 2**63, 2**80, 1]
    replies = [bot.ask({"cmd": "init"}, seed) for seed in seeds]
    for reply in replies:
        assert list(reply) == ["2", "3", "4", "5"]
        cells = [cell for ship in cells_of(reply).values() for cell in ship]
        assert all(map(is_cell, cells))
        assert len(set(cells)) == 14
    assert replies[1] == replies[-1]
    assert len({json.dumps(reply) for reply in replies}) == len(seeds) - 1


def test_places_by_real_luck_without_a_seed(bot: Program) -> None:
    """Without a seed two fleets differ (but for one time in twenty million)."""
    assert bot.ask({"cmd": "init"}) != bot.ask({"cmd": "init"})


def play_out(bot: Program, game: Game, luck: random.Random, apart: int) -> None:
    """Every shot up to the last is legal; the last, asked for again, is the same. Luck fires the
    shots between two of the bot's, so many less one."""
    while not game.over:
        request = game.request()
        reply = bot.ask(request, seed=3)
        game.shoot(reply["move"])
        for _ in range(apart - 1):
            fresh = [cell for cell in GRID if cell not in game.hit + game.missed]
            if not game.over:
                game.shoot(luck.choice(fresh))
    assert bot.ask(request, seed=3) == reply


def test_plays_a_whole_game(bot: Program) -> None:
    """From the first seat, told as the description says, it clears the grid."""
    luck = random.Random(0)
    play_out(bot, Game(uniform_fleet(luck)), luck, apart=2)


def test_plays_on_from_the_middle(bot: Program) -> None:
    """From the second seat, told as the engine does, after shots of others at both, it does too."""
    luck = random.Random(1)
    game = Game(uniform_fleet(luck), seat=1, dialect="engine")
    for theirs, ours in zip(luck.sample(GRID, 20), luck.sample(GRID, 20), strict=True):
        game.moves.append(f"0{theirs}{luck.choice((1, 3, 4))}")
        game.shoot(ours)
    play_out(bot, game, luck, apart=3)


@pytest.mark.parametrize("bot", [name for name in SPEAKING if "-" in name], indirect=True)
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
    """Where `make` has not been run, the C bot is compiled in the scratch folder, and cleaned
    up."""
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
    """Where `make` has not been run, the Java bot is refused with the command that mends it."""
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
    fleets = {ladder.Loaded(name).ask(b'{"cmd":"init"}', seed)[0] for name in LADDER}
    assert len(fleets) == 1


@pytest.mark.parametrize("name", LADDER)
def test_the_ladder_is_as_strong_as_it_says(name: str) -> None:
    """A rung's mean is no more, by four standard errors, than what is claimed for it."""
    boards = Solo(bots=1, boards=80, seed=1)
    shots = spread([ladder.measure(name, "readme", board).shots for board in boards])
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
    record = play_alone(
        Conditions(rules=rules, dialect="readme"),
        player,
        random_fleet(rules, random.Random(2)),
        game_id="1",
        seed=1,
    )
    assert record.outcome.termination is Termination.FLEET_DESTROYED, record.outcome.detail
    assert len(record.shots) <= columns * rows
