"""A judge that has too little memory: it says so, and leaves no process behind."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from judge.cli.exit_status import status_and_line
from judge.documents.game import Limits
from judge.errors import LaunchFault
from judge.process.bots.bot import find
from judge.process.run.launch import Start
from judge.process.run.listening import Stop
from marked_bots import marked, running
from needs import held_by

PLAYS = Path(__file__).parents[1] / "hostile" / "plays.sh"
NO_ROOM = 2**48  # bytes of a thread's stack: more than there are addresses for
MARK = 4_711_001


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_a_fork_server_is_ended_where_a_thread_cannot_be_started(launch: str) -> None:
    """It has been started by then, and bubblewrap with it; two processes of bubblewrap once
    outlived the judge."""
    isolation = held_by("bwrap")
    program = PLAYS if launch == "exec" else PLAYS.parents[2] / "bots" / "random" / "bot.py"
    bot = marked(find(str(program)), MARK)
    start = Start(bot, {"PATH": bot.path}, Limits(), fork=launch == "fork")
    with closing(Stop()) as stop:
        before = threading.stack_size(NO_ROOM)
        try:
            with pytest.raises(LaunchFault, match="there is not enough memory"):
                isolation.launcher(start, stop).begin_game()
        finally:
            threading.stack_size(before)
        until = time.monotonic() + 10
        while running(MARK) and time.monotonic() < until:
            time.sleep(0.01)
        assert running(MARK) == []


@pytest.mark.parametrize(
    "error",
    [
        ImportError("numpy.so: failed to map segment from shared object"),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
        MemoryError(),
    ],
)
def test_a_shortage_of_memory_is_no_bug(error: Exception) -> None:
    """Whatever says it: one sentence, and nothing to report."""
    status, said = status_and_line(error)
    assert status == 1
    assert said is not None
    assert "memory" in said
    assert "bug" not in said


def test_another_import_that_fails_is_a_bug() -> None:
    """Only the words of the loader mean memory."""
    assert "bug" in str(status_and_line(ImportError("no module named nowhere"))[1])
