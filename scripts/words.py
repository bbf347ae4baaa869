"""Hold docstrings, names and commit subjects to the rules of words; ``scripts/lint`` runs it.

It prints a line for each sentence or name that a rule forbids, and exits with 1 if there is one.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

READ = ("judge", "tests", "scripts", "bots")

RULES = {
    r"(Of|For|What|Where|Whoever|Whose)\b": "begins with what is to come: put the subject first",
    r".*\b(is|are) none\b": 'says "is none", which has to be read twice: say "is not a …"',
    r".*\bof (whom|which)\b": 'says "of whom" or "of which": make it two sentences',
    r".*\bso (many|much)\b(?! (as|that))": 'says "so many" for a number: name the number',
}

# Names that meant several things in judge/, or that nobody understood without the file.
NAMES = {
    "asides": "name the incidents of a game",
    "called": "name a display name, a file's name or the key of a contest",
    "how": "name a termination, an ending or settings",
    "kept": "name a ledger, a stack or the data of players",
    "looks": "name the stamps of files",
    "stint": "name the tally of a version",
    "told": "name a text, a message or the announced shots",
    "turned": "name seats that are swapped",
    "Table": "name a tally's table, the state of a game or a snapshot",
}

MOST_SUBJECT = 72  # characters: what `git log --oneline` shows on a terminal
HELD_FROM = "d037a999"  # commits after this one


def main() -> None:
    faults = [*(fault for path in _files() for fault in _of_file(path)), *_of_subjects()]
    print("\n".join(faults) or "All words are as the rules have them.")
    sys.exit(bool(faults))


def _files() -> Iterator[Path]:
    for folder in READ:
        yield from sorted((ROOT / folder).rglob("*.py"))


def _of_file(path: Path) -> Iterator[str]:
    """The faults of a file's docstrings, and of the texts below its fields."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        body = getattr(node, "body", None)
        if (name := _defined(node)) in NAMES and path.is_relative_to(ROOT / "judge"):
            where = f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
            yield f"{where}: the name {name!r} means many things: {NAMES[name]}"
        for part in body if isinstance(body, list) else ():
            match part:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    where = f"{path.relative_to(ROOT)}:{part.lineno}"
                    yield from (f"{where}: {fault}" for fault in _of_text(text))


def _defined(node: ast.AST) -> str:
    """The name that a function, class, parameter or field gets, or nothing."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.arg(arg=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return ""


def _of_text(text: str) -> Iterator[str]:
    for sentence in re.split(r"(?<=[.:;!?])\s+(?=[A-Z`])", " ".join(text.split())):
        for rule, reason in RULES.items():
            if re.match(rule, sentence):
                yield f"{sentence[:60]!r} {reason}"


def _of_subjects() -> Iterator[str]:
    log = ["git", "log", "--no-merges", "--format=%h %s", f"{HELD_FROM}..HEAD"]
    found = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    for line in found.stdout.splitlines():
        commit, _, subject = line.partition(" ")
        if len(subject) > MOST_SUBJECT:
            yield f"{commit}: its subject has {len(subject)} characters, {MOST_SUBJECT} at most"


if __name__ == "__main__":
    main()
