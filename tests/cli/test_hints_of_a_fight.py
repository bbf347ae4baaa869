"""What a fight says to the author of a bot that lost by a fault: the way to mend it, where that
shows from outside."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from judge.cli import cli
from judge.cli.exit_status import told
from judge.process.bots.interpreters import flushing
from judge.process.bots.memory_flags import too_little_memory

JAVA = "# There is insufficient memory for the Java Runtime Environment to continue."
NODE = "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def judge(*arguments: str) -> tuple[str, str]:
    """What the judge prints, on stdout and on stderr, with blanks for line ends."""
    done = CliRunner().invoke(cli, arguments, standalone_mode=False)
    line = "" if done.exception is None else told(done.exception)[1]
    return " ".join(done.stdout.split()), " ".join(f"{done.stderr} {line}".split())


def fight(*arguments: str) -> tuple[str, str]:
    return judge("fight", *arguments, "--no-ledger", "--isolation", "none")


def bot(name: str, program: str) -> str:
    Path(name).write_text(program)
    return name


@pytest.mark.parametrize(
    ("words", "stream", "flags"),
    [
        (JAVA, 1, "Java took too much memory: start it with -Xmx64m -Xss1m -XX:+UseSerialGC"),
        (NODE, 2, "Node took too much memory: start it with --max-old-space-size=64"),
    ],
)
def test_an_interpreter_without_memory_is_told_its_flags(
    words: str, stream: int, flags: str
) -> None:
    """Java says so on stdout and Node on stderr."""
    said, _ = fight(bot("a.sh", f"echo '{words}' >&{stream}; exit 1"), "random")
    assert flags in said
    assert "or allow more by --memory" in said


def test_flags_that_are_there_are_not_told_again() -> None:
    """A heap that was chosen by hand is too small for the program; other words say nothing."""
    command = ("java", "-Xmx32m", "-Xss1m", "-XX:+UseSerialGC", "Bot")
    assert too_little_memory(command, JAVA.encode()) == (
        "; Java has too little memory: allow more by --memory"
    )
    assert "-Xmx" not in too_little_memory(("java", "-Xmx32m", "Bot"), JAVA.encode())
    assert too_little_memory(("node", "bot.js"), b"TypeError: my mistake") == ""


def test_a_missing_flush_is_told() -> None:
    """Of a program that is alive, waits, and from which nothing has ever come; not of one that
    has answered before."""
    silent = "import sys\nfor line in sys.stdin:\n    print('{}')\n"
    said, _ = fight(f"{bot('a.py', silent)}@open-lines", "random", "--timeout", "700ms")
    assert "no reply within 0.7 s; what it printed may still be in its own buffer" in said
    assert "print(…, flush=True)" in said
    first = """\
import json, sys, time
for line in sys.stdin:
    question = json.loads(line)
    if question["cmd"] == "place":
        ships = [[length, 0, row, "horizontal"] for row, length in enumerate((2, 3, 4, 5))]
        print(json.dumps({"ships": ships}), flush=True)
"""
    said, _ = fight(f"{bot('b.py', first)}@open-lines", "random", "--timeout", "700ms")
    assert "no reply within 0.7 s" in said
    assert "buffer" not in said


@pytest.mark.parametrize(
    ("language", "command", "is_told"),
    [
        ("Ruby", ("ruby", "a.rb"), True),
        ("Python", ("python3", "a.py"), True),
        ("Python", ("python3", "-u", "a.py"), False),
        ("Bash", ("bash", "a.sh"), False),
        ("", ("./a",), False),
    ],
)
def test_only_what_buffers_is_told_to_flush(
    language: str, command: tuple[str, ...], is_told: bool
) -> None:
    """A shell writes each line at once, and so does Python when it is told to."""
    assert bool(flushing(language, command)) is is_told


def test_a_bot_that_was_written_for_other_rules_is_told_of_them() -> None:
    """Where it is a file that names no protocol; not where the rules are its own, nor with
    --quiet."""
    program = "#!/bin/sh\n# ACTION SHIPS, ACTION SHOTS\nexit 1\n"
    hint = "a seems to be written for broadsides, and is asked as brainjar has it"
    assert hint in fight(bot("a.sh", program), "random")[1]
    assert "seems" not in fight("a.sh", "random", "--quiet")[1]
    assert "seems" not in fight("a.sh", "random", "--rules", "broadsides")[1]
    assert "seems" not in fight(bot("b.sh", "exit 1"), "random")[1]


def test_cells_are_called_as_the_protocol_calls_them() -> None:
    """A broadsides player hears of K1 and not of columns and rows from 0."""
    program = """\
#!/bin/sh
while read -r first second rest; do
    case "$second" in
        SHIPS) echo 'SHIPS 5:G1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H' ;;
        FINISH) echo FINISH ;;
    esac
done
"""
    said, _ = fight(bot("a.sh", program), "random", "--rules", "broadsides")
    assert "the ship of 5 leaves the 10×10 grid at K1" in said


def test_a_mistyped_protocol_is_told_what_may_have_been_meant() -> None:
    """As in BOT@opn."""
    assert "there is no wire 'opn'; did you mean open?" in fight("hunter@opn", "random")[1]


def test_bots_that_can_play_are_listed_first() -> None:
    """Where rules are asked about; in the document as in the text."""
    (listed,) = [json.loads(judge("bots", "--rules", "xbs", "--json")[0])]
    able = [one["wire"] is not None for one in listed["bots"]]
    assert any(able)
    assert able == sorted(able, reverse=True)


def test_a_shot_can_be_shown_for_no_time() -> None:
    """--delay 0ms goes as fast as the bots do."""
    said, wrong = fight("hunter", "random", "--watch", "--delay", "0ms", "--seed", "1")
    assert "wins" in said or "beats" in said
    assert "--delay" not in wrong.split("judge:")[0]


@pytest.mark.parametrize("name", ["fight", "check", "standings", "doctor", "replay"])
def test_every_command_says_its_exit_statuses(name: str) -> None:
    """Those of all commands, and that of check for a bot that does not conform."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    said = " ".join(command.get_help(click.Context(command, info_name=name)).split())
    assert "Exit status: 0 done, " in said
    assert "130 interrupted." in said
    assert ("3 a bot does not conform" in said) is (name == "check")


def test_a_move_of_a_fight_without_a_ledger_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot is where it was; to another user the path in the evidence is told, and not run."""
    bot("a.sh", "touch ran; exit 1")
    done = CliRunner().invoke(
        cli, ["fight", "a.sh", "random", "--no-ledger", "--isolation", "none", "--json"]
    )
    Path("game.json").write_text(json.dumps(json.loads(done.stdout)["records"][0]))
    said, _ = judge("replay", "game.json", "--move", "A", "--isolation", "none")
    assert "the same again" in said
    monkeypatch.setenv("XDG_STATE_HOME", str(Path("another").absolute()))
    Path("ran").unlink()
    _, wrong = judge("replay", "game.json", "--move", "A", "--isolation", "none")
    assert f"name it: --bot BOT; the record says that it was '{Path('a.sh').absolute()}'" in wrong
    assert not Path("ran").exists()
