"""Nothing is written through a link that a stranger has put into a folder: sites, ledgers,
pages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clean import surroundings
from commands import Done, judge
from games import played
from judge import writing
from judge.cli.atomic_write import save
from judge.cli.ledgers.ledger_option import save_record
from judge.cli.site_folder import LIST
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.verify import rebuild
from judge.errors import LedgerError, UsageError

VICTIM = b"what the user holds dear\n"


@pytest.fixture(autouse=True)
def victim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of the user's outside of the folder in which the judge works; at the end it is whole,
    and nothing has come to lie beside it."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    surroundings(inside, monkeypatch)
    (outside / "games").mkdir()
    for file in (outside / "dear", outside / "games" / "dear.html"):
        file.write_bytes(VICTIM)
        file.chmod(0o644)
    yield outside / "dear"
    there = {path.relative_to(outside).as_posix() for path in outside.rglob("*")}
    assert there == {"dear", "games", "games/dear.html"}
    for file in (outside / "dear", outside / "games" / "dear.html"):
        assert file.read_bytes() == VICTIM


def fill(games: int = 3) -> None:
    with Ledger(Path("ledger.json")) as ledger:
        for number in range(ledger.tally.recorded, ledger.tally.recorded + games):
            ledger.add(played(seed=number), numbered=True)


# Sites


def site() -> Done:
    return judge("site", "site", "--jobs", "1")


SITES: dict[str, Callable[[Path], object]] = {
    "bots is a link": lambda out: _instead(Path("site/bots"), out),
    "games is a link": lambda out: _instead(Path("site/games"), out / "games"),
    "bots leads nowhere": lambda out: _instead(Path("site/bots"), out / "new"),
    "bots is a file": lambda _: _instead(Path("site/bots"), None),
}


def _instead(path: Path, to: Path | None) -> None:
    for page in path.iterdir():
        page.unlink()
    path.rmdir()
    if to is None:
        path.write_text("")
    else:
        path.symlink_to(to)


@pytest.mark.parametrize("plant", SITES.values(), ids=SITES)
def test_a_folder_of_a_site_that_is_a_link_is_replaced_itself(
    plant: Callable[[Path], object], victim: Path
) -> None:
    """Nothing is written or removed behind it."""
    fill()
    assert site().status == 0
    plant(victim.parent)
    fill(1)
    assert site().status == 0
    assert sorted(path.name for path in Path("site").iterdir() if path.is_symlink()) == []
    assert Path("site/games/4.html").is_file()


@pytest.mark.parametrize("name", [".judge-site.new", ".judge-site.old"])
def test_what_a_killed_judge_would_leave_may_be_a_link(name: str, victim: Path) -> None:
    """It is removed itself."""
    fill()
    assert site().status == 0
    Path("site", name).symlink_to(victim.parent)
    assert site().status == 0
    assert not os.path.lexists(Path("site", name))


@pytest.mark.parametrize("name", ["index.html", LIST, f".{LIST}.new"])
@pytest.mark.parametrize("how", ["symlink", "hard link"])
def test_a_page_that_is_a_link_is_replaced_itself(name: str, how: str, victim: Path) -> None:
    """The link goes and a page comes; what it led to stays."""
    fill()
    assert site().status == 0
    path = Path("site", name)
    if name == LIST and how == "symlink":
        return  # a list that cannot be read: see the next test
    path.unlink(missing_ok=True)
    if how == "symlink":
        path.symlink_to(victim)
    elif name != LIST:
        os.link(victim, path)
    fill(1)
    done = site()
    assert (done.status, path.is_symlink()) == ((2 if name == LIST else 0), False)


def test_a_list_that_is_a_link_is_not_believed(victim: Path) -> None:
    """A folder whose list is somebody else's file is not the judge's."""
    fill()
    Path("site").mkdir()
    Path("site", LIST).symlink_to(victim)
    done = site()
    assert done.status == 1
    assert "cannot be read: it is a symbolic link" in done.stderr


def test_a_list_that_is_a_pipe_is_not_waited_for() -> None:
    """Nobody writes into it."""
    fill()
    Path("site").mkdir()
    os.mkfifo(Path("site", LIST))
    done = site()
    assert done.status == 1
    assert "it is not an ordinary file" in done.stderr


def test_the_folder_itself_may_be_a_link() -> None:
    """The path that the user typed is followed to its end."""
    fill()
    Path("real").mkdir()
    Path("site").symlink_to("real")
    assert site().status == 0
    assert Path("real/index.html").is_file()


# Ledgers

BESIDE = [".ledger.json.lock", "ledger.games.jsonl"]


@pytest.mark.parametrize("name", BESIDE)
@pytest.mark.parametrize("how", ["symlink", "hard link", "a link to nothing", "a pipe"])
def test_what_lies_beside_a_ledger_is_no_link(name: str, how: str, victim: Path) -> None:
    """A lock or a journal that leads elsewhere stops the run before a byte is written."""
    path = Path(name)
    match how:
        case "symlink":
            path.symlink_to(victim)
        case "hard link":
            os.link(victim, path)
        case "a link to nothing":
            path.symlink_to(victim.with_name("new"))
        case "a pipe":
            os.mkfifo(path)
    with pytest.raises((LedgerError, UsageError)):
        fill()
    path.unlink()


def test_a_hard_link_to_a_journal_is_not_added_to(victim: Path) -> None:
    """The journal of another ledger, under a second name, is left as it is."""
    fill(2)
    journal = Path("ledger.games.jsonl")
    os.link(journal, "other.jsonl")
    before = journal.read_bytes()
    with pytest.raises(LedgerError, match="more than one name"):
        fill(1)
    assert journal.read_bytes() == before
    Path("other.jsonl").unlink()
    fill(1)


@pytest.mark.parametrize("name", [".ledger.json.new", "ledger.games.jsonl.torn"])
def test_what_a_ledger_puts_aside_goes_through_no_link(name: str, victim: Path) -> None:
    """The new table goes beside the planted link, and a torn line is not set aside behind one."""
    fill(2)
    with Path("ledger.games.jsonl").open("ab") as journal:
        journal.write(b'{"torn')
    Path(name).symlink_to(victim)
    if name.endswith("torn"):
        with pytest.raises(LedgerError, match="symbolic link"):
            fill(1)
    else:
        fill(1)
        rebuild(Path("ledger.json"))


BY_DEFAULT = [
    ("standings",),
    ("ledger", "verify"),
    ("ledger", "show", "hunter"),
    ("ledger", "rebuild"),
    ("ledger", "void", "1", "--reason", "x"),
    ("site", "site"),
    ("replay",),
    ("replay", "#1"),
    ("fight", "random", "hunter"),
]


@pytest.mark.parametrize("arguments", BY_DEFAULT, ids=" ".join)
def test_a_ledger_that_nobody_named_is_no_link(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """The `ledger.json` of the current folder leads to no other ledger; one that is named may."""
    fill()
    users = tmp_path / "users"
    users.mkdir()
    for name in ("ledger.json", "ledger.games.jsonl"):
        Path(name).rename(users / name)
    Path("ledger.json").symlink_to(users / "ledger.json")
    before = {path: path.read_bytes() for path in users.iterdir()}
    done = judge(*arguments)
    assert done.status == 2
    assert "is followed only where it is named: `--ledger ledger.json`" in done.stderr
    assert {path: path.read_bytes() for path in users.iterdir()} == before
    if arguments[0] in {"standings", "replay"}:
        assert judge(*arguments, "--ledger", "ledger.json").status == 0


# Pages and records


def test_a_page_goes_where_the_user_typed(victim: Path) -> None:
    """A link that the user names is followed, to a page; nothing else is replaced behind it."""
    Path("page.html").symlink_to(victim)
    with pytest.raises(UsageError, match="is not a page"):
        save("<!doctype html>", Path("page.html"))
    Path("pages").symlink_to(victim.parent)
    with pytest.raises(UsageError, match="is not a page"):
        save("<!doctype html>", Path("pages/dear"))


@pytest.mark.parametrize("to", ["dear", "new"])
def test_a_record_is_kept_behind_no_link(to: str, victim: Path) -> None:
    """Not even where there is nothing yet."""
    Path("game.json").symlink_to(victim.with_name(to))
    with pytest.raises(UsageError):
        save_record(Path("game.json"), played)


@pytest.mark.parametrize("below", ["../x", "/x", "a/../../x", "", ".", "a//b", "b/x", "c/x"])
def test_a_path_stays_below_its_folder(below: str, victim: Path) -> None:
    """Every way of writing takes names in the folder, and no link on the way."""
    Path("a").mkdir()
    Path("b").symlink_to(victim.parent)
    Path("c").symlink_to("a")
    for write in (writing.replace, writing.create):
        with pytest.raises(OSError, match=r"link|not a path|No such|Is a dir"):
            write(Path(), below, b"x")
    with pytest.raises(OSError, match=r"link|not a path|No such|Is a dir"):
        writing.remove(Path(), below)
    assert writing.size(Path(), below) is None


def test_a_folder_that_cannot_be_made_is_said(victim: Path) -> None:
    """A link where a folder is to be is named as what it is."""
    Path("link").symlink_to(victim.parent)
    with pytest.raises(OSError, match=r"link|not a path|No such|Is a dir") as refused:
        writing.make_folder(Path(), "link")
    assert "symbolic link" in str(refused.value.strerror)


# Logs

SERVING = ("serve", "bsp", "--no-ledger", "--host", "no such host.invalid", "--log")
JOINING = ("join", "bsp://127.0.0.1:1", "--bot", "random", "--log")  # where nobody serves
SERVERS = b"2030-01-02 03:04:05 127.0.0.1:4711 said: JOIN ann\n"
CLIENTS = b"2030-01-02 03:04:05,678 - INFO - Connected.\n"


@pytest.mark.parametrize(("words", "own"), [(SERVING, SERVERS), (JOINING, CLIENTS)])
def test_a_log_is_added_to_no_other_file(words: tuple[str, ...], own: bytes) -> None:
    """A file must be new, empty, or begin as such a log; else it stays as it is, and nothing is
    served or joined."""
    other = CLIENTS if own is SERVERS else SERVERS
    for begin in (b"# my notes\n", b"\n" + own, b" " + own, other, own[:20], b"\0"):
        Path("log").write_bytes(begin)
        done = judge(*words, "log")
        assert done.status == 2
        assert done.stderr == (
            "judge: --log log cannot be written: it is there already, and does not begin as such "
            "a log; name another file.\n"
        )
        assert Path("log").read_bytes() == begin
    for begin in (None, b"", own):
        Path("log").unlink()
        if begin is not None:
            Path("log").write_bytes(begin)
        assert "--log" not in judge(*words, "log").stderr
        assert Path("log").read_bytes().startswith(begin or b"")


@pytest.mark.parametrize("words", [SERVING, JOINING])
def test_a_log_is_an_ordinary_file(words: tuple[str, ...], victim: Path) -> None:
    """Not a link, a second name of another file, or a FIFO that nobody reads."""
    Path("link").symlink_to(victim)
    os.link(victim, "name")
    os.mkfifo("fifo")
    for name, why in (("link", "a symbolic link"), ("name", "a hard link"), ("fifo", "ordinary")):
        done = judge(*words, name)
        assert done.status == 2
        assert f"--log {name} cannot be written: it " in done.stderr
        assert why in done.stderr
