"""judge replay --html, and the pages that it writes read back."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from commands import ROOT, judge
from games import played
from judge.cli.atomic_write import save
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.errors import UsageError
from judge.show.pages.page import page

RECORD = played(seed=2, forfeit=(0, Termination.CRASH), stderr="boom </script>")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a record in it."""
    monkeypatch.chdir(tmp_path)
    Path("game.json").write_text(json.dumps(builtins(RECORD)))
    return tmp_path


def test_a_page_is_written_and_read_back() -> None:
    """The page of a record gives the same record to whoever reads the page."""
    assert judge("replay", "game.json", "--html", "page.html").status == 0
    assert Path("page.html").read_text() == page(RECORD)
    again = judge("replay", "page.html", "--json")
    assert json.loads(again.stdout) == json.loads(Path("game.json").read_text())
    assert judge("replay", "page.html", "--html", "-").stdout == page(RECORD)


@pytest.mark.parametrize("other", [["--json"], ["--move", "1"]])
def test_a_page_is_not_all_at_once(other: list[str]) -> None:
    """A page and something else on stdout are two wishes."""
    done = judge("replay", "game.json", "--html", "page.html", *other)
    assert done.status == 2
    assert not Path("page.html").exists()


def test_a_page_is_verified() -> None:
    """A sound page is said to be; one whose shots were changed is not, with status 1."""
    judge("replay", "game.json", "--html", "page.html")
    sound = judge("ledger", "verify", "page.html")
    assert sound.status == 0
    assert "1 game judged again; all is as it should be" in sound.stdout
    document = builtins(RECORD)
    document["shots"][3][4] = 4 - document["shots"][3][4]  # a miss for a hit
    text = Path("page.html").read_text()
    was, is_ = (json.dumps(one, separators=(",", ":")) for one in (builtins(RECORD), document))
    shots = [one[one.index('"shots"') : one.index('"asides"')] for one in (was, is_)]
    assert shots[0] in text
    Path("page.html").write_text(text.replace(*shots))
    broken = judge("ledger", "verify", "page.html", "--json")
    found = json.loads(broken.stdout)
    assert broken.status == 1
    assert not found["intact"]
    assert "shot 4 is recorded as" in found["problems"][0]


def test_a_file_that_is_there_is_replaced_whole(folder: Path) -> None:
    """The old page stays until the new one is whole; its permissions stay for good."""
    path = folder / "page.html"
    path.write_text("<!DOCTYPE html>old")
    path.chmod(0o640)
    with path.open() as reader:
        save("new", path)
        assert reader.read() == "<!DOCTYPE html>old"
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(one.name for one in folder.iterdir()) == ["game.json", "page.html"]


def test_only_a_page_is_replaced_by_a_page(folder: Path) -> None:
    """A ledger, or whatever else is there, stays to the byte."""
    before = (folder / "game.json").read_bytes()
    with pytest.raises(UsageError, match="is there already, and is no page"):
        save("new", folder / "game.json")
    assert (folder / "game.json").read_bytes() == before


def test_what_a_link_leads_to_is_replaced(folder: Path) -> None:
    """A link stays a link."""
    (folder / "real.html").write_text("<!doctype html>old")
    (folder / "page.html").symlink_to("real.html")
    save("new", folder / "page.html")
    assert (folder / "page.html").is_symlink()
    assert (folder / "real.html").read_text() == "new"


@pytest.mark.parametrize(
    ("name", "status", "sentence"),
    [
        (".", 2, "is a folder; name a file"),
        ("no/page.html", 2, "there is no folder"),
        ("/proc/page.html", 1, "cannot be written"),
        ("/dev/full", 1, "No space left on device"),
    ],
)
def test_where_no_page_can_be_it_says_so(
    name: str, status: int, sentence: str, folder: Path
) -> None:
    """A place where nothing can be written gets one sentence, and nothing is left behind."""
    done = judge("replay", "game.json", "--html", name)
    assert done.status == status
    assert sentence in done.stderr
    assert [one.name for one in folder.iterdir()] == ["game.json"]


def test_a_page_can_go_down_a_pipe(folder: Path) -> None:
    """``-`` is stdout, and a pipe of a name is written into, not replaced."""
    shell = 'python -m judge replay game.json --html "$0" | cat'
    for target in ("-", "/dev/stdout"):
        command = shell.replace("python", sys.executable)
        piped = subprocess.run(
            ["/bin/sh", "-c", command, target],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=60,
        )
        assert (piped.stdout, piped.stderr) == (page(RECORD), "")
