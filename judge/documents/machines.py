"""The documents that `judge doctor --json` prints: what a machine, or each worker of a cluster,
offers for judging."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.bots import Bundled
from judge.documents.codec import Document, Part, Report
from judge.documents.reports import Count, Level

Word = Annotated[str, Meta(max_length=1000)]
Sentence = Annotated[str, Meta(max_length=10_000)]


class Probed(Part, frozen=True):
    """Something that was tried."""

    name: str
    """The feature that was tried."""
    works: bool
    """Whether it works here."""
    detail: str
    """The observation, or why the feature could not be tried."""


class Program(Part, frozen=True):
    """An interpreter or compiler."""

    name: str
    """Its usual name."""
    path: str | None
    """Its path; null: not there."""
    version: str | None
    """Its version; null: it did not say."""
    mend: str | None
    """How to get it where it is not there; null where it is."""


class Held(Part, frozen=True):
    """How bots are held by default."""

    level: Level
    """The level that --isolation auto means here."""
    limits: tuple[Probed, ...]
    """The limits of this level, each tried with a program that breaks it."""
    note: str | None
    """The dangers that the level leaves open; null: nothing to say."""
    enforcement: tuple[str, ...] = ()
    """By what means, where machines differ in that, as `memory: cgroup v2`."""
    more: str | None = None
    """A step that would hold bots better; null: no such step is known."""


class Scratch(Part, frozen=True):
    """The place of bots' temporary files."""

    path: str | None
    """The folder; null: no folder can be written to."""
    free_bytes: Count | None
    """The bytes that are free there; null: not known."""


class Problem(Part, frozen=True):
    """One thing that is amiss."""

    what: str
    """The defect."""
    mend: str | None
    """How to mend it, often a command; null where that is not known."""
    fatal: bool
    """Whether the judge cannot play because of it."""


class OptionValue(Part, frozen=True):
    """One option as it stands."""

    option: str
    """The option, after its command's name where it is that command's alone."""
    value: str
    """Its value as it was written, or its default."""
    source: str
    """`default`, the variable, or the file with the key."""


class Configuration(Part, frozen=True):
    """The sources of options' values."""

    file: str | None
    """The configuration file in force: the one that --config or JUDGE_CONFIG names, or else the user's
    own judge.toml; null if there is neither."""
    settings: tuple[OptionValue, ...]
    """Every common option, and those of single commands that are set elsewhere than on the command
    line."""


class StandardOutput(Part, frozen=True, kw_only=True):
    """The kind of standard output."""

    is_terminal: bool
    """Whether it is a terminal."""
    colour: bool
    """Whether text to it is coloured."""
    columns: Count
    """Its width in columns."""
    encoding: str
    """Its encoding."""


class Machine(Report, frozen=True, kw_only=True):
    """The features of this machine for judging."""

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["doctor"] = "doctor"
    """The kind of this document."""
    judge: str
    """The judge's version."""
    python: str
    """The version of the Python that runs the judge."""
    python_path: str
    """The path of that Python."""
    system: str
    """The distribution."""
    kernel: str
    """The kernel's release."""
    architecture: str
    """The machine's architecture."""
    cores: Annotated[int, Meta(ge=1)]
    """How many cores the judge may use."""
    launching: tuple[Probed, ...]
    """The calls that starting, watching and ending a program needs, each tried."""
    isolation: Held
    """How bots are held by default."""
    programs: tuple[Program, ...]
    """The interpreters and compilers that bots are usually written for."""
    scratch: Scratch
    """The place of bots' temporary files."""
    schemas: tuple[str, ...]
    """The names of the judge's own schemas."""
    bots: tuple[Bundled, ...]
    """Every bundled bot, by name."""


class Doctor(Machine, frozen=True, kw_only=True):
    """The document that `judge doctor --json` prints: what this machine offers for judging."""

    CALLED: ClassVar = "doctor"

    terminal: StandardOutput
    """The kind of standard output."""
    configuration: Configuration
    """The sources of options' values."""
    problems: tuple[Problem, ...]
    """The defects; empty if the machine has no defect."""
    can_play: bool
    """Whether the judge can play here; then the exit status is 0, else 1."""


class WorkerProgram(Part, frozen=True, kw_only=True):
    """An interpreter or compiler."""

    name: Word
    """Its usual name."""
    version: Word | None
    """Its version; null: it did not say."""


class WorkerMachine(Document, frozen=True, kw_only=True):
    """A worker's report of itself."""

    CALLED: ClassVar = "report of a worker"
    MOST_BYTES: ClassVar = 2**23

    host: Word
    """Its name in the network."""
    system: Word
    """The distribution."""
    architecture: Word
    """The machine's architecture."""
    judge: Word
    """The judge's version."""
    python: Word
    """The version of the Python that runs the judge."""
    isolation: Level
    """The strictest level of isolation that is offered there."""
    enforcement: Annotated[tuple[Word, ...], Meta(max_length=100)]
    """By what means that level holds bots, where machines differ in that."""
    more_isolation: Sentence | None
    """A step that would hold bots better; null: no such step is known."""
    programs: Annotated[tuple[WorkerProgram, ...], Meta(max_length=100)]
    """The interpreters and compilers that are there."""
    problems: Annotated[tuple[Sentence, ...], Meta(max_length=100)]
    """The defects there."""


class Worker(Part, frozen=True, kw_only=True):
    """A worker. It can play unless there is a reason."""

    name: Annotated[str, Meta(max_length=10_000)]
    """The worker's address."""
    cores: Annotated[int, Meta(ge=1)]
    """How many games it plays at once."""
    reason: Annotated[str, Meta(max_length=20_000)] | None = None
    """Why it can play no game for this judge; null: it can."""
    game_ms: Annotated[float, Meta(ge=0)] | None = None
    """How many milliseconds its game took; null: it has played none."""
    problems: Annotated[
        tuple[Annotated[str, Meta(max_length=20_000)], ...], Meta(max_length=200)
    ] = ()
    """Further defects there."""
    machine: WorkerMachine | None = None
    """Its report of itself; null: no report, as from a worker of another version."""


class Cluster(Report, frozen=True, kw_only=True):
    """The document that `judge doctor --cluster ADDRESS --json` prints: what each worker of a
    cluster offers for judging."""

    CALLED: ClassVar = "cluster"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["cluster"] = "cluster"
    """The kind of this document."""
    address: str
    """The address of the scheduler."""
    workers: tuple[Worker, ...]
    """Every worker, by name."""
