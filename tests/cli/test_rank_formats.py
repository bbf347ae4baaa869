"""judge rank --format: contests in every format, told in their own tables, broken off, and gone on
with."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import Done, judge
from contest_folder import JOURNAL, LEDGER, journal, make
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.ledger.ledger import read
from judge.contest.ledger.verify import verify
from judge.contest.standings.standings import standings as of_ledger
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from judge.show.standings import table
from small_contest import NAMES, as_usual, by_luck, of_matches, set_up

FORMATS = {
    "tournament": ["--games", "3"],
    "swiss": ["--rounds", "3"],
    "knockout": ["--games", "1"],
    "lives": ["--lives", "2"],
}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder of its own with seven bots, and the rules of a small board."""
    set_up()


def rank(*arguments: str, connect: Any = by_luck) -> Done:
    return judge(
        "rank",
        *("bots", "--isolation", "none", "--rules", "tiny.json"),
        *arguments,
        embedding=Embedding(connect),
    )


def standings(*arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(judge("standings", "--json", *arguments).stdout)
    assert schemas.problem("standings", document) is None
    return document


@pytest.mark.parametrize("format_", FORMATS)
def test_a_contest_that_was_killed_ends_as_if_it_had_not_been(format_: str) -> None:
    """Wherever the journal was broken off, before its first game or in the middle of a round, the
    same command without a word of the format ends in the same bytes."""
    assert rank("--format", format_, *FORMATS[format_], "--seed", "5", "--quiet").status == 0
    whole, lines = LEDGER.read_bytes(), JOURNAL.read_text().splitlines(keepends=True)
    for kept in sorted({2, 3, 5, len(lines) // 2, len(lines) - 1}):
        for file in Path().glob("bots.ledger*"):
            file.unlink()
        JOURNAL.write_text("".join(lines[:kept]))
        assert rank("--quiet", "--jobs", str(1 + kept % 2)).status == 0
        assert LEDGER.read_bytes() == whole
        assert len(journal()) == len(lines) - 2
    assert verify(LEDGER).problems == ()
    again = rank()
    assert f"judge: this contest ({format_}) is over, and every game of it is in" in again.stderr
    assert LEDGER.read_bytes() == whole


@pytest.mark.parametrize("format_", FORMATS)
def test_a_contest_is_told_by_its_format(format_: str) -> None:
    """Its places are those of the rows, in JSON and in the table; a spreadsheet has what the format
    ranks by; events are valid; and nothing of it is wider than the terminal."""
    done = rank("--format", format_, *FORMATS[format_], "--seed", "6", "--jsonl", "--quiet")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(schemas.problem("rank-event", event) is None for event in events)
    assert events[0]["format"]["name"] == format_
    assert len(journal()) == len(events) - 2 <= events[0]["games"]
    contest = standings()["contest"]
    assert contest["is_over"]
    ranks = {place["name"]: place["rank"] for place in contest["places"]}
    assert {row["name"]: row["rank"] for row in standings()["bots"]} == ranks
    rows = csv.DictReader(judge("standings", "--csv").stdout.splitlines())
    found = {row["name"]: row for row in rows}
    for place in contest["places"]:
        for field in ("points", "tie_break", "lives", "out", "byes"):
            value = place[field]
            assert found[place["name"]][f"contest_{field}"] == ("" if value is None else str(value))
    text = judge("standings").stdout
    assert f"{contest['winner']} has won." in text or contest["winner"] is None
    for width in (50, 60, 80):
        lines = table(of_ledger(read(LEDGER)), width=width).splitlines()
        assert max(map(len, lines)) <= width
        assert any(str(contest["winner"])[:5] in line for line in lines)


def test_in_a_tournament_every_pair_plays_exactly_so_often() -> None:
    """Who is first alternates; a bot that joins later plays everyone, and a mended one plays
    anew."""
    rank("--format", "tournament", "--games", "3", "--quiet")
    met = Counter(tuple(seat["name"] for seat in game["seats"]) for game in journal())
    assert set(met.values()) == {3}
    assert len(met) == 21
    firsts = Counter(game["first"] for game in journal())
    assert firsts == {0: 42, 1: 21}
    points = {place["name"]: place["points"] for place in standings()["contest"]["places"]}
    won = Counter(g["seats"][g["outcome"]["winner"]]["name"] for g in journal())
    assert points == {name: float(won[name]) for name in NAMES}
    make("hal")
    rank("--quiet")
    assert len(journal()) == 28 * 3
    make("ann", "#!/bin/sh\n# mended\n")
    rank("--quiet")
    assert len(journal()) == 28 * 3 + 7 * 3
    before = standings()["contest"]
    assert sum(place["points"] for place in before["places"]) == 28 * 3
    judge("ledger", "retire", "hal", "--ledger", str(LEDGER))
    points = {
        place["name"]: place["points"] for place in before["places"] if place["name"] != "hal"
    }
    after = standings()["contest"]
    assert {place["name"]: place["points"] for place in after["places"]} == points
    assert after["is_over"]
    without = standings("--without", "bob", str(LEDGER))["contest"]
    assert sum(place["points"] for place in without["places"]) < 21 * 3


def test_rounds_of_a_swiss_contest_may_be_added() -> None:
    """Nobody meets anybody again, and of seven one has a bye in each round."""
    rank("--format", "swiss", "--rounds", "2", "--quiet")
    before = journal()
    rank("--rounds", "4", "--quiet")
    assert journal()[: len(before)] == before
    contest = standings()["contest"]
    met = [frozenset(pair["bots"]) for stage in contest["stages"] for pair in stage["pairs"]]
    assert len(set(met)) == len(met) == 12
    byes = [bye for stage in contest["stages"] for bye in stage["byes"]]
    assert len(set(byes)) == len(byes) == 4
    saved = LEDGER.read_bytes()
    assert judge("ledger", "rebuild", str(LEDGER)).status == 0
    assert LEDGER.read_bytes() == saved
    shown = judge("ledger", "show", str(LEDGER)).stdout
    assert "The contest: swiss, 2 games when two bots meet, 4 rounds, 7 bots." in shown


def test_who_ties_out_of_the_last_lives_is_no_winner() -> None:
    """Two that both forfeit before the first shot lose a life each, to the last."""
    for name in NAMES[2:]:
        Path("bots", f"{name}.sh").unlink()

    def mute(*_: object) -> Connection:
        return Script(lambda _: b"")

    done = rank("--format", "lives", "--lives", "2", "--quiet", connect=mute)
    assert done.status == 0
    assert "Nobody has won: ann and bob lost their last lives in one tie." in done.stdout
    assert [game["outcome"]["termination"] for game in journal()] == ["void", "void"]
    page = judge("standings", "--html", "-").stdout
    assert "<h1>Nobody has won</h1>" in page
    assert "ann and bob lost their last lives in one tie." in page


def test_a_forfeit_costs_a_life_and_not_all() -> None:
    """A bot that never answers plays as many games as it has lives, and is out."""

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        return Script(lambda _: b"") if bot.name == "ann" else by_luck(bot, seed, usual)

    rank("--format", "lives", "--lives", "6", "--quiet", connect=connect)
    games = [g for g in journal() if "ann" in [seat["name"] for seat in g["seats"]]]
    assert len(games) == 6
    places = {place["name"]: place for place in standings()["contest"]["places"]}
    assert places["ann"]["lives"] == 0


def test_a_page_without_a_bot_has_no_contest_that_rested_on_its_games() -> None:
    """The meetings of a fixed field rested on them; a tournament is that of the others."""
    rank("--format", "swiss", "--rounds", "2", "--seed", "1", "--quiet")
    page = judge("standings", "--html", "-").stdout
    assert "The Swiss contest" in page
    page = judge("standings", "--without", "bob", "--html", "-").stdout
    assert "The Swiss contest" not in page
    assert "bots.ledger.json without bob" in page
    assert "<bdi>ann</bdi>" in page
    assert "<bdi>bob</bdi>" not in page
    rank("--format", "tournament", "--ledger", "all.json", "--quiet")
    page = judge("standings", "all.json", "--without", "bob", "--html", "-").stdout
    assert "The tournament" in page
    assert "<bdi>bob</bdi>" not in page


def test_a_gauntlet_has_a_row_an_opponent() -> None:
    """In the terminal, in JSON and on the page: what its bot's games against each came to, of its
    last version; other games of the ledger are not in it. How many rounds there are is told where
    all have played as many."""
    rank("--format", "gauntlet", "--bot", "bob", "--rounds", "3", "--quiet")
    found = standings()["gauntlet"]
    assert (found["bot"], found["version"]) == ("bob", 1)
    won: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for game in journal():
        names = [seat["name"] for seat in game["seats"]]
        (other,) = {*names} - {"bob"}
        (won if names[game["outcome"]["winner"]] == "bob" else lost)[other] += 1
    rows = {one["name"]: (one["won"], one["lost"]) for one in found["opponents"]}
    assert rows == {name: (won[name], lost[name]) for name in NAMES if name != "bob"}
    text = judge("standings").stdout
    assert f"The gauntlet of bob. 36 games: {won.total()} won, {lost.total()} lost." in text
    assert "The contest: gauntlet of bob, 3 rounds." in text
    assert re.search(rf"^ann +6 +{won['ann']} +{lost['ann']} ", text, re.MULTILINE)
    page = judge("standings", "--html", "-").stdout
    assert "The gauntlet of <bdi>bob</bdi>" in " ".join(page.split())
    rank("--format", "rounds", "--quiet")
    assert standings()["gauntlet"] is None
    assert "The contest: in rounds." in judge("standings").stdout
    assert "<bdi>in rounds</bdi>" in judge("standings", "--html", "-").stdout
    rank("--format", "rounds", "--rounds", "3", "--quiet")
    assert "The contest: in 3 rounds." in judge("standings").stdout
    assert "<bdi>in 3 rounds</bdi>" in judge("standings", "--html", "-").stdout


def test_who_is_gone_is_asked_for_and_who_comes_later_waits() -> None:
    """A bot of a contest whose field is fixed has to be there, unless it is retired: then it loses
    what it has not played. A new one is left out."""
    rank("--format", "knockout", "--games", "1", "--seed", "5", "--quiet")
    lines = JOURNAL.read_text().splitlines(keepends=True)
    for file in Path().glob("bots.ledger*"):
        file.unlink()
    JOURNAL.write_text("".join(lines[:2]))
    seeds = json.loads(lines[1])["plan"]["bots"]
    Path("bots", f"{seeds[0]}.sh").unlink()
    done = rank()
    assert done.status == 2
    assert f"`judge ledger retire {seeds[0]}`" in done.stderr
    judge("ledger", "retire", seeds[0], "--ledger", str(LEDGER))
    make("hal")
    done = rank()
    assert done.status == 0, done.stderr
    assert "left out hal: the contest in bots.ledger.json began without it" in done.stderr
    names = {seat["name"] for game in journal() for seat in game["seats"]}
    assert names == set(NAMES) - {seeds[0]}
    places = {place["name"]: place["rank"] for place in standings()["contest"]["places"]}
    assert places[seeds[0]] == 3  # it had a bye, and then lost without playing


def test_a_game_that_cannot_be_played_holds_a_contest_up() -> None:
    """By the judge's fault: who meets next is not known, so the contest stops, with status 1; the
    same command goes on."""
    from judge.errors import LaunchFault

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if bot.name == "dan":
            raise LaunchFault("no more processes")
        return by_luck(bot, seed, usual)

    done = rank("--format", "swiss", "--seed", "5", "--quiet", connect=connect)
    assert done.status == 1
    assert not standings()["contest"]["is_over"]
    assert "The contest is not over. The same command goes on with it." in done.stdout
    assert rank("--quiet").status == 0
    assert standings()["contest"]["is_over"]


def test_without_a_ledger_a_contest_is_played_out() -> None:
    """Its table is told, and nothing is kept."""
    done = rank("--format", "lives", "--no-ledger", "--quiet", "--json")
    document = json.loads(done.stdout)
    assert document["contest"]["is_over"]
    assert not list(Path().glob("*ledger*"))


def test_a_voided_game_is_played_again_and_what_rested_on_it_too() -> None:
    """A voided semi-final is played again with its seeds, so the same bot wins it."""
    rank("--format", "knockout", "--games", "1", "--quiet")
    winner = standings()["contest"]["winner"]
    before = len(journal())
    judge("ledger", "void", "5", "--reason", "a test", "--ledger", str(LEDGER))
    assert not standings()["contest"]["is_over"]
    rank("--quiet")
    assert len(journal()) == before + 1
    assert standings()["contest"]["winner"] == winner


def test_a_time_budget_is_spent_and_another_goes_on() -> None:
    """No game is played twice; a later run plays more of the same contest, and one without a
    budget the rest of the round."""
    done = rank("--for", "1s", "--seed", "5", "--jsonl", "--quiet")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(schemas.problem("rank-event", event) is None for event in events)
    assert (events[0]["games"], events[0]["missing"]) == (None, None)
    first = journal()
    assert first
    rank("--for", "1s", "--quiet")
    assert journal()[: len(first)] == first
    assert len(journal()) > len(first)
    assert len({game["id"] for game in journal()}) == len(journal())
    assert verify(LEDGER).problems == ()
    rank("--quiet")  # the rest of the round
    met = Counter(tuple(seat["name"] for seat in game["seats"]) for game in journal())
    assert min(met.values()) >= 2
    assert len(met) == 21
    done = rank("--for", "1s", "--ledger", "x.json", "--format", "lives")
    assert done.status == 2
    assert "--for is for contests in rounds, and this is one of the format lives" in done.stderr


def test_matches_are_units_and_one_that_was_broken_off_is_played_again() -> None:
    """A tournament of one match of three games between every two: a match won is a point, and its
    games part who has as many. Broken off within a match, it ends in the same bytes, and no game is
    there twice."""
    of_matches()
    options = ["--format", "tournament", "--games", "3", "--seed", "5", "--quiet"]
    done = rank(*options, connect=as_usual)
    assert done.status == 0, done.stderr
    whole, lines = LEDGER.read_bytes(), JOURNAL.read_text().splitlines(keepends=True)
    assert [game["match"]["game"] for game in journal()] == [1, 2, 3] * 3
    assert all(game["shots"] for game in journal())
    places = standings()["contest"]["places"]
    assert sum(place["points"] for place in places) == 3
    assert sum(place["tie_break"] for place in places) == 9
    for file in Path().glob("bots.ledger*"):
        file.unlink()
    JOURNAL.write_text("".join(lines[:6]))
    assert rank("--quiet", connect=as_usual).status == 0
    assert LEDGER.read_bytes() == whole
    assert len(journal()) == 9
    assert verify(LEDGER).problems == ()
    again = rank(connect=as_usual)
    assert "this contest (tournament) is over" in again.stderr
    changed = rank("--games", "4", "--quiet")
    assert "holds a contest with --games 3, and this would be one with --games 4" in changed.stderr


def test_a_match_costs_one_life() -> None:
    """A contest of lives has as many matches as cost all lives but the winner's."""
    of_matches()
    rank("--format", "lives", "--lives", "1", "--games", "1", "--quiet", connect=as_usual)
    contest = standings()["contest"]
    assert (contest["match"], contest["units"]) == (1, 1)
    assert contest["is_over"]
    assert len(journal()) == 2


def test_a_time_budget_is_spent_on_matches() -> None:
    """The time goes into whole matches if the unit is a match, and every game of each is told and
    kept; another run plays more of them, none twice."""
    of_matches()
    options = ["--for", "2s", "--jsonl", "--quiet"]
    done = rank(*options, "--games", "2", "--seed", "5", connect=as_usual)
    assert done.status == 0, done.stderr
    first = journal()
    told = [json.loads(line) for line in done.stdout.splitlines()][1:-1]
    assert len(told) == len(first) > 0
    rank(*options, connect=as_usual)
    assert journal()[: len(first)] == first
    assert len(journal()) > len(first)
    assert len({game["id"] for game in journal()}) == len(journal())
    played = Counter(game["match"]["id"] for game in journal())
    assert set(played.values()) == {2}
    assert verify(LEDGER).problems == ()
    document = standings()
    assert document["matches"] == len(played)
    assert document["unfinished"] == 0


def test_a_bracket_of_matches_shows_their_games() -> None:
    """The score of two bots that meet in one match is that of its games, on the page and in a
    terminal."""
    of_matches()
    rank("--format", "knockout", "--games", "3", "--seed", "5", "--quiet", connect=as_usual)
    first = journal()[:3]
    won = Counter(g["seats"][g["outcome"]["winner"]]["name"] for g in first)
    drawn = judge("standings").stdout.partition("has won.")[2].partition("points")[0]
    for name in (seat["name"] for seat in first[0]["seats"]):
        assert re.search(rf"\b[1-3] {name} +{won[name]}\b", drawn)
    assert won.total() == 3
