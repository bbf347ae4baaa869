"""Options, variables and judge.toml: what each says, which of them holds, and what is refused."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot_files import script
from judge.cli.configuration import Command
from judge.cli.exit_status import status_and_line
from judge.cli.options import COMMON, KEEPING, fair_jobs, option, playing
from judge.cli.settings import Color, OutputFormat, Settings
from judge.cli.values import numbers
from judge.cli.values.games import rules as rules_of
from judge.contest.schedule import First
from judge.contest.settings import LARGEST_BYTES, LONGEST_MS, cores_of
from judge.documents.codec import builtins
from judge.documents.game import Limits
from judge.errors import UsageError
from judge.game.variants import BRAINJAR, VARIANTS, contest
from judge.process.bots.bot import MOST_BYTES


@pytest.fixture(autouse=True)
def folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of its own to stand in, and none of the judge's variables."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(own_folder / "config"))
    return own_folder


def configure(text: str | bytes) -> None:
    """Write the user's own judge.toml."""
    path = Path(os.environ["XDG_CONFIG_HOME"], "battleships-judge", "judge.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


@click.command(cls=Command)
@option("--games", "How many.", type=numbers.count(1, 100), default="1")
@option("--watch", "Look on.", is_flag=True)
@playing
@click.pass_context
def skirmish(ctx: click.Context, games: int, watch: bool, settings: Settings) -> None:
    """A command that plays."""
    ctx.meta["got"].append((settings, games, watch))


@click.command(cls=Command)
@option("--boards", "How many.", type=numbers.count(), default="100")
@click.pass_context
def drill(ctx: click.Context, boards: int) -> None:
    """A command that has nothing in common with the other."""
    ctx.meta["got"].append(boards)


@click.group(commands=[skirmish, drill], context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--config", envvar="JUDGE_CONFIG")
@click.pass_context
def judge(ctx: click.Context, config: str | None) -> None:
    """Two commands, as the judge has its own."""
    ctx.meta["got"] = ctx.obj


def run(*arguments: str) -> Any:
    """The values that the command was given; None if that was to help."""
    got: list[Any] = []
    judge.main([*arguments], "judge", standalone_mode=False, obj=got)
    return got[0] if got else None


def refusal(*arguments: str) -> str:
    """The line that a user sees who has typed, or set, something wrong."""
    with pytest.raises((UsageError, click.UsageError)) as caught:
        run(*arguments)
    status, line = status_and_line(caught.value)
    assert status == 2
    assert line is not None
    assert "\n" not in line
    return line


def settled(*arguments: str) -> Settings:
    settings: Settings = run("skirmish", *arguments)[0]
    return settings


def test_without_a_word_the_published_contest_holds() -> None:
    """The defaults are the published limits and game, as the rest of the judge has them."""
    assert settled() == Settings(
        seed=None,
        first=None,
        jobs=settled().jobs,
        rules=BRAINJAR,
        wire=None,
        dialect=None,
        limits=Limits(),
        bot_size_bytes=MOST_BYTES,
        python=None,
        launch="auto",
        isolation="auto",
        report=OutputFormat.TEXT,
        quiet=False,
        color=Color.AUTO,
        ledger=Path("ledger.json"),
    )
    assert settled().jobs >= 1


# A value for every common option, as it may be typed, and what of the settings it changes.
TYPED = {
    "seed": ("7", "seed", 7),
    "first": ("b", "first", First.B),
    "jobs": ("3", "jobs", 3),
    "cores": ("2", "limits", Limits(cores=2)),
    "rules": ("contest-7", "rules", contest(7)),
    "wire": ("brainjar", "wire", "brainjar"),
    "dialect": ("engine", "dialect", "engine"),
    "timeout": ("500ms", "limits", Limits(timeout_ms=500)),
    "memory": ("512M", "limits", Limits(memory_bytes=512 * 2**20)),
    "output_limit": ("128K", "limits", Limits(output_bytes=128 * 2**10)),
    "bot_size": ("10M", "bot_size_bytes", 10 * 2**20),
    "python": ("/bin/sh", "python", Path("/bin/sh")),
    "launch": ("fork", "launch", "fork"),
    "isolation": ("none", "isolation", "none"),
    "json": (True, "report", OutputFormat.JSON),
    "jsonl": (True, "report", OutputFormat.JSONL),
    "quiet": (True, "quiet", True),
    "verbose": (True, "verbose", True),
    "color": ("never", "color", Color.NEVER),
    "ledger": ("/a/b.json", "ledger", Path("/a/b.json")),
    "no_ledger": (True, "ledger", None),
}


def typed(name: str) -> list[str]:
    flag, text = f"--{name.replace('_', '-')}", TYPED[name][0]
    return [flag] if text is True else [flag, str(text)]


def test_every_common_option_is_tried_here() -> None:
    """The table of options and the table of this test have the same names."""
    assert len(COMMON) + len(KEEPING) == len(TYPED)
    own = {"games", "watch", "config"}
    assert {param.name for param in skirmish.params} - own == TYPED.keys()


@pytest.mark.parametrize("name", TYPED)
def test_an_option_may_be_typed_or_a_variable_or_in_the_file(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each common option means the same on the command line, in JUDGE_… and in the user's own
    judge.toml, on top or in its command's table, a program and a weak isolation too; and it changes
    this setting alone, and what the rules carry."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(4)))
    text, setting, value = TYPED[name]
    wanted = settled(*typed(name))
    assert getattr(wanted, setting) == value
    default = settled()
    changed = {
        field.name
        for field in fields(Settings)
        if getattr(wanted, field.name) != getattr(default, field.name)
    }
    carried = {"rules": {"limits", "bot_size_bytes", "jobs"}, "cores": {"jobs"}}.get(name, set())
    assert changed - carried == {setting}

    with monkeypatch.context() as environment:
        environment.setenv(f"JUDGE_{name.upper()}", "1" if text is True else str(text))
        assert settled() == wanted

    for section in ("", "[skirmish]\n"):
        configure(f"{section}{name.replace('_', '-')} = {json.dumps(text)}\n")
        assert settled() == wanted


def test_flag_beats_environment_beats_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """The typed one of three timeouts holds, then the variable's, then the command's table's, then
    the top's.
    """
    configure("timeout = 1\n")
    assert settled().limits.timeout_ms == 1000
    configure("timeout = 1\n[skirmish]\ntimeout = '2s'\n")
    assert settled().limits.timeout_ms == 2000
    monkeypatch.setenv("JUDGE_TIMEOUT", "3s")
    assert settled().limits.timeout_ms == 3000
    assert settled("--timeout", "4s").limits.timeout_ms == 4000


def test_a_variable_may_switch_off_what_the_file_switches_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """JUDGE_QUIET=0 beats quiet = true; an empty variable says nothing."""
    configure("quiet = true\n")
    monkeypatch.setenv("JUDGE_QUIET", "")
    assert settled().quiet
    monkeypatch.setenv("JUDGE_QUIET", "0")
    assert not settled().quiet


def test_a_commands_own_options_may_be_set_too(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--games is no common option; JUDGE_GAMES and judge.toml set it as well, and the file may
    set options of other commands on its top.
    """
    configure("games = 5\nboards = 7\nwatch = true\n")
    assert run("skirmish")[1:] == (5, True)
    assert run("drill") == 7
    monkeypatch.setenv("JUDGE_GAMES", "6")
    assert run("skirmish")[1] == 6


@pytest.mark.parametrize("text", ["seed = 1", "[skirmish]\ngames = 3", "timeot = 1", "no TOML"])
def test_a_file_that_lies_in_a_folder_configures_nothing(
    text: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The judge does not read a judge.toml of the current folder or one above it, and no folder
    there counts as the user's own, not even if the variables say so."""
    default = run("skirmish")
    inner = folder / "inner"
    for place in (".", "..", ".config/battleships-judge", "battleships-judge"):
        (inner / place).mkdir(parents=True, exist_ok=True)
        (inner / place / "judge.toml").write_text(text)
    monkeypatch.chdir(inner)
    assert run("skirmish") == default
    for home in ("", "."):
        monkeypatch.setenv("HOME", home)
        for configuration in ("", ".", ".config"):
            monkeypatch.setenv("XDG_CONFIG_HOME", configuration)
            assert run("skirmish") == default


def test_the_users_folder_is_below_home_unless_the_variable_names_another(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """$XDG_CONFIG_HOME, or ~/.config where it is empty, not set or relative; below the current
    folder too."""
    configure("seed = 1")
    assert settled().seed == 1
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / ".config"))
    configure("seed = 2")
    for relative in ("", "config", None):
        if relative is None:
            monkeypatch.delenv("XDG_CONFIG_HOME")
        else:
            monkeypatch.setenv("XDG_CONFIG_HOME", relative)
        assert settled().seed == 2


def test_a_user_without_a_file_is_no_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder, an empty one, a file in its place, or a user whose home is not known."""
    (folder / "config").mkdir()
    assert settled().seed is None
    (folder / "config" / "battleships-judge").write_text("seed = 1")
    assert settled().seed is None
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 5)
    assert settled().seed is None


def test_the_files_paths_are_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path in judge.toml starts at its folder; names of variants and programs stay."""
    (folder / "small.json").write_text(json.dumps(builtins(BRAINJAR) | {"name": "small"}))
    script(folder / "my-python", "")
    (folder / "judge.toml").write_text("rules = 'small.json'\npython = './my-python'\n")
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    monkeypatch.setenv("JUDGE_CONFIG", str(folder / "judge.toml"))
    assert settled().rules.name == "small"
    assert settled().python == folder / "my-python"
    (folder / "judge.toml").write_text("rules = 'bsp'\npython = 'sh'\n")
    assert settled().rules == VARIANTS["bsp"]
    assert settled().python is not None


FILES = {
    "no TOML": ("timeout =", "judge.toml is not TOML: Invalid value (at "),
    "no UTF-8": (b"\xff", "judge.toml is not TOML: 'utf-8' codec can't decode byte 0xff"),
    "unknown key": (
        "timeot = 1",
        "judge.toml, timeot: there is no such option. Did you mean timeout?",
    ),
    "too long": ("#" * 999 + "\n" + "# x\n" * 2**14, "judge.toml is longer than 65,536 bytes, "),
    "brackets": ("timeout = " + "[\n" * 5000, "judge.toml is not TOML: "),
}


@pytest.mark.parametrize(("text", "line"), FILES.values(), ids=FILES)
def test_a_wrong_file_is_a_sentence(text: str | bytes, line: str, folder: Path) -> None:
    """A mistake in the user's own file or in a named one is refused with the file, the key and the
    nearest name."""
    configure(text)
    own = folder / "config" / "battleships-judge" / "judge.toml"
    assert refusal("skirmish").startswith(line.replace("judge.toml", str(own), 1))
    own.rename("judge.toml")
    assert refusal("--config", "judge.toml", "skirmish").startswith(line)


def test_what_cannot_be_read_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is named and is not there, a folder, a FIFO that nobody writes, a device, and a
    link that leads nowhere."""
    (folder / "folder").mkdir()
    os.mkfifo("fifo")
    (folder / "link").symlink_to("none")
    reasons = {
        "none": "cannot be read: No such file or directory",
        "link": "cannot be read: No such file or directory",
        **dict.fromkeys(("folder", "fifo", "/dev/zero"), "is not a file"),
    }
    for name, reason in reasons.items():
        assert refusal("--config", name, "skirmish") == f"{name} {reason}."
        monkeypatch.setenv("JUDGE_CONFIG", name)
        assert refusal("skirmish") == f"{name} {reason}."
        monkeypatch.delenv("JUDGE_CONFIG")
        configure("")
        own = folder / "config" / "battleships-judge" / "judge.toml"
        own.unlink()
        own.symlink_to(folder / name)
        assert refusal("skirmish") == f"{own} {reason}."
        own.unlink()


def test_the_file_that_is_named_last_is_the_only_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """--config after the command beats --config before it, that beats JUDGE_CONFIG, and that the
    user's own file; an empty variable says nothing."""
    configure("seed = 1\n")
    for number, name in enumerate(("variable", "before", "after"), 2):
        Path(name).write_text(f"seed = {number}\njobs = {number}\n[drill]\nboards = {number}\n")
    monkeypatch.setenv("JUDGE_CONFIG", "")
    assert settled().seed == 1
    monkeypatch.setenv("JUDGE_CONFIG", "variable")
    assert (settled().seed, settled().jobs) == (2, 2)
    assert run("--config", "before", "skirmish")[0].seed == 3
    assert run("--config", "before", "skirmish", "--config", "after")[0].seed == 4
    assert run("skirmish", "--seed", "5", "--config=after")[0].seed == 5
    assert run("drill", "--config", "after") == 4


@pytest.mark.parametrize("text", ["timeout =", "timeot = 1"])
def test_help_is_there_whatever_the_file_holds(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong judge.toml keeps nobody from --help."""
    configure(text)
    for words in (["skirmish", "--help"], ["skirmish", "--config", "none.toml", "--help"]):
        assert run(*words) is None
        assert "A command that plays." in capsys.readouterr().out


TYPOS = {
    f"--timeout {'9' * 400}s": "--timeout: '999",
    f"--memory {'9' * 400}": "--memory: '999",
    f"--seed {'9' * 5000}": "--seed: '999",
}


@pytest.mark.parametrize("arguments", TYPOS)
def test_a_number_of_any_length_is_a_sentence(arguments: str) -> None:
    """No number is too long to be refused by a sentence."""
    assert refusal("skirmish", *arguments.split()).startswith(TYPOS[arguments])


def test_what_is_typed_decides_between_two_forms(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--jsonl beats JUDGE_JSON, and JUDGE_JSON beats the file's jsonl."""
    configure("jsonl = true\n")
    monkeypatch.setenv("JUDGE_JSON", "1")
    assert settled().report is OutputFormat.JSON
    assert settled("--jsonl").report is OutputFormat.JSONL


def test_a_variant_is_named_and_a_rules_file_is_read(folder: Path) -> None:
    """The five variants and the eight boards of the contest go by name. A file that holds a
    variant's rules gives that variant."""
    for name, rules in (
        *VARIANTS.items(),
        *((f"contest-{side}", contest(side)) for side in range(3, 11)),
    ):
        assert settled("--rules", name).rules == rules
    for rules in (*VARIANTS.values(), contest(5)):
        (folder / "mine.json").write_text(json.dumps(builtins(rules)))
        assert settled("--rules", "mine.json").rules == rules
        assert settled("--rules", str(folder / "mine.json")).rules == rules


@given(st.integers(1, LONGEST_MS))
def test_milliseconds_are_read_exactly(amount: int) -> None:
    """A duration in ms, or the same one in seconds with decimals, is that many milliseconds."""
    assert numbers.milliseconds(f"{amount}ms") == amount
    assert numbers.milliseconds(f"{amount // 1000}.{amount % 1000:03}s") == amount
    assert numbers.milliseconds(f"{amount // 1000}.{amount % 1000:03}") == amount


@pytest.mark.parametrize(
    ("text", "minutes"), [("30m", 30), ("30min", 30), ("2h", 120), ("1.5h", 90)]
)
def test_minutes_and_hours_are_read(text: str, minutes: int) -> None:
    """A duration is read as long as it is below a day."""
    assert numbers.milliseconds(text) == minutes * 60_000


@given(st.integers(1, 1000), st.sampled_from(["", "k", "M", "g"]), st.sampled_from(["", "B", "iB"]))
def test_sizes_are_powers_of_1024(amount: int, unit: str, ending: str) -> None:
    """K, M and G are 1024, 1024² and 1024³ bytes, with B or iB after them or not; halves too."""
    power = " kmg".index(unit.lower() or " ")
    assert numbers.bytes_(f"{amount}{unit}{ending if unit else ''}") == amount * 1024**power
    half = Fraction(2 * amount + 1, 2)
    assert numbers.bytes_(f"{amount}.5{unit}") == int(half * 1024**power)


@given(st.text(max_size=8))
def test_readers_raise_nothing_but_their_sentence(text: str) -> None:
    """Whatever text comes, a reader returns a value within bounds or raises ValueError with it."""
    for read, most in (
        (numbers.milliseconds, LONGEST_MS),
        (numbers.bytes_, LARGEST_BYTES),
        (numbers.whole(1, 99), 99),
    ):
        try:
            amount = read(text)
        except ValueError as error:
            said = str(error)
        else:
            said = repr(text) if 1 <= amount <= most else "out of bounds"
        assert repr(text) in said


def test_a_drawn_seed_is_drawn() -> None:
    """Without --seed each call draws another one, of 128 bits, that can be typed; with it never."""
    drawn = {settled().drawn_seed() for _ in range(50)}
    assert len(drawn) == 50
    assert 2**120 < max(drawn) < 2**128
    assert all(settled("--seed", str(seed)).drawn_seed() == seed for seed in drawn)
    assert {settled("--seed", "9").drawn_seed() for _ in range(5)} == {9}


class Screen:
    def __init__(self, terminal: bool) -> None:
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(
    ("color", "terminal", "variables", "on"),
    [
        ("auto", True, {}, True),
        ("auto", False, {}, False),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"NO_COLOR": ""}, True),
        ("auto", True, {"TERM": "dumb"}, False),
        ("always", False, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
    ],
)
def test_colour(
    color: str, terminal: bool, variables: dict[str, str], on: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colour is for terminals, unless NO_COLOR is set and not empty; who asks for it gets it."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Color(color).on(Screen(terminal)) is on


def test_a_variable_that_sets_nothing_is_said(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A mistyped variable is told, with the one that may have been meant; --quiet says nothing."""
    monkeypatch.setenv("JUDGE_TIMEOT", "3s")
    assert settled().limits.timeout_ms == 2000
    assert capsys.readouterr().err == (
        "judge: no option has the variable JUDGE_TIMEOT, so it does nothing. Did you mean "
        "JUDGE_TIMEOUT?\n"
    )
    settled("--quiet")
    assert capsys.readouterr().err == ""
    monkeypatch.delenv("JUDGE_TIMEOT")
    monkeypatch.setenv("JUDGE_BOARDS", "3")  # another command's
    settled()
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("rules", "processors", "cores", "games"),
    [
        *(("contest", 1, 2, 1), ("contest", 2, 2, 1), ("contest-3", 4, 2, 2)),
        *(("broadsides", 5, 1, 5), ("brainjar", 2, 1, 2), ("xbs", 3, 1, 3)),
    ],
)
def test_players_that_are_asked_at_once_have_a_core_each(
    monkeypatch: pytest.MonkeyPatch, rules: str, processors: int, cores: int, games: int
) -> None:
    """As many games are played at once as can have their cores, and at least one."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)))
    assert cores_of(rules_of(rules)) == cores
    assert fair_jobs(cores) == games


def test_more_jobs_than_processors_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    """They are allowed, and told with what they cost."""
    settled("--jobs", "1000", "--cores", "1")
    assert "--jobs 1000 plays 1000 games at once, and this process may" in capsys.readouterr().err
    settled("--jobs", "1", "--cores", "1")
    assert capsys.readouterr().err == ""
