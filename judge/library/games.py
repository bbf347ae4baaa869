"""Games, boards, comparisons and checks of the library: what the commands `fight`, `test`,
`compare` and `check` do."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import chain, count
from os import PathLike
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from msgspec import structs

from judge.contest.cluster import address as addresses
from judge.contest.schedule import Fight, First, Pairing, Solo
from judge.contest.seeds import DRAWN_BITS
from judge.contest.settings import (
    LARGEST_BYTES,
    LEAST_MEMORY,
    LONGEST_MS,
    AskedLevel,
    PlaySettings,
    cores_of,
)
from judge.contest.setup import Setup, require_seats
from judge.contest.standings.fight_documents import played_records
from judge.contest.window import taken
from judge.documents.codec import DocumentError, convert, decode
from judge.documents.game import GameRecord, Limits
from judge.documents.rules import Fleet, Opening, Rules
from judge.errors import UsageError
from judge.game import fleets
from judge.game.variants import VARIANTS, variant
from judge.library.players import AnyBot, LocalPlayer, is_local, name_of
from judge.likeness import did_you_mean
from judge.play.actions import with_fleet
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player import Player
from judge.play.referee import play_game
from judge.play.run import Run
from judge.play.solo import play_alone
from judge.process.bots.bot import Bot, find_all
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


class Options(TypedDict, total=False):
    """The options of `settings`, so that a type checker knows them in each function that passes
    them on."""

    isolation: AskedLevel
    launch: str
    jobs: int
    timeout_ms: int | None
    memory_bytes: int
    wire: str | None
    dialect: str | None
    cluster: str | None
    trust_bots: bool
    learning: bool
    share: AnyPath | None
    io: AnyPath | None


def rules(wanted: AnyRules) -> Rules:
    """The rules of a variant with that name (`brainjar`, `broadsides`, `contest-3` … `contest-10`,
    `bsp`, `xbs`), from a file whose name ends in .json, or from a mapping. Raises `UsageError` if
    ``wanted`` is neither rules nor the name of a variant, if the file cannot be read, or if the
    file or mapping does not hold rules."""
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
    unless the board is very full. Raises `UsageError` if no fleet is found: the board cannot hold
    the fleet, or is too full."""
    luck = Random(seed)
    return fleets.random_fleet(rules(of).drawn(luck), luck)


def all_fleets(of: AnyRules) -> Iterator[Fleet]:
    """Every legal fleet, with its ships in the order of the rules; on 8×8 there are millions. Two
    fleets that swap ships of equal length are different. Raises `UsageError` if the rules draw the
    lengths."""
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
    wire: str | None = None,
    dialect: str | None = None,
    cluster: str | None = None,
    trust_bots: bool = False,
    learning: bool = False,
    share: AnyPath | None = None,
    io: AnyPath | None = None,
) -> PlaySettings:
    """Settings of play. Each argument means what the command's option of that name means. Raises
    `UsageError` for a wrong value."""
    found = rules(of)
    one_of("isolation", isolation, LEVELS)
    one_of("launch", launch, LAUNCHES)
    one_of("wire", wire, [None, *WIRES])
    one_of("dialect", dialect, [None, *(name for one in WIRES.values() for name in one.dialects)])
    timeout_ms = found.timeout_ms if timeout_ms is None else timeout_ms
    whole("timeout_ms", timeout_ms, most=LONGEST_MS)
    whole("memory_bytes", memory_bytes, least=LEAST_MEMORY, most=LARGEST_BYTES)
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
    return PlaySettings(
        rules=found,
        limits=Limits(
            timeout_ms=timeout_ms,
            memory_bytes=memory_bytes,
            data_bytes=DATA_BYTES if learning else 0,
            cores=cores_of(found),
        ),
        bot_size_bytes=found.bot_bytes,
        isolation=isolation,
        launch=launch,
        jobs=jobs,
        wire=wire,
        dialect=dialect,
        cluster=cluster,
        trust_bots=trust_bots,
        shared=None if share is None else path_of("share", share),
        io=None if io is None else path_of("io", io),
    )


def path_of(name: str, value: AnyPath) -> Path:
    """The path, made of a text or a path. Raises `UsageError` for anything else."""
    if not isinstance(value, str | PathLike):
        raise UsageError(f"{name}={value!r}: give a path")
    return Path(value)


def play(
    *bots: AnyBot,
    rules: AnyRules = "brainjar",
    seed: int | None = None,
    first: int | None = None,
    watch: Watch | None = None,
    **options: Unpack[Options],
) -> GameRecord:
    """Play one game and return its record.

    The first of ``bots`` has seat 0. The seat ``first`` moves first; by default seat 0 does, or a
    drawn seat if the rules draw it. A seed is drawn by default. ``watch`` is called with the `Game`
    and each event. ``options`` are those of `settings`.

    Raises `UsageError` for wrong arguments. Raises `JudgeFault` if the judge could not play.
    """
    of = _rules_of(rules)
    require_seats(of, len(bots))
    if first is not None and (type(first) is not int or not 0 <= first < len(bots)):
        raise UsageError(f"first={first!r}: the {len(bots)} bots sit in seats 0 to {len(bots) - 1}")
    usual = First.RANDOM if of.opening is Opening.DRAWN else First.A
    schedule = Fight(1, drawn(seed), usual, len(bots))
    (pairing,) = schedule
    if first is not None:
        pairing = replace(pairing, first=first)
    play_settings = settings(of, **options)
    if watch and play_settings.cluster is not None:
        raise UsageError("watch is for games on this machine: leave out watch, or cluster")
    (record,) = _games(bots, [pairing], play_settings, watch)
    return record


def fight(
    *bots: AnyBot,
    games: int = 1,
    rules: AnyRules = "brainjar",
    seed: int | None = None,
    **options: Unpack[Options],
) -> Iterator[GameRecord]:
    """Play games, and yield each record as soon as the game and those before it are over.

    The bots take turns to move first. A round has one game for each bot to begin, all with the same
    seeds. ``options`` are those of `settings`. Raises `UsageError` at once for wrong rules or
    options, a wrong seed, or a wrong number of games or bots. From the first ``next`` on, raises
    `UsageError` for a bot that cannot be found or cannot play by the rules, and `JudgeFault` if the
    judge could not play.
    """
    whole("games", games)
    play_settings = settings(rules, **options)
    require_seats(play_settings.rules, len(bots))
    schedule = Fight(games, drawn(seed), First.ALTERNATE, len(bots))
    return _games(bots, schedule, play_settings, None)


def shoot(
    bot: AnyBot,
    *,
    boards: int = 100,
    rules: AnyRules = "brainjar",
    seed: int | None = None,
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
    _require_no_learning(play_settings)
    seed = drawn(seed)
    fleet_of = partial(drawn_fleet, play_settings.rules)
    if is_local(bot):
        _require_one_process([bot], play_settings)
        summary = ShootingSummary([name_of(bot)], play_settings.rules)
        for number, board in enumerate(Solo(1, boards, seed), 1):
            summary.add(0, number, _board(bot, play_settings, board, fleet_of(board)))
        return summary.bots[0]
    with ExitStack() as until:
        setup = _held([program(bot)], play_settings, until).expecting(boards)
        schedule = Solo(1, boards, seed, in_a_row=setup.boards_in_a_row)
        summary = ShootingSummary([setup.bots[0].name], play_settings.rules)
        results = until.enter_context(setup.playing(schedule, fleet_of=fleet_of))
        records = chain.from_iterable(played_records(result) for result in taken(results))
        for number, record in enumerate(records, 1):
            summary.add(0, number, record)
    return summary.bots[0]


def compare(
    old: str | PathLike[str],
    new: str | PathLike[str],
    *,
    boards: int = 100,
    games: int = 400,
    rules: AnyRules = "brainjar",
    seed: int | None = None,
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
    _require_no_learning(play_settings)
    seed = drawn(seed)
    with ExitStack() as until:
        setup = _held([program(old), program(new)], play_settings, until)
        found = Comparison(setup, boards=boards, games=games, seed=seed)
        for _ in found.playing():
            pass
    return found


def check(
    bot: str | PathLike[str],
    *,
    rules: AnyRules = "brainjar",
    seed: int | None = None,
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
    _require_no_learning(play_settings)
    with ExitStack() as until:
        setup = _held([program(bot)], play_settings, until)
    return examine(setup.bots[0], setup.run(), seed=drawn(seed), jobs=play_settings.jobs)


def _held(
    specs: Sequence[str], play_settings: PlaySettings, until: ExitStack, seats: int = 2
) -> Setup:
    """The setup of these programs. The connection to a cluster ends when ``until`` closes."""
    found = find_all(specs, **play_settings.finding)
    return Setup.holding(found, play_settings, seats, specs=specs, open_until=until)


def program(bot: AnyBot) -> str:
    """The name, path or command line of a bot. Raises `UsageError` for a bot that is an object of
    this process."""
    if is_local(bot):
        raise UsageError(
            f"{name_of(bot)} is a bot of this process, which play, fight and shoot take; name a program"
        )
    return str(bot)


def _require_one_process(bots: Sequence[AnyBot], play_settings: PlaySettings) -> None:
    """Raise `UsageError` if games with a bot of this process are to be played elsewhere, or several
    at once."""
    name = next(name_of(bot) for bot in bots if is_local(bot))
    if play_settings.cluster is not None:
        raise UsageError(f"{name} is a bot of this process, which no worker has: leave out cluster")
    if play_settings.jobs > 1:
        raise UsageError(
            f"{name} is a bot of this process, which plays one game at a time: leave out jobs"
        )
    _require_no_learning(play_settings)


def _require_no_learning(play_settings: PlaySettings) -> None:
    if play_settings.limits.data_bytes:
        raise UsageError("learning is for games between programs: leave out learning")


def drawn(seed: int | None) -> int:
    """The given seed, or a drawn one. Raises `UsageError` for a number that is not a seed."""
    if seed is not None:
        whole("seed", seed, least=0, most=2**DRAWN_BITS)
    return secrets.randbits(DRAWN_BITS) if seed is None else seed


def _games(
    bots: Sequence[AnyBot],
    schedule: Sequence[Pairing] | Fight,
    play_settings: PlaySettings,
    watch: Watch | None,
) -> Iterator[GameRecord]:
    """Play the games of a schedule, and yield their records in its order."""
    local = {seat for seat, bot in enumerate(bots) if is_local(bot)}
    if local:
        _require_one_process(bots, play_settings)
    programs = [str(bot) for seat, bot in enumerate(bots) if seat not in local]
    with ExitStack() as until:
        setup: Setup | None = None
        if programs:
            setup = _held(programs, play_settings, until, len(bots)).expecting(len(schedule))
        if setup and not local:
            for result in taken(until.enter_context(setup.playing(schedule, watch))):
                records = played_records(result)
                for record in records:
                    setup.settle(record, is_kept=True)
                yield from records
            return
        run = until.enter_context(setup.run() if setup else Run(_here(play_settings)))
        seated = iter(setup.bots if setup else ())
        seats = [bot if seat in local else next(seated) for seat, bot in enumerate(bots)]
        names = _names(seats)
        for pairing in schedule:
            yield _game(run, seats, names, pairing, watch)


def _names(seats: Sequence[Any]) -> list[str]:
    """A name for each seat; a second bot of the name ``a`` is ``a#2``."""
    names: list[str] = []
    for seat in seats:
        name = seat.name if isinstance(seat, Bot) else name_of(seat)
        numbered = (f"{name}#{number}" for number in count(2))
        names.append(name if name not in names else next(n for n in numbered if n not in names))
    return names


def _here(play_settings: PlaySettings) -> Conditions:
    """The conditions of games in which all bots are objects of this process."""
    return Conditions(rules=play_settings.rules, limits=play_settings.limits)


def _board(bot: Any, play_settings: PlaySettings, board: Pairing, fleet: Fleet) -> GameRecord:
    """Let an object of this process clear a board."""
    player = LocalPlayer(bot, name_of(bot), board.bot_seeds[0])
    here = _here(play_settings)
    return play_alone(here, player, fleet, game_id=board.id, seed=board.seed)


def _game(
    run: Run, seats: Sequence[Any], names: Sequence[str], pairing: Pairing, watch: Watch | None
) -> GameRecord:
    """Play one game in which at least one bot is an object of this process."""
    of = with_fleet(run.conditions.rules, pairing.seed)
    with ExitStack() as until:
        players: list[Player] = []
        for seat, (one, name) in enumerate(zip(seats, names, strict=True)):
            luck = pairing.bot_seeds[seat]
            if isinstance(one, Bot):
                players.append(
                    until.enter_context(
                        run.seat(one, seat, luck, rules=of, name=name, seats=len(seats))
                    )
                )
            else:
                players.append(LocalPlayer(one, name, luck))
        record = play_game(
            replace(run.conditions, rules=of),
            players,
            game_id=pairing.id,
            seed=pairing.seed,
            first=pairing.first,
            watch=watch,
        )
        return structs.replace(record, rated=False)  # players of this process are not isolated
