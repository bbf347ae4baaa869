"""The stderr of bots, kept for their entrants: bounded, and no reason to lose a game."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge import writing
from judge.process.run.limits import MOST_STDERR_BYTES
from judge.serve.host import stderr as stderr_module
from judge.serve.host.stderr import StderrStore


def write(store: StderrStore, name: str, game: str, text: bytes) -> None:
    """Have a bot write this in a game."""
    log = store.log(game, 0, name)
    log.sent(b"what it was asked")
    log.received(b"what it answered")
    log.stderr(text)
    log.close()


@pytest.fixture
def store(tmp_path: Path) -> StderrStore:
    store = StderrStore(tmp_path / "stderr")
    store.keep_of(["ann", "bob"])
    return store


def test_the_last_games_of_a_bot_are_kept(
    store: StderrStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of another bot make no room for them, and a game in which it wrote nothing takes none."""
    monkeypatch.setattr(stderr_module, "MOST_GAMES", 2)
    write(store, "bob", "g0", b"bob")
    for number in range(4):
        write(store, "ann", f"g{number}", b"text %d" % number)
        write(store, "ann", f"silent {number}", b"")
    kept = [store.text("ann", f"g{number}") for number in range(4)]
    assert kept == [b"", b"", b"text 2", b"text 3"]
    assert [store.has("ann", f"g{number}") for number in range(4)] == [False, False, True, True]
    assert store.text("bob", "g0") == b"bob"
    assert len([*(tmp_path / "stderr" / "ann").iterdir()]) == 2


def test_a_text_is_cut_in_its_middle(store: StderrStore) -> None:
    """Its begin and its end are whole."""
    write(store, "ann", "g", b"begin" + bytes(2**20) + b"end")
    text = store.text("ann", "g")
    assert len(text) < 2 * MOST_STDERR_BYTES + 100
    assert (text[:5], text[-3:]) == (b"begin", b"end")
    assert "bytes left out" in text.decode()


@pytest.mark.parametrize("again", [b"", b"second"])
def test_a_game_that_is_played_again_has_its_own_text(store: StderrStore, again: bytes) -> None:
    """Nothing is left of what the bot wrote when the game came to nothing."""
    write(store, "ann", "g", b"first")
    write(store, "ann", "g", again)
    assert store.text("ann", "g") == again


@pytest.mark.parametrize("name", ["hunter", "../stderr/ann", "..", ""])
def test_a_bot_of_nobody_leaves_nothing(store: StderrStore, tmp_path: Path, name: str) -> None:
    """Nor does a name that is a path, nor the bot of an entrant who was removed."""
    write(store, "ann", "g", b"text")
    write(store, name, "g", b"stranger")
    assert store.text("ann", "g") == b"text"
    assert [path.name for path in tmp_path.rglob("*") if path.is_dir()] == ["stderr", "ann"]
    store.keep_of(["bob"])
    write(store, "ann", "h", b"text")
    assert [*(tmp_path / "stderr").iterdir()] == []


def test_a_full_disk_loses_the_text_alone(
    store: StderrStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game goes on, and so do the next texts."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(writing, "write", full)
        write(store, "ann", "g", b"text")
    assert store.text("ann", "g") == b""
    write(store, "ann", "h", b"text")
    assert store.text("ann", "h") == b"text"
