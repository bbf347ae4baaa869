"""judge fight with more than two bots: scripted players, through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import pytest

from commands import judge
from judge.cli.setup import Embedding
from judge.contest.standings.summary import forfeits
from judge.documents.codec import convert
from judge.documents.game import GameRecord
from judge.errors import Crashed
from judge.process.run.connection import Script
from three_seats import FORWARDS, TRIO, shooting

THREE = ("ada", "bob", "cyd")
PLAYS = shooting(FORWARDS[::-1])


def breaking(name: str, at: int) -> Callable[[bytes], bytes]:
    """A program that breaks when it is asked for its fleet (``at`` 0), for its first shot (1), …"""
    asked = count()

    def answer(data: bytes) -> bytes:
        if next(asked) == at:
            raise Crashed(f"{name} broke")
        return PLAYS(data)

    return answer


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder with a file for each player."""
    for name in THREE:
        Path(f"{name}.sh").write_text("#!/bin/sh\n")


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
        ("single", dict.fromkeys(THREE, 0), "void"),
        ("both", dict.fromkeys(THREE, 1), "both-failed"),
    ],
)
def test_every_bot_that_forfeits_has_its_own_sentence(
    turn: str, at: dict[str, int], ended: str
) -> None:
    """Whenever it forfeited, and whoever ended the game; the record keeps it."""
    Path("trio.json").write_text(json.dumps({**TRIO, "turn": turn}))
    players = dict.fromkeys(THREE, PLAYS)
    players |= {name: breaking(name, number) for name, number in at.items()}
    done = judge(
        *("fight", *(f"{name}.sh" for name in THREE), "--rules", "trio.json", "--first", "a"),
        *("--isolation", "none", "--no-ledger", "--json", "--quiet"),
        embedding=Embedding(lambda bot, _seed, _usual: Script(players[bot.name])),
    )
    (document,) = json.loads(done.stdout)["records"]
    record = convert(GameRecord, document, "it")
    assert record.outcome.termination == ended
    said = {record.seats[seat].name: one.detail for seat, one in forfeits(record).items()}
    assert said == {name: f"{name} broke" for name in at}


@pytest.mark.parametrize(
    ("seconds", "more", "told"),
    [
        (20, (), "judge: this may take some 2 minutes in all.\n"),
        (20, ("--quiet",), ""),
        (14, (), "judge: this may take more than a minute in all.\n"),
        (11, (), ""),  # not a minute in all
        (20, ("--sprt", "0,100"), ""),  # nobody knows how many games that takes
        (2, (), ""),  # no time for a forecast
    ],
)
def test_a_run_of_more_than_a_minute_says_so_once(
    monkeypatch: pytest.MonkeyPatch, seconds: int, more: tuple[str, ...], told: str
) -> None:
    """As far as its first games tell; a clock goes on by ``seconds`` each game."""
    Path("trio.json").write_text(json.dumps(TRIO))
    ticks = count(0, seconds)
    monkeypatch.setattr("judge.cli.sinks.time", SimpleNamespace(monotonic=lambda: next(ticks)))
    done = judge(
        *("fight", *(f"{name}.sh" for name in THREE[: 2 if "--sprt" in more else 3])),
        *("--rules", "trio.json", "--games", "5"),
        *("--isolation", "none", "--no-ledger", "--jobs", "1", "--seed", "1", *more),
        embedding=Embedding(lambda _bot, _seed, _usual: Script(PLAYS)),
    )
    assert [line for line in done.stderr.splitlines(keepends=True) if "minute" in line] == [
        *filter(None, [told])
    ]
