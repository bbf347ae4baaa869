"""judge replay --html, and the pages that it writes read back."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from games import played
from judge.cli.atomic_write import save
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.errors import UsageError

RECORD = played(seed=2, forfeit=(0, Termination.CRASH), stderr="boom </script>")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with a record in it."""
    monkeypatch.chdir(tmp_path)
    Path("game.json").write_text(json.dumps(builtins(RECORD)))
    return tmp_path


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
    with pytest.raises(UsageError, match="is there already, and is not a page"):
        save("new", folder / "game.json")
    assert (folder / "game.json").read_bytes() == before


def test_what_a_link_leads_to_is_replaced(folder: Path) -> None:
    """A link stays a link."""
    (folder / "real.html").write_text("<!doctype html>old")
    (folder / "page.html").symlink_to("real.html")
    save("new", folder / "page.html")
    assert (folder / "page.html").is_symlink()
    assert (folder / "real.html").read_text() == "new"
