"""`judge submit` before it sends anything, and what it hears from a ladder that reads no further."""

from __future__ import annotations

import pytest

from commands import judge
from far_server import FarServer, Peer
from judge.errors import JudgeFault, UsageError
from judge.join.submission import LadderClient


@pytest.mark.parametrize(
    ("url", "is_told"),
    [
        ("http://127.0.0.1:1", False),
        ("http://[::1]:1", False),
        ("http://localhost", False),
        ("https://ladder.example", False),
        ("http://ladder.example", True),
        ("http://127.0.0.1.evil.invalid", True),
        ("http://localhost.evil.invalid", True),
    ],
)
def test_a_token_that_others_can_read_is_told(
    url: str, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond this machine, which a name does not belong to because it begins like one that does."""

    def submit(*_: object) -> None:
        raise JudgeFault("nothing is sent here")

    monkeypatch.setattr(LadderClient, "submit", submit)
    done = judge("submit", "hunter", f"{url}/enter/token")
    assert done.status == 1
    assert "nothing is sent here" in done.stderr
    assert ("is not encrypted" in done.stderr) == is_told


def test_a_refusal_is_read_although_the_file_was_not() -> None:
    """A ladder answers, and closes, before it has read a file that is too long."""

    def refuses(peer: Peer) -> None:
        peer.line()
        body = b'{"error": "That is longer than 5 bytes."}'
        peer.say(b"HTTP/1.1 413 \r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with FarServer(refuses) as ladder:
        client = LadderClient(f"http://127.0.0.1:{ladder.port}", "token")
        with pytest.raises(UsageError, match="That is longer than 5 bytes"):
            client.submit("bot.sh", bytes(2**26))


def test_a_reply_that_breaks_off_is_of_a_ladder_that_is_gone() -> None:
    """A ladder that dies while it answers is a ladder all the same."""

    def breaks_off(peer: Peer) -> None:
        peer.line()
        peer.say('HTTP/1.1 202 \r\nContent-Length: 60\r\n\r\n{"number": 1, ')

    with FarServer(breaks_off) as ladder:
        client = LadderClient(f"http://127.0.0.1:{ladder.port}", "token")
        with pytest.raises(JudgeFault, match="cannot be reached: its answer broke off"):
            client.state(1)


@pytest.mark.parametrize(
    "reply",
    [
        *('{"number": 1e999, "state": "waiting", "report": ""}', "[]", "{", "[" * 9999),
        *('{"number": 0, "state": "waiting", "report": ""}', '{"number": 1}'),
        '{"number": 1, "state": "waiting", "report": 2}',
    ],
)
@pytest.mark.parametrize("status", [200, 400])
def test_a_reply_that_no_ladder_gives_is_told(reply: str, status: int) -> None:
    """It is no bug of the judge, whatever the numbers in it."""

    def replies(peer: Peer) -> None:
        peer.line()
        peer.say(f"HTTP/1.1 {status} \r\nContent-Length: {len(reply)}\r\n\r\n{reply}")

    with FarServer(replies) as ladder:
        client = LadderClient(f"http://127.0.0.1:{ladder.port}", "token")
        with pytest.raises(JudgeFault, match=rf"is not a ladder \(status {status}\)"):
            client.state(1)
