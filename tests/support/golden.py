"""Texts that stand in a file as they are printed, each below its name: they are read once, by eye, and
`scripts/test … --update-transcripts` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def recorded(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    parts = re.split(r"(?m)^=== (.*)\n", path.read_text(encoding="utf-8"))
    return {
        name: text.removesuffix("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def hold(path: Path, name: str, text: str, names: Iterable[str], config: pytest.Config) -> None:
    """Hold a text to that of its name in a file, whose texts have these ``names`` and no other."""
    texts = recorded(path)
    if config.getoption("update_transcripts"):
        texts[name] = text
        kept = {one: texts[one] for one in names if one in texts}
        path.write_text("".join(f"=== {one}\n{kept[one]}\n" for one in kept), encoding="utf-8")
        return
    assert list(texts) == list(names)
    assert text.split("\n") == texts[name].split("\n")
