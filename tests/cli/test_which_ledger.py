"""Which ledger is meant: that of a contest's folder, and the only one where none is named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commands import Done, judge
from contest_folder import PLACES, PLAYS, add_bots
from judge.cli.ledgers.which_ledger import of_folder
from judge.contest.ledger.ledger import read
from judge.contest.ledger.verify import verify
from judge.errors import UsageError


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder with a folder of two bots; one of them forfeits at its first move."""
    add_bots(ada=PLAYS, mute=PLACES)
    return own_folder


def rank(folder: str, *arguments: str) -> Done:
    return judge("rank", folder, "--isolation", "none", *arguments)


def games(path: str | Path) -> int:
    return verify(Path(path)).games


# The ledger of a contest's folder


@pytest.mark.parametrize(
    "called", ["bots", "bots/", "./bots", "bots/../bots", "link", "{here}/bots"]
)
def test_a_folder_has_one_ledger_whatever_it_is_called(called: str, folder: Path) -> None:
    """It lies beside the folder itself, and the game that is there is not played again."""
    Path("link").symlink_to("bots")
    assert rank("bots", "--quiet").status == 0
    assert rank(called.format(here=folder), "--quiet").status == 0
    assert games("bots.ledger.json") == 2
    assert [path.name for path in folder.glob("*.json")] == ["bots.ledger.json"]


def test_the_current_folder_has_it_beside_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`judge rank .` says where its games are kept, before they are played; and in that folder the
    ledger is found without its name."""
    monkeypatch.chdir("bots")
    done = rank(".")
    assert done.stderr == "judge: the games of this contest are kept in ../bots.ledger.json.\n"
    assert games(folder / "bots.ledger.json") == 2
    assert judge("standings").stdout.endswith("2 games of 2 bots.\n")
    assert rank(".").stderr.count("are kept in") == 0


def test_a_link_to_a_folder_elsewhere_means_that_folder(folder: Path) -> None:
    """The ledger lies beside what the link leads to: another target has another ledger."""
    Path("november", "bots").mkdir(parents=True)
    shutil.copytree("bots", "november/bots", dirs_exist_ok=True)
    Path("current").symlink_to("november/bots")
    assert rank("current", "--quiet").status == 0
    assert games("november/bots.ledger.json") == 2
    assert not list(folder.glob("*.json*"))


def test_how_a_path_is_shown_is_how_it_was_typed(tmp_path: Path) -> None:
    """A relative folder has a relative ledger, an absolute one an absolute."""
    assert of_folder(Path("bots")) == Path("bots.ledger.json")
    assert of_folder(Path("..")) == Path(f"../../{tmp_path.parent.name}.ledger.json")
    assert of_folder(tmp_path / "bots.v2") == tmp_path / "bots.v2.ledger.json"


def test_a_folder_without_a_name_has_no_ledger() -> None:
    """It is asked for one."""
    with pytest.raises(UsageError, match=r"^/ has no name .*; name one with --ledger"):
        of_folder(Path("/"))


def test_another_that_is_named_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the flag, a variable or judge.toml; or none at all."""
    rank("bots", "--ledger", "flag.json", "--quiet")
    monkeypatch.setenv("JUDGE_LEDGER", "variable.json")
    rank("bots", "--quiet")
    monkeypatch.delenv("JUDGE_LEDGER")
    Path("judge.toml").write_text('[rank]\nledger = "file.json"\n')
    monkeypatch.setenv("JUDGE_CONFIG", "judge.toml")
    rank("bots", "--quiet")
    rank("bots", "--no-ledger", "--quiet")
    assert sorted(path.name for path in Path().glob("*.json")) == [
        "file.json",
        "flag.json",
        "variable.json",
    ]


def test_a_link_that_nobody_named_is_not_followed() -> None:
    """The folder may be a stranger's."""
    Path("bots.ledger.json").symlink_to("elsewhere.json")
    done = rank("bots")
    assert done.status == 2
    assert "bots.ledger.json is a symbolic link" in done.stderr
    assert "`--ledger bots.ledger.json`" in done.stderr
    assert not Path("elsewhere.json").exists()


def test_what_the_judge_keeps_in_the_folder_is_not_called_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ledger that lies among the bots is no bot that failed; a stray document is."""
    monkeypatch.chdir("bots")
    Path("notes.json").write_text("{}")
    rank(".", "--ledger", "ledger.json", "--quiet")
    shutil.copy("ledger.games.jsonl", "ledger.games.jsonl.from3")
    assert {"ledger.json", ".ledger.json.lock"} <= {path.name for path in Path().iterdir()}
    left_out = [
        line for line in rank(".", "--ledger", "ledger.json").stderr.splitlines() if "left" in line
    ]
    assert len(left_out) == 1
    assert left_out[0].startswith("judge: left out notes.json: ")


# A contest that is kept elsewhere


@pytest.mark.parametrize("where", ["here", "beside"])
def test_a_contest_in_another_ledger_is_not_begun_again(
    where: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It stops before anything is played or written, and says the two ways on; both are."""
    if where == "beside":
        Path("elsewhere").mkdir()
        monkeypatch.chdir("elsewhere")
    up = "" if where == "here" else "../"
    rank(f"{up}bots", "--ledger", f"{up}ledger.json", "--quiet")
    before = sorted(folder.rglob("*"))
    done = rank(f"{up}bots")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr == (
        f"judge: {up}ledger.json holds a contest of the bots in {up}bots already, and "
        f"{up}bots.ledger.json is not there: `--ledger {up}ledger.json` goes on with that contest, "
        f"`--ledger {up}bots.ledger.json` begins a new one.\n"
    )
    assert sorted(folder.rglob("*")) == before
    assert rank(f"{up}bots", "--ledger", f"{up}ledger.json", "--rounds", "2").status == 0
    assert games(f"{up}ledger.json") == 4
    assert rank(f"{up}bots", "--ledger", f"{up}bots.ledger.json").status == 0
    assert rank(f"{up}bots", "--rounds", "2").status == 0
    assert games(f"{up}bots.ledger.json") == 4


def test_a_ledger_of_fights_or_of_others_stops_no_contest() -> None:
    """Only a contest of two of these bots does: not fights between them, nor a contest of
    others."""
    judge("fight", "bots/ada.sh", "bots/mute.sh", "--isolation", "none", "--quiet")
    assert read(Path("ledger.json")).seed is None
    assert rank("bots", "--quiet").status == 0
    for path in Path().glob("*ledger.*"):
        path.unlink()
    Path("others").mkdir()
    for name in ("eve", "fay"):
        shutil.copy("bots/ada.sh", f"others/{name}.sh")
    rank("others", "--ledger", "ledger.json", "--quiet")
    assert rank("bots", "--quiet").status == 0


def test_a_ledger_that_cannot_be_read_is_not_passed_over() -> None:
    """It may hold the contest: what is damaged is said, and how to name the ledger that is
    meant."""
    rank("bots", "--ledger", "ledger.json", "--quiet")
    Path("ledger.games.cache").unlink()
    Path("ledger.games.jsonl").write_text("{}\n")
    done = rank("bots")
    assert done.status == 1
    assert "ledger.games.jsonl was edited at line 1" in done.stderr
    assert "as in `--ledger bots.ledger.json`" in done.stderr
    assert rank("bots", "--ledger", "bots.ledger.json", "--quiet").status == 0


def test_a_fight_goes_on_to_have_its_own() -> None:
    """Beside the ledger of a contest, which it does not touch."""
    rank("bots", "--quiet")
    before = Path("bots.ledger.games.jsonl").read_bytes()
    judge("fight", "bots/ada.sh", "bots/mute.sh", "--isolation", "none", "--quiet")
    assert Path("bots.ledger.games.jsonl").read_bytes() == before
    assert games("ledger.json") == 1
