"""Players that learn, run for real inside bubblewrap: what of their data is kept, whatever they make
of it. `hostile/learning` has their tricks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from changes import replace
from judge.contest.learning_data import LearningData
from judge.documents.game import GameRecord, Limits
from judge.documents.tasks import Task, TaskSeat
from judge.game.variants import VARIANTS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.bots.data_file import DATA_BYTES, Data
from judge.process.sandbox.isolation import choose
from needs import need

pytestmark = pytest.mark.whole

PLAYER = Path(__file__).parents[1] / "hostile" / "learning" / "player.py"
FIRST = b"first\n"


class Trick(NamedTuple):
    """``kept`` is what its data hold afterwards, None if it has none; ``told`` is what is said."""

    name: str
    kept: bytes | None = FIRST
    told: str = ""
    suffix: str = ".txt"


TRICKS = (
    Trick("plays", FIRST + b"more\n"),
    Trick("beside_itself", FIRST + b"more\n"),
    Trick("forgets", None),
    Trick("renames", FIRST, suffix=".v2"),
    Trick("links", told="'links.txt' cannot be read: a link"),
    Trick("links_to_another", told="'links_to_another.txt' cannot be read: a link"),
    Trick("links_its_own", FIRST + b"more\n", "is dropped: 'another'"),
    Trick("makes_a_pipe", told="'makes_a_pipe.txt' is not a regular file"),
    Trick("makes_a_folder", told="'makes_a_folder.txt' is not a regular file"),
    Trick("is_large", told="'is_large.txt' has 11,534,336 bytes, and data may have 10 MB"),
    Trick("is_sparse", told="'is_sparse.txt' has 11,534,336 bytes, and data may have 10 MB"),
    Trick("is_sparse_within_the_limit", FIRST + bytes(DATA_BYTES - len(FIRST))),
    Trick("has_hostile_names", None, "is dropped: '$(reboot).txt'"),
    Trick("has_a_name_that_is_no_text", FIRST, r"is dropped: 'has_a_name_that_is_no_text.\udcff"),
    Trick("has_several", told="several files could be its data"),
    Trick("has_another_besides", FIRST + b"more\n", "is dropped: 'has_another_besides.a'"),
    Trick("writes_many", FIRST, "is dropped: 'writes_many.0'"),
    Trick("closes_it", told="'closes_it.txt' cannot be read: Permission denied"),
    Trick("closes_its_folder", FIRST + b"more\n"),
    Trick("moves_its_folder"),
    Trick("is_killed_while_it_saves", FIRST + b"more\n"),
    Trick("writes_after_its_last_word", FIRST + b"more\n"),
)


class Table:
    """A learner of one trick against one that plays, under ``--learning on``."""

    def __init__(self, folder: Path, trick: str) -> None:
        need("bwrap")
        players = folder / "players"
        players.mkdir()
        names = (trick, "plays" if trick != "plays" else "forgets")
        for name in names:
            (players / f"{name}.py").write_bytes(PLAYER.read_bytes())
            (players / f"{name}.txt").write_bytes(FIRST)
        self.bots = [find(str(players / f"{name}.py"), wire="broadsides") for name in names]
        self.data = LearningData(self.bots)
        rules = VARIANTS["broadsides"]
        limits = Limits(timeout_ms=2000, data_bytes=DATA_BYTES)
        isolation, _ = choose("bwrap", limits, self.bots)
        conditions = Conditions(rules=rules, isolation=isolation, limits=limits)
        self.run = Run(conditions, self.bots, data=self.data)

    def play(self, number: int = 1) -> GameRecord:
        seats = tuple(_seat(bot) for bot in self.bots)
        record = self.run.play(Task(str(number), 1, 0, seats))
        self.data.settle(record.id, is_kept=True)
        return record


def _seat(bot: Bot) -> TaskSeat:
    return TaskSeat(bot.name, bot.digest, 1, bot.wires)


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
def test_what_is_kept_of_a_learner(trick: Trick, tmp_path: Path) -> None:
    """Its data are kept if they are one regular file of the right name and size; otherwise they
    stay as they were, and the reason is said."""
    table = Table(tmp_path, trick.name)
    with table.run:
        record = table.play()
    expected = None if trick.kept is None else Data(trick.suffix, trick.kept)
    assert table.data.brought(trick.name) == expected
    assert record.seats[0].data_digest == (expected.digest if expected else None)
    told = [sentence for sentence in table.data.notices if trick.name in sentence]
    assert len(told) == bool(trick.told)
    assert all(trick.told in sentence and sentence.isprintable() for sentence in told)


def test_what_goes_on_after_the_game_changes_nothing(tmp_path: Path) -> None:
    """A process that outlives its player is dead before the data are copied: what is kept is one
    whole state of the file."""
    table = Table(tmp_path, "outlives_its_game")
    with table.run:
        for number in range(3):
            table.play(number)
            data = table.data.brought("outlives_its_game")
            assert data is not None
            words = data.content.split()
            assert len(words) == 100_000
            assert len(set(words)) == 1


def test_a_learner_sees_nothing_of_its_opponent(tmp_path: Path) -> None:
    """Beside it lie its own file and data; those of its opponent are nowhere, and what it did to its
    own program in one game is gone in the next."""
    table = Table(tmp_path, "looks_around")
    with table.run:
        table.play()
        data = table.data.brought("looks_around")
        assert data is not None
        found = json.loads(data.content)
    assert found["here"] == ["log", "looks_around.py", "looks_around.txt"]
    assert (found["others"], found["above"]) == ([], [])


def test_each_game_finds_the_program_as_it_was(tmp_path: Path) -> None:
    """A player may change its own copy for the rest of the game, and no longer."""
    table = Table(tmp_path, "changes_itself")
    with table.run:
        for number in range(2):
            table.play(number)
    data = table.data.brought("changes_itself")
    assert data == Data(".txt", FIRST + b"True\n" * 2)
    assert b"changed!" not in (tmp_path / "players" / "changes_itself.py").read_bytes()


def test_a_game_that_is_dropped_changes_no_data(tmp_path: Path) -> None:
    """The time that a player has left counts from when its game is settled as kept."""
    table = Table(tmp_path, "plays")
    seats = tuple(_seat(bot) for bot in table.bots)
    with table.run:
        table.run.play(Task("1", 1, 0, seats))
        assert table.data.brought("plays") == Data(".txt", FIRST)
        table.data.settle("1", is_kept=False)
        assert table.data.brought("plays") == Data(".txt", FIRST)
        assert table.play(2).seats[0].data_digest == Data(".txt", FIRST + b"more\n").digest


@pytest.mark.parametrize("level", ["bwrap", "limits", "none"])
def test_without_learning_each_game_finds_the_data_as_they_were(level: str, tmp_path: Path) -> None:
    """They lie in its working folder; the record says which they were, and the file beside the
    player stays as it is."""
    if level == "bwrap":
        need("bwrap")
    path = tmp_path / "plays.py"
    # It loses its game unless its data are what they were.
    checked = f"assert open(DATA, 'rb').read() == {FIRST!r}\nfor line"
    path.write_text(PLAYER.read_text().replace("\nfor line", f"\n{checked}", 1))
    (tmp_path / "plays.txt").write_bytes(FIRST)
    bot = find(str(path), wire="broadsides")
    other = replace(bot, name="other")
    from judge.play.player_data import FixedPlayerData

    isolation, _ = choose(level, Limits(), [bot])
    conditions = Conditions(rules=VARIANTS["broadsides"], isolation=isolation)
    with Run(conditions, [bot, other], data=FixedPlayerData([bot, other])) as run:
        for number in range(2):
            record = run.play(Task(str(number), 1, 0, (_seat(bot), _seat(other))))
            assert "SHOTS at random" in record.outcome.detail, record.outcome.detail
            assert record.seats[0].data_digest == Data(".txt", FIRST).digest
    assert (tmp_path / "plays.txt").read_bytes() == FIRST
