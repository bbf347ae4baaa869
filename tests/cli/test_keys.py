"""Keys out of bytes: judge/cli/interactive/keys.py."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.cli.interactive.keys import (
    BACKSPACE,
    DOWN,
    END,
    END_OF_INPUT,
    ENTER,
    ESCAPE,
    HOME,
    LEFT,
    PAGE_DOWN,
    PAGE_UP,
    RIGHT,
    TAB,
    UP,
    Decoder,
)

KEYS = {
    b"\x1b[A": UP,
    b"\x1bOB": DOWN,
    b"\x1b[C": RIGHT,
    b"\x1b[1;5D": LEFT,  # with Ctrl
    b"\x1b[H": HOME,
    b"\x1b[1~": HOME,
    b"\x1bOF": END,
    b"\x1b[4~": END,
    b"\x1b[5~": PAGE_UP,
    b"\x1b[6;2~": PAGE_DOWN,
    b"\x1bOM": ENTER,
    b"\r": ENTER,
    b"\n": ENTER,
    b"\t": TAB,
    b"\x7f": BACKSPACE,
    b"\b": BACKSPACE,
    b"\x04": END_OF_INPUT,
    b"a": "a",
    b" ": " ",
    "ü".encode(): "ü",
    "漢".encode(): "漢",
}
NOTHING = [b"\x1b[15~", b"\x1b[200~", b"\x1b[?1;2c", b"\x1b[0;1R", b"\x00"]


def decoded(chunks: list[bytes]) -> list[str]:
    decoder = Decoder()
    keys = [key for chunk in chunks for key in decoder.feed(chunk)]
    return keys + decoder.flush()


@pytest.mark.parametrize("data", KEYS)
def test_a_key_is_known_by_what_it_sends(data: bytes) -> None:
    """Each key has one name, whichever of its sequences the terminal sends."""
    assert decoded([data]) == [KEYS[data]]


@pytest.mark.parametrize("data", NOTHING)
def test_what_means_nothing_is_swallowed_whole(data: bytes) -> None:
    """An unknown sequence is no key, and none of its letters is one either."""
    assert decoded([data, b"x"]) == ["x"]


@given(st.data())
def test_keys_do_not_depend_on_how_their_bytes_come(data: st.DataObject) -> None:
    """However what was typed is cut up on its way, the keys are the same."""
    typed = data.draw(st.lists(st.sampled_from(sorted(KEYS)), max_size=12))
    whole = b"".join(typed)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=8)))
    places = [0, *cuts, len(whole)]
    chunks = [whole[a:b] for a, b in pairwise(places)]
    assert decoded(chunks) == [KEYS[one] for one in typed]


@given(st.lists(st.binary(max_size=6), max_size=6))
def test_any_bytes_are_keys_or_nothing(chunks: list[bytes]) -> None:
    """Whatever comes, nothing is raised, and every key is a name or one character to print."""
    names = set(KEYS.values()) | {ESCAPE}
    assert all(key in names or (len(key) == 1 and key.isprintable()) for key in decoded(chunks))


def test_escape_is_a_key_once_nothing_follows() -> None:
    """Alone it may be the beginning of another key, so it waits."""
    decoder = Decoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.begun
    assert decoder.flush() == [ESCAPE]
    assert not decoder.begun
    assert decoder.feed(b"\x1bq") == [ESCAPE, "q"]
