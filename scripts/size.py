"""Code lines of the checkout, a row for each room: lines of Python without blanks, comments and
docstrings, those below a field or a constant included. Its arguments are files and folders of the
checkout; without any, all that has code.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def code_lines(path: Path) -> int:
    """The lines of a Python file on which a token stands that is code."""
    with tokenize.open(path) as file:
        source = file.read()
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string.strip() and token.type != tokenize.COMMENT:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str()), lineno=first, end_lineno=last):
                lines.difference_update(range(first, (last or first) + 1))
    return len(lines)


def room(path: Path) -> tuple[str, ...]:
    """The folder of the checkout that a file belongs to, and its room there."""
    top, *rest = path.relative_to(ROOT).parts
    return (top, rest[0].removesuffix(".py") if len(rest) > 1 or top == "judge" else "")


def main(names: list[str]) -> None:
    tops = [Path(name).resolve() for name in names] or [
        ROOT / name for name in ("judge", "tests", "scripts", "bots")
    ]
    if not all(top.exists() and top.is_relative_to(ROOT) for top in tops):
        sys.exit(f"{__doc__}")
    sizes: Counter[tuple[str, ...]] = Counter()
    for top in tops:
        for path in top.rglob("*.py") if top.is_dir() else [top]:
            lines = code_lines(path)
            sizes[room(path)] += lines
            sizes[room(path)[0],] += lines
    for name, lines in sorted(sizes.items()):
        folder = "/".join(part for part in name if part)
        print(f"{folder + ('/' if len(name) == 1 else ''):24}{lines:>8,}")


if __name__ == "__main__":
    main(sys.argv[1:])
