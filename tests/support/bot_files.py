"""The files of a bot's folder."""

from __future__ import annotations

import json
from pathlib import Path


def write(path: str | Path, content: str | bytes = "", mode: int = 0o644) -> Path:
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    path.chmod(mode)
    return path


def manifest(folder: str | Path, *command: str, **fields: object) -> Path:
    document = {"command": command, **fields}
    return write(Path(folder) / "bot.json", json.dumps(document)).parent
