"""The games of one run: whose program plays, in which dialect, and in which process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from judge.cli.contests.worker_processes import processes
from judge.contest import arena
from judge.contest.schedule import Fight, First
from judge.contest.tournament import Fault, Results
from judge.contest.workers import Terms
from judge.game.fleets import random_fleet
from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import GameRecord, RecordedSeat
from judge.game.variants import BRAINJAR, CONTEST
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot, find, find_all
from judge.process.run.connection import Connection, Script
from judge.wire.brainjar import Brainjar
from judge.wire.messages import AskFleet, Left
from players import telling
from strategies import board
from wire_players import Policy, connected

pytestmark = pytest.mark.whole

CONDITIONS = Conditions(rules=BRAINJAR, limits=Limits(timeout_ms=30_000))

# Answers with the name of its folder, and the dialect that it is asked in, in a wrong reply.
TELLS = """\
import json, os, sys
asked = json.loads(sys.argv[1])
print(os.path.basename(os.getcwd()), "engine" if list(asked)[0] == "hit" else "readme")
"""
FLEET = (
    '{"2":{"point":"10","orientation":"vertical"},"3":{"point":"20","orientation":"vertical"},'
    '"4":{"point":"30","orientation":"vertical"},"5":{"point":"40","orientation":"vertical"}}'
)
PLACES = f"import sys\nif 'init' in sys.argv[1]:\n    print('''{FLEET}''')\n    sys.exit()\n"


# Small, and of one fleet, which the scripted player of a match places in each game.
MATCHES = replace(
    CONTEST, name="matches", columns=5, rows=5, fleet=(3, 3, 2), round_limit=25, match=4
)


def by_seed(bot: Bot, seed: int, connect: Callable[[], Connection]) -> Connection:
    """A scripted player for any bot: its seed is all its luck."""
    if bot.wires == ("contest",):
        seat = ("a", "b").index(bot.name)
        return connected("contest", Policy(MATCHES, seat, 2, seed=seed))
    luck = Random(seed)
    cells = luck.sample(board(BRAINJAR), 64)
    return Script(telling(random_fleet(BRAINJAR, luck), cells))


def played(
    games: int,
    bots: tuple[Bot, ...],
    conditions: Conditions = CONDITIONS,
    connect: Connect | None = None,
) -> list[GameRecord]:
    schedule = fight(games, conditions)
    with arena.playing(schedule, bots, Run(conditions, bots, connect), jobs=2) as results:
        return records(results)


def played_in(
    pool: Executor,
    games: int,
    bots: tuple[Bot, ...],
    conditions: Conditions = CONDITIONS,
    connect: Connect | None = None,
) -> list[GameRecord]:
    terms = Terms.of(conditions, bots, connect)
    with arena.sending(fight(games, conditions), terms, pool, jobs=2) as results:
        return records(results)


def fight(games: int, conditions: Conditions) -> Fight:
    return Fight(games, 7, First.ALTERNATE, is_match=conditions.rules.match > 1)


def records(results: Results[GameRecord]) -> list[GameRecord]:
    found = list(results)
    assert not [one for one in found if isinstance(one, Fault)]
    return [untimed(one) for one in found if isinstance(one, GameRecord)]


def untimed(record: GameRecord) -> GameRecord:
    shots = tuple(replace(one, ms=0.0) for one in record.shots)
    seats = tuple(replace(one, ms=None) for one in record.seats)
    return replace(record, shots=shots, seats=seats, started="", finished="")


def test_bots_of_the_same_files_are_two_bots(tmp_path: Path) -> None:
    """Each seat is taken by its own program, though the files that are digested are the same."""
    for name in ("x1", "x2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(TELLS)
    bots = find_all([str(tmp_path / "x1" / "bot.py"), str(tmp_path / "x2" / "bot.py")])
    assert bots[0].digest == bots[1].digest
    with Run(CONDITIONS, bots) as run:
        for seat, pairing in enumerate(Fight(2, 1, First.ALTERNATE)):
            record = run.play(arena.task(pairing, bots))
            (evidence, *_) = record.evidence
            assert evidence.stdout.split()[0] == f"x{evidence.seat + 1}", seat


def test_each_seat_is_asked_in_its_own_dialect(tmp_path: Path) -> None:
    """That of one seat is not the other's, though the bot is the same."""
    script = tmp_path / "bot.py"
    script.write_text(PLACES + TELLS)
    bots = find_all([f"plain={script}", f"other={script}@brainjar/engine"])
    with Run(CONDITIONS, bots) as run:
        for pairing, dialect in zip(
            Fight(2, 1, First.ALTERNATE), ("readme", "engine"), strict=True
        ):
            record = run.play(arena.task(pairing, bots))
            assert [seat.dialect for seat in record.seats] == ["readme", "engine"]
            assert record.evidence[0].stdout.split()[-1] == dialect


def test_games_are_the_same_in_threads_and_in_processes() -> None:
    """What is sent to a worker process is enough to play the game there, or the whole match."""
    bots = tuple(replace(find("hunter"), name=name) for name in ("a", "b"))
    of_matches = tuple(replace(bot, wires=("contest",)) for bot in bots)
    conditions = replace(CONDITIONS, rules=MATCHES)
    here = played(6, bots, connect=by_seed)
    match = played(4, of_matches, conditions, connect=by_seed)
    assert [one.match.game for one in match if one.match] == [1, 2, 3, 4]
    assert [one.outcome.termination for one in match] == [Termination.FLEET_DESTROYED] * 4
    with processes(2) as pool:
        assert played_in(pool, 6, bots, connect=by_seed) == here
        assert played_in(pool, 4, of_matches, conditions, connect=by_seed) == match


def test_a_worker_process_ends_its_bots_with_itself(tmp_path: Path) -> None:
    """Bots are started there as they are here, and nothing of them is left when the pool has
    ended."""
    script = tmp_path / "bot.py"
    script.write_text(
        f"import os\nopen({str(tmp_path / 'pids')!r}, 'a').write(f'{{os.getppid()}} ')\n" + PLACES
    )
    bots = find_all([f"a={script}", f"b={script}"])
    with processes(1) as pool:
        games = played_in(pool, 2, bots, replace(CONDITIONS, launch="fork"))
    assert [game.outcome.termination for game in games] == ["bad-output"] * 2
    servers = {int(pid) for pid in (tmp_path / "pids").read_text().split()}
    assert not [pid for pid in servers if Path(f"/proc/{pid}").exists()]


class Deaf(Brainjar):
    """A wire on which nothing that comes back is ever whole."""

    def next_event(self) -> None:
        return None


def test_a_player_whose_stream_ends_without_an_answer_has_left() -> None:
    """It is not waited for any longer."""
    entry = RecordedSeat("gone", None, 0, None, None)
    player = ProgramPlayer(entry, Deaf(BRAINJAR, 0, "readme"), Script(lambda _: b"{"))
    player.ask(AskFleet(), None)
    assert isinstance(player.answer(), Left)
