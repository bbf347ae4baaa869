"""One bot a trick, and what it must get for it at each level of isolation."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge.errors import BotError
from judge.game.events import Shot, Termination
from judge.game.game import Game
from judge.game.record import Limits, replay
from judge.game.rules import BRAINJAR
from judge.play.player import BotPlayer
from judge.play.referee import Conditions
from judge.play.table import play_bots
from judge.process.bot import find
from judge.process.channel import Exec
from judge.process.isolation import choose
from judge.process.launch import Stop
from judge.wire.brainjar import Brainjar
from judge.wire.messages import AskFleet, AskShots, Fired, Placed

HERE = Path(__file__).parent / "hostile"
PLAYS = None

BAD_OUTPUT = Termination.BAD_OUTPUT
CRASH = Termination.CRASH
TIMEOUT = Termination.TIMEOUT


@dataclass(frozen=True)
class Trick:
    """A bot, what it gets (None: it may play on), and what its author is told. ``memory`` marks
    what only a limit on memory holds: without one it plays on."""

    bot: str
    gets: Termination | None
    told: str = ""
    memory: bool = False
    patient: bool = False


TRICKS = [
    Trick("plays.sh", PLAYS),
    Trick("sleeps_for_ever.sh", TIMEOUT, "no reply within 0.4 s"),
    Trick("spins.sh", TIMEOUT, "no reply within 0.4 s"),
    Trick("ignores_sigterm.sh", TIMEOUT, "no reply within 0.4 s"),
    Trick("closes_stdout_and_stays.sh", TIMEOUT, "it replied, but did not exit, within 0.4 s"),
    Trick("floods_stdout.sh", BAD_OUTPUT, "printed more than 65536 bytes", patient=True),
    Trick("prints_without_newline.sh", BAD_OUTPUT, "printed more than 65536 bytes", patient=True),
    Trick("floods_stderr.sh", PLAYS, patient=True),
    Trick("answers_and_exits_1.sh", CRASH, "exited with status 1", patient=True),
    Trick("answers_and_is_killed.sh", CRASH, "was ended by SIGSEGV", patient=True),
    Trick("prints_two_documents.sh", BAD_OUTPUT, "after the JSON value comes", patient=True),
    Trick("prints_nothing.sh", BAD_OUTPUT, "printed nothing", patient=True),
    Trick("prints_half_a_reply.sh", BAD_OUTPUT, "which is not JSON", patient=True),
    Trick("not_utf8.sh", BAD_OUTPUT, "byte 0xe9 at offset 9", patient=True),
    Trick("grandchild_holds_the_pipe.sh", PLAYS, patient=True),
    Trick("daemon_holds_the_pipe.sh", PLAYS, patient=True),
    Trick("daemon_goes_on_printing.sh", PLAYS, patient=True),
    Trick("leaves_files_behind.sh", PLAYS, patient=True),
    Trick("never_reads.sh", PLAYS, patient=True),
    Trick("takes_400_mb.py", CRASH, "exited with status 1", memory=True, patient=True),
    Trick(
        "shares_400_mb.py",
        CRASH,
        "MiB of memory, where 256 MiB are allowed",
        memory=True,
        patient=True,
    ),
]


def test_every_trick_is_in_the_table() -> None:
    """No hostile bot lies about without an expectation."""
    assert {trick.bot for trick in TRICKS} == {path.name for path in HERE.iterdir()}


@pytest.fixture
def stop() -> Iterator[Stop]:
    stop = Stop()
    yield stop
    stop.close()


@pytest.mark.parametrize("level", ["limits", "none"])
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.bot)
def test_a_trick_gets_what_it_deserves(trick: Trick, level: str, stop: Stop) -> None:
    """Each trick ends as the table says, with evidence, or does not keep the bot from playing."""
    limits = Limits(timeout_ms=30_000 if trick.patient else 400)
    isolation, _ = choose(level)
    bot = find(str(HERE / trick.bot))
    player = BotPlayer(
        bot.name,
        bot.digest,
        7,
        Brainjar(BRAINJAR, 0, "readme"),
        Exec(bot, rules=BRAINJAR, seed=7, limits=limits, isolation=isolation, stop=stop),
    )
    expected = PLAYS if trick.memory and not isolation.limits_memory else trick.gets
    if expected is PLAYS:
        placed = player.ask(AskFleet())
        assert isinstance(placed, Placed)
        assert isinstance(player.ask(AskShots(beginning(placed))), Fired)
    else:
        with pytest.raises(BotError, match=trick.told) as caught:
            player.ask(AskFleet())
        assert caught.value.termination == expected
    evidence = player.evidence(0)
    assert evidence is not None
    assert evidence.argv[-1].startswith('{"cmd":')
    assert (evidence.exit is None) is (evidence.signal is not None)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def beginning(placed: Placed) -> object:
    game = Game(BRAINJAR)
    for seat in (0, 1):
        game.place(seat, placed.fleet)
    return game.view(0)


def test_a_hostile_bot_loses_a_whole_game_with_its_evidence(stop: Stop) -> None:
    """A forfeit's record holds what was run, what it printed, and how it ended."""
    bots = [find(str(HERE / name)) for name in ("answers_and_exits_1.sh", "plays.sh")]
    isolation, _ = choose("limits")
    conditions = Conditions(rules=BRAINJAR, dialect="readme", isolation=isolation)
    record = play_bots(conditions, bots, game_id="1", seed=1, first=0, bot_seeds=(2, 3), stop=stop)
    assert (record.outcome.winner, record.outcome.loser) == (1, 0)
    assert record.outcome.termination is CRASH
    assert record.outcome.detail == "exited with status 1"
    (evidence,) = record.evidence
    assert evidence.seat == 0
    assert evidence.argv[-1] == '{"cmd":"init"}'
    assert '"orientation"' in evidence.stdout
    assert evidence.exit == 1
    assert record.seats[0].fleet is None, "it was never legal"
    assert record.seats[1].fleet is not None, "both are asked before the first shot"
    assert [game.outcome for game in replay(record)][-1] is not None


def test_scratch_folders_begin_empty_and_are_gone_afterwards(
    stop: Stop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a bot leaves in its scratch folder, the next move finds none of it."""
    monkeypatch.setattr("judge.process.scratch._of_this_run", lambda: str(tmp_path))
    monkeypatch.setattr("judge.process.scratch._untouched", deque())
    bots = [find(str(HERE / name)) for name in ("leaves_files_behind.sh", "plays.sh")]
    conditions = Conditions(rules=BRAINJAR, dialect="readme", isolation=choose("limits")[0])
    record = play_bots(conditions, bots, game_id="1", seed=1, first=0, bot_seeds=(2, 3), stop=stop)
    assert record.outcome.termination is Termination.FLEET_DESTROYED
    assert sum(isinstance(one.shot, Shot) for one in record.shots) > 28
    assert list(tmp_path.glob("*/*")) == []
