"""`judge submit` before it sends anything."""

from __future__ import annotations

import pytest

from commands import judge
from judge.errors import JudgeFault
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
