"""Whole games at an XBS table: every line that goes over each connection, in whichever pieces."""

from __future__ import annotations

import pytest

from transcripts import XBS_GAMES as GAMES
from transcripts import Transcript, read
from xbs_table import Line, Table

PIECES = ["whole", "bytes", "joined"]


def table_of(transcript: Transcript) -> Table:
    setup = transcript.setup
    return Table(
        transcript.xbs_rules,
        most=int(setup["most"]),
        order=setup.get("order", "").split(),
        dialect=setup.get("dialect", "2.0"),
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
