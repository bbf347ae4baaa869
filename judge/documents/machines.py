"""The documents that `judge doctor --json` prints: the features of a machine, or of each worker of
a cluster."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta

from judge.documents.bots import Bundled
from judge.documents.codec import Document, Part, Report
from judge.documents.reports import Count, Level
from judge.errors import JudgeFault

Word = Annotated[str, Meta(max_length=1000)]
Sentence = Annotated[str, Meta(max_length=10_000)]


class Probed(Part, frozen=True):
    """A feature of the machine that was tried."""

    name: str
    """The feature that was tried."""
    works: bool
    """Whether it works here."""
    detail: str
    """The observation, or why the feature could not be tried."""


class Program(Part, frozen=True):
    """An interpreter or compiler."""

    name: Word
    """The usual name of the program."""
    path: str | None
    """The path of the program; null if it is not there."""
    version: Word | None
    """The version of the program; null if it is not known."""
    mend: str | None
    """How to get the program; null if it is there."""


class Held(Part, frozen=True):
    """The isolation of bots by default."""

    level: Level
    """The level of isolation that --isolation auto chooses here."""
    limits: tuple[Probed, ...]
    """The limits and walls of this level, each tried by a program; empty for the level `none`."""
    note: str | None
    """The dangers that this level leaves open; null if the judge has no note on them."""
    enforcement: Annotated[tuple[Word, ...], Meta(max_length=100)] = ()
    """The means of isolation that differ between machines, such as `memory: cgroup v2`."""
    more: Sentence | None = None
    """A step to a stricter isolation; null if no such step is known."""


class Scratch(Part, frozen=True):
    """The place of bots' temporary files."""

    path: str | None
    """The folder; null if no folder can be written to."""
    free_bytes: Count | None
    """The free bytes in the folder; null if they are not known."""


class Problem(Part, frozen=True):
    """A defect of the machine."""

    what: str
    """The defect, in words."""
    mend: str | None
    """How to mend the defect, often a command; null if that is not known."""
    fatal: bool
    """Whether the defect keeps the judge from playing."""


class OptionValue(Part, frozen=True):
    """The value of one option."""

    option: str
    """The option. If it belongs to a single command, the command's name stands before it."""
    value: str
    """The option's value: as the user wrote it, or else the default."""
    source: str
    """The source of the value: `default`, an environment variable, or a file and its key."""


class Configuration(Part, frozen=True):
    """The sources of options' values."""

    file: str | None
    """The configuration file in force: the file that --config or JUDGE_CONFIG names, else the
    user's own judge.toml; null if there is neither."""
    settings: tuple[OptionValue, ...]
    """Every common option, and each option of a single command that a variable or the file sets."""


class StandardOutput(Part, frozen=True, kw_only=True):
    """The kind of standard output."""

    is_terminal: bool
    """Whether standard output is a terminal."""
    colour: bool
    """Whether text on standard output is coloured."""
    columns: Count
    """The width of the terminal, in columns."""
    encoding: str
    """The encoding of standard output."""


class Machine(Part, frozen=True, kw_only=True):
    """The features of a machine for judging."""

    judge: Word
    """The judge's version."""
    python: Word
    """The version of the Python that runs the judge."""
    python_path: str
    """The path of that Python."""
    system: Word
    """The distribution."""
    kernel: str
    """The kernel's release."""
    architecture: Word
    """The machine's architecture."""
    cores: Annotated[int, Meta(ge=1)]
    """How many cores the judge may use."""
    launching: tuple[Probed, ...]
    """The starting, ending and forking of programs, each tried."""
    isolation: Held
    """The isolation of bots by default."""
    programs: Annotated[tuple[Program, ...], Meta(max_length=100)]
    """The interpreters and compilers that bots are usually written for."""
    scratch: Scratch
    """The place of bots' temporary files."""
    schemas: tuple[str, ...]
    """The names of the judge's own schemas."""
    bots: tuple[Bundled, ...]
    """Every bundled bot, by name."""


class Doctor(Machine, Report, frozen=True, kw_only=True):
    """The document that `judge doctor --json` prints: the features of this machine for judging."""

    CALLED: ClassVar = "doctor"

    version: Literal[1] = 1
    """The version of this document's form."""
    kind: Literal["doctor"] = "doctor"
    """The kind of this document."""
    terminal: StandardOutput
    """The kind of standard output."""
    configuration: Configuration
    """The sources of options' values."""
    problems: tuple[Problem, ...]
    """The defects; empty if the machine has no defect."""
    can_play: bool
    """Whether the judge can play here. The exit status is 0 if it can, and 1 if not."""


class Worker(Document, frozen=True, kw_only=True):
    """A worker of a cluster."""

    CALLED: ClassVar = "report of a worker"
    FAULT: ClassVar = JudgeFault
    MOST_BYTES: ClassVar = 2**23
    IS_WHOLE: ClassVar = True

    name: Annotated[str, Meta(max_length=10_000)]
    """The worker's address."""
    host: Word | None = None
    """The machine's name in the network; null if the worker has not told it."""
    cores: Annotated[int, Meta(ge=1)]
    """The number of games that the worker plays at once."""
    reason: Annotated[str, Meta(max_length=20_000)] | None = None
    """Why the worker can play no game for this judge; null if it can."""
    game_ms: Annotated[float, Meta(ge=0)] | None = None
    """The milliseconds that a trial game took; null if the worker played no game to its end."""
    problems: Annotated[
        tuple[Annotated[str, Meta(max_length=20_000)], ...], Meta(max_length=200)
    ] = ()
    """The defects of the worker's machine."""
    machine: Machine | None = None
    """The features of the worker's machine; null if it has not told them, as in another version."""


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
