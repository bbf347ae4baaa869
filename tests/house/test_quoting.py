"""Strangers' words in a line to be copied, in a table for a spreadsheet, and in JSON: cleaned
first, quoted last."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import played, strange_texts, with_evidence
from judge import quoting
from judge.documents.game import Evidence, Termination
from judge.show.columns import comma_separated
from judge.show.evidence import command_again, ran_lines
from judge.show.pages.page import page
from judge.show.text import WIDTH, clean
from strategies import examples

RUN = Evidence(0, (), "", "", 1, None, 1.0, 1.0, None)
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"}


def is_harmless(text: str) -> bool:
    return not any(unicodedata.category(one) in UNSAFE for one in text)


def read_by_bash(line: str) -> list[str]:
    """The words that a shell makes of a line, whose first word is a function of that name."""
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True, cwd="/"
    )
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1]


WORDS = {
    "a sequence that eats the quote": ["./bot", "a b\x1b[", "; touch ran #"],
    "a title that eats all": ["./bot", "\x1b]0;x", "$(touch ran)", "\x07"],
    "a line feed": ["python3", "-c", "import sys\nprint('hi')\n"],
    "a return": ["./bot", "x\rtouch ran"],
    "a tab": ["./bot", "a\tb"],
    "quotes": ["./bot", "it's", '"', "`touch ran`", "$x", "!!", "!$"],
    "quotes and an escape": ["./bot", "it's \x1b !! \\ \\x41 \\"],
    "turned about": ["./bot", "\u202etxt.exe\u2066"],
    "a byte that is not text": ["./bot", "\udcff\udcfe"],
    "invisible": ["./bot", "a\u200bb\ufe0f\u00ad\U000e0041"],
    "a C1 control": ["./bot", "\x9b31m;touch ran"],
    "an assignment": ["PATH=/tmp", "ls"],
    "a word of the shell": ["if", "true"],
    "eval": ["eval", "touch ran"],
    "a home": ["~/bot", "~root"],
    "a pattern": ["./bot", "*", "?", "[a-z]", "{1,2}"],
    "a comment": ["#", "#x"],
    "nothing": ["", ""],
    "options": ["-n", "--", "-e"],
    "digits behind octal": ["./bot", "\x01" + "234"],
}


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS)
def test_a_line_is_its_words(words: list[str]) -> None:
    """Pasted, it is these words and no others; shown, it does nothing."""
    line = quoting.line(words)
    assert is_harmless(line)
    assert "\n" not in line
    assert read_by_bash(f"-- {line}")[1:] == words or read_by_bash(line) == words
    (shown,) = ran_lines(words, {}, WIDTH, line)
    assert shown.endswith(f" {line}")


def vars_of(run: Evidence) -> dict[str, object]:
    return {name: getattr(run, name) for name in Evidence.__struct_fields__}


@given(st.lists(strange_texts() | st.text(max_size=20), min_size=1, max_size=30))
@examples(60)
def test_any_line_is_its_words(texts: list[str]) -> None:
    """It holds for whatever can be a word of a command: all but a zero byte and half a
    character."""
    words = [
        text.replace("\0", "").encode("utf-8", "replace").decode("utf-8", "replace")
        for text in texts
    ]
    line = quoting.line(words)
    assert is_harmless(line)
    assert read_by_bash(line) == words


@given(st.lists(st.text("ab, '\"\\{]=$", max_size=6), max_size=6), st.integers(60, 80))
@examples(30)
def test_a_wrapped_command_is_its_words(texts: list[str], width: int) -> None:
    """Pasted with its ends of lines and its indent it asks a bot the same: JSON and words are
    broken only where white space may stand."""
    question = {"seed": 1, "hit": [*texts, 2, 3, "x" * 20], "missed": [["1111"] * 6]}
    words = ["--fleet=2,3,4", json.dumps(question, separators=(",", ":")), "a, b"]
    first, *more = ran_lines(["./bot", *words], {"BOT_SEED": "7", "OF": "c, d"}, width, None)
    assert more
    assert max(map(len, [first, *more])) <= width
    assert first.startswith("  ran     BOT_SEED=7 OF='c, d' ./bot ")
    assert all(line[:10].isspace() for line in more)
    plain, asked, last = read_by_bash("\n".join([first.partition("./bot")[2], *more]))
    assert [plain, json.loads(asked), last] == [words[0], question, words[2]]


def test_the_first_word_is_a_program() -> None:
    """Never an assignment, nor a word of the shell's own."""
    assert quoting.line(["A=b", "x"]) == "'A=b' x"
    assert quoting.line(["exec", "x"]) == "'exec' x"
    assert quoting.line(["./run.sh", "A=b"]) == "./run.sh A=b"


@pytest.mark.parametrize("folder", ["-", "-P", "a b", "x\x1b[", "\u202ex", "$(x)"])
def test_a_command_goes_into_its_folder(folder: str, tmp_path, monkeypatch) -> None:
    """Whatever the folder is called."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / folder).mkdir()
    command = command_again(["pwd"], {"BOT_SEED": "7; touch ran"}, folder)
    assert is_harmless(command)
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout == f"{tmp_path / folder}\n"
    assert not list(tmp_path.rglob("ran"))


def test_a_page_quotes_last(tmp_path) -> None:
    """The command on a page is the same line."""
    record = played(forfeit=(0, Termination.CRASH))
    argv = ("./run.sh", "a b\x1b[", "; touch ran #")
    evidence = Evidence(**{**vars_of(record.evidence[0]), "argv": argv})

    from markupsafe import escape

    assert str(escape(quoting.line(argv))) in page(with_evidence(record, evidence))


FORMULAS = [
    '=HYPERLINK("http://x","y")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "  =1",
    "\u200b=1",
    "\u00a0=1",
    "＝1",
    "'=1",
    "\x1b[0m=1",
]


MARKED = re.compile(r"""([;|]\s*"?\s*)'(?=['=+\-@＝＋－＠])""")


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_is_no_formula(name: str) -> None:
    """A cell that a spreadsheet could compute begins with a ', which taken away leaves the name."""
    ((cell, number),) = csv.reader([comma_separated([(name, -2.5)])])
    assert MARKED.sub(r"\1", cell.removeprefix("'")) == clean(name)
    assert cell.lstrip()[:1] not in tuple("=+-@\t\r\n＝＋－＠")
    assert number == "-2.5"


@pytest.mark.parametrize("sign", [";", "|", "\t", ";\t", '; "', ";;", "|;"])
@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@x", "＝1"])
def test_a_name_is_no_formula_where_other_signs_part_cells(sign: str, formula: str) -> None:
    """Nor is any part of it, for a spreadsheet that takes a semicolon, a bar or a tab for a
    comma."""
    text = comma_separated([(f"a{sign}{formula}", 1)])
    for cell in re.split(r"[;|\t]", text):
        assert cell.lstrip(' "')[:1] not in tuple("=+-@＝＋－＠")


EMPTY = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"


@pytest.mark.parametrize("character", EMPTY)
def test_what_does_not_show_is_shown(character: str) -> None:
    """Two names that look the same are not: the Hangul filler, the empty Braille and the like."""
    assert clean(f"hunter{character}") == f"hunter\\u{ord(character):04x}"
    assert quoting.word(f"a{character}").startswith("$'a\\")


@given(strange_texts() | st.text())
@examples(200)
def test_a_cell_gives_the_name_back(name: str) -> None:
    """Without one ' at its begin, and one behind each sign that parts cells where it was put before
    a formula or a ', a cell is the clean name, whatever that is."""
    cell = next(csv.reader([comma_separated([(name, 1)])]))[0]
    assert MARKED.sub(r"\1", cell.removeprefix("'")) == clean(name)
    assert is_harmless(cell)


@given(st.dictionaries(strange_texts() | st.text(), strange_texts() | st.text()))
@examples(200)
def test_json_is_the_same_and_harmless(document: dict[str, str]) -> None:
    """Nothing in it moves a cursor or turns the direction of writing; read, it is what it was."""
    text = quoting.json_text(json.dumps(document, ensure_ascii=False))
    assert is_harmless(text)
    assert json.loads(text) == document
