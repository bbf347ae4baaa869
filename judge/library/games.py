"""Boards, comparisons and checks of the library, as of the commands `test`, `compare` and `check`;
and rules, fleets and settings."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from judge.contest.cluster import address as addresses
from judge.contest.schedule import Solo
from judge.contest.seeds import DRAWN_BITS, parsed
from judge.contest.settings import (
    LARGEST_BYTES,
    LEAST_MEMORY,
    LONGEST_MS,
    AskedLevel,
    PlaySettings,
    cores_of,
)
from judge.contest.standings.fight_documents import played_records
from judge.contest.window import taken
from judge.documents.codec import DocumentError, convert, decode
from judge.documents.game import Limits
from judge.documents.rules import Fleet, Rules
from judge.errors import UsageError
from judge.game import fleets
from judge.game.variants import VARIANTS, variant
from judge.library.arguments import arguments
from judge.library.local_setup import require_no_learning, setup_of
from judge.library.players import AnyBot, is_local, name_of
from judge.likeness import did_you_mean
from judge.process.bots.data_file import DATA_BYTES
from judge.process.bots.forkable import LAUNCHES
from judge.process.sandbox.levels import LEVELS
from judge.wire import WIRES

if TYPE_CHECKING:
    from judge.check.examination import CheckReport
    from judge.contest.comparison import Comparison
    from judge.contest.shooting.shooting import BotShooting

AnyPath = str | PathLike[str]
AnyRules = AnyPath | Mapping[str, Any] | Rules
AnySeed = int | str
"""A seed as a number, or as text in the form of the option --seed."""
YES_OR_NO = (True, False)


class Options(TypedDict, total=False):
    """The type of the keyword arguments that other functions pass on to `settings`."""

    isolation: AskedLevel
    launch: str
    jobs: int
    timeout_ms: int | None
    memory_bytes: int
    output_bytes: int
    cores: int | None
    bot_size_bytes: int | None
    python: AnyPath | None
    wire: str | None
    dialect: str | None
    cluster: str | None
    trust_bots: bool
    learning: bool
    share: AnyPath | None
    io: AnyPath | None


def rules(wanted: AnyRules) -> Rules:
    """The rules of a variant with that name (`brainjar`, `broadsides`, `contest`, `contest-3` …
    `contest-10`, `bsp`, `xbs`), from a file whose name ends in .json, or from a mapping. `Rules`
    are returned as they are. Raises `UsageError` for anything else, for a file that cannot be read,
    and for a file or mapping that does not hold rules."""
    try:
        match wanted:
            case Rules():
                return wanted
            case Mapping():
                return convert(Rules, dict(wanted), "rules")
            case str() | PathLike() if str(wanted).endswith(".json"):
                with Path(wanted).open("rb") as file:
                    return decode(Rules, file.read(Rules.MOST_BYTES + 1), str(wanted))
            case str() if known := variant(wanted):
                return known
    except (DocumentError, OSError) as error:
        raise UsageError(str(error)) from None
    near = did_you_mean(wanted, VARIANTS) if isinstance(wanted, str) else ""
    raise UsageError(
        f"{wanted!r} is not the name of rules ({', '.join(VARIANTS)}) and no .json file.{near}"
    )


_rules_of = rules  # for functions with a parameter ``rules``


def random_fleet(of: AnyRules, seed: int | None = None) -> Fleet:
    """A random legal fleet; equal seeds give equal fleets. All legal fleets are equally likely,
    unless the board is very full. Raises `UsageError` for wrong rules, and if no fleet is found
    because the board is too small or too full."""
    luck = Random(seed)
    return fleets.random_fleet(rules(of).drawn(luck), luck)


def all_fleets(of: AnyRules) -> Iterator[Fleet]:
    """Every legal fleet, with its ships in the order of the rules; on 8×8 there are millions. A
    fleet with two ships of equal length swapped is another fleet. Raises `UsageError` for wrong
    rules, and for rules that draw the lengths."""
    found = rules(of)
    if not isinstance(found.fleet, tuple):
        raise UsageError(f"the rules {found.name} draw the ships of each game: give a drawn fleet")
    return fleets.every_fleet(found)


def whole(name: str, number: object, *, least: int = 1, most: int = 10**9) -> None:
    """Raise `UsageError` unless ``number`` is a whole number from ``least`` to ``most``."""
    if type(number) is not int or not least <= number <= most:
        raise UsageError(f"{name}={number!r}: give a whole number from {least:,} to {most:,}")


def one_of(name: str, value: object, known: Collection[object]) -> None:
    """Raise `UsageError` unless ``known`` holds the value."""
    if value not in known:
        near = did_you_mean(value, map(str, known)) if isinstance(value, str) else ""
        listed = ", ".join(map(str, known))
        raise UsageError(f"{name}={value!r}: it is one of {listed}.{near}")


def settings(
    of: AnyRules,
    *,
    isolation: AskedLevel = "auto",
    launch: str = "auto",
    jobs: int = 1,
    timeout_ms: int | None = None,
    memory_bytes: int = Limits().memory_bytes,
    output_bytes: int = Limits().output_bytes,
    cores: int | None = None,
    bot_size_bytes: int | None = None,
    python: AnyPath | None = None,
    wire: str | None = None,
    dialect: str | None = None,
    cluster: str | None = None,
    trust_bots: bool = False,
    learning: bool = False,
    share: AnyPath | None = None,
    io: AnyPath | None = None,
) -> PlaySettings:
    """The settings of play. Each argument means what the commands' option of its name means; a time
    is in milliseconds and a size in bytes. Raises `UsageError` for a wrong value."""
    found = rules(of)
    one_of("isolation", isolation, LEVELS)
    one_of("launch", launch, LAUNCHES)
    one_of("wire", wire, [None, *WIRES])
    one_of("dialect", dialect, [None, *(name for one in WIRES.values() for name in one.dialects)])
    one_of("trust_bots", trust_bots, YES_OR_NO)
    one_of("learning", learning, YES_OR_NO)
    timeout_ms = found.timeout_ms if timeout_ms is None else timeout_ms
    whole("timeout_ms", timeout_ms, most=LONGEST_MS)
    whole("memory_bytes", memory_bytes, least=LEAST_MEMORY, most=LARGEST_BYTES)
    whole("output_bytes", output_bytes, most=LARGEST_BYTES)
    cores = cores_of(found) if cores is None else cores
    whole("cores", cores, most=1024)
    bot_size_bytes = found.bot_bytes if bot_size_bytes is None else bot_size_bytes
    whole("bot_size_bytes", bot_size_bytes, most=LARGEST_BYTES)
    whole("jobs", jobs, most=1000)
    if cluster is not None:
        try:
            cluster = addresses.cluster(str(cluster))
        except ValueError as error:
            raise UsageError(f"cluster={error}") from None
        if io is not None:
            raise UsageError("io is for games on this machine: leave out io, or cluster")
    elif trust_bots:
        raise UsageError("trust_bots is for bots on a cluster: give cluster, too")
    exchanges = None if io is None else path_of("io", io)
    if exchanges is not None and exchanges.is_file():
        raise UsageError(f"io={str(io)!r} is a file: give a folder")
    return PlaySettings(
        rules=found,
        limits=Limits(
            timeout_ms=timeout_ms,
            memory_bytes=memory_bytes,
            output_bytes=output_bytes,
            data_bytes=DATA_BYTES if learning else 0,
            cores=cores,
        ),
        bot_size_bytes=bot_size_bytes,
        python=None if python is None else path_of("python", python),
        isolation=isolation,
        launch=launch,
        jobs=jobs,
        wire=wire,
        dialect=dialect,
        cluster=cluster,
        trust_bots=trust_bots,
        shared=None if share is None else path_of("share", share),
        io=exchanges,
    )


def path_of(name: str, value: AnyPath) -> Path:
    """The text or path as a `Path`. Raises `UsageError` for anything else."""
    if not isinstance(value, str | PathLike):
        raise UsageError(f"{name}={value!r}: give a path")
    return Path(value)


@arguments()
def shoot(
    bot: AnyBot,
    *,
    boards: int = 100,
    rules: AnyRules = "brainjar",
    seed: AnySeed | None = None,
    **options: Unpack[Options],
) -> BotShooting:
    """Have a bot clear boards alone. The result has the shots for each board and their ``mean``.

    ``options`` are those of `settings`. Raises `UsageError` for a wrong argument or a bot that
    cannot be found or cannot play by the rules, and `JudgeFault` if the judge could not play.
    """
    from judge.contest.shooting.boards import drawn_fleet
    from judge.contest.shooting.shooting import ShootingSummary

    whole("boards", boards)
    play_settings = settings(rules, **options)
    require_no_learning(play_settings)
    seed = drawn(seed)
    fleet_of = partial(drawn_fleet, play_settings.rules)
    with ExitStack() as until:
        setup = setup_of([bot], play_settings, until).expecting(boards)
        schedule = Solo(1, boards, seed, in_a_row=setup.boards_in_a_row)
        summary = ShootingSummary([setup.bots[0].name], play_settings.rules)
        results = until.enter_context(setup.playing(schedule, fleet_of=fleet_of))
        records = chain.from_iterable(played_records(result) for result in taken(results))
        for number, record in enumerate(records, 1):
            summary.add(0, number, record)
    return summary.bots[0]


@arguments()
def compare(
    old: str | PathLike[str],
    new: str | PathLike[str],
    *,
    boards: int = 100,
    games: int = 400,
    rules: AnyRules = "brainjar",
    seed: AnySeed | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """Compare two versions of a bot by their shots on the same boards and by games against each
    other. The result has the ``verdict`` on the new version, its grounds, and a ``document()``.

    Games end once they decide the comparison, and after ``games`` games at the latest. ``options``
    are those of `settings`. Raises `UsageError` for a wrong argument or a bot that cannot be found
    or cannot play by the rules, and `JudgeFault` if the judge could not play.
    """
    from judge.contest.comparison import Comparison

    whole("boards", boards, least=2)
    whole("games", games, least=2)
    play_settings = settings(rules, **options)
    require_no_learning(play_settings)
    seed = drawn(seed)
    with ExitStack() as until:
        setup = setup_of([program(old), program(new)], play_settings, until)
        found = Comparison(setup, boards=boards, games=games, seed=seed)
        for _ in found.playing():
            pass
    return found


@arguments()
def check(
    bot: str | PathLike[str],
    *,
    rules: AnyRules = "brainjar",
    seed: AnySeed | None = None,
    **options: Unpack[Options],
) -> CheckReport:
    """Try every check on a bot. The report says whether the bot ``conforms``, and has the findings.

    ``options`` are those of `settings`. Raises `UsageError` for a wrong argument or a bot that
    cannot be found or cannot play by the rules, and `JudgeFault` if the judge could not check it.
    """
    from judge.check.examination import examine

    play_settings = settings(rules, **options)
    if play_settings.cluster is not None:
        raise UsageError("a check is on this machine: leave out cluster")
    require_no_learning(play_settings)
    with ExitStack() as until:
        setup = setup_of([program(bot)], play_settings, until)
    return examine(setup.bots[0], setup.run(), seed=drawn(seed), jobs=play_settings.jobs)


def program(bot: AnyBot) -> str:
    """A bot's name, path or command line as text. Raises `UsageError` for a bot that is an object
    of this process."""
    if is_local(bot):
        raise UsageError(
            f"{name_of(bot)} is a bot of this process, which play, fight, shoot and Contest take; name a program"
        )
    return str(bot)


def drawn(seed: AnySeed | None) -> int:
    """The given seed, or a drawn one. Raises `UsageError` for a number or text that is not a
    seed."""
    if seed is None:
        return secrets.randbits(DRAWN_BITS)
    if isinstance(seed, str):
        try:
            return parsed(seed)
        except ValueError as error:
            raise UsageError(str(error)) from None
    whole("seed", seed, least=0, most=2**DRAWN_BITS)
    return seed
