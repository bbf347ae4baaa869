"""judge fight with more than two bots: scripted players, through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from commands import Done, judge
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.standings.summary import forfeits
from judge.documents.codec import convert
from judge.documents.game import GameRecord
from judge.errors import Crashed
from judge.game.replay import replay
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from judge.wire import WIRES
from three_seats import FLEET, FORWARDS, TRIO, Lines, shooting

PLAYERS = {
    "ada": shooting(FORWARDS),
    "bob": shooting(FORWARDS[::-1]),
    "cyd": shooting(FORWARDS[::-1], most=2),
    "dan": shooting(FORWARDS),
}


def breaking(name: str, at: int) -> Callable[[bytes], bytes]:
    """A program that breaks when it is asked for its fleet (``at`` 0), for its first shot (1), …"""
    asked = count()

    def answer(data: bytes) -> bytes:
        if next(asked) == at:
            raise Crashed(f"{name} broke")
        return PLAYERS[name](data)

    return answer


def fight(*arguments: str, players: Mapping[str, Callable[[bytes], bytes]] = PLAYERS) -> Done:
    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        return Script(players[bot.name])

    kept = [] if {"--ledger", "--no-ledger"} & {*arguments} else ["--no-ledger"]
    return judge(
        "fight", "--rules", "trio.json", "--isolation", "none", *arguments, *kept,
        embedding=Embedding(connect),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with rules for three or four and a file for each player; and the table of wires
    with a row more."""
    monkeypatch.setitem(WIRES, Lines.name, Lines)
    Path("trio.json").write_text(json.dumps(TRIO))
    for name in PLAYERS:
        Path(f"{name}.sh").write_text("#!/bin/sh\n")
    yield own_folder
    kept = {"kept.json", "kept.games.jsonl", ".kept.json.lock", "kept.games.cache"}
    left = {file.name for file in own_folder.iterdir()} - {"game.json", "page.html", *kept}
    assert left == {"trio.json", *(f"{name}.sh" for name in PLAYERS)}


THREE = ("ada.sh", "bob.sh", "cyd.sh")


def test_documents_of_three() -> None:
    """`--json` has a bot for each seat and null for what is defined for two alone; every game in
    it can be judged again, and its first movers take turns."""
    done = fight(*THREE, "--games", "4", "--json", "--quiet")
    document = json.loads(done.stdout)
    assert (done.status, done.stderr) == (0, "")
    assert schemas.problem("fight", document) is None
    assert [bot["name"] for bot in document["bots"]] == ["ada", "bob", "cyd"]
    assert [bot["wins"] for bot in document["bots"]] == [4, 0, 0]
    assert [bot["losses"] for bot in document["bots"]] == [0, 4, 4]
    assert [bot["win_rate"] for bot in document["bots"]] == [1.0, 0.0, 0.0]
    assert document["bots"][2]["forfeits"] == {"bad-output": 4}
    assert [document[key] for key in ("pairs", "elo", "sprt")] == [None] * 3
    assert [record["first"] for record in document["records"]] == [0, 1, 2, 0]
    for record in (convert(GameRecord, one, "it") for one in document["records"]):
        assert [seat.fleet for seat in record.seats] == [FLEET] * 3
        assert list(replay(record))[-1].outcome == record.outcome


def test_events_of_three() -> None:
    """`--jsonl` tells every game with the wins of all seats, whatever the number of jobs."""
    told = [
        fight(*THREE, "--games", "7", "--seed", "3", "--jobs", jobs, "--jsonl", "--quiet")
        for jobs in ("1", "3")
    ]
    events = [[json.loads(line) for line in one.stdout.splitlines()] for one in told]
    for event in events[0]:
        assert schemas.problem("fight-event", event) is None
    start, *games, end = events[0]
    assert start["bots"] == ["ada", "bob", "cyd"]
    assert [game["score"]["wins"] for game in games] == [[n, 0, 0] for n in range(1, 8)]
    assert end["fight"]["first_mover_wins"] == 3
    shots = [[game["record"]["shots"] for game in one[1:-1]] for one in events]
    assert shots[0] == shots[1]


@pytest.mark.parametrize(
    ("turn", "at", "ended"),
    [
        ("single", {"bob": 1, "cyd": 2}, "crash"),
        ("single", {"cyd": 1, "bob": 2}, "crash"),
        ("single", {"bob": 1}, "fleet-destroyed"),
        ("single", {"bob": 0, "cyd": 0}, "crash"),
        ("single", {"bob": 0, "cyd": 1}, "crash"),
        ("both", {"bob": 2, "cyd": 2}, "crash"),
        ("both", {"bob": 1, "cyd": 2}, "crash"),
        ("single", dict.fromkeys(("ada", "bob", "cyd"), 0), "void"),
        ("both", dict.fromkeys(("ada", "bob", "cyd"), 1), "both-failed"),
    ],
)
def test_every_bot_that_forfeits_has_its_own_sentence(
    turn: str, at: dict[str, int], ended: str
) -> None:
    """Whenever it forfeited, and whoever ended the game; the record keeps it."""
    Path("trio.json").write_text(json.dumps({**TRIO, "turn": turn}))
    players = dict.fromkeys(PLAYERS, PLAYERS["bob"])
    players |= {name: breaking(name, number) for name, number in at.items()}
    done = fight(*THREE, "--first", "a", "--json", "--quiet", players=players)
    (document,) = json.loads(done.stdout)["records"]
    record = convert(GameRecord, document, "it")
    assert record.outcome.termination == ended
    said = {record.seats[seat].name: one.detail for seat, one in forfeits(record).items()}
    assert said == {name: f"{name} broke" for name in at}


def test_games_of_three_are_kept_and_move_points() -> None:
    """A single winner gains 5% of the points of each of the others; the games are sound to
    `verify`, and the table counts them."""
    assert fight(*THREE, "--seed", "3", "--games", "2", "--ledger", "kept.json").status == 0
    document = json.loads(judge("standings", "kept.json", "--json").stdout)
    assert document["games"] == 2
    assert {bot["name"]: bot["points"] for bot in document["bots"]} == {
        "ada": 12.0,
        "bob": 10.0,
        "cyd": 10.0,
    }
    assert [bot["points_shuffled"] for bot in document["bots"]] == [12.0, 10.0, 10.0]
    assert [bot["games"] for bot in document["bots"]] == [2, 2, 2]
    ada, *others = document["bots"]
    assert ada["elo"] > 0 > max(bot["elo"] for bot in others)
    verified = judge("ledger", "verify", "kept.json")
    assert verified.status == 0, verified.stderr
