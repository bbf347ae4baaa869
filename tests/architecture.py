"""The table of rooms and what each may touch, and `breaches`, which finds who breaks it.

It reads imports and a few calls with `ast`; nothing is imported or run.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

ROOMS = (
    "errors",
    "schemas",
    "quoting",
    "extras",
    "writing",
    "game",
    "wire",
    "logs",
    "process",
    "play",
    "stats",
    "contest",
    "check",
    "show",
    "join",
    "screen",
    "serve",
    "cli",
)

# What lies outside, by the standard library's and other modules that lead there.
FILES = frozenset(
    {
        "fcntl",
        "filelock",
        "glob",
        "importlib",
        "io",
        "mmap",
        "os",
        "pathlib",
        "platformdirs",
        "posix",
        "shutil",
        "sqlite3",
        "tempfile",
    }
)
MACHINE = frozenset(
    {
        "asyncio",
        "ctypes",
        "multiprocessing",
        "platform",
        "pty",
        "pwd",
        "resource",
        "select",
        "selectors",
        "signal",
        "subprocess",
        "syslog",
    }
)
NETWORK = frozenset(
    {
        "http",
        "socket",
        "socketserver",
        "ssl",
        "urllib",
        "webbrowser",
    }
)
WORLD = FILES | MACHINE | NETWORK
CLOCK = frozenset({"datetime", "sched", "time", "timeit"})
THREADS = frozenset({"concurrent", "queue", "threading"})
TERMINAL = frozenset({"click", "curses", "getpass", "readline", "termios", "tty"})
CHANCE = frozenset({"secrets", "uuid"})  # and `random` without a seed
FILE_CALLS = frozenset({"breakpoint", "input", "open", "print"})
CHANCE_CALLS = frozenset({"PCG64", "Random", "SeedSequence", "default_rng"})  # fine with a seed

# Who joins a wire and a connection, and who else may look a wire up in the table of all.
JOINS = "judge.play.run"
LOOKS_UP = frozenset(
    {
        JOINS,
        "judge.play.asking",
        "judge.play.recorded_move",
        "judge.play.referee",
        "judge.play.session",
    }
)
# Who may name a wire besides: what has to do with its own server, programs, logs or documents.
NAMES_WIRES = frozenset(
    {
        "judge.check.entrants",
        "judge.check.game_checks",
        "judge.check.games",
        "judge.cli.commands.serve",
        "judge.contest.shooting.boards",
        "judge.join.address",
        "judge.join.bot",
        "judge.join.connection",
        "judge.join.driving",
        "judge.logs.broadsides",
        "judge.logs.broadsides_output",
        "judge.serve.bsp",
        "judge.serve.bsp_log",
        "judge.serve.xbs",
        "judge.serve.xbs_places",
        "judge.show.pages.page",
    }
)
CONNECTIONS = "judge.process.run.connection"
# Connections to programs, and who may know them: who makes them, and who waits for several.
MADE = {
    f"{CONNECTIONS}.OneShot": {JOINS},
    "judge.process.run.pipes.Pipes": {JOINS, "judge.play.player", "judge.process.run.unix_socket"},
    "judge.process.run.unix_socket.UnixSocket": {JOINS},
}

# Who may touch it; a module that is not named here, nor its room, is pure.
MAY: dict[str, frozenset[str]] = {
    "judge.__main__": frozenset({"os", "signal"}),
    "judge.schemas": FILES,
    "judge.writing": FILES,
    "judge.extras": FILES,
    "judge.process": WORLD | CLOCK | THREADS | TERMINAL - {"click"},
    "judge.play": CLOCK,
    "judge.contest.arena": THREADS,
    "judge.contest.cluster.dask_engine": THREADS
    | CLOCK
    | {"asyncio", "pathlib", "platform", "uuid"},
    "judge.contest.cluster.pool": THREADS | {"time"},
    "judge.contest.cluster.worker": THREADS | {"pathlib", "platform", "time"},
    "judge.contest.cluster.worker_report": THREADS | {"platform", "time"},
    "judge.contest.ledger.data_files": FILES,
    "judge.contest.learning": THREADS,
    "judge.check.entrants": FILES,
    "judge.check.examination": THREADS,
    "judge.check.games": THREADS,
    "judge.contest.seeds": THREADS,
    "judge.check.relocated": FILES,
    "judge.check.side_effects": FILES | {"pwd"},
    "judge.contest.selection": frozenset({"datetime"}),  # of a time that is typed
    "judge.game.record": frozenset({"datetime"}),  # of the times that records have
    "judge.contest.tournament": THREADS,
    "judge.contest.futures": THREADS,
    "judge.contest.journal.index": FILES,
    "judge.contest.journal.journal": FILES,
    "judge.contest.ledger.ledger": FILES | CHANCE | {"time"},  # its document may lag by a second
    "judge.contest.ledger.files": FILES,
    "judge.contest.ledger.lock": FILES,
    "judge.contest.journal.renumber": FILES,
    "judge.show": frozenset({"importlib.resources"}),  # its own templates
    "judge.join.bot": CLOCK,
    "judge.join.connection": CLOCK | NETWORK | {"select"},
    "judge.join.driving": CLOCK,
    "judge.join.lines": CLOCK | {"os", "select"},
    "judge.join.traffic_log": FILES | CLOCK,
    "judge.screen": THREADS | {"asyncio", "signal", "time"},
    "judge.screen.full_screen": frozenset({"asyncio", "os", "select"}),  # of its terminal
    "judge.serve": WORLD | CLOCK | THREADS | CHANCE,
    "judge.cli": WORLD | THREADS | TERMINAL | CHANCE,
    "judge.cli.contests.time_budget": frozenset({"time"}),
}


@dataclass(frozen=True)
class Import:
    """One name brought in: ``from module import name``, or ``import module`` with no name."""

    module: str
    name: str | None
    alias: str
    line: int
    at_top: bool  # run when the module is imported
    typing_only: bool  # under ``if TYPE_CHECKING``

    @property
    def path(self) -> str:
        return f"{self.module}.{self.name}" if self.name else self.module

    @property
    def package(self) -> str:
        return self.module.partition(".")[0]

    @property
    def is_foreign(self) -> bool:
        """Whether it is neither ours nor the standard library's."""
        return self.package != "judge" and self.package not in sys.stdlib_module_names


@dataclass(frozen=True)
class Module:
    """A module by its dotted name (a package's is that of its ``__init__``) and its source."""

    name: str
    source: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.source)

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        return tuple(_imports(self.tree.body, at_top=True, typing_only=False))

    @property
    def room(self) -> str | None:
        """None for ``judge`` itself and ``python -m judge``."""
        return _room(self.name)

    @property
    def may(self) -> frozenset[str]:
        owners = [name for name in MAY if f"{self.name}.".startswith(f"{name}.")]
        return MAY[max(owners, key=len)] if owners else frozenset()

    @property
    def is_protocol(self) -> bool:
        """Whether it holds a wire's state machine, rather than what wires have in common."""
        return self.room == "wire" and any(
            isinstance(node, ast.ClassDef) and _is_machine(node) for node in self.tree.body
        )

    def says(self, line: int, text: str) -> str:
        return f"{self.name}, line {line}: {text}"


def breaches(sources: Mapping[str, str]) -> list[str]:
    """Every breach in a package given as ``{module name: source}``, a sentence each."""
    modules = [Module(name, source) for name, source in sorted(sources.items())]
    protocols = frozenset(module.name for module in modules if module.is_protocol)
    return [
        breach
        for module in modules
        for rule in (_arrows, _outside, _calls, _chance, _weight, _relative)
        for breach in rule(module)
    ] + [breach for module in modules for breach in _wires(module, protocols)]


def _arrows(module: Module) -> Iterator[str]:
    """A room imports only from rooms to its left, by their own names."""
    if module.room not in (None, *ROOMS):
        yield f"{module.name}: there is no room {module.room!r}"
        return
    for each in module.imports:
        if each.package != "judge" or each.path == "judge.__version__":
            continue
        other = _room(each.path)
        if module.room is None:
            if other == "cli" and each.at_top and module.name == "judge":
                yield module.says(each.line, "`import judge` must not load the command line")
        elif other not in ROOMS:
            yield module.says(each.line, f"imports {each.path}, which is in no room")
        elif ROOMS.index(other) > ROOMS.index(module.room):
            yield module.says(each.line, f"{module.room} imports {other}, a room to its right")


def _outside(module: Module) -> Iterator[str]:
    """Only who is named in MAY imports what leads outside; annotations alone reach nothing."""
    forbidden = (WORLD | CLOCK | THREADS | TERMINAL | CHANCE) - module.may
    for each in module.imports:
        if each.typing_only or each.package not in forbidden:
            continue
        if not any(f"{each.path}.".startswith(f"{allowed}.") for allowed in module.may):
            yield module.says(each.line, f"may not import {each.path}")


def _calls(module: Module) -> Iterator[str]:
    """Who may not touch files may not open, print or ask either; nobody hides an import."""
    forbidden = {"__import__"} | (frozenset() if module.may >= FILES else FILE_CALLS)
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in forbidden:
                yield module.says(node.lineno, f"may not call {name}()")


def _chance(module: Module) -> Iterator[str]:
    """Luck comes from a seeded generator that was handed in, not from a module's own."""
    if module.may >= CHANCE:
        return
    generators: set[str] = set()  # names of seedable generators, as this module knows them
    modules: set[str] = set()  # names of the modules `random` and `numpy.random`
    numpy: set[str] = set()
    for each in module.imports:
        if each.module in ("random", "numpy.random") and each.name:
            if each.name in CHANCE_CALLS:
                generators.add(each.alias)
            elif each.name != "Generator":
                yield module.says(each.line, f"may not import {each.path}")
        elif each.path in ("random", "numpy.random"):
            modules.add(each.alias)
        elif each.path == "numpy":
            numpy.add(each.alias)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and _is_one_of(node.value, modules, numpy):
            if node.attr not in CHANCE_CALLS | {"Generator"}:
                yield module.says(node.lineno, f"may not use random.{node.attr}")
        elif isinstance(node, ast.Call) and not node.args and not node.keywords:
            function = node.func
            if (isinstance(function, ast.Name) and function.id in generators) or (
                isinstance(function, ast.Attribute)
                and function.attr in CHANCE_CALLS
                and _is_one_of(function.value, modules, numpy)
            ):
                yield module.says(node.lineno, "may not make a random generator without a seed")


def _is_one_of(node: ast.expr, modules: set[str], numpy: set[str]) -> bool:
    """Whether it names the module ``random`` or, by way of numpy, ``numpy.random``."""
    if isinstance(node, ast.Attribute) and node.attr == "random":
        return isinstance(node.value, ast.Name) and node.value.id in numpy
    return isinstance(node, ast.Name) and node.id in modules


def _weight(module: Module) -> Iterator[str]:
    """Other people's packages are imported where they are used, so that starting stays quick."""
    is_command = module.name.startswith("judge.cli.")
    for each in module.imports:
        if not each.is_foreign or each.typing_only or not each.at_top or is_command:
            continue
        if module.room == "screen":  # whose modules are imported where a screen is shown
            continue
        if not (module.name == "judge.cli" and each.package == "click"):
            yield module.says(each.line, f"imports {each.package} at module level")


def _relative(module: Module) -> Iterator[str]:
    """Imports are absolute: the full name shows the room."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield module.says(node.lineno, "imports by a relative name")


def _wires(module: Module, protocols: frozenset[str]) -> Iterator[str]:
    """Protocols do not know each other, only those of `NAMES_WIRES` know one by name, and one
    module alone joins them to connections, of which it knows every kind."""
    paths = {name for each in module.imports for name in (each.module, each.path)}
    named = (paths & protocols) - {module.name}
    is_table = module.room == "wire" and not module.is_protocol
    if named and not is_table and module.name not in NAMES_WIRES:
        yield f"{module.name}: names the wire {', '.join(sorted(named))}"
    for each in module.imports:
        if each.path in ("judge.wire", "judge.wire.DETECTIONS", "judge.wire.WIRES"):
            if module.is_protocol:
                yield module.says(each.line, "a protocol imports the table of all protocols")
            elif module.room == "play" and module.name not in LOOKS_UP:
                yield module.says(each.line, "looks wires up, which others in play do")
        if each.path in MADE and module.name not in MADE[each.path]:
            yield module.says(each.line, f"makes a connection, which only {JOINS} does")
    knows_wires = any(path.startswith("judge.wire") for path in paths)
    if knows_wires and CONNECTIONS in paths and module.room != "play":
        yield f"{module.name}: joins a wire to a connection, which only play does"


def _is_machine(node: ast.ClassDef) -> bool:
    """Whether a class takes bytes itself, or inherits that from what clients share."""
    bases = {base.id for base in node.bases if isinstance(base, ast.Name)}
    takes = any(
        isinstance(child, ast.FunctionDef) and child.name == "receive_data" for child in node.body
    )
    return "LineClient" in bases or (takes and not bases & {"Protocol", "ABC"})


def _room(name: str) -> str | None:
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__main__" else None


def _imports(
    body: list[ast.stmt] | list[ast.AST], *, at_top: bool, typing_only: bool
) -> Iterator[Import]:
    for node in body:
        if isinstance(node, ast.Import):
            for name in node.names:
                alias = name.asname or name.name.partition(".")[0]
                yield Import(name.name, None, alias, node.lineno, at_top, typing_only)
        elif isinstance(node, ast.ImportFrom):
            for name in node.names:
                alias = name.asname or name.name
                module = node.module or ""
                yield Import(module, name.name, alias, node.lineno, at_top, typing_only)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from _imports(node.body, at_top=at_top, typing_only=True)
            yield from _imports(node.orelse, at_top=at_top, typing_only=typing_only)
        else:
            inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _imports(
                list(ast.iter_child_nodes(node)),
                at_top=at_top and not inside,
                typing_only=typing_only,
            )
