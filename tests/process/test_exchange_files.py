"""Every game's whole exchange, and all that bots write to stderr, lie in files if that is asked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from commands import judge
from judge.errors import JudgeFault
from judge.process.run import exchange_files
from judge.process.run.exchange_files import ExchangeFiles

LOUD = """\
#!/bin/sh
echo "asked $1" >&2
echo '{"move": "00"}'
"""


def test_a_game_that_was_lost_and_one_that_was_won_are_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder a game and two files a seat, with what was sent and what came, line by line. Folders
    that are missing are made. Boards of a comparison have folders, too."""
    monkeypatch.chdir(tmp_path)
    Path("loud.sh").write_text(LOUD)
    more = ("--no-ledger", "--isolation", "none", "--timeout", "1min", "--seed", "1")
    done = judge("fight", "loud.sh", "hunt", "--io", "new/io", *more)
    assert done.status == 0, done.stderr
    (game,) = Path("new/io").iterdir()
    files = {file.name: file.read_text() for file in game.iterdir()}
    assert files == {
        "A-loud.exchange": '> {"cmd":"init"}\n< {"move": "00"}\n',
        "A-loud.stderr": 'asked {"cmd":"init"}\n',
        "B-hunt.exchange": files["B-hunt.exchange"],
        "B-hunt.stderr": "",
    }
    assert files["B-hunt.exchange"].startswith('> {"cmd":"init"}\n< {"2": ')
    assert judge("fight", "hunt", "loud.sh", "--io", "new/io", *more).status == 0
    assert {file.name for file in game.iterdir()} == {
        *("A-hunt.exchange", "A-hunt.stderr", "B-loud.exchange", "B-loud.stderr")
    }
    compared = ("compare", "hunt", "parity", "--boards", "2", "--games", "2", "--launch", "fork")
    done = judge(*compared, "--io", "both", "--isolation", "none", "--seed", "1")
    assert done.status == 0, done.stderr
    boards = {f"1-{board}.{bot}" for board in (1, 2) for bot in (1, 2)}
    assert {path.name for path in Path("both").iterdir()} == {*boards, "1-1", "1-2"}
    for folder, why in (("loud.sh", "'loud.sh' is a file"), ("/proc/q", "that can be written")):
        refused = judge("fight", "loud.sh", "hunt", "--io", folder, *more)
        assert (refused.status, why in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("command", "typed", "seat"), [(("play",), "quit\n", "B"), (("tester", "--bot"), "\n", "A")]
)
def test_a_game_with_moves_by_hand_is_kept_too(
    command: tuple[str, ...], typed: str, seat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the files of its bot; a person has none, so a tester without a bot takes no --io."""
    monkeypatch.chdir(tmp_path)
    Path("loud.sh").write_text(LOUD)
    more = ("--io", "io", "--isolation", "none", "--timeout", "1min", "--seed", "1")
    spec = "0=loud.sh" if command[0] == "tester" else "loud.sh"
    judge(*command, spec, *more, typed=typed)
    assert {path.name for path in Path("io").rglob("*.*")} == {
        f"{seat}-loud.exchange",
        f"{seat}-loud.stderr",
    }
    refused = judge("tester", *more, typed="")
    assert (refused.status, "give --bot too" in refused.stderr) == (2, True)


def test_no_file_grows_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says where it was cut, once."""
    monkeypatch.setattr(exchange_files, "MOST_BYTES", 20)
    log = ExchangeFiles(tmp_path, "../a:b", 1, "x/../y")
    for _ in range(3):
        log.sent(b"0123456789\n")
    log.close()
    (file,) = tmp_path.glob("*/*.exchange")
    assert file.relative_to(tmp_path) == Path("_a_b/B-x_.._y.exchange")
    assert file.read_text() == "> 0123456789\n(cut here, at 16 MiB)\n"


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    """Neither through a symbolic link nor into a file that has another name; it stays as it is."""
    mine = tmp_path / "mine"
    mine.write_text("mine")
    for link in (os.symlink, os.link):
        folder = tmp_path / link.__name__ / "game"
        folder.mkdir(parents=True)
        link(mine, folder / "A-bot.exchange")
        with pytest.raises(JudgeFault, match="writes"):
            ExchangeFiles(folder.parent, "game", 0, "bot")
    assert mine.read_text() == "mine"
