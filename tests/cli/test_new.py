"""judge new: a bot that conforms from the first second, put where nothing was."""

from __future__ import annotations

import json
import os
import pwd
import re
import stat
import subprocess
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest

from bot_files import script
from commands import ROOT, judge_at
from judge import schemas
from judge.check.examination import examine
from judge.cli import COMMANDS
from judge.documents.game import Limits
from judge.errors import JudgeFault, UsageError
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import SCAFFOLDS, TEMPLATES, make
from judge.show.check import text
from ledgers import contents
from needs import need, strictest

NEEDS = {
    "python": [],
    "javascript": ["node"],
    "typescript": ["tsc", "node"],
    "bash": ["bash"],
    "perl": ["perl"],
    "c": ["cc"],
    "go": ["go"],
    "rust": ["rustc"],
    "java": ["javac", "java"],
    "ruby": ["ruby"],
    "lua": ["lua"],
    "broadsides-ruby": ["ruby"],
    "contest-python": [],
    "contest-c": ["cc"],
    "open-python": [],
}
# The claims whose questions the template in each language is asked. The others, as on the order of sunk
# ships and the other dialect, have most of the questions and do not hang on it: Python's is asked all.
ASKED = [
    "places a legal fleet",
    "makes the first move of a game",
    "gives the same reply to the same question",
    "replies to an opponent who moved first",
    "shoots at fresh cells, all through a game",
    "plays from seat 0 and from seat 1",
    "follows a wounded ship, however it lies",
    "copes with nothing but hits, or but misses",
    "finds the last cell of the longest game",
    "works in any locale",
    "works wherever its files lie",
    "remembers nothing",
]
ONE_SHOT = [name for name, starter in SCAFFOLDS.items() if starter.rules == BRAINJAR.name]


judge = partial(judge_at, JUDGE_NO_LEDGER="1")


@pytest.fixture(autouse=True)
def toolchains(monkeypatch: pytest.MonkeyPatch, cache: pytest.Cache) -> None:
    """The toolchain of rustup lies where the user says, or below the user's own home, which is not
    that of the tests; and Go compiles its library once for all runs of the tests."""
    monkeypatch.setenv("GOCACHE", str(cache.mkdir("go")))
    if "RUSTUP_HOME" not in os.environ:
        monkeypatch.setenv("RUSTUP_HOME", f"{pwd.getpwuid(os.getuid()).pw_dir}/.rustup")


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a new bot, which is made and built once in each language, below one whose name has
    a space, a quote and letters that are not ASCII."""

    @cache
    def new(language: str) -> Path:
        folder = tmp_path_factory.mktemp(language) / "it's é 船" / "mine"
        folder.parent.mkdir()
        made = make(language, folder)
        assert made.unbuilt is None
        files = made.files
        assert {"README.md", "bot.json", SCAFFOLDS[language].source} <= set(files)
        return folder

    return new


def replied(folder: Path, request: str, **variables: str) -> str:
    """A new bot's reply; the bot ends well and writes nothing to stderr."""
    ran = subprocess.run(
        [*find(str(folder)).command, request],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stderr == ""
    return ran.stdout


INIT = '{"cmd":"init"}'


def hit_at(cell: str) -> str:
    """The question for the second move, after a hit."""
    return (
        f'{{"cmd":"move","moves":["0{cell}3"],"hit":["{cell}"],"missed":[],"destroyed":[],"you":0}}'
    )


# What is made


@pytest.mark.parametrize("language", [name for name in SCAFFOLDS if name != "typescript"])
def test_each_template_conforms_from_the_first_second(
    language: str, new: Callable[[str], Path]
) -> None:
    """Each bot that `judge new` makes does what a bot has to do, without a note, held as strictly as
    this machine can: fleets vary, luck is BOT_SEED's, and in Python nothing is written to stderr.
    The second one in Python is forked, which is sooner."""
    for program in NEEDS[language]:
        need(program)
    bot = find(str(new(language)))
    assert (bot.name, bot.language) == ("mine", SCAFFOLDS[language].language)
    limits = Limits(timeout_ms=60_000)
    rules = VARIANTS[SCAFFOLDS[language].rules]
    launch = "fork" if language == "open-python" else "exec"
    conditions = Conditions(rules=rules, launch=launch, isolation=strictest(), limits=limits)
    only = ASKED if language in ONE_SHOT and NEEDS[language] else ()
    report = examine(bot, Run(conditions), seed=5, jobs=2, only=only)
    assert report.conforms, text(report, again="", colour=False)
    notes = [finding for finding in report.findings if finding.warning]
    assert notes == []


def test_the_template_in_typescript_is_that_in_javascript(new: Callable[[str], Path]) -> None:
    """With types: by the same seeds the two give the same replies, so what conforms is both."""
    for program in NEEDS["typescript"]:
        need(program)
    for seed in map(str, range(4)):
        for request in (INIT, hit_at("33"), hit_at("00")):
            one, other = (
                replied(new(name), request, BOT_SEED=seed) for name in ("javascript", "typescript")
            )
            assert one == other


@pytest.mark.parametrize("language", SCAFFOLDS)
def test_each_template_is_complete(language: str, new: Callable[[str], Path]) -> None:
    """A manifest, the source, and a README of some twenty lines that names no thing that is not
    there and leaves no gap to fill in."""
    starter = SCAFFOLDS[language]
    mine = new(language)
    manifest = json.loads((mine / "bot.json").read_text())
    assert schemas.problem("bot", manifest) is None
    assert manifest.get("build", "") == starter.build
    source = (mine / starter.source).read_text()
    assert "place" in source
    assert "shoot" in source
    assert len(source.splitlines()) < (200 if language.startswith(("open-", "contest-")) else 100)
    readme = (mine / "README.md").read_text()
    assert 15 <= len(readme.splitlines()) <= 25
    assert readme.startswith("# mine\n")
    assert starter.source in readme
    assert starter.build in readme
    assert "$" not in readme
    fights = [line for line in readme.splitlines() if "judge fight" in line]
    assert fights
    assert all("--no-ledger" in line for line in fights)
    assert max(map(len, readme.splitlines())) <= 100


def test_the_makefile_builds_a_go_bot_within_the_size(new: Callable[[str], Path]) -> None:
    """It is the build of the manifest, which works without make too, and the README names both."""
    for program in ("go", "make"):
        need(program)
    mine = new("go")
    build = SCAFFOLDS["go"].build
    assert (mine / "Makefile").read_text() == f"bot: bot.go\n\t{build}\n"
    assert f"`make`, or `{build}`" in (mine / "README.md").read_text()
    (mine / "bot").unlink()
    subprocess.run(["make"], cwd=mine, check=True, capture_output=True)
    assert (mine / "bot").stat().st_size < BRAINJAR.bot_bytes


@pytest.mark.parametrize(("language", "games"), [("javascript", 12), ("perl", 20)])
def test_fewer_games_are_proposed_to_a_bot_that_starts_slowly(
    language: str, games: int, tmp_path: Path
) -> None:
    """Each printed step takes under a minute at half the speed."""
    said = judge_at(tmp_path, "new", language, "mine").stdout
    assert f"judge test mine --boards {games}\n" in said
    assert said.count(f"--games {games} --no-ledger") == 2


def test_the_bot_for_the_contest_is_its_template() -> None:
    """`contest-hunt` is the Python template for the contest's AIs, under a name of its own."""
    template = (TEMPLATES / "contest-python" / "bot.py").read_text()
    bot = (ROOT / "bots" / "contest-hunt" / "player.py").read_text()
    for old, new in (
        ("A player of the Battleships contest", "contest-hunt, an AI of the Battleships contest"),
        ('"ai": "contest-python", "au": ""', '"ai": "contest-hunt", "au": "the judge"'),
    ):
        assert old in template
        template = template.replace(old, new)
    assert bot == template


def test_every_template_has_a_language_and_the_other_way_round() -> None:
    """The table of templates and the folders are the same."""
    folders = {path.name for path in TEMPLATES.iterdir() if path.is_dir()}
    assert folders == set(SCAFFOLDS) == set(NEEDS)


@pytest.mark.parametrize("language", ["python", "open-python"])
def test_the_readme_of_a_new_bot_is_true(language: str, tmp_path: Path) -> None:
    """Its commands run in the bot's folder. One README is that of every bot that plays by a process a
    move. One claim is checked here, and all of them above."""
    make(language, tmp_path / "mine")
    readme = (tmp_path / "mine" / "README.md").read_text()
    commands = [
        line.split("#")[0].split() for line in re.findall(r"^    (.*)$", readme, re.MULTILINE)
    ]
    assert [command[:2] for command in commands[:3]] == [
        ["judge", "check"],
        ["judge", "test"],
        ["judge", "fight"],
    ]
    for _, name, *arguments in commands:
        if name in COMMANDS:
            fewer = ["2" if word.isdigit() else word for word in arguments]
            fewer += ["--only", "legal fleet"] if name == "check" else []
            done = judge(tmp_path / "mine", name, *fewer, JUDGE_BOARDS="2", JUDGE_LAUNCH="fork")
            assert done.returncode == 0, done.stderr


def test_modes_are_those_of_the_users_own_files(tmp_path: Path) -> None:
    """A new folder can be read by whom the user's umask lets read it."""
    before = os.umask(0o027)
    try:
        make("perl", tmp_path / "mine")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "mine" / "bot.pl").stat().st_mode) == 0o640


# Where it is made


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    """The current folder may be meant, or a link to an empty one."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "link").symlink_to("mine")
    done = judge(tmp_path / "mine", "new", "perl", ".")
    assert done.returncode == 0, done.stderr
    assert set(contents(tmp_path / "mine")) == {"README.md", "bot.json", "bot.pl"}
    assert (tmp_path / "mine" / "README.md").read_text().startswith("# mine\n")
    assert judge(tmp_path, "new", "perl", "link").returncode == 2


def test_a_failure_leaves_nothing_half_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever goes wrong while a bot is made, nothing of it is to be seen."""

    def no_space(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    (tmp_path / "empty").mkdir()
    for broken in ("write_text", "rename"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, broken, no_space)
            for name in ("mine", "empty"):
                with pytest.raises(JudgeFault, match="cannot be made: No space left on device"):
                    make("python", tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
    assert list((tmp_path / "empty").iterdir()) == []


def test_who_comes_first_keeps_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that is made by another in the meantime, as by a compiler, is not replaced."""
    script(tmp_path / "bin" / "cc", 'mkdir "$PLACE" && : >"$PLACE/theirs"')
    path = tmp_path / "bots" / "mine"
    path.parent.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"), prepend=os.pathsep)
    monkeypatch.setenv("PLACE", str(path))
    with pytest.raises(UsageError, match="is there already, as of just now"):
        make("c", path)
    assert set(contents(path.parent)) == {"mine/theirs"}


# Languages, and building


def test_without_a_compiler_the_one_command_is_told(tmp_path: Path) -> None:
    """The bot is there, and what is missing is said, with the command that builds it."""
    done = judge(tmp_path, "new", "c", "mine", PATH="/no/such/folder")
    starter = SCAFFOLDS["c"]
    compiler = starter.build.split()[0]
    assert done.returncode == 0
    assert done.stderr == (
        f"judge: it is not built, for there is no {compiler} on PATH; mend that, and then: "
        f"`cd mine && {starter.build}`.\n"
    )
    assert (tmp_path / "mine" / starter.source).exists()
    need(compiler)
    subprocess.run(["sh", "-c", starter.build], cwd=tmp_path / "mine", check=True)
    assert find(str(tmp_path / "mine"))


def test_a_compiler_that_fails_is_quoted(tmp_path: Path) -> None:
    """Its first words are there to be read."""
    script(tmp_path / "cc", "echo 'cc: no room' >&2; exit 1")
    done = judge(tmp_path, "new", "c", "mine", PATH=str(tmp_path))
    assert done.returncode == 0
    assert "it is not built, for cc failed, and said: cc: no room;" in done.stderr


def test_a_compiler_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    """Its temporary files lie where the bot is made, and go with that."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    script(tmp_path / "cc", ': >"$TMPDIR/half.s"; kill -INT $PPID; exec sleep 60')
    path = f"{tmp_path}:/usr/bin:/bin"
    done = judge(tmp_path, "new", "c", "mine", PATH=path, TMPDIR=str(temporary))
    assert done.returncode == 130
    assert {one.name for one in tmp_path.iterdir()} == {"cc", "temporary"}
    assert list(temporary.iterdir()) == []


def test_a_missing_interpreter_is_said(tmp_path: Path) -> None:
    """A bot can be made for a language that this machine lacks; it says so."""
    done = judge(tmp_path, "new", "ruby", "mine", PATH="/no/such/folder")
    assert done.returncode == 0
    assert "it cannot run here yet: the program 'ruby'" in done.stderr


# How it plays


@pytest.mark.parametrize("language", ONE_SHOT)
def test_each_template_shoots_beside_its_hits(language: str, new: Callable[[str], Path]) -> None:
    """With one hit, the next shot is at one of the cells around it; and never off the grid. It runs in a
    folder of any name, and in the locale C, in which a runtime may not be able to read that name."""
    for program in NEEDS[language]:
        need(program)
    assert set(json.loads(replied(new(language), INIT, LANG="C"))) == {"2", "3", "4", "5"}
    around = {
        "00": {"01", "10"},
        "07": {"06", "17"},
        "70": {"71", "60"},
        "33": {"23", "43", "32", "34"},
    }
    for hit, beside in around.items():
        shots = {
            json.loads(replied(new(language), hit_at(hit), BOT_SEED=str(seed)))["move"]
            for seed in range(3 if hit == "33" else 1)
        }
        assert shots <= beside
        assert len(shots) > 1 or hit != "33"
