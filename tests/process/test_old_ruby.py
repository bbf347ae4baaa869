"""Programs for Ruby 1.8 on today's: what they die of is recognized, and the mend named."""

from __future__ import annotations

import subprocess

import pytest

from judge.process.bots.old_ruby import CAUSES, changed_since
from needs import need

# What ran on Ruby 1.8, and a word of the mend. What has gone only lately is tried below.
OLD = {
    '"A"[0] - ?A': "text[0].ord",
    '"A1"[0] / 2': "text[0].ord",
    '65 + "A"[0]': "text[0].ord",
    "?A + 1": "text[0].ord",
    '"A"[0] < 75': "text[0].ord",
    '75 > "A"[0]': "text[0].ord",
    '"A1\nB2".each { |line| line }': "text.lines",
    '"A1\nB2".to_a': "text.lines",
    '"A1\nB2".map { |line| line }': "text.lines",
    "1.to_a": "[object]",
    "[1, nil].nitems": "list.compact.size",
    "[1, 2].choice": "list.sample",
    '"A1".type': "object.class",
    '"A1".id': "object.object_id",
    "[1, 2].enum_slice(2)": "each_slice",
    "Config": "RbConfig",
    "case 1\nwhen 1: 2\nend": "when 1 then x",
    "if 1: 2 end": "when 1 then x",
    'require "ftools"': "fileutils for ftools",
    'require "jcode"': "leave out jcode",
    '"\\xff" =~ /A/': "# encoding: BINARY",
    "retry": "write a loop",
}

# As Ruby says it, by its version.
SAID = {
    "t.rb:1:in `<main>': undefined method `each' for \"A1\":String (NoMethodError)": "text.lines",
    "t.rb:1:in '<main>': undefined method 'each' for an instance of String (NoMethodError)": (
        "text.lines"
    ),
    "t.rb:1:in `<main>': undefined method `index' for {1=>2}:Hash (NoMethodError)": "hash.key",
    "t.rb:1:in `go': undefined method `exists?' for File:Class (NoMethodError)": "File.exist?",
    "t.rb:1:in '<main>': uninitialized constant Fixnum (NameError)": "write Integer",
    "t.rb:1:in `<main>': uninitialized constant TRUE (NameError)": "true, false",
    "t.rb:1:in `new': tried to create Proc object without a block (ArgumentError)": "&block",
    "t.rb:1: invalid multibyte char (US-ASCII)": "# encoding",
}

# What is nobody's old Ruby.
OTHERS = (
    "undefined method `shoot' for nil:NilClass (NoMethodError)",
    "undefined method `each' for nil:NilClass (NoMethodError)",
    "undefined method `index' for nil:NilClass (NoMethodError)",
    "cannot load such file -- helper (LoadError)",
    "uninitialized constant Player (NameError)",
    "divided by 0 (ZeroDivisionError)",
    "Traceback (most recent call last):",
    "",
)


@pytest.mark.whole
@pytest.mark.parametrize("program", OLD)
def test_what_an_old_program_dies_of_is_recognized(program: str) -> None:
    """Run by the Ruby of this machine, it crashes, and the hint names the change and the mend."""
    run = subprocess.run([need("ruby"), "-e", program], capture_output=True, check=False)
    assert run.returncode != 0
    hint = changed_since(run.stderr)
    assert hint.startswith("; if it was written for Ruby 1.8: ")
    assert OLD[program] in hint


@pytest.mark.parametrize("said", SAID)
def test_each_rubys_own_words_are_understood(said: str) -> None:
    """Quotes and the name of a class differ between versions."""
    assert SAID[said] in changed_since(f"before\n{said}\nafter".encode())


@pytest.mark.parametrize("said", OTHERS)
def test_other_faults_are_left_alone(said: str) -> None:
    """Nothing is guessed."""
    assert changed_since(said.encode()) == ""


def test_every_cause_has_its_program() -> None:
    """Each row of the table is met above."""
    mends = [*OLD.values(), *SAID.values()]
    assert all(any(mend in cause.mend for mend in mends) for cause in CAUSES)


def test_any_bytes_are_looked_through() -> None:
    """What is printed need not be text."""
    assert changed_since(bytes(range(256)) * 100) == ""
