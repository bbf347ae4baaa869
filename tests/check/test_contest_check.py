"""judge check of AIs of the Battleships contest: every check of theirs can fail, the AI that
`judge new` makes passes them all, and the command that does it again does.

The AIs that are broken on purpose are that of `judge new` with some lines more in its loop.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from changes import replace
from findings import found
from judge import schemas
from judge.check.examination import CheckReport, claims, examine
from judge.documents.codec import builtins
from judge.documents.game import Limits
from judge.game.variants import CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import make
from judge.process.sandbox.isolation import choose
from judge.show.check import again, document, text

pytestmark = pytest.mark.whole

LOOP = "    while frame := judge.recv(FRAME):  # nothing more comes when the match is over\n"
CONDITIONS = Conditions(
    rules=CONTEST, isolation=choose("limits")[0], limits=Limits(timeout_ms=20_000)
)


def broken(folder: Path, lines: str) -> Path:
    """The AI that `judge new` makes, with these lines in its loop before all else; in them ``said``
    is the message."""
    make("contest-python", folder)
    source = (folder / "bot.py").read_text()
    assert LOOP in source
    inner = "\n".join(
        f"        {line}"
        for line in ('said = json.loads(frame.rstrip(b"\\0"))', *lines.split("\n"))
    )
    (folder / "bot.py").write_text(source.replace(LOOP, f"{LOOP}{inner}\n"))
    return folder


def examined(folder: Path, *only: str) -> CheckReport:
    return examine(find(str(folder)), Run(CONDITIONS), seed=2, jobs=2, only=only)


# What fails, the lines that make it fail, and a part of the hint.
BROKEN: dict[str, tuple[str, str]] = {
    "places a legal fleet": (
        'if said["mt"] == PLACE: judge.sendall(b\'{"mt":5,"r":9,"c":9,"l":%d,"d":72}\' % said["l"]); continue',
        "draw each ship anew",
    ),
    "plays to the end from either seat": (
        'if said.get("bs") and said["pn"] == 2: sys.exit(0)',
        "until the match is over",
    ),
    "copes with nothing but hits, or but misses": (
        'if said.get("v") == 42 and said["pn"] != player.number: sys.exit(1)',
        "run it by hand",
    ),
    "plays on boards of every size": ('if said.get("bs") == 3: sys.exit(1)', "run it by hand"),
    "plays several games in one process": (
        'if said["mt"] == START and player.shot_at: sys.exit(1)',
        "run it by hand",
    ),
    "copes with cells that are shot at again": (
        'if said.get("v") in (34, 36) and said["pn"] != player.number: sys.exit(1)',
        "run it by hand",
    ),
    "works in any locale": ('assert os.environ["LANG"] == "C.UTF-8"', "run it by hand"),
    "works wherever its files lie": (
        'assert os.path.basename(os.path.dirname(os.path.abspath(__file__))) == "mine"',
        "run it by hand",
    ),
}


@pytest.mark.parametrize("claim", BROKEN)
def test_each_check_can_fail(claim: str, tmp_path: Path) -> None:
    """An AI that has one thing wrong fails the check for it, with what to do about it."""
    lines, hint = BROKEN[claim]
    report = examined(broken(tmp_path / "mine", lines), claim)
    assert [one.claim for one in report.findings if one.passed is False] == [claim]
    assert hint in " ".join(text(report, again="judge check mine", colour=False).split())
    assert schemas.problem("check", builtins(document(report))) is None


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ('judge.sendall(b"{}"); continue', "in one piece"),
        ('if said["mt"] == PLACE: judge.sendall(b\'{"mt":5,"r":0.0,"c":0,"l":3,"d":72}\'); continue', "as integers"),
        ('if said["mt"] == PLACE: judge.sendall(b\'{"mt":5,"r":0,"c":0,"l":9,"d":72}\'); continue', "length"),
        ('if said["mt"] == SHOOT: judge.sendall(b\'{"mt":7,"r":0,"c":10}\'); continue', "from 0 to the size"),
        ('if said["mt"] == SHOOT: judge.sendall(b\'{"mt":5,"r":0,"c":1}\'); continue', "its own kind"),
    ],
)  # fmt: skip
def test_hints(lines: str, hint: str, tmp_path: Path) -> None:
    """A wrong answer is told with what to do about it."""
    report = examined(broken(tmp_path / "mine", lines), "plays to the end from either seat")
    assert not report.conforms
    assert hint in " ".join(text(report, again="", colour=False).split())


def test_the_ai_of_judge_new_conforms(tmp_path: Path) -> None:
    """It passes every check that is for it, with nothing odd."""
    make("contest-python", tmp_path / "mine")
    report = examined(tmp_path / "mine")
    assert report.conforms
    assert [finding.claim for finding in report.findings if finding.warning] == []
    bot = find(str(tmp_path / "mine"))
    assert set(claims(bot, CONTEST)) <= found(report).keys()
    assert "fires as many shots as are due" not in found(report)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("time.sleep(60)", "2 of 2 times it had to be ended; exit when the match is over"),
        ("sys.exit(3)", "2 of 2 times it crashed (status 3); exit with status 0 when"),
    ],
)
def test_how_an_ai_leaves_in_mid_game(lines: str, said: str, tmp_path: Path) -> None:
    """It is told of an AI that does not end, or ends badly, when its match is over in mid-game,
    although that costs it nothing."""
    claim = "leaves a match that ends in mid-game"
    at_the_end = f'import time\nif said["mt"] in (10, 11): {lines}'
    (finding,) = examined(broken(tmp_path / "mine", at_the_end), claim).findings
    assert (finding.claim, finding.passed, finding.warning) == (claim, True, True)
    assert said in finding.detail
    make("contest-python", tmp_path / "good")
    (finding,) = examined(tmp_path / "good", claim).findings
    assert (finding.passed, finding.warning, finding.detail) == (True, False, "and exits")


def test_an_ai_that_never_connects_is_told_how(tmp_path: Path) -> None:
    """The commonest mistake has its hint, and who does not play is asked no more."""
    (tmp_path / "mine.py").write_text("import time; time.sleep(60)")
    conditions = replace(CONDITIONS, limits=Limits(timeout_ms=500))
    report = examine(find(f"{tmp_path}/mine.py@contest/2"), Run(conditions), seed=2, jobs=2)
    told = " ".join(text(report, again="", colour=False).split())
    assert "whose path is the last argument" in told
    assert len(report.replies) == 3


def test_the_command_does_it_again(tmp_path: Path) -> None:
    """The command that is shown with a failure sends the AI the same messages, and it fails in the
    same way."""
    lines = 'if said["mt"] == PLACE and said["l"] == 4: sys.exit("four!")'
    report = examined(broken(tmp_path / "mine", lines), "plays to the end from either seat")
    (finding,) = (one for one in report.findings if one.passed is False)
    command = again(finding.failed[0])
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert "four!" in done.stderr
    assert re.match(r"b'\{\"mt\": 1", done.stdout)
