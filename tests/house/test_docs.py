"""The texts for users tell the truth: their commands run, and print what they say they print.

These texts are the README, the guides, and the README of the bundled bots.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

import sessions
from judge import schemas
from judge.cli import COMMANDS, cli
from judge.game.variants import VARIANTS
from judge.play.spoken import expressing
from judge.show.guide import summaries
from judge.wire import WIRES

ROOT = Path(__file__).parents[2]
GUIDES = ROOT / "judge" / "guides"
README = ROOT / "README.md"
TEXTS = {
    path: path.read_text(encoding="utf-8")
    for path in (README, ROOT / "bots" / "README.md", *sorted(GUIDES.glob("*.md")))
}
ALL = "\n".join(TEXTS.values())
LONGEST_README = 250
NOT_RUN_HERE = {"scripts/test"}  # it runs this very test, and .ci/run runs it

# What the wheel has elsewhere, and a file of the user's own.
NOT_IN_THE_SOURCE = {"judge/_data/", "judge/_data/schemas/"}


@dataclass(frozen=True)
class Block:
    """A fenced block; ``file`` is what stands after the language: the file that it is."""

    place: Path
    language: str
    file: str
    text: str

    def __str__(self) -> str:
        return f"{self.place.relative_to(ROOT)}: {self.text.partition(chr(10))[0]}"


_PICTURE = re.compile(r"scripts/pictures/([\w-]+\.png)")
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[Block]:
    found = [
        Block(path, *match.groups(default=""))
        for path, text in TEXTS.items()
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if block.language == language]


def files_shown() -> list[Block]:
    return [*blocks("python"), *blocks("json"), *blocks("markdown")]


# Forking plays the same games sooner. A block that says how its bots are started is left as it is.
SAYS_HOW_BOTS_START = re.compile(r"--launch|bin/python")
# One game, and one worker, run the commands of a block without output as well as many; a pair is one.
HOW_MANY = re.compile(r"(--games (?!2)|--rounds |--boards |local:)\d+")
TOLD_OF_FORKING = re.compile(r",\s+moves forked| --launch fork")


def told(lines: list[str]) -> list[str]:
    """Lines but for their spacing, and without what hangs on the isolation of this machine."""
    differs = r" +ran |ok +remembers nothing"
    return [" ".join(line.split()) for line in lines if not re.match(differs, line)]


@pytest.mark.parametrize("block", blocks("console"), ids=str)
def test_commands_print_what_the_text_says(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command in a text runs; what stands below it is what it prints, but for the words that
    tell of forking."""
    for file in files_shown():
        (tmp_path / file.file).parent.mkdir(exist_ok=True)
        (tmp_path / file.file).write_text(as_shown(file.text, block))
    (tmp_path / "bots").symlink_to(ROOT / "bots")
    monkeypatch.chdir(tmp_path)
    is_forked = not SAYS_HOW_BOTS_START.search(block.text)
    if is_forked:
        monkeypatch.setenv("JUDGE_LAUNCH", "fork")
    monkeypatch.setenv("CI", "true")  # Hypothesis takes no busy machine for a slow test there
    examples = sessions.examples(block.text)
    prints = any(example.output for example in examples)
    for example in examples:
        if example.command in NOT_RUN_HERE:
            continue
        # No text uses an environment's pip, which takes seconds to be put there.
        command = example.command.replace(" -m venv ", " -m venv --without-pip ")
        if not prints:
            command = HOW_MANY.sub(r"\g<1>1", command)
        done = sessions.run(command, tmp_path)
        assert done.status == (3 if "FAIL" in block.text else 0), done.stderr
        printed = TOLD_OF_FORKING.sub("", done.stdout) if is_forked else done.stdout
        wanted = told(sessions.normal("\n".join(example.output), tmp_path))
        assert told(sessions.normal(printed, tmp_path))[: len(wanted)] == wanted


def test_fights_of_a_bot_in_development_are_kept_nowhere() -> None:
    """Those of the bots that a reader writes along with a text: no text fills a ledger with
    them."""
    own = re.compile(r"judge fight .*\b(mybot|\w+\.(py|rb|c)\b)")
    fights = [line for line in ALL.splitlines() if line[:2] in ("$ ", "  ") and own.search(line)]
    assert len(fights) > 5
    assert [line for line in fights if "--no-ledger" not in line] == []


def as_shown(program: str, block: Block) -> str:
    """A file with the mistake that the output in the block is about, if it is about one."""
    if "bad-output" in block.text:
        program = program.replace('"move":', '"mov":')
    if "FAIL" in block.text:
        program = program.replace('set(request["hit"] + request["missed"])', 'set(request["hit"])')
    return program


def test_each_file_of_a_text_is_one_file() -> None:
    """Every program and document shown has a name, and no two of them have the same."""
    names = [block.file for block in files_shown()]
    assert all(names)
    assert len(set(names)) == len(names)


def test_every_command_has_its_place() -> None:
    """No command without a line about it."""
    assert [name for name in COMMANDS if f"judge {name}" not in ALL] == []


def commands_named() -> list[str]:
    """The commands of the judge that a text names without running them: in a block without a
    language, and in a sentence."""
    fenced = re.findall(r"^```([^\n]*)\n(.*?)^```$", ALL, re.MULTILINE | re.DOTALL)
    code = [block for language, block in fenced if not language]
    lines = [line for block in code for line in block.replace("\\\n", "").splitlines()]
    spans = re.findall(r"`(judge [^`]+)`", ALL)
    return sorted({line for line in (*lines, *spans) if line.startswith("judge ")})


@pytest.mark.parametrize("line", commands_named())
def test_a_command_that_is_named_is_one_of_the_judge(line: str) -> None:
    """It is there, and has each option that stands beside it."""
    command: click.Command = cli
    for word in shlex.split(line)[1:]:
        if isinstance(command, click.Group) and word.isalpha() and word.islower():
            found = command.get_command(click.Context(command), word)
            assert found is not None, f"there is no {word}"
            command = found
        elif word.startswith("-") and (option := re.match(r"-+[\w-]+", word)):
            options = {name for one in command.params for name in (*one.opts, *one.secondary_opts)}
            assert option[0] in {*options, "--help", "--version"}


@pytest.mark.parametrize("block", blocks("json"), ids=str)
def test_every_document_shown_is_valid(block: Block) -> None:
    """A bot.json shown is a manifest, and any other document a rules file."""
    schema = "bot" if Path(block.file).name == "bot.json" else "rules"
    assert schemas.problem(schema, json.loads(block.text)) is None


def test_every_key_of_a_manifest_is_shown() -> None:
    """One bot.json shown has every key, and each key has its row in the guide on bots."""
    (manifest,) = (block for block in blocks("json") if Path(block.file).name == "bot.json")
    keys = schemas.load("bot")["properties"].keys()
    assert json.loads(manifest.text).keys() == keys
    assert [key for key in keys if f"\n| `{key}` |" not in TEXTS[GUIDES / "bots.md"]] == []


def test_every_key_of_a_rules_file_is_shown() -> None:
    """Each key and each word that it may have has its row; an example has all but what
    only a game that was played has."""
    text = TEXTS[GUIDES / "rules.md"]
    fields = schemas.load("rules")["properties"]
    assert [key for key in fields if f"\n| `{key}` |" not in text] == []
    kinds = schemas.load("rules")["$defs"].values()
    words = [word for kind in kinds for word in kind.get("enum", ())]
    assert [word for word in words if f'`"{word}"`' not in text] == []
    (duel,) = (block for block in blocks("json") if block.file == "duel.json")
    assert json.loads(duel.text).keys() == fields.keys() - {"draw"}


def test_the_table_of_wires_is_what_the_wires_say() -> None:
    """The row of the rules says of every wire whether it can express them."""
    rows = [f"| rules | {' | '.join(WIRES)} |", f"|---{'|---' * len(WIRES)}|"]
    for rules in VARIANTS.values():
        table = expressing(rules)
        assert table[rules.wire] is None, "the usual wire can"
        said = ["no" if table[name] else "usual" if name == rules.wire else "yes" for name in WIRES]
        rows.append(f"| `{rules.name}` | {' | '.join(said)} |")
    assert "\n".join(rows) in TEXTS[GUIDES / "wires.md"]


def test_every_schema_is_named() -> None:
    """A reader who looks for the format of a document finds its schema's name."""
    text = TEXTS[GUIDES / "library.md"]
    assert [name for name in schemas.names() if f"\n| `{name}` |" not in text] == []


@pytest.mark.parametrize("place", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(place: Path) -> None:
    """Links within the tree point to what is there."""
    found = re.findall(r"\]\(([^)]+)\)|\bsrc(?:set)?=\"([^\"]+)\"", TEXTS[place])
    links = [link for link in map("".join, found) if "://" not in link]
    assert [link for link in links if not (place.parent / link).exists()] == []


def test_every_path_named_is_there() -> None:
    """A file or folder of the source that a text names has that name."""
    named = re.findall(r"`((?:judge|tests|scripts|schemas|bots|\.ci)/[\w./-]*)`", ALL)
    assert "tests/house/test_docs.py" in named
    assert [path for path in {*named} - NOT_IN_THE_SOURCE if not (ROOT / path).exists()] == []


def test_the_readme_is_short_and_lists_the_guides() -> None:
    """It has a line for each guide, as the list of the guides has it, in the same order."""
    text = TEXTS[README]
    assert len(text.splitlines()) <= LONGEST_README
    listed = re.findall(r"^- \[([\w-]+)\]\(judge/guides/\1\.md\): (.*)$", text, re.MULTILINE)
    assert listed == list(summaries().items())


def test_ci_runs_the_test_command_of_the_readme() -> None:
    """CI runs the command that the README tells a user to run."""
    assert "$ scripts/test\n" in TEXTS[README]
    assert re.search(r"^scripts/test &$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)


def test_each_picture_stands_in_a_text_in_light_and_in_dark() -> None:
    """No picture is missing, and none is kept that no text shows."""
    shown = set(_PICTURE.findall(ALL))
    kept = {path.name for path in (ROOT / "scripts" / "pictures").iterdir()}
    assert kept == shown
    light, dark = (
        {name.removesuffix(end) for name in shown if name.endswith(end)}
        for end in ("-light.png", "-dark.png")
    )
    assert light == dark
