"""Write the schemas of the documents' types into schemas/: ``python -m judge.documents``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from judge.documents import checks, machines, replies, shooting, tasks
from judge.documents import open as open_wire
from judge.documents.bots import Manifest
from judge.documents.comparison import ComparisonReport
from judge.documents.fight import Fight, FightEvent
from judge.documents.game import GameRecord
from judge.documents.history import ExportedGame, History
from judge.documents.host import Upload
from judge.documents.json_schema import text
from judge.documents.ladder import LadderBot, LadderBots, LadderGame, LadderGames, Refusal
from judge.documents.ledger import Entry, LedgerDocument
from judge.documents.reports import BundledBots, ServerEvent, Verification
from judge.documents.rules import Rules
from judge.documents.standings import RankEvent, StandingsDocument
from judge.schemas import bundled

DOCUMENTS: dict[str, Any] = {
    "bot": Manifest,
    "bots": BundledBots,
    "brainjar-fleet": replies.BrainjarFleet,
    "brainjar-init": replies.BrainjarInit,
    "brainjar-move": replies.BrainjarMove,
    "brainjar-snapshot": replies.BrainjarSnapshot,
    "check": checks.Check,
    "checks": checks.Checks,
    "cluster": machines.Cluster,
    "comparison": ComparisonReport,
    "doctor": machines.Doctor,
    "exported-game": ExportedGame,
    "fight": Fight,
    "fight-event": FightEvent,
    "game-record": GameRecord,
    "history": History,
    "journal-entry": Entry,
    "ladder-bot": LadderBot,
    "ladder-bots": LadderBots,
    "ladder-game": LadderGame,
    "ladder-games": LadderGames,
    "ladder-refusal": Refusal,
    "ladder-upload": Upload,
    "ledger": LedgerDocument,
    "open-fleet": open_wire.OpenFleet,
    "open-over": open_wire.OpenOver,
    "open-place": open_wire.OpenPlace,
    "open-refused": open_wire.OpenRefused,
    "open-shoot": open_wire.OpenShoot,
    "open-shots": open_wire.OpenShots,
    "open-told": open_wire.OpenTold,
    "placements": replies.Placements,
    "rank-event": RankEvent,
    "rules": Rules,
    "serve-event": ServerEvent,
    "standings": StandingsDocument,
    "task": tasks.SentTask,
    "task-result": tasks.TaskResult,
    "test": shooting.ShootingReport,
    "test-event": shooting.ShootingEvent,
    "verify": Verification,
}


def examples(name: str) -> list[dict[str, Any]]:
    """The examples of the document ``name``, from ``examples/NAME.json``. Its schema lists them."""
    path = Path(__file__).with_name("examples") / f"{name}.json"
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    for name in DOCUMENTS:
        path = bundled("schemas") / f"{name}.schema.json"
        path.write_text(text(name, DOCUMENTS, examples(name)), encoding="utf-8")
