"""Bots of the host's machine at an XBS table: how many games of them there are, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from changes import replace
from halls import Order, table_in
from judge.documents.game import Limits
from judge.game.variants import XBS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find_all
from judge.process.run.exchange_files import exchanges_in
from judge.process.sandbox.isolation import choose
from judge.serve.ledger_store import GameStore
from judge.serve.log import Log
from judge.serve.xbs import XbsTable
from judge.serve.xbs_bots import GAME_SECONDS, MOST_GAMES
from judge.serve.xbs_console import Console
from judge.serve.xbs_places import Options
from serving import Client, Serving, later, run

pytestmark = pytest.mark.whole

RULES = replace(XBS, points=1)
BOARD = "AAAAA.....BBBB......CCC.......DDD.......EE" + 58 * "."

# Skips its turns, tells in a file when it starts and ends, and takes its time to end.
LOITERER = f"""
import sys, time
from pathlib import Path

def note(word):
    with open(HERE, "a") as file:
        file.write(word)

note("<")
print("I|slow|1|slow", flush=True)
for line in sys.stdin:
    if line.startswith("G|"):
        print("J|slow|{BOARD}", flush=True)
    elif line == "N|slow\\n":
        print("K", flush=True)
    elif line == "Q\\n":
        break
time.sleep(0.1)
note(">")
"""


@contextmanager
def seated(tmp_path: Path, text: str) -> Iterator[tuple[Run, list[Bot]]]:
    """A run of one bot, which is this program."""
    (tmp_path / "slow.py").write_text(text)
    isolation, _ = choose("none")
    conditions = Conditions(rules=RULES, limits=Limits(timeout_ms=60_000), isolation=isolation)
    bots = find_all([str(tmp_path / "slow.py")])
    with Run(conditions, bots, io=exchanges_in(tmp_path / "io")) as started:
        yield started, bots


def test_bots_of_a_game_are_gone_before_the_next_begins(tmp_path: Path) -> None:
    """Even where they take their time to end, and however soon somebody joins again; the host is
    told why no game begins yet. With --io each game has the exchange with its bots."""
    notes = tmp_path / "notes"

    async def play(started: Run, bots: list[Bot]) -> None:
        options = Options(title="Pond", rules=RULES, most=2, repeat=3)

        def hall(log: Log, store: GameStore) -> XbsTable:
            return XbsTable(
                log, store, options, over=lambda: None, luck=Order(["ann", "slow"]),
                bots=bots, run=started,
            )  # fmt: skip

        async with Serving(hall) as serving:
            console = Console(table_in(serving), serving.server.stop)
            for number in range(3):
                ann = await serving.connect()
                await ann.say(f"J|ann|{BOARD}\n")
                await serving.until(lambda: len(table_in(serving).places) == 2)
                said = console.do("S")
                waits = "the game begins when bots of this machine may start again"
                assert said == (waits if number else "")
                while await ann.line() != "N|ann":
                    pass
                await ann.say("S|slow|1|1\n")
                assert "\nF|finished|1|2\n" in await ann.rest()
            await serving.until(lambda: notes.exists() and notes.read_text().count(">") == 3)

    text = LOITERER.replace("HERE", repr(str(notes)))
    with seated(tmp_path, text) as (started, bots):
        run(play(started, bots))
    assert notes.read_text() == "<><><>"
    logs = list((tmp_path / "io").glob("xbs-*/?-slow.exchange"))
    assert len(logs) == 3
    assert all(b"< I|slow|1|slow\n" in log.read_bytes() for log in logs)


def test_who_chats_before_the_game_keeps_the_place_beside_a_bot(tmp_path: Path) -> None:
    """The other players hear what a player says in the lobby, and a bot hears none of it."""

    async def play(started: Run, bots: list[Bot]) -> None:
        options = Options(title="Pond", rules=RULES)

        def hall(log: Log, store: GameStore) -> XbsTable:
            return XbsTable(log, store, options, over=lambda: None, bots=bots, run=started)

        async with Serving(hall) as serving:
            ann, bob = await serving.connect(), await serving.connect()
            for client, name in ((ann, "ann"), (bob, "bob")):
                await client.say(f"J|{name}|{BOARD}\n")
                while await client.line() != f"J|{name}":
                    pass
            await bob.say("M||hello\n")
            while await ann.line() != "M|bob|hello|All":
                pass
            assert [place.name for place in table_in(serving).places] == ["slow", "ann", "bob"]

    with seated(tmp_path, LOITERER.replace("HERE", repr(str(tmp_path / "notes")))) as (one, bots):
        run(play(one, bots))


def test_games_with_bots_are_bounded(tmp_path: Path) -> None:
    """Bots are started for `MOST_GAMES` games at once, and for one more every `GAME_SECONDS`,
    however often a client joins; a client that waits for its game may leave."""

    async def play(started: Run, bots: list[Bot]) -> None:
        options = Options(title="Pond", rules=RULES, most=2, auto_start=True, repeat=None)

        def hall(log: Log, store: GameStore) -> XbsTable:
            return XbsTable(log, store, options, over=lambda: None, bots=bots, run=started)

        async with Serving(hall) as serving:
            games = table_in(serving)
            loop = asyncio.get_running_loop()

            async def joined() -> Client:
                await serving.until(lambda: games.bots.parting == 0)
                ann = await serving.connect()
                await ann.say(f"J|ann|{BOARD}\n")
                await serving.read(ann)
                return ann

            begun_at = loop.time()
            for number in range(MOST_GAMES + 2):
                ann = await joined()
                while games.match is None and games.games == number:
                    ann.close()
                    await serving.until(lambda: len(games.places) == 1)
                    await later(1)
                    assert games.match is None
                    ann = await joined()
                assert "F|finished|" in await ann.rest()
            assert loop.time() - begun_at > GAME_SECONDS

    with seated(tmp_path, "import sys\nsys.exit('no')\n") as (started, bots):
        run(play(started, bots))
