"""Each command of the judge prints what its transcript says, and a user would see it so.

`scripts/test tests/cli/test_transcripts.py --update-transcripts` writes the files anew; the change
is for somebody to read.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sessions
from judge import schemas
from ledgers import contents

pytestmark = pytest.mark.whole

FILES = sorted((Path(__file__).parent / "transcripts").glob("*.txt"))


def problem(document: dict[str, Any], command: str) -> str | None:
    """The fault of a document that this command printed, by its schema."""
    name = document.get("kind", "game-record")
    if "version" not in document:  # what a bot is sent, or answers
        return None
    if "event" in document:
        name = f"{command.split()[1]}-event"
    return schemas.problem(name, document)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_session_goes_as_its_transcript(
    file: Path,
    own_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:
    """Every command prints what stands below it; each document is valid by its schema; and what was
    typed wrong changes nothing."""
    monkeypatch.setenv("JUDGE_ISOLATION", "none")
    monkeypatch.setenv("JUDGE_TIMEOUT", "20s")  # for nobody is late here
    monkeypatch.delenv("COLUMNS", raising=False)
    text = file.read_text(encoding="utf-8")
    about = text[: text.index("$ ")].rstrip()
    parts = [about] if about else []
    for example in sessions.examples(text):
        before = contents(own_folder)
        done = sessions.run(example.command, own_folder)
        if example.command.startswith("judge ") and done.status == 2:
            assert contents(own_folder) == before, example.command
        for document in filter(None, map(sessions.document, done.stdout.splitlines())):
            assert problem(document, example.command) is None
        told = [*sessions.typed(example.command), *sessions.printed(done, own_folder)]
        parts.append("\n".join(told))
    played = "\n\n".join(parts) + "\n"
    if pytestconfig.getoption("update_transcripts"):
        file.write_text(played, encoding="utf-8")
    assert played.splitlines() == text.splitlines()
