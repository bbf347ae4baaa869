"""An example or more of each document, for its schema; the tests read them as any document."""

from __future__ import annotations

from judge.documents.bots import Manifest
from judge.documents.codec import Document
from judge.documents.rules import BadMove, Draw, Placing, Repeat, Rules, Sinking, Turn

EXAMPLES: dict[str, tuple[Document, ...]] = {
    "bot": (
        Manifest(
            command=("node", "bot.js"),
            name="hunter-js",
            author="Ada",
            language="JavaScript",
            wire="brainjar",
        ),
        Manifest(
            command=("java", "-Xmx64m", "-cp", ".", "Bot"),
            language="Java",
            wire=("brainjar", "open"),
            built=("Bot.class",),
            build="javac Bot.java",
        ),
    ),
    "rules": (
        Rules(
            name="brainjar",
            columns=8,
            rows=8,
            fleet=(2, 3, 4, 5),
            turn=Turn.HIT_AGAIN,
            repeat=Repeat.ILLEGAL,
            placing=Placing.ALL,
            bad_move=BadMove.FORFEITS,
        ),
        Rules(
            name="small",
            columns=6,
            rows=5,
            fleet=(4, 3, 3),
            turn=Turn.BOTH,
            round_limit=30,
            repeat=Repeat.SAID_SO,
            placing=Placing.SHIP_BY_SHIP,
            bad_move=BadMove.ASK_AGAIN,
            sinking=Sinking.SHIP,
            draw=Draw(ships=3, shortest=3, longest=5),
        ),
    ),
}
