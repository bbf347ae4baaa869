"""Write the schemas of the documents' types into schemas/: ``python -m judge.documents``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from judge.documents.bots import Manifest
from judge.documents.codec import Document
from judge.documents.json_schema import text
from judge.documents.reports import BundledBots, ServerEvent, Verification
from judge.documents.rules import Rules
from judge.schemas import bundled

DOCUMENTS: dict[str, type[Document]] = {
    "bot": Manifest,
    "bots": BundledBots,
    "rules": Rules,
    "serve-event": ServerEvent,
    "verify": Verification,
}


def examples(name: str) -> list[dict[str, Any]]:
    """The examples of a document, for its schema."""
    path = Path(__file__).with_name("examples") / f"{name}.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    for name, kind in DOCUMENTS.items():
        path = bundled("schemas") / f"{name}.schema.json"
        path.write_text(text(name, kind, examples(name)), encoding="utf-8")
