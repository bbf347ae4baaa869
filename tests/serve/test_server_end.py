"""How long the end of a server takes, whatever it has to wait for."""

from __future__ import annotations

from pathlib import Path

import pytest

from halls import matchmaking, two
from judge.contest.ledger.files import locked
from judge.serve.ledger_store import LedgerStore
from judge.serve.server import TO_CLOSE, TO_KEEP, TO_SAVE
from serving import Serving, later, run

pytestmark = pytest.mark.whole

MOST_SECONDS = 2.0


def test_a_server_ends_within_two_seconds(tmp_path: Path) -> None:
    """By its own clock, where a game cannot be kept, its clients do not close their side, and the
    standings cannot be saved: there is a bound on each of the three, and nothing else to wait
    for."""
    path = tmp_path / "x.json"
    journal = tmp_path / "x.games.jsonl"
    assert TO_KEEP + TO_CLOSE + TO_SAVE < MOST_SECONDS

    async def play() -> None:
        async with Serving(matchmaking(), store=LedgerStore(path)) as serving:
            a, _ = await two(serving)
            await serving.until(lambda: journal.exists() and b"begun" in journal.read_bytes())
            with locked(tmp_path / "x.json"):
                await a.say("SURRENDER\n")
                await serving.read(a)
                serving.server.stop()
                moved = 0.0
                while not serving.task.done() and moved < 10 * MOST_SECONDS:
                    await later(0.1)
                    moved += 0.1
            assert serving.task.done()
            assert moved <= MOST_SECONDS

    run(play())
