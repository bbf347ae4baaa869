"""Matches of AIs of the Battleships contest over one connection, and how the dialect of an AI is
found out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import judge_in
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find_all
from judge.process.sandbox.isolation import choose
from odd_ais import (
    HURRIED_MS,
    PATIENT_MS,
    RULES,
    Odd,
    hellos,
    logged_error,
    match,
    shots,
)

pytestmark = pytest.mark.whole

T = Termination


@pytest.mark.parametrize("dialect", ["1", "2"])
def test_a_match_is_played_by_one_process(dialect: str, tmp_path: Path) -> None:
    """All games of a match go over one connection: the size of the board is told once, the end of
    the match once, and each game has a fleet of its own."""
    records, sent = match(tmp_path, Odd(), Odd(), 12, dialect=dialect)
    assert len(records) == 12
    assert [record.match.game for record in records if record.match] == [*range(1, 13)]
    kinds = [json.loads(line)["mt"] for line in sent]
    assert kinds.count(2) == 1
    assert kinds.count(3) == 12
    assert kinds[-1] == (11 if dialect == "1" else 10)
    assert len({record.rules.lengths for record in records}) > 1
    for record in records:
        asked = [json.loads(line)["l"] for line in sent if json.loads(line)["mt"] == 4]
        assert len(asked) == 36
        assert convert(GameRecord, builtins(record), "it") == record


def test_an_error_ends_the_match(tmp_path: Path) -> None:
    """A player that makes an error in the third game loses that, and there is no fourth."""
    odd = shots("say(shot() if games < 3 else 'bang')")
    records, sent = match(tmp_path, odd, Odd(), 12)
    assert len(records) == 3
    assert (records[-1].outcome.loser, records[-1].outcome.termination) == (0, T.BAD_OUTPUT)
    assert json.loads(sent[-1]) == {"mt": 10}


@pytest.mark.parametrize("dialect", ["1", "2"])
def test_an_ai_has_time_to_leave(dialect: str, tmp_path: Path) -> None:
    """After the end of the match it may go on for 1.5 s, and store what it has learned."""
    leave = "time.sleep(1.5)\nopen(__file__ + '.kept', 'w').write('learned')\nsys.exit(0)"
    records, _ = match(tmp_path, Odd(leave=leave), Odd(), 2, dialect=dialect)
    assert len(records) == 2
    assert (tmp_path / "odd.py.kept").read_text() == "learned"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("dialect", ["1", "2"])
def test_a_second_frame_is_the_next_answer(dialect: str, seat: int, tmp_path: Path) -> None:
    """The second of two frames for one shot is the next shot, and so on to the end of the game; the
    first ship of the next game is then answered by a shot."""
    odd = shots("say(shot().ljust(256, '\\0') * (1 + (fired == games - 1 == 0)))")
    one, other = (odd, Odd()) if seat == 0 else (Odd(), odd)
    records, _ = match(tmp_path, one, other, 3, dialect=dialect)
    assert [record.outcome.termination for record in records] == [T.FLEET_DESTROYED, T.BAD_OUTPUT]
    assert records[-1].outcome.loser == seat
    assert logged_error(records[-1], seat) == 10


@pytest.mark.parametrize("leads", [True, False])
def test_the_match_is_lost_by_the_error_whatever_the_score(leads: bool, tmp_path: Path) -> None:
    """A fight says who has won the match: the other one, although the one that erred had won more
    games."""
    odd = shots("say(shot() if games < 3 else 'bang')" if leads else "say('bang')")
    idle = shots("say(shot(2, 2))")
    names = [odd.write(tmp_path / "odd.py", "2"), idle.write(tmp_path / "idle.py", "2")]
    done = judge_in(
        tmp_path,
        *("fight", *names, "--rules", "contest-3", "--games", "5", "--seed", "1"),
        *("--no-ledger", "--isolation", "none"),
    )
    assert done.returncode == 0, done.stderr
    game = 3 if leads else 1
    first, second, *_ = done.stdout.splitlines()
    assert first == f"odd {game - 1} : 1 idle in {game} game{'s' * leads}"
    assert second == f"idle wins the match, which odd forfeited in game {game} of 5."


@pytest.mark.parametrize(
    ("command", "typed", "said"),
    [
        ("test contest-hunt --against contest-hunt --boards 2 --seed 1", "", "contest-hunt"),
        ("play contest-hunt --seed 1", "random\n00\nresign\n", "contest-hunt wins: "),
        ("tester --bot 1=contest-hunt --seed 1", "random\nquit\n", '"due":1'),
    ],
)
def test_an_ai_plays_alone_and_by_hand(command: str, typed: str, said: str, tmp_path: Path) -> None:
    """Other commands play with an AI as well: it says who it is before it is asked anything."""
    words = (*command.split(), "--rules", "contest-3", "--isolation", "none", "--timeout", "20s")
    done = judge_in(tmp_path, *words, typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert said in done.stdout
    assert "gave no valid reply" not in done.stdout


# The dialect


@pytest.mark.parametrize("isolation", ["none", "auto"])
@pytest.mark.parametrize("dialect", ["1", "2"])
def test_the_dialect_is_found_out(dialect: str, isolation: str, tmp_path: Path) -> None:
    """A program that is not said to speak a dialect is started once to find it out, however many
    games it plays."""
    count = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')" if isolation == "none" else ""
    path = Odd(start=count).write(tmp_path / "odd.py", dialect)
    bots = find_all([f"{path}@contest", f"{path}@contest"])
    chosen, _ = choose(isolation)
    limits = Limits(timeout_ms=PATIENT_MS)
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in bots)
    with Run(Conditions(rules=RULES, limits=limits, isolation=chosen), bots) as run:
        for number in range(2):
            record = run.play(Task(str(number), number, 0, seats))
            assert [seat.dialect for seat in record.seats] == [dialect] * 2
            assert record.outcome.termination is T.FLEET_DESTROYED
    if count:
        assert (tmp_path / "starts").read_text() == "x" * 5


def test_a_dialect_that_cannot_be_told_is_not_looked_for_again(tmp_path: Path) -> None:
    """A program that has none costs the time for that once, however many matches it loses."""
    count = f"open({str(tmp_path / 'starts')!r}, 'a').write('x'); sys.exit(0)"
    paths = [Odd(start=count).write(tmp_path / "odd.py", "1"), Odd().write(tmp_path / "b.py", "1")]
    bots = find_all([f"{path}@contest" for path in paths])
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in bots)
    limits = Limits(timeout_ms=PATIENT_MS)
    with Run(Conditions(rules=RULES, limits=limits), bots) as run:
        for number in range(3):
            record = run.play(Task(str(number), number, 0, seats))
            assert record.outcome.loser == 0
            assert record.seats[0].dialect == "2"
    assert (tmp_path / "starts").read_text() == "x" * 4


AT_FIRST = """
is_first = not os.path.exists({0!r})
open({0!r}, "a").close()
if is_first: time.sleep({1})
"""


@pytest.mark.parametrize(
    ("seconds", "timeout_ms", "dialects"),
    [(5.5, PATIENT_MS, ["1", "1"]), (60, HURRIED_MS, ["2", "1"])],
    ids=["as long as for an answer", "not at first"],
)
def test_a_slow_start_hides_no_dialect(
    seconds: float, timeout_ms: int, dialects: list[str], tmp_path: Path
) -> None:
    """To find its dialect out a program has the time for an answer, if that is longer than the time
    for a start. If it is late all the same, its dialect is looked for again in the next match."""
    slow = Odd(start=AT_FIRST.format(str(tmp_path / "started"), seconds))
    paths = [slow.write(tmp_path / "odd.py", "1"), Odd().write(tmp_path / "b.py", "1")]
    bots = find_all([f"{paths[0]}@contest", f"{paths[1]}@contest/1"])
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in bots)
    with Run(Conditions(rules=RULES, limits=Limits(timeout_ms=timeout_ms)), bots) as run:
        records = [run.play(Task(str(number), number, 0, seats)) for number in (1, 2)]
    assert [record.seats[0].dialect for record in records] == dialects
    assert records[1].outcome.termination is T.FLEET_DESTROYED


@pytest.mark.parametrize(
    "odd",
    [Odd(start="sys.exit(0)", lost=T.LEFT), hellos("say('bang')", lost=T.BAD_OUTPUT)],
    ids=["exits before connecting", "says garbage for its name"],
)
def test_a_program_of_no_dialect_loses_its_match(odd: Odd, tmp_path: Path) -> None:
    """The fault of a program is not lost in the search for its dialect: it loses by it."""
    paths = [odd.write(tmp_path / "odd.py", "1"), Odd().write(tmp_path / "other.py", "1")]
    bots = find_all([f"{paths[0]}@contest", f"{paths[1]}@contest"])
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in bots)
    limits = Limits(timeout_ms=PATIENT_MS)
    with Run(Conditions(rules=RULES, limits=limits), bots) as run:
        record = run.play(Task("1", 1, 0, seats))
    assert (record.outcome.loser, record.outcome.termination) == (0, odd.lost)
    assert [seat.dialect for seat in record.seats] == ["2", "1"]
