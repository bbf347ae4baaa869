"""judge site and judge standings --html: what is written, replaced and refused."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import Done, judge, started
from games import played, strange_texts, void
from judge import writing
from judge.cli.commands.site import ALONE
from judge.cli.site_folder import LIST
from judge.contest.ledger.ledger import Ledger
from judge.contest.standings.history import History
from judge.contest.standings.standings import standings
from judge.documents.game import Termination
from judge.show.pages.html import shared_files
from judge.show.pages.site import ON_A_PAGE, bot_pages, file_name
from judge.show.pages.site import LedgerPages as Pages
from ledgers import contents, rewritten
from strategies import examples

COUPLES = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada")]
SITE = Path("site")


def fill(path: Path, games: int) -> None:
    """So many games of three bots, every fifth one forfeited."""
    with Ledger(path) as ledger:
        for number in range(games):
            forfeit = (number % 2, Termination.CRASH) if number % 5 == 4 else None
            names = COUPLES[number % 3]
            ledger.add(played(seed=number, names=names, forfeit=forfeit, game_id=f"g:{number}.1"))


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder with a ledger of seven games."""
    fill(Path("ledger.json"), 7)
    return own_folder


def write(*arguments: str) -> Done:
    done = judge("site", str(SITE), "--jobs", "1", *arguments)
    assert done.status == 0, done.stderr
    return done


# Names of files


@given(st.lists(strange_texts() | st.text(max_size=200), min_size=1, unique=True))
@examples(200)
def test_whatever_a_thing_is_called_its_file_is_its_own(texts: list[str]) -> None:
    """Every text has a short name of plain characters, and no two have the same, on a file system
    that does not tell capitals from small letters either."""
    names = [file_name(text, page) for text in texts for page in (1, 2)]
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,100}\.html", name) for name in names)


def test_a_file_is_called_after_what_it_shows() -> None:
    """Plain words stand for themselves, unless they look like a digest, and of anything else one can
    read what is readable."""
    assert file_name("hunter-2_b") == "hunter-2_b.html"
    assert file_name("Ada") not in (file_name(file_name("Ada").removesuffix(".html")), "ada.html")
    assert file_name("17", 3) == "17.3.html"
    assert file_name("Ada:bob:brainjar:7:1.2").startswith("ada-bob-brainjar-7-1.2-")
    assert file_name("../../etc/passwd").startswith("etc-passwd-")
    assert file_name("Ada") != file_name("ada") != file_name("ADA")


# What is written


def test_a_site_has_a_page_for_the_table_each_bot_and_each_game() -> None:
    """And says so; every link between them leads to a page that is there."""
    done = write()
    assert done.stdout == ("site/index.html: 7 games of 3 bots; 11 pages written.\n")
    pages = contents(SITE)
    shared = {page for page in pages if page.endswith((".css", ".js"))}
    assert len(shared) == 4
    assert len(pages) == 12 + len(shared)  # and whose site it is
    assert set(pages) >= {"index.html", "bots/ada.html", "bots/bob.html", "bots/cyd.html"}
    linked = {"index.html"}
    for page, text in pages.items():
        here = text.decode() if page.endswith(".html") else ""
        for link in re.findall(r'(?:href=|src:)"([^"#:]+)"', here):
            target = os.path.normpath(Path(page).parent / link)
            assert target in pages, f"{page} links to {link}"
            linked.add(target)
    assert linked == pages.keys() - {LIST}


def test_a_game_that_does_not_count_is_said_not_to() -> None:
    """On its page and on the first, with the reason as it was typed."""
    judge("ledger", "void", "4", "--reason", "a <dispute>")
    write()
    page = (SITE / "games/4.html").read_text()
    assert "This game does not count" in page
    assert "a &lt;dispute&gt;" in page
    assert "a &lt;dispute&gt;" in (SITE / "index.html").read_text()


def test_it_is_the_same_however_it_came_about() -> None:
    """Bytes for bytes: at once or bit by bit, by one process or by several."""
    write()
    fill(Path("ledger.json"), ALONE + 30)
    write()
    judge("site", "other", "--jobs", "2")
    assert contents(SITE) == contents(Path("other"))


def test_all_pages_are_replaced() -> None:
    """Those that were changed, and those that have no place any more, with the files for their
    looks; other files beside them stay."""
    write()
    (SITE / "CNAME").write_text("example.org")
    (SITE / "style-0123456789abcdef.css").write_text("body {}")
    for changed in (*SITE.glob("script-*.js"), SITE / "bots/bob.html", SITE / "games/1.html"):
        changed.write_text("mine now")
    for bot in ("ada", "bob"):
        assert judge("ledger", "retire", bot).status == 0
    assert write().stdout.endswith("; 9 pages written.\n")
    pages = contents(SITE)
    assert set(pages) == {
        *("index.html", "bots/cyd.html", *(f"games/{game}.html" for game in range(1, 8)), LIST),
        *shared_files(),
        "CNAME",
    }
    assert b"mine now" not in pages.values()
    assert sorted(path.name for path in SITE.iterdir() if path.is_dir()) == [
        *("bots", "games", "matches")
    ]


def test_the_site_of_another_ledger_is_left_alone() -> None:
    """Also where that ledger has the same name; its own goes on, after orders and new games."""
    write()
    other = Path("elsewhere", "ledger.json")
    other.parent.mkdir()
    with Ledger(other) as ledger:
        ledger.add(played(seed=1, names=("eve", "fay"), game_id="1"))
    assert refused("site", "--ledger", str(other)) == (
        "judge: site has the pages of another ledger; name a new folder for these, or the other "
        "ledger by --ledger.\n"
    )
    judge("ledger", "void", "1", "--reason", "a dispute")
    fill(Path("ledger.json"), 8)
    assert write().stdout.startswith("site/index.html: 8 games of 3 bots, and 1 taken out ")


def contest_of(names: tuple[str, str], games: int) -> Path:
    """The ledger of a contest whose seed was typed, with ``games`` games of these two bots."""
    path = Path(f"{names[0]}.json")
    with Ledger(path) as ledger:
        ledger.contest_seed(123)
        for number in range(ledger.tally.recorded, games):
            ledger.add(played(seed=number, names=names, game_id=f"{names[0]}{number}"))
    return path


def test_contests_with_the_same_seed_have_sites_of_their_own() -> None:
    """One without a game or without an entry takes nobody's site either."""
    first, second = contest_of(("eve", "fay"), 1), contest_of(("gus", "hal"), 1)
    write("--ledger", str(first))
    empty = Path("empty.json")
    with Ledger(empty):
        pass
    empty.with_suffix(".games.jsonl").touch()
    for other in (second, contest_of(("ian", "joe"), 0), empty):
        assert "site has the pages of another ledger" in refused("site", "--ledger", str(other))
    write("--ledger", str(first))


def test_a_site_that_was_begun_before_the_first_game_goes_on() -> None:
    """It is that ledger's from the beginning."""
    write("--ledger", str(contest_of(("eve", "fay"), 0)))
    write("--ledger", str(contest_of(("eve", "fay"), 1)))
    other = contest_of(("gus", "hal"), 1)
    assert "site has the pages of another ledger" in refused("site", "--ledger", str(other))


def test_a_game_that_breaks_its_rules_has_a_page_that_says_so() -> None:
    """It is named, with what is wrong, there and on stderr, and the exit status says so."""

    def repeat_a_shot(entries: list[Any]) -> None:
        shots = entries[3]["record"]["shots"]
        shots[3] = shots[1]

    rewritten(Path("ledger.json"), repeat_a_shot)
    done = judge("site", str(SITE), "--jobs", "1")
    assert done.status == 1
    assert done.stderr.startswith("judge: game #3 cannot be shown: game g:2.1")
    assert done.stdout.startswith("site/index.html: 7 games of 3 bots; 11 pages written")
    page = (SITE / "games/3.html").read_text()
    assert "Game #3 cannot be shown</h1>" in page
    assert "game g:2.1" in page
    assert 'href="4.html"' in page
    again = judge("site", str(SITE), "--jobs", "1", "--quiet")
    assert (again.status, again.stderr) == (1, "")


def test_a_bot_of_many_games_has_several_pages() -> None:
    """Each has its share of the games, and all of them lead to each other."""
    history = History(Path("ledger.json"))
    games = [past_game for past_game, _ in history if "ada" in past_game.game.names]
    table = standings(history.tally)
    place = [row.name for row in table.rows].index("ada")
    ledger = Pages("ledger.json", table, history.tally.table, history.series)
    pages = dict(bot_pages(ledger, place, games * (ON_A_PAGE // 2)))
    assert list(pages) == ["ada.html", "ada.2.html", "ada.3.html"]
    rows = [text.count('<tr data-result="') for text in pages.values()]
    assert rows == [ON_A_PAGE, ON_A_PAGE, len(games) * (ON_A_PAGE // 2) - 2 * ON_A_PAGE]
    for name, text in pages.items():
        assert all(f'href="{other}"' in text for other in pages if other != name)


def test_no_game_at_all_is_a_site_too() -> None:
    """The standings; no page holds the contest's seed, which is the luck of games to come."""
    seed = 2**127 + 12345
    with Ledger(Path("empty.json")) as ledger:
        ledger.contest_seed(seed)
    assert "0 games of 0 bots; 1 page written" in write("--ledger", "empty.json").stdout
    page = (SITE / "index.html").read_text()
    assert "No game has been played" in page
    assert str(seed) not in page


def test_void_games_alone_are_a_site_too() -> None:
    """Nobody has a rate, a curve or an opponent then, and every page is there all the same."""
    with Ledger(Path("void.json")) as ledger:
        ledger.add(void(1, names=("ada", "bob")))
    assert "0 games of 2 bots, and 1 void; 4 pages written" in write("--ledger", "void.json").stdout
    index = (SITE / "index.html").read_text()
    assert "both forfeited" in index
    assert "No game counts so far" in index


# What the organiser says


def test_a_title_and_a_text_are_kept_in_the_ledger() -> None:
    """They stand on the pages, also of later runs, until others are given; empty ones remove them.
    A text that is said already is not written again."""
    Path("about.md").write_text("Played in **two** rounds. <script>")
    write("--title", "The cup of & <x>", "--about", "about.md")
    journal = Path("ledger.games.jsonl").read_bytes()
    index = (SITE / "index.html").read_text()
    assert "<title>The cup of &amp; &lt;x&gt;</title>" in index
    assert '<h1 dir="auto">The cup of &amp; &lt;x&gt;</h1>' in index
    assert "<p>Played in <strong>two</strong> rounds. &lt;script&gt;</p>" in index
    assert "Last played 2026-01-31 12:00 UTC." in index
    assert "The cup of &amp; &lt;x&gt;</bdi></a>" in (SITE / "bots/ada.html").read_text()
    assert (
        "<bdi>The cup of &amp; &lt;x&gt;</bdi> · Score sheet" in (SITE / "games/1.html").read_text()
    )
    assert "<strong>two</strong>" in judge("standings", "--html", "-").stdout
    before = contents(SITE)
    write("--title", "The cup of & <x>")
    write()
    assert contents(SITE) == before
    assert Path("ledger.games.jsonl").read_bytes() == journal
    fill(Path("ledger.json"), 8)
    write("--title", "")
    index = (SITE / "index.html").read_text()
    assert "<title>Standings of ledger.json</title>" in index
    assert "The cup" not in (SITE / "games/1.html").read_text()
    assert "<strong>two</strong>" in index
    Path("about.md").write_text("")
    write("--about", "about.md")
    assert "<strong>two</strong>" not in (SITE / "index.html").read_text()


def test_what_is_said_changes_no_count() -> None:
    """The ledger verifies, and is the same when it is computed anew from its journal."""
    before = judge("standings", "--json").stdout
    write("--title", "The cup")
    assert judge("standings", "--json").stdout == before
    document = Path("ledger.json").read_text()
    assert json.loads(document)["description"] == {"kind": "description", "title": "The cup"}
    assert judge("ledger", "verify").status == 0
    judge("ledger", "rebuild")
    assert Path("ledger.json").read_text() == document


def test_what_is_said_is_not_kept_where_no_page_can_be_written() -> None:
    """A line that was edited is named first; the journal is as it was, and no folder is made."""
    journal = Path("ledger.games.jsonl")
    *lines, last = journal.read_text().splitlines()
    edited = last.replace('"finished":', '"Finished":')
    journal.write_text("".join(f"{line}\n" for line in [*lines, edited]))
    before = contents(Path())
    done = judge("site", str(SITE), "--title", "The cup")
    assert done.status == 1
    assert "ledger.games.jsonl was edited at line 8: " in done.stderr
    assert contents(Path()) == before


# What is refused


def refused(*arguments: str) -> str:
    """The words of a run that changes nothing."""
    before = contents(Path())
    done = judge("site", *arguments)
    assert done.status == 2, done.stderr
    assert done.stdout == ""
    assert contents(Path()) == before
    return done.stderr


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"version":1}', '{"version":"1","ledger":""}', '{"version":1,"ledger":[]}'],
)
def test_a_site_of_nobody_known_is_left_alone(text: str) -> None:
    write()
    (SITE / LIST).write_text(text)
    assert "is damaged, so whose site it is, is not known" in refused("site")


def test_a_site_that_cannot_be_written_is_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page is named, and nothing is left beside the old ones."""
    write()
    before = contents(SITE)

    def full(root: Path, below: str, data: bytes, **more: bool) -> None:
        if below.endswith("index.html"):
            raise OSError(errno.ENOSPC, "No space left on device", str(root / below))
        replace(root, below, data, **more)

    replace = writing.replace
    fill(Path("ledger.json"), 8)
    with monkeypatch.context() as patch:
        patch.setattr(writing, "replace", full)
        done = judge("site", str(SITE), "--jobs", "1")
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.endswith("index.html cannot be written: No space left on device.\n")
    assert contents(SITE) == before


def test_two_judges_do_not_write_one_site_at_once() -> None:
    write()
    fd = os.open(SITE, os.O_RDONLY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        done = judge("site", str(SITE))
    finally:
        os.close(fd)
    assert done.status == 1
    assert done.stderr == "judge: another judge is writing the site in site just now.\n"
    write()


# Broken off


@pytest.mark.parametrize(
    ("how", "jobs"),
    [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGKILL, 1)],
    ids=["Ctrl-C", "Ctrl-C, with others", "killed"],
)
def test_broken_off_it_leaves_the_site_as_it_was(how: signal.Signals, jobs: int) -> None:
    """Whether it is interrupted, which leaves nothing, or killed: the next run replaces it, and nothing is
    left of the one before."""
    games, enough = (150, 5) if jobs == 1 else (240, ALONE + 5)
    fill(Path("long.json"), 1)
    write("--ledger", "long.json")
    before = {page: text for page, text in contents(SITE).items() if page != LIST}
    fill(Path("long.json"), games)
    run = started(Path(), "site", "site", "--ledger=long.json", f"--jobs={jobs}")
    while len(list(SITE.glob(".judge-site.new/games/*.html"))) < enough:
        assert run.poll() is None, "it is done before it could be broken off"
        time.sleep(0.005)
    run.send_signal(how)
    _, said = run.communicate(timeout=60)
    assert {page: text for page, text in contents(SITE).items() if page[0] != "."} == before
    if how == signal.SIGINT:
        assert run.returncode == 130
        assert re.fullmatch(
            r"judge: interrupted after \d+ pages; the site is as it was before\.\n", said
        )
    else:
        write("--ledger", "long.json")
        judge("site", "other", "--ledger", "long.json", "--jobs", "1")
        assert contents(SITE) == contents(Path("other"))
    assert not list(SITE.glob(".judge-site.*/"))


def test_the_first_pages_can_be_looked_at_while_the_others_are_written() -> None:
    """The index, all bots and the newest games are there when a run is broken off, and the next run
    writes the rest."""
    fill(Path("long.json"), 150)
    run = started(Path(), "site", "site", "--ledger=long.json", "--jobs=1")
    while len(list(SITE.glob("games/*.html"))) < 5:
        assert run.poll() is None, "it is done before it could be broken off"
        time.sleep(0.005)
    assert {"index.html", "bots/ada.html", "games/150.html"} <= contents(SITE).keys()
    assert "games/1.html" not in contents(SITE)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=60)
    assert run.returncode == 130
    assert re.fullmatch(r"judge: interrupted after \d+ pages; the next run writes all\.\n", said)
    write("--ledger", "long.json")
    judge("site", "other", "--ledger", "long.json", "--jobs", "1")
    assert contents(SITE) == contents(Path("other"))


def test_a_game_leads_to_its_bots_and_to_the_games_around_it() -> None:
    """And the first has none before it, the last none after it."""
    judge("ledger", "retire", "cyd")
    write()
    first, second, last = ((SITE / f"games/{game}.html").read_text() for game in (1, 2, 7))
    assert ('href="1.html" rel="prev"' in second, 'href="3.html" rel="next"' in second) == (1, 1)
    assert ('rel="prev"' in first, 'rel="next"' in last) == (False, False)
    assert 'href="../bots/bob.html"' in second
    assert "bots/cyd.html" not in second


# The lone page


def test_the_lone_page_is_written_whole_or_printed() -> None:
    """Into a file, or to stdout; it says the same as the table, and leads nowhere."""
    done = judge("standings", "--html", "table.html")
    assert (done.status, done.stdout, done.stderr) == (0, "", "")
    page = Path("table.html").read_text()
    assert judge("standings", "--html", "-").stdout == page
    for bot in json.loads(judge("standings", "--json").stdout)["bots"]:
        assert f"<bdi>{bot['name']}</bdi>" in page
        assert f"{bot['points']:.2f}" in page
        assert f"{bot['elo']:+.0f} ± " in page
    assert re.findall(r'href="(?!#|data:)', page) == []
