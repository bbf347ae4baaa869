"""`judge doctor` and `judge bots`: what is true of this machine, and what is amiss on others."""

from __future__ import annotations

import json
import os
import re
import resource
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import asdict

from bot_files import script
from changes import replace
from clean import clean_environment
from commands import judge_in
from judge import schemas
from judge.cli import cli
from judge.cli.setup import Embedding
from judge.documents.bots import Bundled
from judge.documents.codec import builtins
from judge.documents.machines import (
    Configuration,
    Doctor,
    Held,
    Machine,
    OptionValue,
    Probed,
    Problem,
    Program,
    Scratch,
    StandardOutput,
)
from judge.documents.reports import BundledBot, BundledBots
from judge.game.variants import VARIANTS
from judge.process.bots.bot import bundled, find, strength
from judge.process.run.listening import Stop
from judge.process.sandbox import doctor
from judge.process.sandbox.doctor import Probe
from judge.process.sandbox.isolation import LIMITS_LEAVE_OPEN, Limited, Unlimited, choose
from judge.show.doctor import document, text
from judge.show.pages import bots as show_bots
from judge.show.text import WIDTH, cells


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own to stand in, and none of the judge's variables."""
    for name in [name for name in os.environ if name.startswith("JUDGE_") or name == "TMPDIR"]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_CONFIG", str(tmp_path / "judge.toml"))
    (tmp_path / "judge.toml").touch()
    return tmp_path


@pytest.fixture
def trial() -> Iterator[Probe]:
    with closing(Stop()) as stop:
        yield Probe(stop)


SOUND = Machine(
    judge="0.1.0",
    python="3.13.1",
    python_path="/usr/bin/python3",
    system="Debian GNU/Linux 12 (bookworm)",
    kernel="6.1.0",
    architecture="x86_64",
    cores=8,
    launching=(Probed("start", True, "a program ran to its end"),),
    isolation=Held("limits", (Probed("memory", True, "was stopped"),), LIMITS_LEAVE_OPEN),
    programs=(
        Program("bash", "/usr/bin/bash", "5.2.15", None),
        Program("node", None, None, "apt-get install nodejs"),
    ),
    scratch=Scratch("/tmp", 2 * 2**30),
    schemas=("bots", "doctor"),
    bots=(
        Bundled("hunter", "Python", "follows lines of hits.", None),
        Bundled("parity-ruby", "Ruby", "", "it needs ruby, which is not on PATH"),
    ),
)


def judge_doctor(*arguments: str, machine: Machine = SOUND) -> Result:
    """The command's words about a machine that has been examined."""
    examined = Embedding(examine=lambda _: machine)
    return CliRunner().invoke(cli, ["doctor", *arguments], catch_exceptions=False, obj=examined)


def findings(machine: Machine = SOUND, *problems: Problem) -> Doctor:
    return document(
        machine,
        StandardOutput(is_terminal=True, colour=True, columns=120, encoding="utf-8"),
        Configuration("/home/ada/judge.toml", (OptionValue("--timeout", "1s", "JUDGE_TIMEOUT"),)),
        (*doctor.problems(machine), *problems),
    )


def test_this_machine_can_play(tmp_path: Path) -> None:
    """A real run finds everything that the judge needs here, exits 0, and meets its schema."""
    done = judge_in(tmp_path, "doctor", "--json", environment=clean_environment())
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert schemas.problem("doctor", told) is None
    assert told["can_play"]
    assert [check["name"] for check in told["launching"] if not check["works"]] == []
    assert told["schemas"] == schemas.names()
    assert [bot["name"] for bot in told["bots"]] == [bot.name for bot in bundled()]
    assert told["cores"] == len(os.sched_getaffinity(0))
    assert told["isolation"]["level"] == choose("auto")[0].name
    assert told["python_path"] == sys.executable
    assert told["configuration"]["file"] is None
    assert {one["source"] for one in told["configuration"]["settings"]} == {"default"}


def test_the_limits_hold_here(trial: Probe) -> None:
    """Memory, file size and processor time are limited for real by prlimit."""
    held, _ = choose("limits")
    checks = doctor.limits(trial, held)
    assert {check.name for check in checks} == {"memory", "file size", "processor time"}
    assert [check for check in checks if not check.works] == []


def test_a_limit_that_does_not_hold_is_found_out(trial: Probe) -> None:
    """The same trials say so if nothing limits memory and files, whatever the level's name."""
    checks = {check.name: check for check in doctor.limits(trial, Unlimited())}
    assert not checks["memory"].works
    assert checks["memory"].detail.startswith("it was not seen that a program that touched")
    assert not checks["file size"].works


def test_a_broken_prlimit_is_found_out(trial: Probe) -> None:
    """Limits that could not be set do not count as kept."""
    for program in ("/bin/false", "/no/such/prlimit"):
        assert not any(check.works for check in doctor.limits(trial, Limited(program)))


def test_launching_that_fails_is_found_out(trial: Probe) -> None:
    """No process can be watched or started once no file can be opened any more, and every check
    says why.
    """
    held, _ = choose("auto")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    os.close(full := os.dup(0))  # the lowest number that is free
    resource.setrlimit(resource.RLIMIT_NOFILE, (full, before[1]))
    try:
        checks = doctor.launching(trial, held)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert len(checks) == 4
    assert [check for check in checks if check.works] == []
    assert [check.detail for check in checks if "Too many open files" not in check.detail] == []


def test_interpreters_are_found_with_their_versions(
    trial: Probe, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program on PATH is given with its path and version, one that is not with how to get it;
    python3 is the judge's own.
    """
    for name, body in {
        "node": "exit 0",  # a version manager's script in its place
        "bash": "echo GNU bash, version 5.2.15 >&2",
        "java": "exit 1",
    }.items():
        script(folder / name, body)
    monkeypatch.setenv("PATH", str(folder))
    found = {name: doctor._program(trial, name) for name in doctor.PACKAGES}
    assert found["python3"].path == sys.executable
    assert found["python3"].version == ".".join(map(str, sys.version_info[:3]))
    assert found["java"] == Program("java", str(folder / "java"), None, None)
    assert found["php"] == Program("php", None, None, "install what Debian calls php-cli")
    assert found["bash"] == Program("bash", str(folder / "bash"), "5.2.15", None)
    assert found["node"].path is None
    assert "is a script that looks for JavaScript" in (found["node"].mend or "")


def test_a_missing_program_is_one_command_away_on_debian(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mend is a command that can be pasted if apt-get is there."""
    script(folder / "apt-get", "")
    monkeypatch.setenv("PATH", str(folder))
    assert doctor.install("nodejs") == "apt-get install nodejs"


# What may be amiss with a machine, what is said about it, and whether the judge can still play.
AMISS = {
    "launching": (
        {"launching": (Probed("start", False, "Function not implemented"),)},
        "launching: start does not work: Function not implemented",
        True,
    ),
    "a limit": (
        {"isolation": Held("limits", (Probed("memory", False, "was not stopped"),), None)},
        "isolation: the limit on memory does not hold: was not stopped",
        False,
    ),
    "no scratch": (
        {"scratch": Scratch(None, None)},
        "no folder for temporary files can be written to, and every move needs one",
        True,
    ),
    "little space": (
        {"scratch": Scratch("/tmp", 5 * 2**20)},
        "/tmp has only 5 MiB free",
        False,
    ),
}


@pytest.mark.parametrize(("change", "what", "fatal"), AMISS.values(), ids=AMISS)
def test_what_is_amiss_is_said(change: dict[str, object], what: str, fatal: bool) -> None:
    """Each fault of a machine is a problem with its mend, in text and JSON; the fatal ones mean
    that the judge cannot play.
    """
    machine = replace(SOUND, **change)
    (problem,) = doctor.problems(machine)
    assert (problem.what, problem.fatal) == (what, fatal)
    assert problem.mend or "limit on" in what
    found = findings(machine)
    assert found.can_play is not fatal
    shown = " ".join(text(found, colour=False).split())
    assert f"Problem: {what}." in shown
    assert f"The judge {'cannot' if fatal else 'can'} play here." in shown
    assert problem.mend is None or problem.mend in shown
    assert schemas.problem("doctor", builtins(found)) is None


def test_a_tmpdir_that_is_not_taken_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python falls back from a TMPDIR that it cannot write in; the doctor says so."""
    monkeypatch.setenv("TMPDIR", "/no/such/folder")
    (problem,) = doctor.problems(SOUND)
    assert (
        problem.what == "TMPDIR=/no/such/folder is not a folder to write in; /tmp is taken instead"
    )
    monkeypatch.setenv("TMPDIR", "/tmp/")
    assert doctor.problems(SOUND) == ()


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120])
def test_the_text_fits_a_terminal_and_hides_nothing(width: int) -> None:
    """No line is wider than the terminal, colours or not, and what is found is in it."""
    long = "x" * 300
    machine = replace(SOUND, programs=(Program("bash", f"/{long}", "5", None),))
    found = findings(machine, Problem(f"what {long}", None, False))
    plain = text(found, colour=False, width=width)
    assert "\x1b" not in plain
    assert max(map(cells, plain.splitlines())) <= width
    painted = text(found, colour=True, width=width)
    assert painted != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain
    for part in ("bookworm", "6.1.0", "2.0 GiB", "JUDGE_TIMEOUT", "2 bundled, 1 can run", "reach"):
        assert part in text(findings(), colour=False)


def test_a_program_that_is_not_there_is_shown_with_its_mend() -> None:
    """`node` is not there; apt-get would bring it."""
    assert re.search(r"node +none +apt-get install nodejs", text(findings(), colour=False))


def test_the_exit_status_says_whether_the_judge_can_play() -> None:
    """0 if it can, 1 if it cannot."""
    assert judge_doctor().exit_code == 0
    assert judge_doctor(machine=replace(SOUND, scratch=Scratch(None, None))).exit_code == 1


def settings_of(result: Result) -> dict[str, tuple[str, str]]:
    told = json.loads(result.stdout)["configuration"]["settings"]
    return {one["option"]: (one["value"], one["source"]) for one in told}


def test_each_value_is_shown_with_where_it_came_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variable, file, a command's table, default: each as it was written."""
    (folder / "judge.toml").write_text(
        "timeout = '1s'\nmemory = '1G'\nquiet = true\n[fight]\njobs = 1\ngames = 20\n"
    )
    monkeypatch.setenv("JUDGE_TIMEOUT", "500ms")
    result = judge_doctor("--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["configuration"]["file"] == str(folder / "judge.toml")
    shown = settings_of(result)
    assert shown["--timeout"] == ("500ms", "JUDGE_TIMEOUT")
    assert shown["--memory"] == ("1G", "judge.toml, memory")
    assert shown["--quiet"] == ("yes", "judge.toml, quiet")
    assert shown["--output-limit"] == ("64K", "default")
    assert shown["--seed"] == ("drawn", "default")
    assert shown["--json"] == ("no", "default")
    assert shown["--jobs"][1] == "default"
    assert shown["fight --jobs"] == ("1", "judge.toml, [fight] jobs")
    assert shown["fight --games"] == ("20", "judge.toml, [fight] games")
    assert "fight --timeout" not in shown


@pytest.mark.parametrize(
    ("file", "variables", "what"),
    [
        ("timeout =", {}, "judge.toml is not TOML: Invalid value"),
        ("timeot = 1", {}, "judge.toml, timeot: there is no such option. Did you mean timeout?"),
        ("timeout = -1", {}, "judge.toml, timeout: '-1' is not a duration above zero"),
        ("[fight]\ngames = 0", {}, "judge.toml, [fight] games: '0' is not a whole number from 1"),
        ("", {"JUDGE_JOBS": "many"}, "JUDGE_JOBS: 'many' is not a whole number from 1 to 1,000"),
    ],
)
def test_a_wrong_configuration_is_a_problem_and_no_crash(
    file: str,
    variables: dict[str, str],
    what: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fault that keeps the commands that play from running is listed once, and the status is
    1."""
    (folder / "judge.toml").write_text(file)
    monkeypatch.setenv("JUDGE_CONFIG", "judge.toml")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = judge_doctor("--json")
    assert result.exit_code == 1
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem["what"].startswith(what)
    assert problem["fatal"]


def test_a_variable_that_sets_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """JUDGE_TIMEOOT keeps nobody from playing, but does not do what was meant."""
    monkeypatch.setenv("JUDGE_TIMEOOT", "1s")
    monkeypatch.setenv("JUDGE_TRACEBACK", "1")
    result = judge_doctor("--json")
    assert result.exit_code == 0
    (problem,) = json.loads(result.stdout)["problems"]
    assert problem["what"] == (
        "JUDGE_TIMEOOT is set, but there is no such option. Did you mean JUDGE_TIMEOUT?"
    )


def test_each_kind_of_command_has_its_usual_ledger_until_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ledger that `judge standings` would take is not the one that a fight would."""
    value, source = settings_of(judge_doctor("--json"))["--ledger"]
    assert source == "default"
    assert value.startswith("fight: ledger.json; rank: FOLDER.ledger.json; ")
    monkeypatch.setenv("JUDGE_LEDGER", "mine.json")
    assert settings_of(judge_doctor("--json"))["--ledger"][0] == "mine.json"


def test_colour_is_as_asked() -> None:
    """Not a terminal: plain; --color always: coloured."""
    assert "\x1b[" not in judge_doctor().stdout
    assert "\x1b[" in judge_doctor("--color", "always").stdout


def test_bots_lists_every_bundled_bot() -> None:
    """`judge bots` has a line for each, with the name by which it can be called, the strongest
    first; and a figure of strength names a bot that is there."""
    result = CliRunner().invoke(cli, ["bots"], catch_exceptions=False)
    assert result.exit_code == 0
    assert "Wires that can" not in result.stdout
    table = result.stdout.partition("\n\n")[0].splitlines()[1:]
    listed = [line.split()[0] for line in table if not line.startswith(" ")]
    assert set(listed) == {bot.name for bot in bundled()}
    assert listed.index("captain") < listed.index("hunter") < listed.index("random")
    for bot in bundled():
        assert bot.problem or find(bot.name).name == bot.name
    assert set(strength()) == set(VARIANTS)
    assert set(chain(*strength().values())) <= set(listed)


def test_bots_as_json_meets_its_schema() -> None:
    """`judge bots --json` is a bots document with the same bots, and with the games of each. Nothing is
    said of rules that nobody asked about."""
    result = CliRunner().invoke(cli, ["bots", "--json"], catch_exceptions=False)
    told = json.loads(result.stdout)
    assert schemas.problem("bots", told) is None
    assert {bot["name"] for bot in told["bots"]} == {bot.name for bot in bundled()}
    games = {bot["name"]: bot["games"] for bot in told["bots"]}
    assert games["captain"] == list(VARIANTS)
    assert games["salvo"] == ["broadsides"]
    assert told["rules"] is told["wires"] is None
    assert all(bot["wire"] is bot["cannot_play"] is None for bot in told["bots"])
    measured = strength()
    for bot in told["bots"]:
        assert bot["shots"] == measured[bot["games"][0]].get(bot["name"])
    first = [list(VARIANTS).index(bot["games"][0]) for bot in told["bots"]]
    assert first == sorted(first)


def test_a_bot_that_cannot_run_here_says_why() -> None:
    """Its line goes on with the reason, within 80 columns; no bots at all is said."""
    bots = tuple(BundledBot(**asdict(bot), games=("brainjar",), shots=None) for bot in SOUND.bots)
    shown = show_bots.text(BundledBots(rules=None, wires=None, bots=bots))
    assert "Cannot run here: it needs ruby, which is not on PATH." in " ".join(shown.split())
    assert max(map(cells, shown.splitlines())) <= WIDTH
    for width in (40, 60, 80):
        narrow = show_bots.text(BundledBots(rules=None, wires=None, bots=bots), width=width)
        assert max(map(cells, narrow.splitlines())) <= width
        assert {"bot", "games", "shots"} <= {*narrow.splitlines()[0].split()}
    nothing = show_bots.text(BundledBots(rules=None, wires=None, bots=()))
    assert nothing == "No bots are bundled with this judge."
