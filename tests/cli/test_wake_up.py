"""The wake-up test of a contest of lives: every AI is started, connects and says who it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Done, judge
from judge.process.bots.scaffolds import make

pytestmark = pytest.mark.whole

CONNECTED = (
    "import socket, sys\njudge = socket.socket(socket.AF_UNIX)\njudge.connect(sys.argv[-1])\n"
)

ASLEEP = {
    "exits.py": ("", "exited with status 0 before it connected to its socket"),
    "crashes.py": (
        "1 / 0",
        (
            "exited with status 1 before it connected to its socket; it wrote last to stderr: "
            "`ZeroDivisionError: division by zero`"
        ),
    ),
    "closes.py": (f"{CONNECTED}sys.exit(0)", "exited with status 0 before it answered"),
    "mumbles.py": (f"{CONNECTED}judge.send(b'hm')", "replied `hm`, which is not JSON"),
}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """Two AIs that play, and each writes down that it was started."""
    Path("ais").mkdir()
    for name in ("ann", "bob"):
        make("contest-python", Path("ais", name))
        program = Path("ais", name, "bot.py")
        noted = f"open({str(own_folder / 'starts')!r}, 'a').write('{name} ')\n"
        head, _, rest = program.read_text().partition("import json")
        program.write_text(f"{head}import json{rest}".replace("def main", f"{noted}\n\ndef main"))


def rank(*more: str, form: str = "lives") -> Done:
    words = ("rank", "ais", "--rules", "contest-3", "--games", "1", "--format", form)
    return judge(*words, "--isolation", "none", "--timeout", "20s", *more)


def starts() -> list[str]:
    return Path("starts").read_text().split()


def test_who_does_not_wake_up_is_left_out_with_the_reason() -> None:
    """Before the first game, and of its documents as of what is told; the others play."""
    for name, (program, _) in ASLEEP.items():
        Path("ais", name).write_text(program)
    done = rank("--jsonl")
    assert done.status == 0, done.stderr
    first, *_ = map(json.loads, done.stdout.splitlines())
    left_out = {one["name"]: one["reason"] for one in first["left_out"]}
    assert {name: left_out[Path(name).stem].partition(": ")[0] for name in ASLEEP} == dict.fromkeys(
        ASLEEP, "it fails the wake-up test"
    )
    for name, (_, said) in ASLEEP.items():
        stem = Path(name).stem
        assert said in left_out[stem]
        assert f"left out {stem}: it fails the wake-up test: " in done.stderr
    assert sorted(starts()[:2]) == ["ann", "bob"]


def test_a_contest_that_goes_on_wakes_nobody_up() -> None:
    """The test comes before the contest; other formats have none."""
    assert rank().status == 0
    before = len(starts())
    assert rank().status == 0
    assert len(starts()) == before
    Path("starts").unlink()
    done = rank("--no-ledger", "--dialect", "2", form="tournament")
    assert done.status == 0, done.stderr
    assert sorted(starts()) == ["ann", "bob"]


def test_no_contest_begins_with_one_who_is_awake() -> None:
    """It needs two, and no ledger is made for less."""
    Path("ais/bob/bot.py").write_text("")
    done = rank()
    assert (done.status, "ais holds only one bot, ann; a contest needs two" in done.stderr) == (
        2,
        True,
    )
    assert not Path("ais.ledger.json").exists()


def test_the_authors_are_known_before_the_first_match() -> None:
    """Each AI has said whose it is, also one that has a bye in the first round."""
    make("contest-python", Path("ais", "cat"))
    for program in Path("ais").glob("*/bot.py"):
        program.write_text(program.read_text().replace('"au": ""', '"au": "Ada"'))
    done = rank("--seed", "5")
    assert done.status == 0, done.stderr
    first = done.stderr.partition("After round 1:\n")[2].partition("After round 2:")[0]
    board = [line for line in first.splitlines() if line.endswith("lives")]
    assert ["Ada" in line for line in board] == [True, True, True]
