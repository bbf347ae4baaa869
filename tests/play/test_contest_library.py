"""AIs of the Battleships contest as they lie in its folder: single files that load a library from
the folder ``protected`` beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import Done, judge
from needs import strictest

pytestmark = pytest.mark.whole

LIBRARY = '''
import json, socket, sys

class Player:
    """Speaks dialect 1 for an AI, which says where it places ships and shoots."""

    def __init__(self, path):
        judge = socket.socket(socket.AF_UNIX)
        judge.connect(path)
        say = lambda **message: judge.send(json.dumps(message).encode())
        say(mt=1, ai=type(self).__name__, au="A. One")
        while frame := judge.recv(256):
            message = json.loads(frame.rstrip(b"\\0"))
            match message["mt"]:
                case 2:
                    self.size = message["bs"]
                case 3:
                    self.rows, self.fired = list(range(self.size)), 0
                case 4:
                    say(mt=5, r=self.rows.pop(0), c=0, l=message["l"], d=72)
                case 6:
                    row, column = self.shoot(self.fired)
                    self.fired += 1
                    say(mt=7, r=row, c=column)
                case 11:
                    sys.exit(0)
'''

AI = """#!/usr/bin/env python3
import sys
from protected.Player import Player

class {0}(Player):
    def shoot(self, number):
        return number // self.size % self.size, number % self.size

{0}(sys.argv[1])
"""


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """The folder of a contest: two AIs, and what they load beside them."""
    library = Path("AI_Files/protected")
    library.mkdir(parents=True)
    (library / "Player.py").write_text(LIBRARY)
    for name in ("One", "Two"):
        path = Path("AI_Files", f"{name.lower()}.py")
        path.write_text(AI.format(name))
        path.chmod(0o755)


def fought(isolation: str, *more: str) -> Done:
    words = ("fight", "AI_Files/one.py", "AI_Files/two.py", "--rules", "contest-3", "--games", "2")
    return judge(*words, "--timeout", "20s", "--isolation", isolation, "--json", *more)


@pytest.mark.parametrize("isolation", ["bwrap", "none"])
def test_ais_load_the_library_beside_them(isolation: str) -> None:
    """They play as they lie there, at every isolation level, and what they load is part of what
    they are made of, by their digests."""
    if isolation == "bwrap":
        isolation = strictest().name

    def digests() -> list[str]:
        done = fought(isolation, "--no-ledger")
        assert done.status == 0, done.stderr
        records = json.loads(done.stdout)["records"]
        assert [one["outcome"]["termination"] for one in records] == ["fleet-destroyed"] * 2
        assert [seat["own_name"] for seat in records[0]["seats"]] == ["One", "Two"]
        assert [seat["dialect"] for seat in records[0]["seats"]] == ["1", "1"]
        return [seat["digest"] for seat in records[0]["seats"]]

    first = digests()
    with Path("AI_Files/protected/Player.py").open("a") as file:
        file.write("\n")
    assert not {*first} & {*digests()}


def test_a_contest_of_the_folder_takes_the_library_for_no_ai() -> None:
    """Its AIs play; nothing is said of the folder that they load from."""
    words = ("rank", "AI_Files", "--rules", "contest-3", "--games", "2", "--format", "lives")
    done = judge(*words, "--lives", "1", "--timeout", "20s", "--isolation", strictest().name)
    assert done.status == 0, done.stderr
    assert "left out" not in done.stderr
    assert "gave no valid reply" not in done.stdout


def test_a_check_moves_the_library_with_its_ai() -> None:
    """Elsewhere it loads it as well."""
    claim = "works wherever its files lie"
    words = ("check", "AI_Files/one.py", "--rules", "contest-3", "--only", claim)
    done = judge(*words, "--timeout", "20s", "--isolation", strictest().name)
    assert done.status == 0, done.stdout


def test_no_link_is_a_library() -> None:
    """A link of that name, which may lead anywhere, is shown to nobody; nor is a link in the folder
    that leads out of it."""
    library = Path("AI_Files/protected").rename("library")
    Path("AI_Files/protected").symlink_to(library.resolve())
    done = fought(strictest().name, "--no-ledger")
    assert "No module named 'protected'" in done.stdout
    Path("AI_Files/protected").unlink()
    library.rename("AI_Files/protected")
    Path("AI_Files/protected/secret").symlink_to("/etc/passwd")
    done = fought("none", "--no-ledger")
    assert done.status == 2
    assert "protected', which one may load from, " in done.stderr


def test_a_library_is_counted_with_its_ai() -> None:
    """It may be as large as an AI may."""
    Path("AI_Files/protected/much").write_bytes(bytes(17 * 2**20))
    done = fought("none", "--no-ledger")
    assert done.status == 2
    assert "over the limit of 16,777,216; take out what it does not need" in done.stderr
