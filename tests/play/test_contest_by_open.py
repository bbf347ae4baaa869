"""Bots of other protocols in matches of the Battleships contest."""

from __future__ import annotations

import json

import pytest

from commands import judge

pytestmark = [pytest.mark.whole, pytest.mark.usefixtures("own_folder")]


@pytest.mark.parametrize("wire", ["open", "open-lines"])
@pytest.mark.parametrize("side", [4, 10])
def test_hunter_plays_a_match_against_an_ai(wire: str, side: int) -> None:
    """By `open` as by `open-lines` it plays the games of a match to their ends, also against an AI
    over a socket, which is told of its shots as of any; a log of the match is sound."""
    words = ("fight", f"hunter@{wire}", "contest-hunt", "--rules", f"contest-{side}")
    more = (
        "--games",
        "2",
        "--no-ledger",
        "--isolation",
        "none",
        "--timeout",
        "30s",
        "--game-log",
        "x.json",
    )
    done = judge(*words, *more, "--seed", "4", "--json")
    assert done.status == 0, done.stderr
    records = json.loads(done.stdout)["records"]
    assert [one["match"]["game"] for one in records] == [1, 2]
    for record in records:
        assert record["outcome"]["termination"] == "fleet-destroyed"
        assert [seat["wire"] for seat in record["seats"]] == [wire, "contest"]
    assert judge("ledger", "verify", "x.json").status == 0
