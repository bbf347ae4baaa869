"""scripts/ladder.py: the bundled bots measured in one process, and kept from run to run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

import ladder
from judge.contest.schedule import Solo
from judge.game.variants import VARIANTS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "ladder.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "JUDGE_TIMEOUT": "1min"}


def run(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, env=ENVIRONMENT, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("rules", "dialect", "names", "boards"),
    [
        ("brainjar", "readme", ["hunter", "sinker"], 2),
        ("brainjar", "engine", ["sinker"], 1),
        ("broadsides", "plain", ["hunter"], 2),
        ("contest", "plain", ["parity"], 2),
    ],
)
def test_it_measures_what_the_judge_measures(
    rules: str, dialect: str, names: list[str], boards: int
) -> None:
    """On the same boards a bot needs the same shots in this process as in processes of its own."""
    out = run(
        *(
            "-m",
            "judge",
            "test",
            *names,
            "--boards",
            str(boards),
            "--seed",
            "6",
            "--csv",
            "--quiet",
        ),
        *("--rules", rules, "--dialect", dialect),
    )
    by_judge = [line.rpartition(",")[0] for line in out.splitlines()[1:]]
    by_ladder = [
        f"{one.board},{one.bot},{one.shots},{one.turns},{one.search + one.destroy},{one.search},"
        f"{one.destroy}"
        for board in Solo(1, boards, 6)
        for one in [ladder.measure(name, dialect, board, VARIANTS[rules]) for name in names]
    ]
    assert by_ladder == by_judge


def test_what_is_remembered_changes_no_shot() -> None:
    """A board measured again, with every count remembered, takes the same shots, and is charged
    with the time of the counts that it was spared."""
    (board,) = Solo(1, 1, 3)
    ladder._loaded.cache_clear()
    fresh, again = (ladder.measure("exact", "readme", board) for _ in range(2))
    assert (fresh.shots, fresh.search) == (again.shots, again.search)
    assert len(again.ms) == again.shots + 1
    assert sum(again.ms) > 0.5 * sum(fresh.ms)


def test_it_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """Boards that are kept are not played again; of a torn line, and of other bots, rules,
    dialects and seeds, nothing is taken; and the table is that of a run in one go."""
    file = tmp_path / "boards.jsonl"
    of_others = asdict(ladder.measure("random", "engine", next(iter(Solo(1, 1, 1)))))
    changed = {**of_others, "dialect": "readme", "digest": "sha256:0", "shots": 999}
    of_older = {**changed, "digest": of_others["digest"], "seed": 1}  # that of their run
    of_variant = {**changed, "digest": of_others["digest"], "rules": "bsp"}
    lines = [json.dumps(one) for one in (of_others, changed, of_older, of_variant)]
    file.write_text("".join(f"{line}\n" for line in lines))
    arguments = ["random", "hunt", "--seed", "1", "--jobs", "2", "--keep", str(file)]
    run(str(SCRIPT), *arguments, "--boards", "3")
    kept = file.read_text().splitlines()
    assert len(kept) == 4 + 2 * 3
    file.write_text("\n".join(kept[:-1]) + "\n" + kept[-1][:30])
    in_parts = run(str(SCRIPT), *arguments, "--boards", "5")
    lines = file.read_text().splitlines()
    assert lines[: 4 + 5] == kept[:-1]
    boards = [json.loads(line) for line in lines[4:] if line.endswith("}")]
    assert sorted((one["bot"], one["board"]) for one in boards) == [
        (bot, board) for bot in ("hunt", "random") for board in range(1, 6)
    ]
    in_one_go = run(str(SCRIPT), "random", "hunt", "--seed", "1", "--boards", "5")

    def without_times(table: str) -> list[str]:
        return [line[:65] if "-" not in line else line for line in table.splitlines()]

    assert without_times(in_parts) == without_times(in_one_go)


def test_no_time_is_no_board(tmp_path: Path) -> None:
    """With no time left no further board is begun, and what is kept is shown."""
    file = tmp_path / "boards.jsonl"
    arguments = ["random", "--boards", "9", "--jobs", "1", "--keep", str(file)]
    run(str(SCRIPT), *arguments, "--minutes", "0")
    assert len(file.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["hutn"], "no bundled Python bot is called 'hutn'; there are evader, exact, foresight,"),
        (["heatmap-c"], "no bundled Python bot is called 'heatmap-c'; there are"),
        (["--boards", "0"], "argument --boards: '0' is not a whole number from 1 up"),
        (
            ["heatmap", "--rules", "bsp"],
            "heatmap cannot be asked for single moves by the rules bsp",
        ),
        (["hunt", "--dialect", "plain"], "hunt has no dialect 'plain' by the rules brainjar"),
        (["--jobs", "none"], "argument --jobs: 'none' is not a whole number from 1 up"),
        (
            ["random", "--keep", "no/such/boards.jsonl"],
            "--keep no/such/boards.jsonl: nothing can be kept there: No such file or directory",
        ),
    ],
)
def test_what_is_typed_wrong_is_said_before_anything_is_measured(
    arguments: list[str], sentence: str, tmp_path: Path
) -> None:
    """A sentence, status 2, and no traceback."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert f"error: {sentence}" in done.stderr
    assert "Traceback" not in done.stderr


def test_lines_that_are_no_boards_are_counted(tmp_path: Path) -> None:
    """Of a file with anything in it the boards are taken, the rest is left out and said to be."""
    file = tmp_path / "boards.jsonl"
    whole = asdict(ladder.measure("random", "readme", next(iter(Solo(1, 1, 1)))))
    lines = [
        whole,
        {**whole, "shots": "many"},
        {**whole, "ms": [None]},
        {**whole, "more": 1},
        {name: whole[name] for name in ("bot", "shots")},
        7,
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    file.write_bytes(text.encode() + b"\xff\n\n" + json.dumps(whole)[:40].encode())
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "random", "--boards", "1", "--keep", str(file)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    assert done.returncode == 0
    assert done.stderr == f"ladder: {file}: 8 lines that are no boards are left out\n"
    assert done.stdout.splitlines()[1].split()[:2] == ["random", "1"]
    assert file.read_bytes().endswith(b"\n")


def test_interrupted_it_says_how_to_go_on(tmp_path: Path) -> None:
    """Status 130, a sentence, the table of what there is, and no process is left."""
    file = tmp_path / "boards.jsonl"
    command = [sys.executable, str(SCRIPT), "random", "--boards", "100000", "--keep", str(file)]
    measuring = subprocess.Popen(
        [*command, "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )
    while not (file.exists() and file.stat().st_size):
        assert measuring.poll() is None
        time.sleep(0.02)
    os.killpg(measuring.pid, signal.SIGINT)
    out, err = measuring.communicate(timeout=60)
    assert measuring.returncode == 130
    boards = len(file.read_text().splitlines())
    assert err == (
        f"ladder: interrupted; {boards} of 100000 boards are kept in {file}; "
        "the same command goes on from them\n"
    )
    assert out.splitlines()[1].split()[:2] == ["random", str(boards)]
    with pytest.raises(ProcessLookupError):
        os.killpg(measuring.pid, 0)
