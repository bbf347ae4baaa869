"""judge check of a shell-bot of XBS: the bundled one passes every check, and ones that are broken on
purpose fail just what they are broken at, with what to mend."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from judge.check.conformance import PARTING
from judge.check.examination import CheckReport, examine
from judge.documents.game import Limits
from judge.game.variants import XBS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.sandbox.isolation import choose
from judge.show.check import hint

pytestmark = pytest.mark.whole

SOURCE = Path(__file__).parents[2] / "bots" / "xbs-hunt" / "bot.py"
LOOP = '        kind, *values = line.rstrip("\\n").split("|")\n'
NAMES = "copes with any name of the opponent"
FLEET = "places a legal fleet"
CONDITIONS = Conditions(rules=XBS, isolation=choose("limits")[0], limits=Limits(timeout_ms=60_000))


def examined(bot: str) -> CheckReport:
    return examine(find(bot), Run(CONDITIONS), seed=2, jobs=os.cpu_count() or 1)


def test_the_bundled_one_conforms() -> None:
    """It passes every check, also where the opponent's name has a space."""
    report = examined("xbs-hunt")
    assert report.conforms
    found = {finding.claim: finding for finding in report.findings}
    assert found[NAMES].asked == 10
    assert (found[PARTING].passed, found[PARTING].detail) == (True, "and exits")


@pytest.mark.parametrize(
    ("line", "claim", "mend"),
    [
        (
            'if kind == "G": print(f"J|{name}|{100 * chr(46)}", flush=True); continue',
            FLEET,
            "place each ship of G once",
        ),
        (
            'if kind == "G": print("J|somebody|", flush=True); continue',
            FLEET,
            "with the name that its first line says",
        ),
        ('if kind == "J" and " " in line: sys.exit(1)', NAMES, "it wrote nothing to stderr"),
        ('if kind == "G": {}[name]', FLEET, "mend the error that the last line of stderr names"),
    ],
)
def test_broken_ones_fail(line: str, claim: str, mend: str, tmp_path: Path) -> None:
    """Each fault is told with what to mend."""
    source = SOURCE.read_text()
    assert LOOP in source
    path = tmp_path / "mine.py"
    path.write_text(source.replace(LOOP, f"{LOOP}        {line}\n"))
    report = examined(f"{path}")
    failed = {finding.claim: finding for finding in report.findings if finding.passed is False}
    assert claim in failed
    assert mend in hint(failed[claim].failed[0])
