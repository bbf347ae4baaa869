"""conftest.py's rules that nothing is skipped in CI and that the user's variables change no test, tried
on real runs of pytest."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

MARK = "@pytest.mark.skipif(True, reason='no browser')\ndef test_it():\n    pass\n"
SKIPS = {  # those of modules end a run before its tests
    "tests": [
        "def test_it():\n    pytest.skip('no browser')\n",
        MARK,
        (
            "@pytest.fixture\ndef browser():\n    pytest.skip('no browser')\n"
            "def test_it(browser):\n    pass\n"
        ),
    ],
    "modules": [
        "pytest.skip('no browser', allow_module_level=True)\n",
        "pytest.importorskip('no_such_browser', reason='no browser')\n",
    ],
}


def run_pytest(folder: Path, *sources: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "conftest.py").write_text(
        Path(__file__).parents[1].joinpath("conftest.py").read_text()
    )
    for number, source in enumerate(sources):
        (folder / f"test_{number}.py").write_text(f"import pytest\n{source}")
    clean = {name: value for name, value in os.environ.items() if name != "CI"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA"],
        cwd=folder,
        env=clean | environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.mark.parametrize("sources", SKIPS.values(), ids=SKIPS)
def test_a_skip_fails_where_ci_is_set_and_says_why(tmp_path: Path, sources: list[str]) -> None:
    """However a test is skipped, in CI the run fails and the skip's reason is printed."""
    run = run_pytest(tmp_path, *sources, CI="true")
    assert run.returncode != 0
    told = re.findall(
        r"^test_(\d)\.py\S*: nothing may be skipped in CI, but .*no browser",
        run.stdout,
        re.MULTILINE,
    )
    assert {*map(int, told)} == {*range(len(sources))}
    assert "skipped" not in run.stdout.splitlines()[-1]


def test_a_skip_stays_a_skip_on_a_users_machine(tmp_path: Path) -> None:
    """Without CI a skipped test fails nothing."""
    run = run_pytest(tmp_path, MARK + "def test_other():\n    pass\n")
    assert run.returncode == 0
    assert "1 passed, 1 skipped" in run.stdout.splitlines()[-1]


def test_an_expected_failure_is_no_skip(tmp_path: Path) -> None:
    """A test marked as an expected failure is not turned into a failure by CI."""
    run = run_pytest(
        tmp_path, "@pytest.mark.xfail\ndef test_it():\n    raise ValueError\n", CI="true"
    )
    assert run.returncode == 0
    assert "1 xfailed" in run.stdout.splitlines()[-1]


def test_the_users_variables_and_home_are_not_the_tests(tmp_path: Path) -> None:
    """Whatever the user has set for the judge, a language, a terminal or another program, no test
    sees it; where programs are, every test does."""
    users = dict.fromkeys(["JUDGE_QUIET", "NO_COLOR", "LC_ALL", "GIT_DIR", "NODE_OPTIONS"], "x")
    users |= {"JUDGE_ISOLATION": "none", "PYTHONWARNINGS": "ignore", "JAVA_HOME": "/java"}
    seen = "{name: os.environ.get(name) for name in " + repr([*users, "HOME", "PATH"]) + "}"
    source = f"import json, os\ndef test_it():\n    print('SEEN' + json.dumps({seen}))\n"
    printed = run_pytest(tmp_path, source, **users, HOME=str(tmp_path)).stdout
    (line,) = re.findall("^SEEN(.*)", printed, re.MULTILINE)
    told = json.loads(line)
    assert told.pop("HOME") not in {None, str(tmp_path)}
    stays = {"JUDGE_ISOLATION": "limits", "JAVA_HOME": "/java", "PATH": os.environ["PATH"]}
    assert told == dict.fromkeys(users) | stays


def test_tests_in_the_background_can_interrupt_what_they_start(tmp_path: Path) -> None:
    """A shell has them ignore Ctrl-C, which every program that they start would inherit."""
    source = "import signal\ndef test_it():\n    signal.raise_signal(signal.SIGINT)\n"
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        printed = run_pytest(tmp_path, source).stdout
    finally:
        signal.signal(signal.SIGINT, before)
    assert "KeyboardInterrupt" in printed
