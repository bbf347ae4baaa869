"""The frame of the command line, on real processes: what it imports, says, and exits with."""

from __future__ import annotations

import os
import re
import select
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from clean import clean_environment
from commands import JUDGE, ROOT, line_of
from judge import __version__
from judge.cli import COMMANDS, cli
from judge.cli import help as help_form
from judge.cli.configuration import commands_of, settable
from judge.cli.exit_status import status_and_line
from judge.errors import UsageError

# A command that ends in the way it is told to, in the judge's own frame.
ENDING = '''\
import os, resource, sys
import click
from judge import cli
from judge import waiting
from judge.cli.configuration import Command
from judge.cli.options import playing
from judge.errors import Interrupted, JudgeFault, LaunchFault, UsageError


@click.command(cls=Command)
@click.argument("how")
@playing
@click.pass_context
def ending(ctx, how, settings):
    """End in some way."""
    match how:
        case "well":
            click.echo("done")
        case "bug":
            {}["nothing"]
        case "bug of many lines":
            raise ValueError("one\\ntwo\\x1b[31m")
        case "fault":
            raise LaunchFault("no more processes")
        case "usage":
            raise UsageError("there is no such bot")
        case "status":
            ctx.exit(3)
        case "file":
            open("no/such/file")
        case "files":
            resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
            files = []
            while True:
                files.append(open("/dev/null"))
        case "memory":
            raise MemoryError
        case "prompt":
            click.prompt("Your move")
        case "odd name":
            click.echo("bot \\udcff \\u2713")
        case "asleep":
            try:
                click.echo("asleep")
                waiting.ready(sys.stdin.fileno())
                click.echo("woken")
            except Interrupted:
                click.echo("stopped")
                waiting.ready(sys.stdin.fileno())
                raise Interrupted("interrupted; 3 games are kept") from None


cli.COMMANDS["ending"] = "End in some way."
sys.modules["judge.cli.commands.ending"] = sys.modules["__main__"]
if __name__ == "__main__":
    cli.main()
'''


@pytest.fixture
def environment() -> dict[str, str]:
    """This environment, without the judge's own variables."""
    return clean_environment() | {"PYTHONPATH": str(ROOT)}


@pytest.fixture
def ending(tmp_path: Path) -> list[str]:
    """The command line of the judge with one more command."""
    (tmp_path / "ending.py").write_text(ENDING)
    return [sys.executable, str(tmp_path / "ending.py")]


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]):
    """Runs a command line in a folder of its own, with these variables besides."""

    def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            arguments,
            cwd=tmp_path,
            env=environment | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


PLEASE = "Please report it with what JUDGE_TRACEBACK=1 shows.\n"
ENDINGS = {
    "well": (0, ""),
    "usage": (2, "judge: there is no such bot.\n"),
    "fault": (1, "judge: no more processes.\n"),
    "file": (1, "judge: no/such/file: No such file or directory.\n"),
    "files": (
        1,
        (
            "judge: /dev/null: Too many open files; `ulimit -n` shows how many the shell allows the "
            "judge, and fewer --jobs need fewer.\n"
        ),
    ),
    "memory": (1, "judge: there is not enough memory.\n"),
    "status": (3, ""),
    "bug": (
        1,
        f"judge: a bug in the judge: KeyError: 'nothing'. {PLEASE}",
    ),
    "bug of many lines": (
        1,
        f"judge: a bug in the judge: ValueError: one two. {PLEASE}",
    ),
}


@pytest.mark.parametrize("how", ENDINGS)
def test_every_ending_is_one_line_and_its_status(how: str, ending, run) -> None:
    """Whatever ends a command, stderr gets at most one line, never a traceback, and the exit
    status is that of the contract.
    """
    done = run(*ending, "ending", how, JUDGE_TRACEBACK="0")
    assert (done.returncode, done.stderr) == ENDINGS[how]
    assert done.stdout == ("done\n" if how == "well" else "")


@pytest.mark.parametrize("how", ["bug", "fault", "usage"])
def test_the_traceback_is_for_who_asks(how: str, ending, run) -> None:
    """JUDGE_TRACEBACK=1 shows where an error came from, but not for what was typed wrong; 0 does not."""
    done = run(*ending, "ending", how, JUDGE_TRACEBACK="1")
    assert done.returncode == ENDINGS[how][0]
    assert done.stderr.endswith(ENDINGS[how][1])
    assert ("Traceback" in done.stderr) == (how != "usage")


def test_end_of_input_at_a_question_is_an_interruption(ending, run) -> None:
    """Who answers a question with the end of input has left: status 130."""
    done = run(*ending, "ending", "prompt")
    assert done.returncode == 130
    assert done.stderr.endswith("judge: interrupted.\n")


def test_an_odd_name_is_printed_somehow(ending, run) -> None:
    """A character that stdout's encoding cannot spell is escaped, and no reason to fail."""
    done = run(*ending, "ending", "odd name", PYTHONIOENCODING="iso-8859-1")
    assert (done.returncode, done.stdout) == (0, "bot \\udcff \\u2713\n")
    assert run(*ending, "ending", "odd name", PYTHONIOENCODING="utf-8").returncode == 0


@pytest.fixture
def asleep(ending, tmp_path: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A command in the midst of its work, which waits for a line on stdin."""
    yield from _asleep([*ending, "ending", "asleep"], tmp_path, environment)


@pytest.fixture
def asleep_without_hangup(
    ending, tmp_path: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """The same, started by nohup's means."""
    command = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *ending, "ending", "asleep"]
    yield from _asleep(command, tmp_path, environment)


def _asleep(command: list[str], folder: Path, environment: dict[str, str]):
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert _line(process) == "asleep\n"
            yield process
        finally:
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert select.select([process.stdout], [], [], 60)[0], "nothing is printed"
    return line_of(process)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_with_one_line(number: int, asleep: subprocess.Popen[str]) -> None:
    """Ctrl-C, SIGTERM and SIGHUP stop a command, which may clean up, undisturbed by more of them,
    and say how to go on: one line, status 130.
    """
    asleep.send_signal(number)
    assert _line(asleep) == "stopped\n"
    asleep.send_signal(signal.SIGINT)
    asleep.send_signal(number)
    _, said = asleep.communicate("go on\n", timeout=60)
    assert (asleep.returncode, said) == (130, "judge: interrupted; 3 games are kept.\n")


def test_what_is_ignored_stays_ignored(asleep_without_hangup: subprocess.Popen[str]) -> None:
    """Under nohup SIGHUP does not stop the judge."""
    asleep_without_hangup.send_signal(signal.SIGHUP)
    out, said = asleep_without_hangup.communicate("go on\n", timeout=60)
    assert (asleep_without_hangup.returncode, out, said) == (0, "woken\n", "")


@pytest.mark.parametrize("arguments", [["bots"], ["--version"], ["--help"]])
def test_a_reader_who_leaves_is_no_error_message(
    arguments: list[str], tmp_path: Path, environment: dict[str, str]
) -> None:
    """`judge bots | head -0`: status 1, and not a word."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = subprocess.run(
            [*JUDGE, *arguments],
            cwd=tmp_path,
            env=environment,
            stdout=pipe,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("arguments", ["bots", "--version", "doctor"])
def test_a_full_disk_is_said(arguments: str, run) -> None:
    """The status is 1, with one line, if stdout cannot be written."""
    done = run("sh", "-c", '"$@" >/dev/full', "sh", *JUDGE, arguments)
    assert done.returncode == 1
    assert done.stderr == "judge: a file or standard output: No space left on device.\n"


def test_a_closed_stdout_is_said(run) -> None:
    """The result would be lost if there is no stdout at all: status 1, with one line."""
    done = run("sh", "-c", '"$@" >&-', "sh", *JUDGE, "bots")
    assert (done.returncode, done.stderr) == (1, "judge: standard output is closed.\n")


@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_a_lost_stderr_changes_no_status(redirection: str, run) -> None:
    """The status is still given if the line cannot be said."""
    assert run("sh", "-c", f'"$@" {redirection}', "sh", *JUDGE, "botz").returncode == 2


def test_another_system_is_refused(run) -> None:
    """On another system than Linux, whatever is typed, the judge says so: status 1."""
    code = "import sys; sys.platform = 'darwin'; from judge.cli import main; main()"
    done = run(sys.executable, "-c", code)
    assert done.returncode == 1
    assert done.stderr == "judge: this needs Linux; here it is darwin.\n"


# The judge, which tells at its end what it has imported.
TELLING = """\
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from judge.cli import main
main()
"""


def loaded_by(run, *arguments: str, **variables: str) -> set[str]:
    done = run(sys.executable, "-c", TELLING, *arguments, **variables)
    assert done.returncode == 0
    return set(done.stderr.split())


HEAVY = {
    *("distributed", "jinja2", "jsonschema", "markdown_it", "msgspec", "numpy"),
    *("platformdirs", "referencing", "rich", "textual"),
}


@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        ("--version", set()),
        ("--help", {f"judge.{one}" for one in ("cli.help", "cli.output", "show", "show.text")}),
    ],
)
def test_starting_loads_no_command(arguments: str, more: set[str], run) -> None:
    """Version and help load a few modules of the judge's and click, and neither msgspec, numpy,
    jsonschema nor rich."""
    loaded = loaded_by(run, arguments)
    ours = {name for name in loaded if name.split(".")[0] == "judge"}
    first = {"judge", "judge.errors", "judge.cli", "judge.signals", "judge.waiting"}
    assert ours - {"judge.quoting"} == first | more
    assert "click" in loaded
    assert loaded & HEAVY == set()


def test_a_command_loads_no_other(run) -> None:
    """`judge bots` does not load what `judge doctor` or `judge fight` need."""
    loaded = loaded_by(run, "bots")
    others = {f"judge.cli.commands.{name}" for name in COMMANDS if name != "bots"}
    assert "judge.cli.commands.bots" in loaded
    assert loaded & (others | {"rich", "numpy"}) == set()


def test_a_fight_loads_nothing_that_it_has_no_use_for(run, tmp_path: Path) -> None:
    """It loads logs, the formats of contests, learning and connections over sockets only when it is
    asked for them."""
    ledger = tmp_path / "x.json"
    loaded = loaded_by(
        run, "fight", "random", "parity", "--ledger", str(ledger), "--isolation", "none"
    )
    assert "judge.contest.ledger.tally" in loaded
    unused = {
        "judge.logs.formats",
        "judge.logs.broadsides",
        "judge.logs.contest",
        "judge.contest.formats.registry",
        "judge.contest.learning_data",
        "judge.process.run.unix_socket",
    }
    assert loaded & unused == set()


def commands() -> dict[str, click.Command]:
    with click.Context(cli) as ctx:
        return commands_of(ctx)


def test_help_lists_every_command() -> None:
    """`judge --help` has a line for each command, as the table has it, in its order."""
    text = CliRunner().invoke(cli, ["--help"]).stdout
    listed = re.findall(r"^  (\w+) {2,}(\w.*)", text.partition("Commands:")[2], re.MULTILINE)
    assert [name for name, _ in listed] == list(COMMANDS)
    assert all(COMMANDS[name].startswith(said) for name, said in listed)
    for promised in ("JUDGE_TRACEBACK", "judge.toml", "_JUDGE_COMPLETE=zsh_source", "130"):
        assert promised in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_says_what_it_does(name: str) -> None:
    """Every command has help, and each of its options too; -h is --help."""
    command = commands()[name]
    assert command.name == name
    assert command.help
    for param in command.params:
        if isinstance(param, click.Option):
            assert param.help, param.name
            assert param.help.endswith("."), param.name
    runner = CliRunner()
    text = runner.invoke(cli, [name, "--help"])
    assert text.exit_code == 0
    assert text.stdout == runner.invoke(cli, [name, "-h"]).stdout
    assert all(opt in text.stdout for param in command.params for opt in param.opts if "-" in opt)


def typed_commands() -> Iterator[str]:
    """The words of every command, those of groups included, up to its options."""
    for name, command in commands().items():
        yield name
        folder = "pond " if name == "host" else ""
        for other in command.commands if isinstance(command, click.Group) else ():
            yield f"{name} {folder}{other}"


@pytest.mark.parametrize("name", ["", *typed_commands()])
def test_every_command_has_examples_that_it_understands(name: str) -> None:
    """Two at least, each as it could be typed, with its result in one column; and its help fits 80
    columns."""
    text = CliRunner().invoke(cli, [*name.split(), "--help"], prog_name="judge").stdout
    examples = re.findall(r"^    judge (.+?)(?:  .*)?$", text, re.MULTILINE)
    assert len(examples) >= 2
    assert len(set(map(len, re.findall(r"^    judge \S+(?: \S+)* +", text, re.MULTILINE)))) == 1
    assert max(map(len, text.splitlines())) <= 80
    for example in examples:
        typed, command = shlex.split(example), cli
        with click.Context(cli, info_name="judge") as ctx:
            while isinstance(command, click.Group):
                arguments = [one for one in command.params if isinstance(one, click.Argument)]
                typed = typed[len(arguments) :]  # as the folder of judge host
                command = command.get_command(ctx, typed.pop(0))
            command.make_context(command.name, typed, parent=ctx)


@pytest.mark.parametrize("name", ["", *typed_commands()])
def test_help_fits_40_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only lines that are to be copied are longer, and nothing stands behind these."""
    monkeypatch.setattr(help_form, "width", lambda: 40)
    text = CliRunner().invoke(cli, [*name.split(), "--help"], prog_name="judge").stdout
    longer = [line for line in text.splitlines() if len(line) > 40]
    to_copy = r"    judge \S+(?: \S+)*|  eval \S+ judge\)\"|    _JUDGE_COMPLETE=fish_source judge \| source"
    assert [line for line in longer if not re.fullmatch(to_copy, line)] == []


@pytest.mark.parametrize("name", [*typed_commands()])
def test_many_options_stand_in_groups(name: str) -> None:
    """The help of a command with more than eight options begins with the five usual ones, names
    each option once, and has none among the rare that every command that plays shares."""
    text = CliRunner().invoke(cli, [*name.split(), "--help"]).stdout
    first, _, others = text.partition("ptions:\n")
    shown = re.findall(r"^  (?:-h, )?(--[\w-]+)", others, re.MULTILINE)
    assert sorted(shown) == sorted(set(shown))
    if len(shown) <= 8:
        return
    assert first.endswith("Usual o")
    assert len(re.findall("^  --", others.partition("\n\n")[0], re.MULTILINE)) == 5
    rare = set(re.findall(r"^  (--[\w-]+)", others.partition("Rare:")[2], re.MULTILINE))
    assert len(rare) <= 8
    assert rare & {"--seed", "--rules", "--timeout", "--isolation", "--launch", "--json"} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_parameter_is_called_as_its_option(name: str) -> None:
    """So that variables and judge.toml can be: --output-limit is output_limit."""
    for parameter, option in settable(commands()[name]).items():
        assert f"--{parameter.rstrip('_').replace('_', '-')}" in option.opts


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_switched_on(shell: str, run) -> None:
    """The lines of the help give a script for the shell."""
    done = run(*JUDGE, _JUDGE_COMPLETE=f"{shell}_source")
    assert done.returncode == 0
    assert "_JUDGE_COMPLETE" in done.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("judge tester --bot 1 = hunter-", "hunter-javascript"),
        ("judge fight hunt hunter @ broa", "broadsides"),
        ("judge fight --rules = contest-1", "contest-10"),
        ("judge tester --bot 1 = hunt --first ", "random"),
    ],
)
def test_bash_is_offered_what_follows_in_a_word_that_it_has_split(
    typed: str, offered: str, run
) -> None:
    """The shell splits at = and @, and puts what is offered in the place of the last part."""
    place = str(typed.count(" "))
    asked = {"_JUDGE_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": place}
    assert run(*JUDGE, **asked).stdout.splitlines()[0] == f"plain,{offered}"


def test_completion_of_commands_loads_none(run) -> None:
    """Offering the commands' names does not import their modules."""
    asked = {"_JUDGE_COMPLETE": "bash_complete", "COMP_WORDS": "judge ", "COMP_CWORD": "1"}
    assert run(*JUDGE, **asked).stdout.splitlines() == [f"plain,{name}" for name in COMMANDS]
    assert (
        loaded_by(run, **asked) & {*HEAVY, *(f"judge.cli.commands.{name}" for name in COMMANDS)}
        == set()
    )


def test_the_version_is_printed(run) -> None:
    """`judge --version` and `python -m judge --version` print one line."""
    assert run(*JUDGE, "--version").stdout == f"judge {__version__}\n"


def test_a_sentence_keeps_the_white_space_of_a_command_and_has_an_end() -> None:
    """A line printed to be copied is what was meant; a word without end is cut in its middle."""
    _, line = status_and_line(UsageError("no such ledger;\n  try `judge standings 'my  bot.json'`"))
    assert line == "no such ledger; try `judge standings 'my  bot.json'`."
    _, line = status_and_line(UsageError(f"--seed: {'0' * 200_000} is not a seed"))
    assert line is not None
    assert len(line) < 9000
    assert line.endswith("0 is not a seed.")
