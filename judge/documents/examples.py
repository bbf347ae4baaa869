"""An example or more of each document, for its schema; the tests read them as any document."""

from __future__ import annotations

from judge.documents.bots import Manifest
from judge.documents.codec import Document

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
}
