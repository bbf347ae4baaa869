"""The options that commands share, with their help and defaults, and the decorators that add them.

An option's parameter has the long name of the option. So have its variable and its key in
judge.toml.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from judge.cli.configuration import is_given, is_typed
from judge.cli.ledgers.which_ledger import LEDGER, USUAL, of_folder
from judge.cli.output import note
from judge.cli.settings import Color, OutputFormat, Settings
from judge.cli.values.files import LOGS, PROGRAM
from judge.cli.values.games import RULES, WHICH
from judge.cli.values.network import CLUSTER as CLUSTER_ADDRESS
from judge.cli.values.network import LISTENING
from judge.cli.values.numbers import MEMORY, SEED, SIZE, TIME_LIMIT, count
from judge.cli.values.value import SWITCH, Choice
from judge.contest.amounts import duration, size
from judge.contest.schedule import First
from judge.contest.settings import cores_of
from judge.documents.game import Limits
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import BRAINJAR
from judge.logs import WRITTEN
from judge.process.bots.data_file import DATA_BYTES
from judge.process.bots.forkable import LAUNCHES
from judge.process.bots.manifest import MANIFEST
from judge.process.bots.specs import RUN
from judge.process.run.processors import usable
from judge.process.sandbox.levels import LEVELS
from judge.show.text import many
from judge.wire import WIRES

Callback = Callable[..., None]
Decorator = Callable[[Callback], Callback]


def option(name: str, help: str, **more: Any) -> Decorator:  # noqa: A002 - as click calls it
    """Return a decorator that adds an option. The help of an option that is not a flag has its
    default, if there is one."""
    if more.get("is_flag"):
        return click.option(name, help=help, type=SWITCH, **more)
    return click.option(name, help=help, show_default=more.pop("show_default", True), **more)


def fair_jobs(cores: int = 1) -> int:
    """Return how many games can be played at once, each on ``cores`` processors of its own. At
    least one can."""
    return max(1, usable() // cores)


_colored = partial(
    option,
    "--color",
    "Colour the text; auto: on a terminal, unless NO_COLOR is set.",
    type=Choice([choice.value for choice in Color]),
    default="auto",
)
COLOR = _colored()
COLORED = _colored(callback=lambda _, __, value: Color(value).on(sys.stdout))
"""The same option, which gives its command whether the text on stdout is coloured."""
VERBOSE = option(
    "--verbose", "Show all that a bot was asked and printed where it failed.", is_flag=True
)
_first = partial(
    option, "--first", "Who moves first.", type=Choice([choice.value for choice in First])
)
FIRST = _first(show_default="one game: as the rules have it; more: alternate")
WIRE = option(
    "--wire",
    "The wire that bots speak; BOT@WIRE names that of one bot.",
    type=Choice(list(WIRES)),
    show_default="as each bot's bot.json has it, or the usual one of the rules",
)
DIALECT = option(
    "--dialect",
    "The dialect of the bots' wire; BOT@WIRE/DIALECT names that of one bot. In brainjar, readme is "
    "the published description, and engine is what the published engine sent.",
    type=Choice(sorted({name for wire in WIRES.values() for name in wire.dialects})),
    show_default="the usual one of the wire; brainjar: readme",
)


def jobs(help: str, *, shown: str = "the processors that this process may use") -> Decorator:  # noqa: A002 - as click calls it
    return option(
        "--jobs",
        help,
        type=count(1, 1000),
        default=lambda: str(fair_jobs()),
        show_default=shown,
    )


CORES = option(
    "--cores",
    "The cores that each game has for itself. Bots run on no others.",
    type=count(1, 1024),
    default=None,
    show_default="1; 2 by rules in which both bots are asked at once",
)


JSON = option("--json", "Print one JSON document.", is_flag=True)
JSONL = option("--jsonl", "Print an event a line while it runs.", is_flag=True)
PLAIN = option("--plain", "Print line by line on a terminal too, as elsewhere.", is_flag=True)
QUIET = option("--quiet", "No progress and no notes on stderr.", is_flag=True)
BY = option(
    "--by",
    "What ranks the bots: points, or what the format of the contest has instead; or Elo.",
    type=Choice(["points", "elo"]),
    default="points",
)
CSV = option("--csv", "Print comma-separated values, a line a bot and board.", is_flag=True)
ledger_option = partial(
    option, "--ledger", "The ledger: a .json file, beside its journal.", type=LEDGER
)
LEDGER_FILE = ledger_option(show_default="the only one in this folder")
OWN_LEDGER = ledger_option(default=str(USUAL))
_CONTEST_LEDGER = ledger_option(show_default="FOLDER.ledger.json")
NO_LEDGER = option("--no-ledger", "Keep no game.", is_flag=True)
WEB = option(
    "--web",
    "Show the games live on a page, at this address of this machine, for any number of browsers.",
    type=LISTENING,
    show_default="no page",
)
KEEPING: tuple[Decorator, ...] = (OWN_LEDGER, NO_LEDGER)
LEARNING = option(
    "--learning",
    "on: each game finds a player's data as its last game left them (needs bwrap); off: as they were "
    "before the run.",
    type=Choice(["on", "off"]),
    default="off",
)

CLUSTER = option(
    "--cluster",
    "Play on the workers of dask's scheduler at ADDRESS, such as tls://HOST:8786, or on workers of "
    "this machine, such as local:4.",
    type=CLUSTER_ADDRESS,
    show_default="this machine, without workers",
)
TRUST_BOTS = option(
    "--trust-bots",
    "With --cluster: all bots are your own, so isolation may be limits or none.",
    is_flag=True,
)
SHARE = option(
    "--share",
    "A folder that single-file players may read, for helpers that they load.",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
)

IO = option(
    "--io",
    "Write all that each bot is asked, replies and prints to stderr into FOLDER, for every game: 16 "
    "MiB a file at most, and of stderr 64 KiB a reply. FOLDER is made if it is missing.",
    type=click.Path(path_type=Path, file_okay=False, writable=True),
    metavar="FOLDER",
)
GAME_LOG = option(
    "--game-log",
    "Write a log of every game, as another system does: into FILE, or into FOLDER, where the games "
    "of broadsides have a file each.",
    type=LOGS,
)
GAME_LOG_FORMAT = option(
    "--game-log-format",
    "Whose logs these are.",
    type=Choice(WRITTEN),
    show_default="the first that can hold games by these rules",
)

GAME_LOG_GAMES = option(
    "--game-log-games",
    "Which games of a match the log of the contest has; first-last:5: the first and the last five; "
    "each:5: five of each result, and all that an error ended.",
    type=WHICH,
    show_default="all",
)

BOT_SIZE = option(
    "--bot-size",
    "The most that a bot's files may take.",
    type=SIZE,
    show_default=f"that of the rules; {BRAINJAR.name}: {size(BRAINJAR.bot_bytes)}",
)
PYTHON = option(
    "--python", "The interpreter of Python bots.", type=PROGRAM, show_default="the judge's own"
)
TIMEOUT = option(
    "--timeout",
    "The time for a reply; off: a day.",
    type=TIME_LIMIT,
    show_default=f"that of the rules; {BRAINJAR.name}: {duration(BRAINJAR.timeout_ms)}",
)
MEMORY_LIMIT = option(
    "--memory", "The memory for each move.", type=MEMORY, default=size(Limits().memory_bytes)
)
OUTPUT_LIMIT = option(
    "--output-limit", "The longest reply.", type=SIZE, default=size(Limits().output_bytes)
)
ISOLATION = option("--isolation", "How bots are held.", type=Choice(LEVELS), default="auto")
JOBS = jobs(
    "How many games are played at once.",
    shown="the processors that this process may use, divided by the cores of a game",
)

COMMON: tuple[Decorator, ...] = (
    option(
        "--seed",
        "The seed of all luck: same seed, same games, if the bots play by theirs.",
        type=SEED,
        show_default="drawn",
    ),
    FIRST,
    JOBS,
    CORES,
    option(
        "--rules",
        "The rules: a name, contest-3 … contest-10 too, or a JSON file.",
        type=RULES,
        default=BRAINJAR.name,
    ),
    WIRE,
    DIALECT,
    TIMEOUT,
    MEMORY_LIMIT,
    OUTPUT_LIMIT,
    BOT_SIZE,
    PYTHON,
    option(
        "--launch",
        "How each move is started. exec: as a new program; fork: as a fork of one, for Python bots; "
        "auto: by forks in more than ten games or boards, if the bot's first one shows that it plays "
        "the same.",
        type=Choice(LAUNCHES),
        default="auto",
    ),
    ISOLATION,
    JSON,
    JSONL,
    QUIET,
    VERBOSE,
    COLOR,
)


def adding(*options: Decorator) -> Decorator:
    """Return a decorator that adds all of these options, in this order."""

    def add(command: Callback) -> Callback:
        for one in reversed(options):
            command = one(command)
        return command

    return add


def for_games(*more: Decorator) -> Decorator:
    """Return a decorator that adds the options of a fight or a contest, and ``more`` on its logs."""
    logs = (GAME_LOG, GAME_LOG_FORMAT, *more)
    return adding(LEARNING, SHARE, IO, *logs, WEB, CLUSTER, TRUST_BOTS)


def settled(*options: Decorator) -> Decorator:
    """Return a decorator that adds options to a command. The command gets the values of common
    options as one argument, ``settings``."""

    def add(command: Callback) -> Callback:
        @wraps(command)
        def with_settings(**given: Any) -> None:
            settings = _taken(given)
            command(settings=settings, **given)

        return adding(*options)(with_settings)

    return add


def _common(*others: Decorator, own: Sequence[Decorator] = ()) -> Decorator:
    """Return a decorator that adds the common options but ``others``, and a command's ``own``."""
    return settled(*(one for one in COMMON if one not in others), *own)


playing = _common(own=KEEPING)
"""The options of a command that plays games."""

ranking = _common(FIRST, VERBOSE, own=(_CONTEST_LEDGER, NO_LEDGER))
"""The options of a command that ranks the bots of its ``folder``. It has no --first, and no
--verbose for evidence. By default the games are kept in the folder's ledger."""

checking = _common(FIRST, JOBS, JSONL, own=(jobs("How many questions are put at once."),))
"""The options of a command that checks bots, and keeps no game."""

measuring = _common(FIRST, own=(CSV,))
"""The options of a command in which each bot plays alone, and no game is kept."""

comparing = _common(FIRST, JSONL, VERBOSE, own=(SHARE, IO, CLUSTER, TRUST_BOTS))
"""The options of a command that keeps no game, and ends in one verdict."""

playing_by_hand = _common(JOBS, JSON, JSONL, FIRST, own=(_first(show_default="by the rules"), IO))
"""The options of a command in which a person plays one game, and no document is printed."""


def _taken(given: dict[str, Any]) -> Settings:
    """Take the common options out of ``given``, which click has read, and return them as settings.
    The command's own options stay in ``given``."""
    take = given.pop
    first = take("first", None)
    rules: Rules = take("rules")
    timeout_ms, bot_bytes = take("timeout"), take("bot_size")
    trust_bots, cluster = take("trust_bots", False), take("cluster", None)
    cores = take("cores", None) or cores_of(rules)
    jobs = take("jobs", 1)
    if not is_given("jobs"):
        jobs = fair_jobs(cores)
    elif jobs > fair_jobs(cores) and cluster is None and not given.get("quiet", True):
        note(_many_jobs(jobs, cores))
    if trust_bots and cluster is None and is_typed("trust_bots"):
        raise UsageError("--trust-bots is for bots on a cluster: add --cluster ADDRESS")
    settings = Settings(
        **{name: take(name) for name in _AS_TYPED if name in given},
        first=None if first is None else First(first),
        jobs=jobs,
        rules=rules,
        limits=Limits(
            timeout_ms=rules.timeout_ms if timeout_ms is None else timeout_ms,
            memory_bytes=take("memory"),
            output_bytes=take("output_limit"),
            data_bytes=DATA_BYTES if take("learning", "off") == "on" else 0,
            cores=cores,
        ),
        bot_size_bytes=rules.bot_bytes if bot_bytes is None else bot_bytes,
        report=_report([name for name in ("json", "jsonl", "csv") if take(name, False)]),
        color=Color(take("color", Color.AUTO)),
        shared=take("share", None),
        cluster=cluster,
        trust_bots=trust_bots,
        ledger=_ledger(take("ledger", None), given.get("folder"), take("no_ledger", False)),
    )
    for name in ("io", "web"):
        if getattr(settings, name) is not None:
            settings.require_here(f"--{name}")
    return settings


_AS_TYPED = (
    *("seed", "wire", "dialect", "python", "launch", "isolation", "quiet", "verbose", "io"),
    *("web", "game_log", "game_log_format", "game_log_games"),
)


def _many_jobs(jobs: int, cores: int) -> str:
    """Return the note that --jobs is too high for each game to have processors of its own."""
    each = "" if cores == 1 else f", each on {cores} cores,"
    return (
        f"--jobs {jobs} plays {jobs} games{each} at once, and this process may use "
        f"{many(usable(), 'processor')}: they wait for each other, and replies take longer"
    )


def _report(forms: Sequence[str]) -> OutputFormat:
    """Return the form of output that is asked for, or text. If several ``forms`` are asked for, a
    typed option beats a variable, and a variable beats judge.toml."""
    return OutputFormat(_strongest(forms)) if forms else OutputFormat.TEXT


def _ledger(ledger: Path | None, folder: Path | None, unkept: bool) -> Path | None:
    """Return the ledger in which games are kept, or None. Without --ledger, it is that of a
    contest's ``folder``, and in a bot's folder it lies beside that folder, as a contest's does:
    files in it would be the bot's. If both --ledger and --no-ledger (``unkept``) are set, the one that
    `_strongest` returns holds."""
    if unkept and _strongest(["ledger", "no_ledger"]) == "no_ledger":
        return None
    if ledger == USUAL and not is_given("ledger") and any(map(os.path.isfile, (MANIFEST, RUN))):
        folder, ledger = Path(), None
    return of_folder(folder) if ledger is None and folder is not None else ledger


def choose_one(**given: object) -> None:
    """Raise `UsageError` if more than one of the options ``given`` has a value."""
    _require_one(
        [name for name, value in given.items() if value is not None and value is not False]
    )


def _require_one(names: Sequence[str]) -> None:
    if len(names) > 1:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in names)
        raise UsageError(f"{flags} cannot both be had: choose one")


def _strongest(names: Sequence[str]) -> str:
    """Return the one of these exclusive options whose source comes first in `_STRENGTH`. Raises
    `UsageError` if two have that source."""
    source = click.get_current_context().get_parameter_source
    ranks = {name: _STRENGTH.index(source(name)) for name in names}
    strongest = [name for name in names if ranks[name] == min(ranks.values())]
    _require_one(strongest)
    return strongest[0]


_STRENGTH = (
    ParameterSource.COMMANDLINE,
    ParameterSource.ENVIRONMENT,
    ParameterSource.DEFAULT_MAP,
    ParameterSource.DEFAULT,
)
