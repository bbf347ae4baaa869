"""judge rank --seats: contests of games of more than two, by scripted players, broken off, gone on
with, and put right by orders."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from commands import Done, judge
from contest_folder import JOURNAL, LEDGER, add_bots, journal, make
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.ledger.ledger import read
from judge.contest.ledger.verify import verify
from judge.errors import TimedOut
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from three_seats import FORWARDS, TRIO, shooting

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay")
POINTS = {**TRIO, "name": "points", "players": [2, 5], "goal": "points", "round_limit": 9}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder of its own with six bots, and rules by points for two to five."""
    add_bots(**dict.fromkeys(NAMES, "#!/bin/sh\n"))
    Path("points.json").write_text(json.dumps(POINTS))


def by_luck(bot: Bot, seed: int, _: Callable[[], Connection]) -> Connection:
    """A player that is told apart from others by its seed alone, in this process."""
    return Script(shooting(random.Random(f"{bot.name}{seed}").sample(FORWARDS, len(FORWARDS))))


def late(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    """The same, but for ann, who never answers in time."""

    def answer(_: bytes) -> bytes:
        raise TimedOut("no answer")

    return Script(answer) if bot.name == "ann" else by_luck(bot, seed, usual)


def rank(*arguments: str, connect: Any = by_luck, rules: str = "points.json") -> Done:
    return judge(
        "rank", "bots", "--rules", rules, "--isolation", "none", "--seed", "1", *arguments,
        embedding=Embedding(connect),
    )  # fmt: skip


def seated(game: dict[str, Any]) -> list[str]:
    return [seat["name"] for seat in game["seats"]]


def test_a_table_of_three_is_ranked_and_gone_on_with() -> None:
    """In a round everyone sits once in every seat, and moves first once; the same command without
    --seats goes on, more rounds play just the new games, and all of it is sound."""
    done = rank("--seats", "3")
    assert done.status == 0, done.stderr
    assert len(journal()) == 6
    for seat in range(3):
        assert sorted(seated(game)[seat] for game in journal()) == [*NAMES]
    assert {game["first"] for game in journal()} == {0}
    assert rank().stderr.endswith("--rounds 2 would play more.\n")
    assert rank("--rounds", "3").status == 0
    assert len(journal()) == 18
    met = Counter(pair for game in journal() for pair in combinations(sorted(seated(game)), 2))
    assert max(met.values()) - min(met.values()) <= 2
    assert verify(LEDGER).problems == ()
    assert "The contest: in 3 rounds, 3 at a table." in judge("standings", str(LEDGER)).stdout
    document = json.loads(judge("standings", str(LEDGER), "--json").stdout)
    assert schemas.problem("standings", document) is None
    assert document["games"] == 18
    assert [bot["games"] for bot in document["bots"]] == 6 * [9]
    assert sum(bot["won"] for bot in document["bots"]) <= 18
    assert min(high - low for low, high in (bot["elo_95"] for bot in document["bots"])) > 0


@pytest.mark.parametrize("cut", [0, 1, 2, 4, 7])
def test_a_table_that_was_killed_ends_as_if_it_had_not_been(cut: int) -> None:
    """After any entry, and in the middle of one: the same games in the same order, and the same
    bytes in the end, with any number of jobs."""
    rank("--seats", "4", "--rounds", "2", "--jobs", "3")
    whole, text = [(game["id"], game["shots"]) for game in journal()], LEDGER.read_text()
    lines = JOURNAL.read_bytes().splitlines(keepends=True)
    for file in Path().glob("*bots.ledger*"):
        file.unlink()
    JOURNAL.write_bytes(b"".join(lines[:cut]) + (lines[cut][:50] if cut else b""))
    assert rank("--seats", "4", "--rounds", "2", "--jobs", "1").status == 0
    told = [(game["id"], game["shots"]) for game in journal()]
    assert [(id_, [shot[:5] for shot in shots]) for id_, shots in told] == [
        (id_, [shot[:5] for shot in shots]) for id_, shots in whole
    ]
    assert LEDGER.read_text() == text


def test_events_say_how_many_play_a_game() -> None:
    """Every event is as the schema has it; the first has the format with its seats."""
    lines = rank("--seats", "3", "--jsonl", "--quiet").stdout.splitlines()
    events = [json.loads(line) for line in lines]
    assert [schemas.problem("rank-event", event) for event in events] == [None] * len(events)
    assert events[0]["format"]["seats"] == 3
    assert (events[0]["games"], events[0]["missing"]) == (6, 6)
    for event in events[1:-1]:
        gains = [
            after - before
            for before, after in zip(event["points_before"], event["points_after"], strict=True)
        ]
        assert len(gains) == 3
        assert (max(gains) > 0) == (event["record"]["outcome"]["winner"] is not None)


def test_orders_take_games_of_a_table_out_and_they_are_played_again() -> None:
    """A void game is played anew. A disqualified bot takes its games along, and the others play in
    groups without it; a retired one leaves its games to the others."""
    rank("--seats", "3")
    assert judge("ledger", "void", "--ledger", str(LEDGER), "2", "--reason", "rain").status == 0
    before = seated(journal()[1])
    assert rank().status == 0
    assert len(journal()) == 7
    assert seated(journal()[6]) == before
    judge("ledger", "disqualify", "--ledger", str(LEDGER), "ann", "--reason", "it cheats")
    done = rank()
    assert done.status == 0
    table = read(LEDGER).table
    assert (table.voided, table.disqualified) == (1, 3)
    assert "ann" not in {name for game in journal()[7:] for name in seated(game)}
    assert "ann" not in table.bots
    judge("ledger", "retire", "--ledger", str(LEDGER), "bob")
    counted = read(LEDGER).table.games
    assert rank().status == 0
    assert read(LEDGER).table.games > counted
    assert verify(LEDGER).problems == ()


def test_the_page_counts_who_came_before_whom() -> None:
    """The cross table has the pairs of each game, as its note says; without games of
    more than two it says nothing of them."""
    rank("--seats", "3")
    assert judge("standings", str(LEDGER), "--html", "page.html").status == 0
    page = Path("page.html").read_text()
    (cross,) = re.findall(r'<table class="cross">.*?</table>', page, re.DOTALL)
    told = re.findall(r">(\d+)–(\d+)(?:–(\d+))?\s*<", cross)
    assert sum(int(count or 0) for cell in told for count in cell) == 6 * 3 * 2
    assert "who came before the other has won" in page
    rank("--seats", "2", "--ledger", "pairs.json")
    judge("standings", "pairs.json", "--html", "pairs.html")
    assert "who came before the other" not in Path("pairs.html").read_text()


def test_a_bot_has_a_row_for_each_group_of_opponents_whatever_their_seats() -> None:
    """The six orders of seats of three bots have one row; in JSON each opponent is a name of its
    own, and a page links each."""
    for name in NAMES[3:]:
        Path("bots", f"{name}.sh").unlink()
    rank("--seats", "3", "--rounds", "2")
    own, *others = NAMES[:3]
    document = json.loads(judge("ledger", "show", own, "--ledger", str(LEDGER), "--json").stdout)
    assert schemas.problem("history", document) is None
    assert [one["name"] for one in document["opponents"]] == [others]
    assert {str(game["opponent"]) for game in document["games"]} == {str(others)}
    assert len({tuple(seated(game)) for game in journal()}) > 3
    text = judge("ledger", "show", own, "--ledger", str(LEDGER)).stdout
    assert len(re.findall(rf"^{', '.join(others)}  ", text, re.MULTILINE)) == 1
    judge("site", "site", "--ledger", str(LEDGER), "--jobs", "1")
    page = Path("site", "bots", f"{own}.html").read_text()
    links = [f'<a href="../bots/{name}.html"><bdi>{name}</bdi></a>' for name in others]
    assert page.count(f'<th scope="row">{" and ".join(links)}<td') + page.count(
        f'<th scope="row">{" and ".join(reversed(links))}<td'
    ) == len(journal())


def test_a_new_version_plays_its_games_anew() -> None:
    """The games of the others are not played again."""
    rank("--seats", "3")
    make("bob", "#!/bin/sh\n# better\n")
    assert rank().status == 0
    assert len(journal()) == 6 + 3
    assert all("bob" in seated(game) for game in journal()[6:])


def test_games_of_a_bot_that_forfeits_are_not_put_off() -> None:
    """The others at its table want them; it comes last in each."""
    done = rank("--seats", "3", "--rounds", "3", connect=late)
    assert done.status == 0
    assert len(journal()) == 18
    assert "put off" not in done.stderr
    document = json.loads(judge("standings", str(LEDGER), "--json").stdout)
    ann = next(bot for bot in document["bots"] if bot["name"] == "ann")
    assert (ann["games"], ann["lost"], ann["forfeits"]) == (9, 9, {"timeout": 9})
    assert ann["elo"] == min(bot["elo"] for bot in document["bots"])


def test_fights_and_pairs_count_beside_tables() -> None:
    """A ledger holds games of any number of seats, and one table counts them all."""
    rank("--seats", "3")
    fight = ["fight", "bots/ann.sh", "bots/bob.sh", "--rules", "points.json", "--isolation", "none"]
    done = judge(*fight, "--ledger", str(LEDGER), "--quiet", embedding=Embedding(by_luck))
    assert done.status == 0, done.stderr
    document = json.loads(judge("standings", str(LEDGER), "--json").stdout)
    assert document["games"] == 7
    assert sum(bot["games"] for bot in document["bots"]) == 6 * 3 + 2
    assert verify(LEDGER).problems == ()
