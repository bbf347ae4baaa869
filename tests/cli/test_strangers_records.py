"""A stranger's record, page or ledger is data: it runs nothing, names no path, loosens nothing, and
what is too large or can be read in two ways is refused in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from games import played
from judge.cli import seen_bots
from judge.contest.ledger import Ledger
from judge.errors import RecordError
from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.process.bots.bot import find
from judge.show.page import page
from needs import strictest

ROOT = Path(__file__).parents[2]
EVIL = '#!/bin/sh\ntouch {}\necho \'{{"move":"00"}}\'\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a stranger's, with programs that leave a file ``ran`` beside it."""
    place = tmp_path / "got"
    place.mkdir()
    script = EVIL.format(tmp_path / "ran")
    for name in ("evil.sh", "evil", "hunter/run.sh", "bots/nobody/run.sh", "nobody.py"):
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    (place / "hunter" / "bot.json").write_text('{"command":["./run.sh"]}')
    return place


def judge(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "judge", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def forfeited(name: str, argv: tuple[str, ...] = ("./evil", "{}"), **more: Any) -> GameRecord:
    """A game that the first seat forfeits with its fleet, by a run of that command."""
    record = played(names=(name, "random"), forfeit=(0, Termination.ILLEGAL_FLEET))
    evidence = tuple(replace(one, argv=argv) for one in record.evidence)
    return replace(record, isolation="none", evidence=evidence, **more)


def write(folder: Path, record: GameRecord) -> None:
    (folder / "game.json").write_text(json.dumps(record.to_json()))


NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a command line": ('sh -c "touch ../ran"', ("./evil", "{}")),
    "a script": ("./evil.sh", ("./evil", "{}")),
    "a program": ("evil", ("./evil", "{}")),
    "a renamed script": ("x=./evil.sh", ("./evil", "{}")),
    "a bot in bots/": ("nobody", ("./evil", "{}")),
    "a folder's name": ("hunter/", ("./evil", "{}")),
    "a script in the evidence": ("who", ("sh", "./evil.sh", "{}")),
    "a folder in the evidence": ("who", ("hunter", "{}")),
    "a program in the evidence": ("who", ("./evil", "{}")),
    "a shell in the evidence": ("who", ("sh", "-c", "touch ../ran", "{}")),
    "no command at all": ("who", ()),
    "an option": ("--bot=./evil.sh", ("./evil", "{}")),
    "a way up": ("../got/evil.sh", ("./evil", "{}")),
    "a home": ("~/evil.sh", ("./evil", "{}")),
}


@pytest.mark.parametrize(("name", "argv"), NAMES.values(), ids=NAMES)
def test_nothing_in_a_record_is_run(name: str, argv: tuple[str, ...], folder: Path) -> None:
    """Neither a seat's name nor the command in the evidence is a bot: one has to be named."""
    write(folder, forfeited(name, argv))
    done = judge(folder, "replay", "game.json", "--move", "A")
    assert done.returncode == 2, done.stdout
    assert "name it: --bot BOT" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_a_bundled_name_means_the_bundled_bot(folder: Path) -> None:
    """A folder here of the same name does not run; other files than recorded are told of."""
    write(folder, forfeited("hunter"))
    done = judge(folder, "replay", "game.json", "--move", "A", "--isolation", "limits")
    assert done.returncode == 0, done.stderr
    assert "the files of hunter are not those that played" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_isolation_and_limits_are_the_users(folder: Path) -> None:
    """A record's isolation is not asked, and its limits hold up to the user's own."""
    loose = Limits(timeout_ms=86_400_000, memory_bytes=2**50, output_bytes=2**50)
    write(folder, forfeited("hunter", limits=loose))
    arguments = ("replay", "game.json", "--move", "A")
    done = judge(folder, *arguments, JUDGE_ISOLATION="limits")
    assert "the game was played under isolation none, this is limits" in done.stderr
    assert "to allow that here: --timeout --memory --output-limit" in done.stderr
    write(folder, replace(forfeited("hunter"), isolation="bwrap"))
    done = judge(folder, *arguments, "--isolation", "limits")
    assert "under isolation bwrap, this is limits, which holds a bot less" in done.stderr


def kept(folder: Path, bot: Path) -> None:
    done = judge(folder, "fight", str(bot), "random", "--quiet")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bot of the user's own that has played for a ledger, with a home of its own to keep that."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    bot = tmp_path / "mine.sh"
    bot.write_text("#!/bin/sh\nexit 3\n")
    bot.chmod(0o755)
    kept(tmp_path, bot)
    return bot


def test_a_bot_runs_where_the_user_saw_it_last(own: Path, tmp_path: Path) -> None:
    """By its digest, whatever a record calls it; not once its files are others."""
    digest = find(str(own)).digest
    assert seen_bots.path_of(digest) == own
    record = json.loads(judge(tmp_path, "replay", "--json").stdout)
    record["seats"][0]["name"] = "sh -c 'touch ran'"
    (tmp_path / "game.json").write_text(json.dumps(record))
    done = judge(tmp_path, "replay", "game.json", "--move", "A")
    assert "the same again" in done.stdout
    own.write_text("#!/bin/sh\ntouch ran\n")
    done = judge(tmp_path, "replay", "game.json", "--move", "A")
    assert done.returncode == 2
    assert f"--bot {own}" in done.stderr
    assert not (tmp_path / "ran").exists()


PLANTED: dict[str, Callable[[Path, Path], object]] = {
    "writable by others": lambda file, _: file.chmod(0o666),
    "a link": lambda file, other: (file.rename(other), file.symlink_to(other)),
    "a hard link": os.link,
    "damaged": lambda file, _: file.write_text("{"),
    "not to the schema": lambda file, _: file.write_text('{"bots":{"sha256:0":"mine.sh"}}'),
    "without end": lambda file, _: file.write_text(" " * (seen_bots.LONGEST + 1)),
    "a pipe": lambda file, _: (file.unlink(), os.mkfifo(file)),
    "gone": lambda file, _: file.unlink(),
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_what_the_user_saw_is_the_users_alone(plant: Any, own: Path, tmp_path: Path) -> None:
    """A file that another could have written, or that is no such file, says nothing."""
    digest = find(str(own)).digest
    file = tmp_path / "state" / "judge" / "bots.json"
    assert seen_bots.path_of(digest) == own
    plant(file, tmp_path / "other")
    assert seen_bots.path_of(digest) is None


def test_where_bots_were_is_kept_for_so_many(own: Path, tmp_path: Path) -> None:
    """The last of a thousand; no command line, nothing of games that are not kept."""
    file = tmp_path / "state" / "judge" / "bots.json"
    document = json.loads(file.read_text())
    document["bots"] = {f"sha256:{n}": "/x" for n in range(seen_bots.MOST)}
    file.write_text(json.dumps(document))
    kept(tmp_path, own)
    bots = json.loads(file.read_text())["bots"]
    assert len(bots) == seen_bots.MOST
    assert "sha256:0" not in bots
    assert [*bots.values()][-1] == str(own)
    before = file.read_bytes()
    other = tmp_path / "other.sh"
    other.write_text("#!/bin/sh\nexit 4\n")
    other.chmod(0o755)
    judge(tmp_path, "fight", str(other), "random", "--quiet", "--no-ledger")
    judge(tmp_path, "fight", "random", "hunter", "--quiet")
    assert file.read_bytes() == before
    assert oct(file.stat().st_mode)[-3:] == "600"


# Numbers, lengths, and what can be read in two ways


def changed(*steps: Any, value: Any) -> Callable[[dict[str, Any]], str]:
    def change(document: dict[str, Any]) -> str:
        node: Any = document
        for step in steps[:-1]:
            node = node[step]
        node[steps[-1]] = value
        return json.dumps(document)

    return change


HUGE = 10**400
REFUSED: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "a time": (changed("limits", "timeout_ms", value=HUGE), "limits.timeout_ms: 1000"),
    "a time over a day": (changed("limits", "timeout_ms", value=10**9), "limits.timeout_ms: "),
    "a memory": (changed("limits", "memory_bytes", value=HUGE), "limits.memory_bytes: "),
    "an output": (changed("limits", "output_bytes", value=HUGE), "limits.output_bytes: "),
    "columns": (changed("rules", "columns", value=HUGE), "rules.columns: "),
    "points": (changed("rules", "points", value=HUGE), "rules.points: "),
    "a round limit": (changed("rules", "round_limit", value=HUGE), "rules.round_limit: "),
    "a seed": (changed("seed", value=HUGE), "seed: "),
    "a seat": (changed("shots", 0, 0, value=HUGE), "shots[0][0]: "),
    "a column": (changed("shots", 0, 2, value=HUGE), "shots[0][2]: "),
    "a ship far out": (changed("seats", 0, "fleet", 0, "column", value=HUGE), "seats[0].fleet"),
    "milliseconds": (changed("shots", 0, 5, value=HUGE), "shots[0][5]: "),
    "an exit": (changed("outcome", "evidence", 0, "exit", value=HUGE), "outcome.evidence"),
    "a memory's peak": (changed("outcome", "evidence", 0, "peak_kib", value=HUGE), "outcome."),
    "a score": (changed("outcome", "scores", value=[HUGE]), "outcome.scores"),
    "a name": (changed("seats", 0, "name", value="x" * 2000), "seats[0].name: "),
    "an id": (changed("id", value="x" * 2000), "id: "),
    "a sentence": (changed("outcome", "detail", value="x" * 20_000), "outcome.detail: "),
    "seats": (changed("seats", value=[{}] * 200), "seats"),
    "brackets": (changed("id", value=json.loads("[" * 900 + "]" * 900)), "id: "),
    "infinity": (lambda d: json.dumps(d).replace('"ms": ', '"ms": 1e999, "x": ', 1), "seats[0]"),
    "no number": (lambda d: json.dumps(d).replace('"ms": ', '"ms": NaN, "x": ', 1), "holds NaN"),
    "digits": (lambda d: json.dumps({**d, "seed": 0}).replace('"seed": 0', '"seed": ' + "9" * 9999),
               "thousands of digits"),
    "a key twice": (lambda d: json.dumps(d).replace("{", '{"id": "2", ', 1), "'id' twice"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_out_of_bounds_is_refused(change: Any, sentence: str, tmp_path: Path) -> None:
    """One sentence names the place, in a record file, in a page, and in a journal."""
    from judge.cli.game_source import the_game

    text = change(forfeited("x").to_json() if "evidence" in sentence or "outcome" in sentence
                  else played(forfeit=(0, Termination.CRASH)).to_json())  # fmt: skip
    for begin, end in (
        ("", ""),
        ('<!doctype html><script type="application/json" id="record">', "<"),
    ):
        (tmp_path / "game.json").write_text(begin + text + end)
        with pytest.raises(RecordError) as refused:
            the_game(str(tmp_path / "game.json"), tmp_path / "ledger.json")
        assert sentence in str(refused.value)
        assert len(str(refused.value)) < 1500


def test_a_time_without_end_is_a_sentence_of_the_command(folder: Path) -> None:
    """Not an error of the judge's own."""
    document = forfeited("hunter").to_json()
    document["limits"]["timeout_ms"] = 10**30
    (folder / "game.json").write_text(json.dumps(document))
    done = judge(folder, "replay", "game.json", "--move", "A")
    assert done.returncode == 1
    assert "limits.timeout_ms: " in done.stderr
    assert done.stderr.count("\n") == 1


# Pages as records, records as pages


MARK = '<script type="application/json" id="record">'


def test_a_page_in_a_record_stays_a_text(tmp_path: Path) -> None:
    """A record whose names and output are a page with another record in it is read as itself, as a
    record and as a page."""
    from judge.cli.game_source import the_game

    inner = page(played(seed=5, names=("x", "y")))
    record = played(names=(f"{MARK}{{}}</script>", "b"), forfeit=(0, Termination.CRASH),
                    stdout=inner, stderr=inner)  # fmt: skip
    for name, text in (("a.json", json.dumps(record.to_json())), ("a.html", page(record))):
        (tmp_path / name).write_text(text)
        assert the_game(str(tmp_path / name), tmp_path / "ledger.json") == record


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (lambda one, other: one + other, "more than one record"),
        (lambda one, _: one.replace(MARK, MARK.replace("record", "derived")), "holds no record"),
        (lambda one, _: one.replace(MARK, f"{MARK}{MARK}"), "more than one record"),
        (lambda one, _: one[: one.index(MARK) + 200], "it is not JSON"),
        (lambda one, _: f"<html>{one[one.index(MARK) :].replace('<', '[')}", "holds no record"),
        (lambda _, __: " " * 1000 + "<svg/onload=alert(1)>", "holds no record"),
    ],
)
def test_a_page_that_is_none_is_refused(text: Any, sentence: str, tmp_path: Path) -> None:
    """Two pages in a file, a record in a record, half a page: which game is meant is not
    guessed."""
    from judge.cli.game_source import the_game

    path = tmp_path / "page.html"
    path.write_text(text(page(played(seed=1)), page(played(seed=2))))
    with pytest.raises(RecordError, match=sentence):
        the_game(str(path), tmp_path / "ledger.json")


# A ledger of a stranger's, and what a bot prints


def test_a_bot_that_floods_with_complaints_costs_no_time(tmp_path: Path) -> None:
    """Of a file beside it, that it cannot see and names at the end of 60,000 others: the hint
    comes, and the match with it."""
    bot = tmp_path / "bot.py"
    (tmp_path / "helper.py").write_text("")
    bot.write_text("import sys\nsys.exit('no such file ' * 4700 + 'helper')\n")
    done = judge(tmp_path, "fight", str(bot), "random", "--games", "4", "--json", "--no-ledger",
                 JUDGE_ISOLATION=strictest().name)  # fmt: skip
    document = json.loads(done.stdout)
    assert document["bots"][0]["forfeits"] == {"crash": 4}
    if strictest().walls_off:
        assert "helper.py" in document["records"][0]["outcome"]["detail"]


TABLES: dict[str, Callable[[dict[str, Any]], object]] = {
    "points": lambda d: d["bots"][0].update(points=1e300),
    "games": lambda d: d.update(games=HUGE),
    "a seed": lambda d: d.update(seed=HUGE),
    "a name": lambda d: d["bots"][0].update(name="x" * 2000),
    "a path": lambda d: d["bots"][0].update(path="/bin/sh"),
    "a command": lambda d: d.update(command=["sh", "-c", "touch ran"]),
    "pairs": lambda d: d.update(pairs=[[0, 10**9, 1, 0, 0]]),
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_a_ledger_that_asks_for_too_much_is_refused(change: Any, tmp_path: Path) -> None:
    """With the place, by every command that reads it; nothing is computed from it."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    path = tmp_path / "ledger.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    done = judge(tmp_path, "standings")
    assert done.returncode == 1
    assert "is no ledger" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_journal_that_voids_all_its_games_is_folded(tmp_path: Path) -> None:
    """Twenty thousand entries that void as many games are looked up, not searched."""
    entries = [
        {"version": 1, "kind": "void", "game": f"g{number}", "reason": "x"}
        for number in range(20_000)
    ]
    (tmp_path / "ledger.games.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in entries))
    with Ledger(tmp_path / "ledger.json") as ledger:
        assert len(ledger.tally.voided) == len(entries)
