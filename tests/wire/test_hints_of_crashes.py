"""The words of `judge check` about crashes whose cause stands in stderr, or in nothing."""

from __future__ import annotations

import pytest

from judge.documents.game import Evidence
from judge.errors import Crashed
from judge.wire import WIRES, hints


def crashed(stderr: str) -> Evidence:
    return Evidence(0, ("./bot", '{"cmd":"init"}'), "", stderr, 1, None, 10.0, 1.0, None)


def hint(wire: str, stderr: str) -> str:
    return hints.mend(WIRES[wire].hints, Crashed("exited with status 1"), crashed(stderr))


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    "stderr",
    ["bot.sh: line 2: $'\\r': command not found\n", "bot.sh: 2: \r: not found\n"],
)
def test_windows_line_ends_are_named(wire: str, stderr: str) -> None:
    """No file is missing if a bot's own run.sh or manifest starts the script."""
    assert "Windows line ends (CRLF)" in hint(wire, stderr)


@pytest.mark.parametrize("wire", WIRES)
def test_a_class_that_is_not_there_has_not_been_compiled(wire: str) -> None:
    """The program is not told to take files from its folder."""
    said = hint(wire, "Error: Could not find or load main class Bot\nCaused by: ...\n")
    assert said.startswith("compile it")


@pytest.mark.parametrize("wire", WIRES)
def test_nothing_is_said_of_a_stderr_that_is_empty(wire: str) -> None:
    """An empty stderr is not quoted as the reason."""
    said = hint(wire, "")
    assert "says" not in said
    assert "stderr" not in said or "it wrote nothing to stderr" in said


def test_an_argument_that_a_second_shell_has_read_is_named() -> None:
    """Stderr shows the argument without its quotation marks; with them it was handed on whole."""
    assert hint("brainjar", "no such key in {cmd:init}\n").startswith(
        'hand the argument on as "$1"'
    )
    assert "quotation" not in hint("brainjar", 'no such key in {"cmd":"init"}\n')
    assert "quotation" not in hint("brainjar", "./bot failed\n")


@pytest.mark.parametrize("wire", ["brainjar", "open", "open-lines", "xbs"])
def test_a_refusal_that_may_be_of_a_read_is_not_taken_for_a_write(wire: str) -> None:
    """Only a complaint of a read-only file system is about a write for certain."""
    assert hint(wire, "Permission denied: '/proc/1/environ'").startswith("read files of the bot's")
    assert hint(wire, "OSError: [Errno 30] Read-only file system: 'x'").startswith("write ")
