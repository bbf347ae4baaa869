"""The architecture, executable: what every module of judge/ imports, and what starting loads."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from architecture import ROOMS, Module, breaches
from judge.process.sandbox.plan import FORKING

ROOT = Path(__file__).parents[2]
# A package, and the distribution that brings it.
NAMED_OTHERWISE = {"pil": "pillow", "markdown_it": "markdown_it_py"}
HEAVY = {
    *("jsonschema", "numpy", "referencing", "rich", "filelock", "jinja2", "platformdirs"),
    "markdown_it",
    "textual",
    "distributed",
}

WIRE = "class {}:\n    def receive_data(self, data): ...\n"

# What no module may do: the module, its source, and what the sentence about it says.
BREACHES = {
    "an arrow to the right": ("game.x", "import judge.wire", "a room to its right"),
    "an arrow, from the package": ("game.x", "from judge import play", "a room to its right"),
    "an arrow, in a function": (
        "wire.x",
        "def f():\n    from judge.show.board import draw",
        "a room to its right",
    ),
    "an arrow, for types alone": (
        "play.x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import judge.contest.ledger.ledger",
        "a room to its right",
    ),
    "an arrow out of a file": ("errors", "from judge.game import rules", "a room to its right"),
    "somebody imports cli": ("show.x", "import judge.cli", "a room to its right"),
    "the package imports cli": ("", "from judge.cli import main", "must not load"),
    "a public name, from inside": ("play.x", "from judge import Game", "in no room"),
    "a new room": ("attic.x", "", "no room 'attic'"),
    "a relative import": ("game.x", "from . import rules", "relative"),
    "files, in a pure room": ("game.x", "import os", "may not import os"),
    "files, by a submodule": ("wire.x", "import os.path", "may not import os.path"),
    "paths, in a pure room": ("contest.points", "from pathlib import Path", "may not import"),
    "processes, in play": ("play.x", "import subprocess", "may not import subprocess"),
    "sockets, in a function": ("game.x", "def f():\n    import socket", "may not import socket"),
    "signals": ("contest.tournament", "import signal", "may not import signal"),
    "processes, in the ledger": ("contest.ledger.ledger", "import subprocess", "may not import"),
    "polling": ("contest.schedule", "import select", "may not import select"),
    "threads": ("contest.schedule", "import threading", "may not import threading"),
    "temporary files": ("show.x", "import shutil, tempfile", "may not import tempfile"),
    "a clock, in a pure room": ("game.x", "from time import monotonic", "may not import time"),
    "a clock, in cli": ("cli.x", "import datetime", "may not import datetime"),
    "a clock, in the ledger": (
        "contest.ledger.ledger",
        "import datetime",
        "may not import datetime",
    ),
    "click, outside cli": ("process.x", "def f():\n    import click", "may not import click"),
    "a file opened": ("show.x", "def f():\n    return open('x')", "may not call open()"),
    "printing": ("play.x", "def f():\n    print('x')", "may not call print()"),
    "a hidden import": ("cli.x", "__import__('os')", "may not call __import__()"),
    "an import by text": ("game.x", "from importlib import import_module", "may not import"),
    "more than templates": ("show.x", "import importlib.metadata", "may not import"),
    "luck without a seed": ("game.x", "import random\nrandom.random()", "random.random"),
    "luck, renamed": ("game.x", "import random as r\nr.shuffle([])", "random.shuffle"),
    "luck, imported": ("game.x", "from random import choice", "may not import random.choice"),
    "luck of the system": ("play.x", "from random import SystemRandom", "may not import"),
    "secrets": ("contest.schedule", "import secrets", "may not import secrets"),
    "a generator without a seed": (
        "game.x",
        "from random import Random\nRandom()",
        "without a seed",
    ),
    "the same, by attribute": ("game.x", "import random\nrandom.Random()", "without a seed"),
    "numpy's own luck": (
        "contest.x",
        "def f():\n    import numpy as np\n    np.random.rand(3)",
        "random.rand",
    ),
    "numpy without a seed": (
        "contest.x",
        "def f():\n    import numpy as np\n    np.random.default_rng()",
        "without a seed",
    ),
    "a heavy import": ("contest.x", "import numpy as np", "imports numpy at module level"),
    "a heavy import, in a try": (
        "show.x",
        "try:\n    import rich.table\nexcept ImportError:\n    pass",
        "imports rich at module level",
    ),
    "a heavy import, where cli starts": (
        "cli",
        "from jsonschema import validate",
        "imports jsonschema at module level",
    ),
    "a wire that knows another": (
        "wire.x",
        "from judge.wire.y import Y\n" + WIRE.format("X"),
        "names the wire judge.wire.y",
    ),
    "the same, from the package": (
        "wire.x",
        "from judge.wire import y\n" + WIRE.format("X"),
        "names the wire judge.wire.y",
    ),
    "a wire that knows them all": (
        "wire.x",
        "from judge.wire import WIRES\n" + WIRE.format("X"),
        "the table of all",
    ),
    "play that knows a wire": ("play.referee", "import judge.wire.y", "names the wire"),
    "a contest that knows a wire": (
        "contest.x",
        "def f():\n    from judge.wire.y import Y",
        "names the wire judge.wire.y",
    ),
    "play that looks a wire up elsewhere": (
        "play.match",
        "from judge.wire import WIRES",
        "looks wires up",
    ),
    "a connection made elsewhere": (
        "play.x",
        "from judge.process.run.connection import OneShot",
        "makes a connection, which only judge.play.run does",
    ),
    "a connection joined elsewhere": (
        "cli.x",
        "from judge.process.run.connection import Connection\nfrom judge.wire import WIRES",
        "which only play does",
    ),
}

# What looks alike and is allowed.
ALLOWED = {
    "an arrow to the left": ("cli.x", "import judge.show.board, judge.errors"),
    "the same room": ("contest.x", "from judge.contest import points"),
    "the version": ("show.x", "from judge import __version__"),
    "python -m judge": ("__main__", "from judge.cli import main"),
    "public names": ("", "from judge.game.game import Game"),
    "the world, in process": ("process.x", "import os, signal, select, time, threading"),
    "files, in the ledger": ("contest.ledger.ledger", "import os, fcntl\nopen('x')"),
    "files, in schemas.py": ("schemas", "from pathlib import Path"),
    "the world, in cli": ("cli.x", "import os, signal, secrets\nprint('x')"),
    "a clock, in play": ("play.x", "from datetime import datetime"),
    "threads, in the tournament": ("contest.tournament", "import concurrent.futures, threading"),
    "templates": ("show.pages.page", "from importlib.resources import files"),
    "templates, the other way": ("show.pages.page", "from importlib import resources"),
    "a seeded generator": ("game.x", "from random import Random\nRandom(7)"),
    "the same, by attribute": ("game.x", "import random\nrandom.Random(7)"),
    "numpy with a seed": (
        "contest.x",
        "def f():\n    import numpy as np\n    np.random.default_rng(7)",
    ),
    "a heavy import, where it is used": ("contest.x", "def f():\n    import numpy"),
    "a heavy import, for types alone": (
        "contest.x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy as np",
    ),
    "a path, for types alone": (
        "play.x",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from pathlib import Path",
    ),
    "click, where cli starts": ("cli", "import click"),
    "a heavy import, in a command": ("cli.fight", "from rich.progress import Progress"),
    "what wires share": ("wire.x", "from judge.wire import strict_json\n" + WIRE.format("X")),
    "the table of wires": ("wire", "from judge.wire.y import Y\nWIRES = {'y': Y}"),
    "play by the table": (
        "play.run",
        "from judge.wire import WIRES\nfrom judge.process.connection import OneShot",
    ),
    "a player, whatever its wire and connection": (
        "play.player",
        "from judge.process.run.connection import Connection\nfrom judge.wire.interface import Wire",
    ),
    "the table, in cli": ("cli.x", "from judge.wire import WIRES"),
}


def package() -> dict[str, str]:
    """Every module of judge/ as it stands."""
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): (
            path.read_text(encoding="utf-8")
        )
        for path in (ROOT / "judge").rglob("*.py")
        if not {"_data", "templates"} & set(path.parts)  # bots are no part of the judge
    }


def made_up(name: str, source: str) -> dict[str, str]:
    """A package of that one module, beside a wire and what wires share."""
    base = {
        "judge.wire.y": WIRE.format("Y"),
        "judge.wire.strict_json": "",
        "judge.wire.interface": "class Wire(Protocol):\n    def receive_data(self, data): ...\n",
    }
    return base | {f"judge.{name}".removesuffix("."): source}


def test_every_module_says_on_its_first_line_what_it_is() -> None:
    """A listing of first lines, which a search for a file begins with, cuts no sentence off."""
    lines = {name: source.partition("\n")[0] for name, source in package().items()}
    assert len(lines) > 300
    assert [name for name, line in lines.items() if line and not line.endswith((".", '"""'))] == []


def test_every_module_keeps_to_the_architecture() -> None:
    """No module of judge/ breaks a rule of architecture.py."""
    modules = package()
    assert {"judge", "judge.errors", "judge.game.game", "judge.wire.brainjar"} <= modules.keys()
    assert breaches(modules) == []


@pytest.mark.parametrize(("name", "source", "sentence"), BREACHES.values(), ids=BREACHES)
def test_a_breach_is_found(name: str, source: str, sentence: str) -> None:
    """Each thing that no module may do is found, and nothing else is said about it."""
    said = breaches(made_up(name, source))
    assert [line for line in said if sentence in line]
    assert all(line.startswith(f"judge.{name}".removesuffix(".")) for line in said)


@pytest.mark.parametrize(("name", "source"), ALLOWED.values(), ids=ALLOWED)
def test_what_is_allowed_is_no_breach(name: str, source: str) -> None:
    """What looks like a breach and is none passes."""
    assert breaches(made_up(name, source)) == []


@pytest.mark.parametrize("name", FORKING)
def test_what_runs_in_the_sandbox_needs_nothing_but_its_interpreter(name: str) -> None:
    """It is started with other interpreters than ours, where the judge and its needs are not."""
    source = (ROOT / "judge" / "process" / "sandbox" / f"{name}.py").read_text()
    imports = [one for one in Module(name, source).imports if not one.typing_only]
    assert imports
    ours = {f"judge.process.sandbox.{other}" for other in FORKING[: FORKING.index(name)]}
    others = [one for one in imports if one.module not in ours]
    assert {one.package for one in others} <= sys.stdlib_module_names


def test_the_guide_has_the_rooms_in_their_order() -> None:
    """What a reader is told of the architecture is what is held here."""
    guide = (ROOT / "judge" / "guides" / "architecture.md").read_text()
    _, arrows, _ = guide.split("```", 2)
    assert tuple(re.findall(r"[a-z]+", arrows.removeprefix("text"))) == ROOMS


def declared(*extras: str) -> set[str]:
    """The distributions that pyproject.toml asks for, with these extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + [
        line for extra in extras for line in project["optional-dependencies"][extra]
    ]
    return {re.match(r"[\w-]+", line)[0].lower().replace("-", "_") for line in wanted}


def foreign(*folders: str) -> Iterator[tuple[str, str]]:
    """Other people's packages that the files of these folders import, with the file."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    ours = {path.stem for path in files}
    for path in files:
        for each in Module("", path.read_text(encoding="utf-8")).imports:
            if each.is_foreign and each.package not in ours:
                package = each.package.lower()
                yield NAMED_OTHERWISE.get(package, package), path.name


def test_the_judge_imports_only_what_it_asks_for() -> None:
    """Every package that judge/ imports is a dependency, not just a dependency's dependency; the
    extras bring those that it can do without.
    """
    asked_for = declared("cluster", "isolation", "screen", "web")
    assert {use for use in foreign("judge") if use[0] not in asked_for} == set()


@pytest.mark.whole
def test_tests_and_scripts_import_only_what_the_dev_extra_brings() -> None:
    """Every package that tests/ and scripts/ import comes with `pip install .[dev]`."""
    uses = set(foreign("tests", "scripts"))
    assert "pytest" in {package for package, _ in uses}
    assert {use for use in uses if use[0] not in declared("dev")} == set()


def loaded_by(*arguments: str) -> set[str]:
    """The top-level packages that a real run of this interpreter imports."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    lines = re.findall(r"^import time: +\d+ \| +\d+ \| +([\w.]+)$", run.stderr, re.MULTILINE)
    return {name.partition(".")[0] for name in lines}


@pytest.mark.whole
def test_starting_the_judge_loads_nothing_heavy() -> None:
    """`judge --version` imports click, and neither numpy, jsonschema nor rich."""
    loaded = loaded_by("-m", "judge", "--version")
    assert {"judge", "click"} <= loaded
    assert loaded & HEAVY == set()


@pytest.mark.whole
def test_a_heavy_start_would_be_seen() -> None:
    """The list of what a run has imported holds what it imports late, and in a function."""
    assert "jsonschema" in loaded_by("-c", "def f():\n    import jsonschema.validators\nf()")
