"""judge check of a player whose protocol keeps state: every check can fail, the player that
`judge new` makes passes them all, and what comes of it is told.

The players that are broken on purpose are that of `judge new` with a line more in its loop.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from changes import replace
from commands import judge_at
from findings import failed, found
from judge import schemas
from judge.check.conformance import PARTING, SAMENESS, WASTE
from judge.check.examination import CheckReport, examine
from judge.documents.codec import builtins
from judge.documents.game import Limits
from judge.game.variants import BROADSIDES
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.bots.scaffolds import make
from judge.process.run.connection import Connection
from judge.process.sandbox.isolation import choose
from judge.show.check import again, document, text
from needs import need

pytestmark = pytest.mark.whole

LOOP = "while (line = $stdin.gets)\n"
CONDITIONS = Conditions(
    rules=BROADSIDES, isolation=choose("limits")[0], limits=Limits(timeout_ms=60_000)
)


def broken(folder: Path, line: str) -> Path:
    """The player that `judge new` makes, with this line in its loop before all else."""
    need("ruby")
    make("broadsides-ruby", folder)
    source = (folder / "bot.rb").read_text()
    assert LOOP in source
    (folder / "bot.rb").write_text(source.replace(LOOP, f"{LOOP}  {line}\n"))
    return folder


def examined(folder: Path, *only: str, **more: object) -> CheckReport:
    conditions = replace(CONDITIONS, **more) if more else CONDITIONS
    return examine(find(str(folder)), Run(conditions), seed=2, jobs=2, only=only)


# What fails, and the line that makes it fail.
BROKEN = {
    "places a legal fleet": (
        'line = "INFO" if line =~ /ACTION SHIPS/ && ENV["BOT_SEED"].to_i.odd? && '
        "puts('SHIPS 5:J1:H 4:A1:H 3:A2:H 3:A3:H 2:A4:H').nil?"
    ),
    "plays to the end from either seat": "abort if line =~ /players:opponent,mine/",
    "fires as many shots as are due": 'line.sub!(/SHOTS 4/, "SHOTS 5")',
    "copes with nothing but hits, or but misses": (
        "abort if line =~ /SHOTS opponent (\\w+:miss) \\1 \\1/"
    ),
    "copes with any name of the opponent": "abort if line =~ /players:.*a{60}/",
    "works in any locale": 'abort unless ENV["LANG"] == "C.UTF-8"',
    "works wherever its files lie": 'abort unless File.basename(__dir__) == "mine"',
    "is not there": "exit",
}
# In the two games against the longest name; in each of them it is waited for.
STAYS = "$long ||= line =~ /a{60}/; puts('FINISH') || sleep if $long && line =~ /FINISH/"
ALONE = {
    "copes with nothing but hits, or but misses",
    "copes with any name of the opponent",
    "works in any locale",
    "works wherever its files lie",
}


@pytest.mark.parametrize("claim", [claim for claim in BROKEN if claim != "is not there"])
def test_each_check_can_fail(claim: str, tmp_path: Path) -> None:
    """A player that has one thing wrong fails the check for it, with what to do about it."""
    only = () if claim in ALONE else (claim,)
    report = examined(broken(tmp_path / "mine", BROKEN[claim]), *only)
    assert claim in failed(report)
    assert claim not in ALONE or failed(report) == {claim}
    assert not report.conforms
    told = text(report, again="judge check mine", colour=False)
    assert re.search(rf"^FAIL  {re.escape(claim)} ", told, re.MULTILINE)
    assert "To mend it: " in told
    assert ("mine does not conform" in told) == (claim in ALONE), "of one check no verdict is told"
    assert schemas.problem("check", builtins(document(report))) is None


class Counted:
    """A connection that says when it is closed."""

    def __init__(self, connection: Connection, closed: Callable[[], None]) -> None:
        self._connection = connection
        self._closed = closed

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def close(self) -> None:
        self._connection.close()
        self._closed()


def test_games_with_one_seed_are_not_played_at_once() -> None:
    """One process of a player could tell another what it does, and so seem to be the same twice."""
    seeds: list[int] = []
    under_way: list[int] = []

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        assert seed not in under_way
        seeds.append(seed)
        under_way.append(seed)
        return cast("Connection", Counted(usual(), lambda: under_way.remove(seed)))

    run = Run(CONDITIONS, connect=connect)
    bot = find("random", wire="broadsides")
    report = examine(bot, run, seed=2, jobs=2, only=[SAMENESS])
    assert len(seeds) == 2
    assert len({*seeds}) == 1
    assert [(one.claim, one.passed) for one in report.findings] == [(SAMENESS, True)]


def test_who_does_not_play_is_asked_no_more(tmp_path: Path) -> None:
    """Nothing else is tried if no fleet is placed, and the hint says what is missing."""
    report = examined(broken(tmp_path / "mine", BROKEN["is not there"]))
    assert failed(report) == {"places a legal fleet"}
    assert len(report.replies) == 8
    told = text(report, again="", colour=False)
    assert "read lines until stdin ends" in " ".join(told.split())


def test_a_player_that_does_not_flush_is_told_so(tmp_path: Path) -> None:
    """The commonest mistake has its hint; and a player that was late three times is asked no
    more."""
    report = examined(
        broken(tmp_path / "mine", "$stdout.sync = false"), limits=Limits(timeout_ms=1000)
    )
    assert "places a legal fleet" in failed(report)
    assert "has time to spare" in failed(report)
    assert len(report.replies) == 3
    told = " ".join(text(report, again="", colour=False).split())
    assert "$stdout.sync = true" in told


def test_nothing_is_said_of_the_luck_of_a_player_that_is_too_slow(tmp_path: Path) -> None:
    """One that is late in some of the first games is not asked the same twice, and so is not said
    to have all its luck by its seed."""
    line = "sleep 60 if line =~ /SHIPS/ && ENV['BOT_SEED'].to_i.odd?"
    report = examined(broken(tmp_path / "mine", line), limits=Limits(timeout_ms=2000))
    assert failed(report) == {"places a legal fleet", "has time to spare"}
    finding = found(report)[SAMENESS]
    assert (finding.passed, finding.detail) == (None, "not tried: it is too slow")


@pytest.mark.parametrize(
    ("claim", "line", "said"),
    [
        (PARTING, "puts(1) || exit if line =~ /FINISH/", "last words were not FINISH but 1"),
        (PARTING, STAYS, "2 of 44 times it had to be ended"),
        (
            WASTE,
            "puts('SHOTS' + ' A1' * $1.to_i) || next if line =~ /SHOTS (5)/",
            "at cells that it had shot at before",
        ),
        (
            "gives the same reply to the same question",
            "player = Player.new(Random.new) if line =~ /SETUP/",
            "it is random",
        ),
        ("is quiet on stderr", "warn 'here'", "here"),
    ],
)
def test_what_costs_nothing_is_noted(claim: str, line: str, said: str, tmp_path: Path) -> None:
    """An oddity that costs no game is said, and the player conforms."""
    report = examined(broken(tmp_path / "mine", line), claim, limits=Limits(timeout_ms=20_000))
    finding = found(report)[claim]
    assert finding.warning
    assert said in finding.detail
    assert report.conforms, text(report, again="", colour=False)


@pytest.mark.parametrize("typed", ["players/kd.3.rb", "players"])
def test_a_name_that_players_cannot_read_is_checked_under_another(
    typed: str, tmp_path: Path
) -> None:
    """One sentence says so."""
    need("ruby")
    make("broadsides-ruby", tmp_path / "mine")
    (tmp_path / "players").mkdir()
    (tmp_path / "mine" / "bot.rb").rename(tmp_path / "players" / "kd.3.rb")
    words = ("check", typed, "--rules", "broadsides", "--only", "legal fleet")
    done = judge_at(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert (
        "judge: kd.3 is checked under the name kd_3: it speaks broadsides, where a name has only the "
        "letters A to Z and a to z, digits and _.\n"
    ) in done.stderr
    if typed == "players":
        assert re.search(r"^ok +kd_3 +1 +0 +0 ", done.stdout, re.MULTILINE)


def test_what_does_not_apply_is_named(tmp_path: Path) -> None:
    """The claims of bots that are asked about positions are not tried, and are named."""
    report = examined(broken(tmp_path / "mine", ""))
    assert report.conforms
    assert [finding.claim for finding in report.findings if finding.warning] == []
    (others,) = (one for one in report.findings if one.claim == "other checks")
    assert others.passed is None
    assert "remembers nothing" in others.detail
    assert "dialect" not in others.detail


def test_the_command_does_it_again(tmp_path: Path) -> None:
    """The command that is shown with a failure gives the player the same lines, and it fails in
    the same way."""
    line = "abort 'five!' if line == %(ACTION SHOTS 5\\n)"
    report = examined(broken(tmp_path / "mine", line), "fires as many shots as are due")
    (finding,) = (one for one in report.findings if one.passed is False)
    done = subprocess.run(
        ["sh", "-c", again(finding.failed[0])], capture_output=True, text=True, check=False
    )
    assert done.stderr == "five!\n"
    assert done.stdout.startswith("SHIPS ")
