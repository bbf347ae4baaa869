"""scripts/bench: what it measures here is no matter, that it measures is; and what it makes of the
figures of two trees, which are made up here."""

from __future__ import annotations

import json
import math
import shutil
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from benches import SCRIPTS, bench_against, bench_pairs, bench_rows, bench_trees, row, tree
from judge.play.run import spoken

BENCH = SCRIPTS / "bench.py"
QUIET = [100, 101, 99, 100, 100]  # figures of rounds that differ by a percent
LOUD = [100, 130, 80, 120, 70]

COMPARE = """\
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from bench_against import compare
sys.exit(compare(Path(sys.argv[2]), Path(sys.argv[3]), None, 5, js=False))
"""


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, BENCH, *arguments], capture_output=True, text=True, timeout=120
    )


def compared(
    capsys: pytest.CaptureFixture[str],
    this: Path,
    other: Path,
    *names: str,
    repeat: int = 5,
) -> tuple[int, list[dict[str, object]], str]:
    """The exit status of a comparison, its document, and what it told on stderr."""
    status = bench_against.compare(this, other, names or None, repeat, js=True)
    out, err = capsys.readouterr()
    return status, json.loads(out), err


def test_a_row_tells_its_figure_and_what_it_is_made_of() -> None:
    """A ratio is that of the judge to its base; what is over its bound fails the run."""
    done = bench("--rows", "exec-python,cpu", "--repeat", "1", "--json")
    ratio, cpu = json.loads(done.stdout)
    assert (ratio["row"], ratio["unit"], ratio["bound"]) == ("exec-python", "", 1.05)
    assert abs(ratio["figure"] - ratio["judge"] / ratio["base"]) < 1e-9
    assert (cpu["row"], cpu["unit"], cpu["base"]) == ("cpu", "ms", None)
    assert 0 < cpu["lowest"] == cpu["figure"] == cpu["highest"]
    passed = [each["figure"] <= each["bound"] for each in (ratio, cpu)]
    assert [each["passed"] for each in (ratio, cpu)] == passed
    assert done.returncode == (0 if all(passed) else 1)


def test_the_contest_that_is_measured_can_be_played() -> None:
    """Each bot of the row ``rank`` can play the rules of the bench."""
    bots = bench_rows.ladder()
    assert len(bots) > 2
    assert {spoken(bot, bench_rows.CONDITIONS.rules)[0].name for bot in bots} == {"brainjar"}


def test_the_field_that_is_measured_can_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row ``field`` sees the first game of its contest, and then the end of the judge."""
    monkeypatch.setattr(bench_rows, "FIELD", 3)
    ((figure,),) = islice(bench_rows.field_row(tmp_path), 1)
    assert figure.figure > 0
    assert len(list((tmp_path / "field").iterdir())) == 3


def test_a_round_is_measured_for_each_line() -> None:
    """With --on-request a line of figures answers a line, until there are no more."""
    done = subprocess.run(
        [sys.executable, BENCH, "--rows", "cpu", "--on-request"],
        input="\n\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    rounds = [json.loads(line) for line in done.stdout.splitlines()]
    assert [[(each["row"], each["unit"]) for each in round_] for round_ in rounds] == [
        [("cpu", "ms")]
    ] * 2
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--rows", "cpu,exec-pyhton"], "there is no row 'exec-pyhton'; there are exec-python, "),
        (["--rows", ""], "there is no row ''; there are exec-python, "),
        (["--repeat", "0"], "--repeat must be at least 1\n"),
        (["--against", ".", "--repeat", "1"], "--repeat must be at least 2 with --against\n"),
        (["--rows", "cpu,jobs", "--on-request"], "--on-request measures one row; name it"),
        (["--against", "/no/such"], "there is no folder /no/such; --against takes a checkout"),
        (["--against", str(SCRIPTS)], f"{SCRIPTS} is no checkout of the judge: it lacks"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: list[str], sentence: str) -> None:
    """Nothing is measured, the status is 2, and what would do is told."""
    done = bench(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


FIGURES = st.floats(0.01, 1000)


@given(pairs=st.lists(st.tuples(FIGURES, FIGURES), min_size=2, max_size=20))
def test_the_interval_is_students_on_the_pairs_logarithms(
    pairs: list[tuple[float, float]],
) -> None:
    """It is what scipy says of the same logarithms, at the level that two looks leave to each."""
    logs = [math.log(this / other) for this, other in pairs]
    found = bench_pairs.ratio(pairs)
    assert found.mean == pytest.approx(math.exp(sum(logs) / len(logs)))
    reach = stats.t.ppf(0.9875, len(logs) - 1) * stats.sem(logs)
    assert math.log(found.high / found.mean) == pytest.approx(reach, abs=1e-9)
    assert math.log(found.mean / found.low) == pytest.approx(reach, abs=1e-9)


@given(pairs=st.lists(st.tuples(FIGURES, FIGURES), min_size=2, max_size=20))
def test_a_comparison_is_the_same_from_the_other_side(pairs: list[tuple[float, float]]) -> None:
    """With the trees in each other's place, ratio and interval are one over what they were."""
    found = bench_pairs.ratio(pairs)
    turned = bench_pairs.ratio([(other, this) for this, other in pairs])
    assert (turned.mean, turned.low, turned.high) == pytest.approx(
        (1 / found.mean, 1 / found.high, 1 / found.low)
    )


@pytest.mark.parametrize("pairs", [[], [(1, 1)], [(1, 1), (0, 1)], [(1, 1), (1, -1)]])
def test_what_has_no_logarithm_has_no_ratio(pairs: list[tuple[float, float]]) -> None:
    """Nor has a single pair an interval."""
    assert bench_pairs.ratio(pairs) is None


@pytest.mark.parametrize(
    ("interval", "verdict"),
    [
        ((0.9, 1.02), "no worse"),
        ((1.0, 1.03), "undecided"),
        ((1.02, 1.5), "undecided"),
        ((1.03, 1.5), "undecided"),
        ((1.04, 1.5), "WORSE"),
    ],
)
def test_only_a_whole_interval_decides(interval: tuple[float, float], verdict: str) -> None:
    """A row is worse where all of it lies above 1.03, no worse where all of it lies below."""
    assert bench_pairs.Ratio(1.0, *interval).verdict == verdict


def test_both_looks_together_are_as_sure_as_they_say() -> None:
    """Of 2,000 comparisons of trees that are 3% apart, each stopped at its first look that
    decides, some 5% at most have an interval without the true ratio."""
    noise = stats.norm(math.log(1.03), 0.02).rvs((2000, 20), random_state=1)
    missed = 0
    for logs in noise:
        for look in bench_pairs.looks(5):
            found = bench_pairs.ratio([(math.exp(log), 1.0) for log in logs[:look]])
            if found.verdict != "undecided":
                break
        missed += not found.low <= 1.03 <= found.high
    assert missed <= 0.06 * len(noise)  # two of its standard errors above 5%


def test_trees_of_one_speed_are_told_after_the_first_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rounds of both follow one another, the first of a pair in turns, after one of each that is
    not counted; each tree's figure is the median."""
    this = tree(tmp_path / "this", {"quiet": row([7, *QUIET], unit="ms", bound=150)})
    other = tree(tmp_path / "other", {"quiet": row([500, *QUIET[::-1]])})
    other.joinpath("rows.json").write_text(
        json.dumps({"quiet": row([500, *QUIET[::-1]], unit="ms")})
    )
    status, (found,), err = compared(capsys, this, other)
    assert status == 0
    assert (found["row"], found["unit"], found["verdict"]) == ("quiet", "ms", "no worse")
    assert (found["this"], found["other"], found["rounds"]) == (100, 100, 5)
    assert (found["bound"], found["passed"]) == (150, True)
    assert 0.97 < found["low"] < found["ratio"] < found["high"] < 1.03
    log = [line.split()[0] for line in (tmp_path / "log").read_text().splitlines()]
    assert log == ["this", "other", *["this", "other", "other", "this"] * 2, "this", "other"]
    assert "bench: quiet: warming up …\nbench: quiet: rounds 1 to 5 …\n" in err


def test_a_tree_that_is_slower_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By 10%, which the first look sees; the other way round nothing fails."""
    slow = tree(tmp_path / "slow", {"row": row([1.1 * one for one in QUIET], bound=200)})
    fast = tree(tmp_path / "fast", {"row": row(QUIET)})
    status, (found,), _ = compared(capsys, slow, fast)
    assert (status, found["verdict"], found["rounds"], found["passed"]) == (1, "WORSE", 5, True)
    assert found["ratio"] == pytest.approx(1.1, abs=0.02)
    status, (found,), _ = compared(capsys, fast, slow)
    assert (status, found["verdict"]) == (0, "no worse")


def test_noise_gets_more_rounds_and_fails_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What five pairs do not decide is measured in twenty, and no more."""
    this = tree(tmp_path / "this", {"row": row(LOUD)})
    other = tree(tmp_path / "other", {"row": row(LOUD[2:])})
    status, (found,), err = compared(capsys, this, other)
    assert (status, found["verdict"], found["rounds"]) == (0, "undecided", 20)
    assert "bench: row: rounds 6 to 20 …\n" in err


def test_a_figure_over_this_trees_own_bound_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It fails no comparison, but scripts/bench alone; the other tree's bound binds nobody here."""
    this = tree(tmp_path / "this", {"row": row(QUIET, bound=99)})
    other = tree(tmp_path / "other", {"row": row(QUIET, bound=101)})
    status, (found,), _ = compared(capsys, this, other)
    assert (status, found["verdict"], found["passed"]) == (0, "no worse", False)
    status, (found,), _ = compared(capsys, other, this)
    assert (status, found["passed"]) == (0, True)
    assert bench_against.compare(this, other, None, 2, js=False) == 0
    out, _ = capsys.readouterr()
    assert out.splitlines()[1].endswith("99  no worse, OVER ITS BOUND")


def test_rows_of_one_tree_are_told_as_such(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They have no ratio and fail no comparison; one of this tree is held to its own bound."""
    this = tree(
        tmp_path / "this",
        {"new": row(QUIET), "both": row(QUIET), "unit": row(QUIET, unit="s")},
    )
    other = tree(
        tmp_path / "other",
        {"both": row(QUIET), "gone": row(QUIET), "unit": row(QUIET, unit="ms")},
    )
    status, found, _ = compared(capsys, this, other)
    assert status == 0
    assert [(one["row"], one["verdict"], one["rounds"]) for one in found] == [
        ("new", "only this tree", 5),
        ("both", "no worse", 5),
        ("unit", "only this tree", 5),
        ("unit", "only the other", 5),
        ("gone", "only the other", 0),
    ]
    assert [one["ratio"] is None for one in found] == [True, False, True, True, True]
    rows = json.loads((this / "rows.json").read_text()) | {"new": row(QUIET, bound=1)}
    (this / "rows.json").write_text(json.dumps(rows))
    status, (found,), _ = compared(capsys, this, other, "new")
    assert (status, found["verdict"], found["passed"]) == (0, "only this tree", False)
    with pytest.raises(bench_trees.TreeError, match=r"no row 'odd' in either tree; .* unit, gone"):
        compared(capsys, this, other, "both", "odd")


@pytest.mark.parametrize("old", [{"this"}, {"other"}, {"this", "other"}])
def test_an_older_tree_is_run_for_each_round(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: set[str]
) -> None:
    """And so is the one beside it: both are measured in the same way."""
    one, two = (
        tree(tmp_path / name, {"row": row(QUIET)}, old=name in old) for name in ("this", "other")
    )
    status, (found,), err = compared(capsys, one, two, repeat=2)
    assert (status, found["verdict"], found["rounds"]) == (0, "no worse", 2)
    lines = (tmp_path / "log").read_text().splitlines()
    assert {line.partition(" ")[2] for line in lines} == {"row --repeat 1 --json"}
    assert len(lines) == 2 * (1 + 2)
    assert err.count("has no --on-request: both trees run anew for each round") == len(old)


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("side", ["this", "other"])
def test_a_tree_that_cannot_measure_fails_the_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], side: str, *, old: bool
) -> None:
    """What it said is told, and the other rows are measured."""
    for name in ("this", "other"):
        broken = row("bench: there is no C compiler" if name == side else QUIET)
        tree(tmp_path / name, {"broken": broken, "row": row(QUIET)}, old=old)
    status, (broken, fine), err = compared(capsys, tmp_path / "this", tmp_path / "other")
    assert (status, broken["verdict"], fine["verdict"]) == (1, "NOT MEASURED", "no worse")
    said = f"bench: {tmp_path / side} gave no figures for broken:\nbench: there is no C compiler\n"
    assert said in err


def test_a_figure_of_nothing_has_no_ratio(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A difference may come out as 0 or less; it is told, and neither fails nor passes."""
    this = tree(tmp_path / "this", {"row": row([1, 0.5, -0.1])})
    other = tree(tmp_path / "other", {"row": row([1])})
    status, (found,), _ = compared(capsys, this, other)
    assert (status, found["verdict"], found["ratio"]) == (0, "no ratio", None)


def test_a_tree_without_an_environment_gets_it_from_its_own_scripts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are told which Python to make it from: that of this tree. What they say is seen."""
    this = tree(tmp_path / "this", {"row": row(QUIET)})
    other = tree(tmp_path / "other", {"row": row(QUIET)})
    shutil.move(other / ".venv", tmp_path / "made")
    script = other / "scripts" / "bench"
    script.rename(other / "scripts" / "real")
    script.write_text(
        f"#!/bin/sh\nif [ ! -e {other}/.venv ]; then mv {tmp_path}/made {other}/.venv\n"
        f'echo "$PYTHON" >{tmp_path}/python; fi\nexec {sys.executable} {other}/scripts/real "$@"\n'
    )
    script.chmod(0o755)
    status, (found,), err = compared(capsys, this, other)
    assert (status, found["verdict"]) == (0, "no worse")
    assert f"{other} has no .venv yet; its scripts/bench makes one …" in err
    made_from = Path((tmp_path / "python").read_text().strip())
    assert made_from.samefile(this / ".venv" / "bin" / "python")


def test_an_environment_of_another_python_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is left as it is; the sentence says how to make it from the same one."""
    this = tree(tmp_path / "this", {"row": row(QUIET)})
    other = tree(tmp_path / "other", {"row": row(QUIET)})
    another = tmp_path / "python3"
    another.write_bytes(b"")
    python = other / ".venv" / "bin" / "python"
    python.unlink()
    answer = json.dumps(
        {"base": str(another), "version": "3", "judge": str(other / "judge"), "packages": {}}
    )
    python.write_text(f"#!/bin/sh\necho '{answer}'\n")
    python.chmod(0o755)
    with pytest.raises(
        bench_trees.TreeError, match=r"made from .*python3, this tree's from .*run:"
    ):
        compared(capsys, this, other)


def test_a_tree_that_would_import_anothers_judge_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PYTHONPATH comes before what a tree has installed: both would be measured as one."""
    this = tree(tmp_path / "this", {"row": row(QUIET)})
    other = tree(tmp_path / "other", {"row": row(QUIET)})
    monkeypatch.setenv("PYTHONPATH", str(this))
    with pytest.raises(bench_trees.TreeError, match=r"imports the judge from .*PYTHONPATH"):
        compared(capsys, this, other)


def test_packages_of_different_versions_are_told() -> None:
    """Of those that both have; the judge's own version may differ."""
    one, other = (
        bench_trees.About("", "", None, packages)
        for packages in (
            {"rich": "13", "click": "8.1", "scipy": "1", "battleships-judge": "1"},
            {"rich": "14", "click": "8.1", "battleships-judge": "2"},
        )
    )
    assert bench_trees.differences(one, other) == ["rich 13 and 14"]


def test_ctrl_c_tells_what_is_measured(tmp_path: Path) -> None:
    """Rows that are done stand there, and so do the pairs of the one that was at work; what was
    started is ended."""
    rows = {"done": row(QUIET), "stuck": row([*QUIET[:4], None])}
    this = tree(tmp_path / "this", rows)
    other = tree(tmp_path / "other", {name: row(QUIET) for name in rows})
    process = subprocess.Popen(
        [sys.executable, "-c", COMPARE, SCRIPTS, this, other],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 120
    while not (this / "stuck").exists():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    done, stuck = out.splitlines()[1:]
    assert done.startswith("done ")
    assert stuck.startswith("stuck ")
    assert (
        stuck.split()[-4:] == ["(0.876…1.130)", "3", "100", "interrupted"] or "interrupted" in stuck
    )
    assert "interrupted; what is measured so far is told" in err
    assert "Traceback" not in err
