"""A batch of games as a ``task`` document: what another machine needs to play them.

The bots' files travel apart (`judge.process.bots.parcel`) and are named by their digests.

No path, descriptor or name of this machine is in it. The isolation is a level's name: whoever plays
the games chooses by what its machine has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from judge import schemas
from judge.documents.codec import DocumentError, builtins, convert
from judge.documents.game import Limits
from judge.documents.rules import Rules
from judge.errors import JudgeFault
from judge.game.record import fleet_from_json, fleet_to_json
from judge.play.conditions import Conditions
from judge.play.run import Task, TaskGame, TaskSeat

VERSION = 1


@dataclass(frozen=True, slots=True)
class Batch:
    """Games, or matches, that are played one after the other under the same terms, which are as in
    `Conditions`; ``isolation`` is a level's name."""

    rules: Rules
    dialect: str | None
    launch: str
    isolation: str
    limits: Limits
    tasks: tuple[Task, ...]

    @classmethod
    def of(cls, conditions: Conditions, tasks: Sequence[Task]) -> Self:
        return cls(
            conditions.rules,
            conditions.dialect,
            conditions.launch,
            conditions.isolation.name,
            conditions.limits,
            tuple(tasks),
        )

    @property
    def terms(self) -> Self:
        """The same without games: batches with the same terms can be played by one run."""
        return replace(self, tasks=())

    @property
    def digests(self) -> tuple[str, ...]:
        """Those of the bots that play, each once."""
        return tuple(dict.fromkeys(seat.digest for task in self.tasks for seat in task.seats))

    def to_json(self) -> dict[str, Any]:
        return {
            "version": VERSION,
            "kind": "task",
            "rules": builtins(self.rules),
            "dialect": self.dialect,
            "launch": self.launch,
            "isolation": self.isolation,
            "limits": builtins(self.limits),
            "games": [_task_to_json(task) for task in self.tasks],
        }

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Raises `JudgeFault` if it is no ``task`` document."""
        if why := schemas.problem("task", document):
            raise JudgeFault(f"this is no task: {why}")
        try:
            rules = convert(Rules, document["rules"], "$.rules")
            limits = convert(Limits, document["limits"], "$.limits")
        except DocumentError as error:
            raise JudgeFault(f"this is no task: {error}") from None
        return cls(
            rules,
            document["dialect"],
            document["launch"],
            document["isolation"],
            limits,
            tuple(map(_task_from_json, document["games"])),
        )


def _task_to_json(task: Task) -> dict[str, Any]:
    return {
        "id": task.id,
        "seed": task.seed,
        "first": task.first,
        "seats": [
            {
                "name": seat.name,
                "digest": seat.digest,
                "seed": seat.seed,
                "wires": list(seat.wires),
                "dialect": seat.dialect,
            }
            for seat in task.seats
        ],
        "board": None if task.board is None else fleet_to_json(task.board),
        "rest": [{"id": one.id, "seed": one.seed, "first": one.first} for one in task.rest],
    }


def _task_from_json(document: Mapping[str, Any]) -> Task:
    board = document["board"]
    return Task(
        document["id"],
        document["seed"],
        document["first"],
        tuple(
            TaskSeat(
                seat["name"], seat["digest"], seat["seed"], tuple(seat["wires"]), seat["dialect"]
            )
            for seat in document["seats"]
        ),
        None if board is None else fleet_from_json(board),
        tuple(TaskGame(one["id"], one["seed"], one["first"]) for one in document["rest"]),
    )
