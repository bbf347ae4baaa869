"""``--cluster`` where the network is cut, a bot attacks its worker, a worker lacks what a bot needs,
or the user breaks off."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from textwrap import indent

import pytest

from clusters import (
    BOT,
    RUN,
    Start,
    alone,
    bots,
    ended,
    games,
    ledger,
    rank,
    ranked,
    set_up,
    until_games,
    until_no_bot_is_left,
    worker,
)
from commands import JUDGE
from contest_folder import journal as games_in
from cut_network import network_to
from needs import need, strictest
from terminals import CTRL_C, Terminal

pytestmark = pytest.mark.whole

# Each does its worst before it places its fleet, but no more than this machine can bear if nothing
# holds it.
HOSTILE = {
    "bomb": """\
import contextlib, os, time
with contextlib.suppress(OSError):
    for _ in range(1000):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
""",
    "hoarder": """\
hoard = bytearray(400_000_000)
hoard[::4096] = b"x" * len(hoard[::4096])
""",
    "filler": """\
import contextlib, os, pathlib
with contextlib.suppress(OSError):
    for number in range(64):
        pathlib.Path(os.environ["TMPDIR"], str(number)).write_bytes(bytes(4_000_000))
""",
}
KILLER = """\
import contextlib, os, pathlib, signal, sys
for process in pathlib.Path("/proc").glob("[0-9]*") if '"init"' in sys.argv[1] else ():
    with contextlib.suppress(OSError):
        is_worker = b"spawn_main" in (process / "cmdline").read_bytes()
        if is_worker and os.readlink(process / "cwd").startswith("FOLDER"):
            os.kill(int(process.name), signal.SIGKILL)
"""
PERL = """\
my $asked = $ARGV[0];
if ($asked =~ /"init"/) { print '{"2": {"point": "00", "orientation": "horizontal"}}'; exit }
for my $x (0..2) { for my $y (0..1) {
    if (index($asked, "\\"$x$y\\"") < 0) { print "{\\"move\\": \\"$x$y\\"}"; exit }
} }
"""


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    set_up()


def test_the_network_around_the_scheduler_is_cut(start: Start, cluster: str) -> None:
    """It stalls, then is cut and mended, between the judge and the scheduler: the judge connects
    again, and sends again what was under way. So it is between the worker and the scheduler: the
    worker ends, as dask has it; the judge waits for one, and plays on with the next. No game is
    lost, none doubled."""
    bots(0.05)
    with network_to(cluster) as to_judge, network_to(cluster) as to_worker:
        worker(start, to_worker.address, has_nanny=True)
        judge = rank(
            start, "--ledger", "there.json", "--rounds", "4", "--cluster", to_judge.address
        )
        until_games(judge, "there.json", 1)
        for network in (to_judge, to_worker):
            network.stall()
            time.sleep(2)  # in which a worker would play many games
            network.mend()
            until_games(judge, "there.json", games("there.json") + 2)
            network.cut()
            if network is to_judge:
                time.sleep(2)
            else:
                judge.until("(no worker is left)")
            network.mend()
        worker(start, to_worker.address, has_nanny=True)
        ended(judge)
    assert ledger("there.json") == alone(rounds=4)


def test_hostile_bots_leave_their_worker_well(start: Start, cluster: str) -> None:
    """Whatever they do, the games end as on one machine, and the worker's process goes on and is no
    larger. Nothing of them outlives it."""
    if strictest().name != "bwrap":
        pytest.skip("bwrap, which alone holds these bots, does not work here")
    for name in ("bob", "cyd"):
        Path(f"bots/{name}.py").unlink()
    for name, trick in HOSTILE.items():
        worst = f"import sys\nif '\"init\"' in sys.argv[1]:\n{indent(trick, '    ')}"
        Path(f"bots/{name}.py").write_text(worst + BOT.replace("SECONDS", "0"))
    running = worker(start, cluster)
    gauntlet = ("--format", "gauntlet", "--bot", "ann")
    ranked("--ledger", "there.json", "--cluster", cluster, *gauntlet)
    assert running.is_alive
    assert running.peak_kib < 400_000
    running.kill()
    until_no_bot_is_left()
    assert ledger("there.json") == alone(1, *gauntlet)


def test_a_bot_that_kills_workers_loses_nothing_but_its_own_games(
    start: Start, cluster: str
) -> None:
    """They are given up, and the others' are played; the nannies start the workers again."""
    folder = str(Path.cwd())
    Path("bots/bob.py").write_text(KILLER.replace("FOLDER", folder) + BOT.replace("SECONDS", "0"))
    worker(start, cluster, has_nanny=True)
    held = ("--trust-bots", "--isolation", "none")
    said = ranked("--ledger", "there.json", "--cluster", cluster, *held, status=1)
    for game in ("ann:bob", "bob:cyd"):
        assert said.count(f"game {game}:tiny") == 2
    assert "could not be played: its workers died while it was played" in said
    assert {one["id"].partition(":tiny")[0] for one in games_in(Path("there.games.jsonl"))} == {
        "ann:cyd"
    }
    assert games("there.json") == 2


def test_a_worker_without_an_interpreter_gets_no_game_of_its_bots(
    start: Start, cluster: str, tmp_path: Path
) -> None:
    """It is named, and plays the others' games; a bot that no worker can run is left out with the
    reason, and its games are played once another worker is there. A record says where it was
    played."""
    need("perl")
    Path("bots/pearl.pl").write_text(PERL)
    ranked("--ledger", "here.json")
    (tmp_path / "path").mkdir()
    for program in ("bwrap", "prlimit", "setpriv", "python3", "true"):
        if found := shutil.which(program):
            (tmp_path / "path" / program).symlink_to(found)
    (tmp_path / "far").mkdir()
    text = "import platform\nplatform.node = lambda: 'faraway'\n"
    (tmp_path / "far" / "sitecustomize.py").write_text(text)
    poor = worker(start, cluster, PATH=str(tmp_path / "path"))
    at = poor.until(r"Start worker at:\s+(tcp://\S+)")
    said = ranked("--ledger", "there.json", "--cluster", cluster, status=1)
    assert f"{at} plays no game of pearl: " in said
    assert "none of the workers can run pearl: " in said
    assert "6 games of 3 bots." in said, "those of the others"
    assert "once a worker can run them, the same command plays these games" in said
    path = f"{tmp_path / 'far'}{os.pathsep}{Path(__file__).parents[2]}"
    worker(start, cluster, PYTHONPATH=path)
    ranked("--ledger", "there.json", "--cluster", cluster)
    ledger("there.json")
    here, there = (
        {
            (one["id"], *one["outcome"].values()): one["host"]
            for one in games_in(Path(f"{name}.games.jsonl"))
        }
        for name in ("here", "there")
    )
    assert here.keys() == there.keys()
    assert {host for (name, *_), host in there.items() if "pearl" in name} == {"faraway"}


def test_workers_and_games_a_second_are_shown(tmp_path: Path) -> None:
    """In a terminal, beside the bar; Ctrl-C ends the worker of this machine with the judge, and
    the same command goes on."""
    bots(0.1)
    words = ["rank", "bots", "--rules", "tiny.json", *RUN, "--rounds", "50"]
    words += ["--cluster", "local:1", "--trust-bots"]
    with Terminal([*JUDGE, *words], tmp_path) as terminal:
        terminal.shows("1 worker, ", " games/s", "/300")
        terminal.until(lambda: games("bots.ledger.json"))
        terminal.types(CTRL_C)
        assert terminal.ends() == 130, terminal.text
        assert terminal.is_as_before()
        assert "Traceback" not in terminal.text
    assert games("bots.ledger.json")


def test_an_address_that_is_not_encrypted_is_told(start: Start) -> None:
    """Beyond this machine; what goes there can be read and changed on its way."""
    said = rank(start, "--cluster", "tcp://192.0.2.1:8786")
    assert said.end() == 1
    assert "tcp://192.0.2.1:8786 is not encrypted: anyone who can read or change" in said.output
    here = {"JUDGE_CLUSTER": "tcp://127.0.0.1:9"}  # a variable is as good as --cluster
    said = start("judge", "rank", "bots", "--rules", "tiny.json", *RUN, **here)
    assert ended(said, 1).startswith("judge: no scheduler of dask answers at tcp://127.0.0.1:9: ")
    assert "encrypted" not in said.output
