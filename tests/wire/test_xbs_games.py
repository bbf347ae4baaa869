"""Whole games at an XBS table: every line that goes over each connection, in whichever pieces."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge.game.rules import Rules
from judge.game.variants import XBS
from transcripts import Transcript, read
from xbs_table import Line, Table

GAMES = ["xbs_two", "xbs_three", "xbs_aborted", "xbs_lobby_aborted"]
PIECES = ["whole", "bytes", "joined"]


def rules_of(transcript: Transcript) -> Rules:
    fields = dict(pair.split("=") for pair in transcript.setup.get("rules", "").split())
    changes: dict = {name: int(text) for name, text in fields.items() if name != "fleet"}
    if "fleet" in fields:
        changes["fleet"] = tuple(map(int, fields["fleet"].split(",")))
    return replace(XBS, **changes)


def table_of(transcript: Transcript) -> Table:
    setup = transcript.setup
    return Table(
        rules_of(transcript), most=int(setup["most"]), order=setup.get("order", "").split()
    )


def played(transcript: Transcript, pieces: str) -> tuple[dict[str, bytes], Table]:
    """What each connection was sent, and the table."""
    table = table_of(transcript)
    lines: dict[str, Line] = {}
    for step in transcript.inputs(pieces):
        match step.what:
            case "connect":
                lines[step.who] = table.connect()
            case ">":
                table.receive(lines[step.who], step.text.encode())
            case "close":
                table.receive(lines[step.who], b"")
            case "host":
                word, _, text = step.text.partition(" ")
                match word:
                    case "skip":
                        table.skip(text)
                    case "say":
                        table.say(text)
                    case "abort":
                        table.abort()
    return {who: table.sent(line) for who, line in lines.items()}, table


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game(name: str, pieces: str) -> None:
    """Each connection is sent these lines and no others, in whichever pieces clients send theirs."""
    transcript = read(name)
    sent, table = played(transcript, pieces)
    expected = transcript.sent_to()
    for who, stream in sent.items():
        assert stream.decode().splitlines() == expected[who].decode().splitlines(), who
    assert all(line.is_closed for line in table.lines)
