"""judge guide: the list, a guide in a pipe, and a guide on a terminal."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from bot_files import script
from commands import JUDGE, ROOT, judge_at
from commands import judge as in_process
from judge.show.guide import laid_out, summaries
from terminals import CTRL_C, Terminal

GUIDES = ROOT / "judge" / "guides"


def guide(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command in a pipe."""
    environment = {"PATH": "/nowhere"} | environment
    return judge_at(ROOT, "guide", *arguments, **environment)


def test_every_guide_is_in_the_list() -> None:
    """The list names the files of the folder, all of them and no other."""
    files = {path.stem for path in GUIDES.glob("*.md")} - {"README"}
    assert set(summaries()) == files


def test_every_guide_begins_with_its_title() -> None:
    """One title, which is the first line."""
    for name in summaries():
        # What looks like a title in a fenced block is a comment there.
        text = re.sub(r"(?ms)^```.*?^```$", "", (GUIDES / f"{name}.md").read_text())
        assert text.startswith("# ")
        assert len(re.findall(r"^# ", text, re.MULTILINE)) == 1


@pytest.mark.parametrize("name", summaries())
def test_in_a_pipe_a_guide_is_its_file(name: str) -> None:
    """Elsewhere than on a terminal, the Markdown is printed as it was written; the next test has a
    pipe between two processes."""
    done = in_process("guide", name)
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout == (GUIDES / f"{name}.md").read_text()


@pytest.mark.parametrize("name", summaries())
@pytest.mark.parametrize("columns", [80, 200])
def test_a_layout_keeps_its_width_and_loses_no_word(name: str, columns: int) -> None:
    """No line is wider than the terminal, or than 100 columns; each word of a paragraph is
    there."""
    text = laid_out(name, columns=columns, colour=False)
    assert max(map(len, text.splitlines())) <= min(columns, 100)
    assert "\x1b" not in text
    assert "```" not in text
    written = (GUIDES / f"{name}.md").read_text()
    assert text.count("…") == written.count("…")  # rich cuts long words in a table
    plain = " ".join(text.split())
    for paragraph in written.split("\n\n"):
        if re.fullmatch(r"[A-Za-z][^`*\[|]*", paragraph):
            assert " ".join(paragraph.split()) in plain


def test_colour_can_be_asked_for_in_a_pipe() -> None:
    """`--color always` lays a guide out with colours, for a pager that shows them."""
    done = guide("contests", "--color", "always", NO_COLOR="1")
    assert done.returncode == 0
    assert "\x1b[1m" in done.stdout
    assert "**Points**" not in done.stdout


PAGER = """\
# Shows what comes, and stays until it is told a key, as pagers do; Ctrl-C ends nothing.
trap 'echo caught' INT
cat
printf 'key? '
until read -r key </dev/tty; do :; done
echo "told $key"
"""


def test_on_a_terminal_a_guide_is_laid_out_and_paged(tmp_path: Path) -> None:
    """The pager gets it and has the keys, Ctrl-C too: the judge waits until the pager ends."""
    pager = script(tmp_path / "pager", PAGER)
    command = [*JUDGE, "guide", "contests"]
    with Terminal(command, tmp_path, rows=80, PAGER=pager) as terminal:
        screen = terminal.shows("The table of a contest", "Fewer is", "key?")
        assert "**" not in screen
        assert "```" not in screen
        terminal.types(CTRL_C)
        terminal.shows("caught")
        terminal.types("q\n")
        assert terminal.ends() == 0
        assert "told q" in terminal.text
        assert terminal.is_as_before()


def test_a_guide_is_there_whatever_judge_toml_holds(tmp_path: Path) -> None:
    """Who has broken judge.toml can read the guide that says what may be in it."""
    (tmp_path / "judge.toml").write_text("timeout = [")
    done = guide("rules", JUDGE_CONFIG=str(tmp_path / "judge.toml"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("# ")
