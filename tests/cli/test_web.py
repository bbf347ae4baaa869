"""The live page of judge fight and judge rank, as its user sees it: real processes."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from commands import ROOT, judge_at, started

pytestmark = pytest.mark.whole

PATIENCE = 120


@contextmanager
def shown(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A command that shows its games live, and the port where it does."""
    process = started(folder, *arguments, "--web", "0")
    try:
        assert process.stderr
        said = [""]
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/ shows the games", said[-1])):
            said.append(process.stderr.readline())
            assert said[-1], said
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def events(port: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """All events up to the end of the page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/events")
    response = connection.getresponse()
    name = ""
    while line := response.readline().decode():
        field, _, value = line.rstrip("\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)
            if name == "end":
                break
    connection.close()


def text_of_page(port: int) -> str:
    """The text that a reader of the page sees before a game has begun, and when all is over."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/")
    page = connection.getresponse().read().decode()
    connection.close()
    body = page[page.index("<body") : page.index("<script")]
    return re.sub(
        r"<section[^>]*hidden>\s*<h2 id=\"lobby-title\".*?</section>", "", body, flags=re.DOTALL
    )


def write_bots(folder: Path, *names: str) -> None:
    """Honest bots of a few lines of shell, which start ten times sooner than a Python."""
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(ROOT / "tests" / "hostile" / "plays.sh", folder / f"{name}.sh")


@pytest.mark.parametrize("ledger", [("--no-ledger",), ("--ledger", "kept.json")], ids=" ".join)
def test_a_fight_is_shown_shot_by_shot(ledger: tuple[str, ...], tmp_path: Path) -> None:
    """Who watches sees each shot, the fleets at the end, who has won each game and how all stand,
    also when a ledger numbers the games."""
    write_bots(tmp_path, "one", "two")
    fight = ("fight", "one.sh", "two.sh", "--games", "2", "--seed", "1", *ledger)
    with shown(tmp_path, *fight, "--delay", "5ms", "--json") as (process, port):
        page = text_of_page(port)
        told = [*events(port)]
        out, _ = process.communicate(timeout=PATIENCE)
    assert "The fight is over" in page
    assert not re.search("evening|lobby", page, re.IGNORECASE)
    assert [told[0][0], told[-1][0]] == ["state", "end"]
    document = json.loads(out)
    moves = [move for _, what in told for move in what.get("move", [])]
    marks = sum(len(move.get("marks", [])) > 0 for move in moves)
    assert 0 < marks <= sum(len(record["shots"]) for record in document["records"])
    before = [what for _, what in told if what.get("game")]
    assert all(what["game"]["over"] is None for what in before)
    over = [move["over"] for move in moves if move.get("over")]
    assert over[-1]["winner"] == document["records"][-1]["outcome"]["winner"]
    standings = [what["standings"] for _, what in told if "standings" in what]
    assert [row[2] for row in standings[-1]["rows"]] == ["2", "2"]


def test_a_contest_is_shown_with_its_bracket(tmp_path: Path) -> None:
    """The bracket of a knock-out fills as its games are played, and its winner is the contest's."""
    write_bots(tmp_path / "bots", "one", "two", "three")
    contest = ("rank", "bots", "--format", "knockout", "--games", "2", "--seed", "3", "--quiet")
    with shown(tmp_path, *contest, "--json") as (process, port):
        page = text_of_page(port)
        told = [*events(port)]
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    for word in ("The contest is over", "the whole contest", "Games", "Table of standings"):
        assert word in page
    assert not re.search("evening|lobby", page, re.IGNORECASE)
    state = told[0][1]
    for _, what in told[1:]:
        state |= {part: what[part] for part in ("contest", "standings") if part in what}
    assert state["contest"]["title"] == "The bracket"
    rounds = state["contest"]["bracket"]
    assert [each["name"] for each in rounds] == ["Semi-finals", "Final"]
    winner = json.loads(out)["contest"]["winner"]
    parts = [what["game"] for _, what in told if what.get("game")]
    parts += [move for _, what in told for move in what.get("move", [])]
    matches = [part["match"] for part in parts if part.get("match")]
    assert {"won": [0, 0], "said": "0 of 2 games of the match played"} in matches
    assert "2 of 2 games of the match played" in matches[-1]["said"]
    assert [side[1] for match in rounds[-1]["matches"] for side in match if side[3]] == [winner]
    assert state["standings"]["rows"][0][1] == winner


def test_a_contest_that_goes_on_shows_what_its_ledger_holds(tmp_path: Path) -> None:
    """The page has the table of all games and the title of the ledger, also of those before it, and
    its games have the numbers of the ledger."""
    write_bots(tmp_path / "bots", "one", "two")
    rank = ("rank", "bots", "--seed", "3", "--quiet")
    assert judge_at(tmp_path, *rank).returncode == 0
    site = ("site", "pages", "--ledger", "bots.ledger.json", "--title", "Spring cup")
    assert judge_at(tmp_path, *site).returncode == 0
    with shown(tmp_path, *rank, "--rounds", "2") as (_, port):
        page = text_of_page(port)
        told = [what for _, what in events(port)]
    assert "Spring cup" in page
    tables = [what["standings"] for what in told if what.get("standings", {}).get("rows")]
    assert tables[0]["headings"][:4] == ["#", "Bot", "Points", "Games"]
    assert {row[3] for row in tables[0]["rows"]} <= {"2", "3", "4"}
    assert {row[3] for row in tables[-1]["rows"]} == {"4"}
    progress = [what["contest"]["progress"] for what in told if what.get("contest")]
    assert progress[-1] == "4 of 4 games. Ranked by points, by the 5% rule."
    over = [what["games"]["over"] for what in told if what.get("games")][-1]
    assert [text.partition(":")[0] for _, text, _ in over] == ["#4", "#3"]


def test_a_contest_without_a_port_is_not_shown(tmp_path: Path) -> None:
    """No ledger is written if the page cannot be served. The transcript rank-web-refused has all else that
    is refused before an address is printed."""
    write_bots(tmp_path / "bots", "one", "two")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = judge_at(tmp_path, "rank", "bots", "--ledger", "new.json", "--web", port)
    assert "cannot be served" in refused.stderr
    assert not [*tmp_path.glob("new*")]


def test_a_contest_may_be_shown_later(tmp_path: Path) -> None:
    """Until the contest is over the page shows no game that was played less than the delay ago, and
    then its end."""
    write_bots(tmp_path / "bots", "one", "two")
    rank = ("rank", "bots", "--seed", "3", "--quiet", "--jobs", "1", "--delay", "1h")
    with shown(tmp_path, *rank) as (process, port):
        told = [*events(port)]
        _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    (_, first), *changes, (last, _) = told
    assert last == "end"
    assert first["game"] is None
    assert first["standings"]["rows"] == []
    assert len(changes) == 1
    assert changes[0][1]["contest"]["progress"] == "2 of 2 games. Ranked by points, by the 5% rule."
    refused = judge_at(tmp_path, *rank)
    assert (refused.returncode, "--delay needs --web" in refused.stderr) == (2, True)
