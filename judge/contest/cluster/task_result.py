"""Reads the result of a task, and checks that it is what the task asks for.

A worker's answer is read like a stranger's document. Its games are judged again.
"""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.codec import decode
from judge.documents.game import GameRecord, OfMatch
from judge.documents.tasks import SentTask, TaskResult
from judge.errors import JudgeFault, RecordError
from judge.game.replay import replay
from judge.play.run import games_of


def read(said: object, sent: SentTask) -> TaskResult:
    """The result in a worker's answer to a task. Raises `JudgeFault` if the answer is not a
    ``task-result`` document, if it names bots that are not in the task, or if the records are
    invalid or of other games or terms."""
    result = decode(TaskResult, str(said).encode(errors="surrogatepass"), "what a worker sent")
    if not result.unfit.keys() <= {"", *(seat.digest for seat in sent.game.seats)}:
        raise JudgeFault("a worker speaks of bots that do not play its game")
    if not result.unfit:
        _require_asked(result.records, sent)
    return result


def _require_asked(records: Sequence[GameRecord], sent: SentTask) -> None:
    """Raise `JudgeFault` unless these are records of a task's games, from the first on, played
    under its terms and by its rules. The record of a board that a bot clears alone has an opponent
    too."""
    task, terms = sent.game, sent.terms
    games = games_of(task, terms.rules)
    if not 0 < len(records) <= len(games):
        raise JudgeFault(f"a worker sent {len(records)} games, and was asked for {len(games)}")
    bots = [(seat.name, seat.digest, seat.seed) for seat in task.seats]
    for number, (record, game) in enumerate(zip(records, games, strict=False), 1):
        match = OfMatch(task.id, number, len(games)) if task.rest else None
        asked = (game.id, game.seed, game.first, game.rules, match, None)
        made = (record.id, record.seed, record.first, record.rules, record.match, record.number)
        held = (record.limits, record.isolation) == (terms.limits, terms.isolation)
        played = [(seat.name, seat.digest, seat.seed) for seat in record.seats]
        are_they = played[: len(bots)] == bots and len(played) == max(len(bots), 2)
        if asked != made or not held or not are_they:
            raise JudgeFault(f"a worker played other games than {task.id}, which it was asked for")
        try:
            for _ in replay(record):
                pass
        except RecordError as error:
            raise JudgeFault(f"what a worker sent is no record of a game: {error}") from None
