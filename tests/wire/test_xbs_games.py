"""Whole games at an XBS table: every line that goes over each connection, in whichever pieces."""

from __future__ import annotations

import pytest

from own_halls import played
from transcripts import XBS_GAMES as GAMES
from transcripts import read

PIECES = ["whole", "bytes", "joined"]


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
