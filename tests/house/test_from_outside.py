"""A wire and a format that a file adds from outside of the package, as the guide *contributing* has
them, are as good as the judge's own: every command plays, tells and keeps their games."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sys
from functools import partial
from pathlib import Path

import pytest

from commands import ROOT, Done, judge_in
from judge import schemas

pytestmark = pytest.mark.whole

GUIDE = ROOT / "judge" / "guides" / "contributing.md"
FILES = dict(
    re.findall(r"^```python (\S+)\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


# Runs several commands in a judge that a program has added something to, one after another.
COMMANDS = """\
import importlib, json, sys
importlib.import_module(sys.argv[1])
from commands import judge
print(json.dumps([judge(*words) for words in json.load(sys.stdin)]))
"""


def kept(folder: Path, program: str, bots: Path, *options: str) -> list[str]:
    """Hold a contest of these bots, look at it in every way, and go on with it. The ranks by CSV."""
    ledger = f"{bots.name}.ledger.json"
    commands = {
        "rank": ("rank", str(bots), *options, "--seed", "3", "--jsonl"),
        "json": ("standings", ledger, "--json"),
        "csv": ("standings", ledger, "--csv"),
        "table": ("standings", ledger),
        "html": ("standings", ledger, "--html", "table.html"),
        "game": ("replay", ledger, "--html", "game.html"),
        "site": ("site", "pages", "--ledger", ledger),
        "verify": ("ledger", "verify", ledger),
        "again": ("rank", str(bots), *options, "--json"),
    }
    done = judge_in(
        folder,
        command=[sys.executable, "-c", COMMANDS, program],
        typed=json.dumps([*commands.values()]),
        JUDGE_LAUNCH="fork",
        PYTHONPATH=os.pathsep.join(map(str, (folder, ROOT, ROOT / "tests" / "support"))),
    )
    assert done.returncode == 0, done.stderr
    results = {
        name: Done(*one) for name, one in zip(commands, json.loads(done.stdout), strict=True)
    }
    assert [one for one in results.values() if one.status] == []
    told = {name: one.stdout for name, one in results.items()}
    *lines, end = told["rank"].splitlines()
    for line in (*lines, end):
        assert schemas.problem("rank-event", json.loads(line)) is None
    document = json.loads(told["json"])
    assert document == json.loads(end)["standings"]
    assert schemas.problem("standings", document) is None
    names = [row["name"] for row in document["bots"]]
    rows = list(csv.DictReader(io.StringIO(told["csv"])))
    assert [row["name"] for row in rows] == names
    assert sorted(names) == sorted(set(re.findall(rf"\b(?:{'|'.join(names)})\b", told["table"])))
    pages = ("table.html", "game.html", "pages/index.html")
    assert all(name in (folder / page).read_text() for page in pages[::2] for name in names)
    assert (folder / pages[1]).stat().st_size > 10_000
    assert "all is as it should be" in told["verify"]
    again = json.loads(told["again"])
    assert (again["games"], again["bots"]) == (document["games"], document["bots"])
    return names


def test_a_wire(folder: Path) -> None:
    """Its players fight and are ranked, and one that is broken is told how to mend that."""
    judge = partial(judge_in, folder, command=[sys.executable, "plain.py"])
    broken = FILES["plodder.py"].replace("*cells.pop()", '"there"')
    (folder / "broken.py").write_text(broken)
    fight = judge(
        "fight", "plodder.py", "broken.py@plain", "--wire", "plain", "--json", "--no-ledger"
    )
    (record,) = json.loads(fight.stdout)["records"]
    assert [seat["wire"] for seat in record["seats"]] == ["plain", "plain"]
    assert (record["outcome"]["winner"], record["outcome"]["termination"]) == (0, "bad-output")
    good = judge("check", "plodder.py", "--wire", "plain")
    assert good.returncode == 0, good.stdout + good.stderr
    bad = judge("check", "broken.py@plain")
    assert bad.returncode == 3
    assert "To mend it: reply to shoot by a column and a row, as in 0 7." in bad.stdout
    (folder / "mute.py").write_text(broken.replace("for line in", "sys.exit(3)\nfor line in"))
    mute = judge("check", "mute.py@plain", "--only", "legal")
    assert "To mend it: see below what it was sent, and what it printed." in mute.stdout
    (folder / "pond").mkdir()
    for name in ("one", "two", "three"):
        shutil.copy(folder / "plodder.py", folder / "pond" / f"{name}.py")
    ranked = kept(folder, "plain", folder / "pond", "--wire", "plain")
    assert sorted(ranked) == ["one", "three", "two"]
    more = judge("rank", "pond", "--wire", "plain", "--rounds", "2", "--json")
    assert json.loads(more.stdout)["games"] == 12
    none = judge("fight", "plodder.py@plain", "plodder.py@plain", "--rules", "broadsides")
    assert none.returncode == 2
    assert "over the wire plain, which it speaks, a reply is one shot" in none.stderr


def test_a_format(folder: Path) -> None:
    """Its contest is held, told in its own words, and gone on with."""
    ring = folder / "ring"
    ring.mkdir()
    for name in ("random", "hunt", "hunter"):
        shutil.copytree(ROOT / "bots" / name, ring / name)
    judge = partial(judge_in, folder, command=[sys.executable, "arena.py"], JUDGE_LAUNCH="fork")
    assert judge("check", "hunter", "--only", "legal").returncode == 0
    assert judge("fight", "random", "hunt", "--no-ledger").returncode == 0
    names = kept(folder, "arena", ring, "--format", "arena")
    assert sorted(names) == ["hunt", "hunter", "random"]
    text = judge("standings", "ring.ledger.json").stdout
    for words in ("bouts won", "Ranked by the arena", "Bout 2", "arena, 3 games a bout"):
        assert words in text
    page = (folder / "pages" / "index.html").read_text()
    for words in ("The arena", "Bouts won", "Ranked by the arena"):
        assert words in page
    other = judge("rank", "ring", "--rounds", "2")
    assert other.returncode == 2
    assert "--rounds is not for the format arena, which takes --games" in other.stderr
    assert "[default: (tournament and swiss 2, knockout and arena 3" in " ".join(
        judge("rank", "--help").stdout.split()
    )
    plain = judge_in(folder, "standings", "ring.ledger.json")
    assert plain.returncode == 2
    assert "of the format 'arena', which this judge does not know: run the program" in plain.stderr


def test_a_bug_in_it_is_its_own(folder: Path) -> None:
    """The sentence names the protocol or the format, and the file that registers it."""
    plain = FILES["plain.py"].replace('self._out += b"shoot', '1 // 0; self._out += b"shoot')
    assert plain != FILES["plain.py"]
    (folder / "plain.py").write_text(plain)
    (folder / "pond").mkdir()
    for name in ("one", "two"):
        shutil.copy(folder / "plodder.py", folder / "pond" / f"{name}.py")
    judge = partial(judge_in, folder, command=[sys.executable, "plain.py"])
    done = judge("rank", "pond", "--wire", "plain", "--no-ledger")
    said = f"a bug in the wire plain, which {folder / 'plain.py'} registers: ZeroDivisionError"
    assert done.returncode == 1
    assert said in done.stderr
    there = judge(
        "rank", "pond", "--wire", "plain", "--cluster", "tcp://127.0.0.1:1", "--isolation", "bwrap"
    )
    assert (there.returncode, there.stdout) == (2, "")
    assert "leave out the wire plain, or --cluster" in there.stderr
