"""Every pattern that meets a stranger's text takes linear time, and so do the loops around them.

Steps are counted, and loops are run on long texts of what is worst for each."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
from itertools import product
from pathlib import Path

import pytest

import judge
from games import played
from judge.cli.ledgers.game_source import the_games
from judge.contest.ledger.entries import decoded
from judge.documents import json_files
from judge.documents.codec import builtins, convert
from judge.documents.game import Evidence, GameRecord, Termination
from judge.errors import BadOutput, Crashed, RecordError
from judge.process.bots.bot import Bot
from judge.process.bots.crash_hints import Complaint, missed
from judge.quoting import json_text, line
from judge.show.columns import comma_separated
from judge.show.evidence import run_lines
from judge.show.pages.page import page
from judge.show.text import clean, clean_lines, cut, wrap
from judge.wire import WIRES, hints, strict_json
from steps import Matcher, TooMany, attacks

ROOT = Path(__file__).parents[2]
LONGEST = 2**17  # characters; a loop of more than linear cost would not come to an end
SHORT, LONG = 100, 200  # characters; twice as many are to take twice the steps

# What reads no stranger's text: the machine's own programs and files, and the bundled bots.
OF_THE_MACHINE = {
    "process/sandbox/bwrap.py",
    "process/sandbox/doctor.py",
    "process/bots/bot.py",
    "process/run/connection.py",
}


def patterns() -> dict[str, re.Pattern]:
    """Every compiled pattern of every module, by where it is."""
    found = {}
    for module in pkgutil.walk_packages(judge.__path__, "judge."):
        if module.name.endswith(("__main__", "forked_program", "fork_server")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                found[f"{module.name}.{name}"] = value
            elif isinstance(value, dict):
                keys = [key for key in value if isinstance(key, re.Pattern)]
                found |= {f"{module.name}.{name}[{number}]": one for number, one in enumerate(keys)}
    return found


PATTERNS = patterns()


def worst(pattern: re.Pattern | str, flags: int = 0) -> float:
    """How many times the steps a text of twice the length takes, at worst."""
    if isinstance(pattern, re.Pattern):
        flags = pattern.flags & ~re.UNICODE
        pattern = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode()
    matcher, growth, tried = Matcher(pattern, flags), 0.0, set[str]()
    for begin, again in attacks(pattern, flags):
        texts = [(begin + again * size)[:size] + "\0" for size in (LONG, SHORT)]
        if texts[0] in tried:
            continue
        tried.add(texts[0])
        try:
            if (long := matcher.all(texts[0])) > LONG:  # few steps may grow as they like
                growth = max(growth, long / (matcher.all(texts[1]) + LONG))
        except TooMany:
            return float("inf")
    return growth


@pytest.mark.parametrize("name", PATTERNS)
def test_a_pattern_takes_steps_in_proportion_to_the_text(name: str) -> None:
    """However a text is made of the pattern's own parts, twice as much of it takes twice as
    long."""
    if name.startswith("judge.cli.interactive.fleet_input"):
        from judge.cli.interactive.fleet_input import LONGEST_PLACE

        assert LONGEST_PLACE <= 100  # a text's length is bounded before these patterns meet it
        return
    assert worst(PATTERNS[name]) < 2.4


@pytest.mark.parametrize(
    ("pattern", "flags"),
    [
        (r"(?:no file).*helper", re.IGNORECASE),
        (r"\s+$", 0),
        (r"(a+)+b", 0),
        (r"x[0-9]*[0-?]*;", 0),
        (r'"[^"\\]*(?:\\.[^"\\]*)*"', 0),
    ],
)
def test_a_pattern_that_is_not_linear_is_found(pattern: str, flags: int) -> None:
    """The counter tells patterns that look harmless and are not."""
    assert worst(pattern, flags) > 2.4


def test_every_pattern_is_a_constant_of_its_module() -> None:
    """So that the test above meets them all; what reads the machine alone may make its own."""
    made = []
    for path in (ROOT / "judge").rglob("*.py"):
        name = path.relative_to(ROOT / "judge").as_posix()
        if name in OF_THE_MACHINE:
            continue
        tree = ast.parse(path.read_text())
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.Lambda):
                made += [
                    f"{name}:{node.lineno}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == "re"
                    and node.attr not in ("Match", "Pattern")
                ]
    assert made == []


# Long texts of what is worst

TEXTS = {
    "no such file": "no such file " * (LONGEST // 13),
    "one line of them": "No such file: helper no module named" * (LONGEST // 36),
    "full stops": "a." * (LONGEST // 2),
    "not found": "x: not found" * (LONGEST // 12),
    "a word": "a" * LONGEST,
    "line feeds": "\n" * LONGEST,
    "white space, then lines": " " * (LONGEST // 2) + "x\n" * (LONGEST // 4),
    "the beginning of a title": "\x1b]" * (LONGEST // 2),
    "the beginning of a colour": "\x1b[" + "0" * LONGEST,
    "escapes": "\x1b" * LONGEST,
    "wide letters": "ｗ" * (LONGEST // 4),
    "no width": "x" + "\u0301" * (LONGEST // 4),
    "overrides": "\u202e" * (LONGEST // 4),
    "quotes": "'" * LONGEST,
    "backslashes": '"' + '\\"' * (LONGEST // 2),
    "brackets": "[" * LONGEST,
    "braces": '{"a":' * (LONGEST // 5),
    "digits": "9" * LONGEST,
    "comments": "<!--" * (LONGEST // 4),
    "ends of scripts": "</script" * (LONGEST // 8),
    "EPERM and sockets": "EPERM network is " * (LONGEST // 17),
}
every_text = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


def run(stdout: str, stderr: str) -> Evidence:
    return Evidence(0, ("./run.sh", "{}"), stdout, stderr, 1, None, 1.0, 1.0, None)


@every_text
def test_what_a_bot_prints_is_looked_through(text: str) -> None:
    """The neighbour that it may miss, the hint, and what is shown of its run."""
    complaint = Complaint(text)
    for name in ("helper.py", "a", "aa", "x", "data.json"):
        complaint.names(Path(name))
    missed(Bot("a", ("./a",), Path("/"), (Path("/"),), "", 0, ""), text.encode(), is_walled=True)
    errors = (Crashed("exited with status 1"), BadOutput("printed nothing"))
    for error, wire in product(errors, WIRES.values()):
        assert hints.mend(wire.hints, error, run(text, text))
    assert all(len(one) < 1000 for one in run_lines(run(text, text)))


@every_text
def test_a_text_is_made_fit_to_be_shown(text: str) -> None:
    """It is fit for a terminal, a line for a shell, a spreadsheet and a JSON document."""
    for made in (clean(text), cut(clean(text), 80), line(["x", text]), json_text(json.dumps(text))):
        assert not set(made) & set("\x1b\u202e\n")
    assert clean_lines(text) == [] or len(clean_lines(text)) <= LONGEST
    assert "".join(wrap(clean(text))).replace(" ", "") == clean(text).replace(" ", "")
    assert comma_separated([[text]])


@every_text
def test_a_file_is_read_or_refused(text: str, tmp_path: Path) -> None:
    """As a reply, as a line of a journal, as a record and as a page: a value or a sentence."""
    with pytest.raises(BadOutput):
        strict_json.parse((text + "x").encode())
    with pytest.raises(ValueError, match=r"it (is|has|holds)"):
        json_files.parse((text + "x").encode())
    with pytest.raises(ValueError, match=r"\S"):
        decoded((text + "x").encode())
    for begin in ("", "<!doctype html>", '<script type="application/json" id="record">'):
        path = tmp_path / "game.json"
        path.write_text(begin + text)
        with pytest.raises(RecordError):
            the_games(str(path), tmp_path / "ledger.json").game(1)


def test_a_page_of_what_is_worst_is_made() -> None:
    """A record of as much of it each in name, sentence and output."""
    for text in ("\x1b]" * 2**17, "ｗ" * 2**16, "</script>" * 2**15):
        record = played(
            names=(text[:1000], "b"),
            forfeit=(0, Termination.CRASH),
            detail=text[:10_000],
            stdout=text,
            stderr=text,
        )
        assert convert(GameRecord, builtins(record), "it") == record
        assert page(record).endswith("</html>\n") or page(record).endswith("</html>")
