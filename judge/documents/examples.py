"""An example or more of each document, for its schema; the tests read them as any document."""

from __future__ import annotations

from judge.documents.bots import Manifest
from judge.documents.codec import Document
from judge.documents.reports import (
    BundledBot,
    BundledBots,
    ServerEvent,
    ServerEventKind,
    Verification,
)
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
    "verify": (
        Verification(intact=True, games=6),
        Verification(
            intact=False,
            games=6,
            void=1,
            voided=1,
            torn=120,
            problems=(
                "line 3, game 2: the recorded outcome is not that of its moves",
                "ledger.json: points of ann is 11.5, but by the journal it is 11.0",
            ),
        ),
    ),
    "bots": (
        BundledBots(
            rules=None,
            wires=None,
            bots=(
                BundledBot(
                    name="hunter",
                    language="Python",
                    description="Shoots at random until it hits, and then around the hit.",
                    problem=None,
                    wires=("brainjar",),
                ),
            ),
        ),
        BundledBots(
            rules="xbs",
            wires={"brainjar": "it has no board of 20 columns", "open": None},
            bots=(
                BundledBot(
                    name="hunter-js",
                    language="JavaScript",
                    description="",
                    problem="'node' is not on PATH",
                    wires=("open", "brainjar"),
                    wire="open",
                ),
                BundledBot(
                    name="random",
                    language="C",
                    description="Shoots at random.",
                    problem=None,
                    wires=("brainjar",),
                    cannot_play="it has no board of 20 columns",
                ),
            ),
        ),
    ),
    "serve-event": (
        ServerEvent(
            event=ServerEventKind.LISTENING,
            time="2026-11-22T08:53:02.029Z",
            text="listening at 127.0.0.1:4711",
            host="127.0.0.1",
            port=4711,
        ),
        ServerEvent(
            event=ServerEventKind.ENDED,
            time="2026-11-22T08:54:10.120Z",
            text="game 1: ann has won",
            room=1,
            number=1,
            winner="ann",
            termination="fleet-destroyed",
        ),
    ),
}
