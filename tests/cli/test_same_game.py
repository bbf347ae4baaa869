"""The same game played again, and games under other conditions, as a user meets them: with real
bots, and with scripted ones whose play changes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from commands import Done, judge
from contest_folder import journal
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.ledger.verify import verify
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script

PLAYS = (Path(__file__).parents[1] / "hostile" / "plays.sh").read_text()
LEDGER = Path("ledger.json")
JOURNAL = Path("ledger.games.jsonl")


@pytest.fixture(autouse=True)
def _folder(own_folder: Path) -> None:
    """A folder of its own, with two bots that play by no luck."""
    for name in ("ada", "bob"):
        Path(f"{name}.sh").write_text(PLAYS)
        Path(f"{name}.sh").chmod(0o755)


def fight(*arguments: str, embedding: Embedding | None = None) -> Done:
    return judge(
        "fight", "ada.sh", "bob.sh", "--isolation", "none", *arguments, embedding=embedding
    )


def mute_from(game: int) -> Embedding:
    """Bob gives no answer in the game of that number, from 0, and in all that follow."""
    games = count()

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        if bot.name == "bob" and next(games) >= game:
            return Script(lambda _: b"")
        return usual()

    return Embedding(connect)


def points() -> dict[str, float]:
    return {bot["name"]: bot["points"] for bot in json.loads(LEDGER.read_text())["bots"]}


def test_the_command_that_is_printed_plays_the_same_game() -> None:
    """With a seed that was drawn, too."""
    first = fight()
    (line,) = [line for line in first.stdout.splitlines() if "judge fight " in line]
    again = judge(*line.split("judge ", 1)[1].split())
    assert "This is game #1 of ledger.json" in again.stdout


def test_a_game_that_went_otherwise_is_said_to_have() -> None:
    """The message says what differs, and who won; the game that counts stays the one that was
    played first."""
    fight("--seed", "5")
    before = (points(), JOURNAL.read_bytes())
    done = fight("--seed", "5", embedding=mute_from(0))
    text = " ".join(done.stdout.split())
    assert done.status == 0
    assert re.search(
        r"This is game #1 of ledger\.json, but it went otherwise: bob had another fleet"
        r"(, and it was won by bob then and by ada now)?; it is not counted again\.",
        text,
    )
    assert (points(), JOURNAL.read_bytes()) == before


def test_of_many_games_those_that_are_there_are_counted_up() -> None:
    """The first ones of a match, all of it, and all of it with some that went otherwise."""
    fight("--seed", "5", "--games", "2")
    more = " ".join(fight("--seed", "5", "--games", "4").stdout.split())
    assert (
        "2 of the 4 games are in ledger.json already and are not counted again; all of them went "
        "the same way. Points: "
    ) in more
    assert [game["number"] for game in journal(JOURNAL)] == [1, 2, 3, 4]
    again = " ".join(fight("--seed", "5", "--games", "4").stdout.split())
    assert "All 4 games are in ledger.json already and are not counted again; all" in again
    assert "Points:" not in again
    other = fight("--seed", "5", "--games", "4", "--jobs", "1", embedding=mute_from(2))
    assert (
        "All 4 games are in ledger.json already and are not counted again; 2 of them went "
        "otherwise, such as #3: bob had another fleet"
    ) in " ".join(other.stdout.split())
    assert len(journal(JOURNAL)) == 4


def test_documents_and_events_say_which_games_are_there() -> None:
    """By their numbers; the points do not move, and the records are those of now."""
    fight("--seed", "5", "--games", "2")
    before = points()
    options = ("--seed", "5", "--games", "3", "--jobs", "1")
    done = fight(*options, "--jsonl", embedding=mute_from(1))
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(schemas.problem("fight-event", event) is None for event in events)
    _, *played, end = events
    first, second, third = (event["repeats"] for event in played)
    assert first == {"id": "5-1", "number": 1, "difference": None}
    assert (second["id"], second["number"]) == ("5-2", 2)
    assert second["difference"].startswith("bob had another fleet")
    assert third is None
    assert [event["record"]["number"] for event in played] == [None, None, 3]
    assert end["fight"]["repeats"] == [first, second]
    document = json.loads(fight(*options, "--json", embedding=mute_from(3)).stdout)
    assert schemas.problem("fight", document) is None
    assert [one["number"] for one in document["repeats"]] == [1, 2, 3]
    for bot in document["bots"]:
        assert bot["points_before"] == bot["points_after"] == points()[bot["name"]]
    assert before != points()
    assert verify(LEDGER).problems == ()
