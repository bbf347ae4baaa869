"""The files of a bot's folder, and programs."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

from judge.process.bots.bot import Bot, find


def write(path: str | Path, content: str | bytes = "", mode: int = 0o644) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


def manifest(folder: str | Path, *command: str, **fields: object) -> Path:
    document = {"command": command, **fields}
    return write(Path(folder) / "bot.json", json.dumps(document)).parent


def python_bot(folder: Path, source: str, **fields: object) -> Bot:
    """A Python program, as a bot that was given as a folder."""
    write(folder / "bot.py", dedent(source))
    return find(str(manifest(folder, "python3", "bot.py", **fields)))


def script(path: Path, text: str) -> str:
    """A program of the shell's."""
    return str(write(path, f"#!/bin/sh\n{text}\n", 0o755))
