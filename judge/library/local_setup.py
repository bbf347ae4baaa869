"""Sets up games between programs and objects of this process; a function is an object, too. Games
with an object are played one at a time, in the thread that asks for the results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from judge.contest.settings import PlaySettings
from judge.contest.setup import Setup, Tell, require_seats, untold
from judge.errors import UsageError
from judge.library.players import AnyBot, LocalBot, LocalPlayer, is_local, name_of
from judge.play.conditions import Conditions
from judge.play.spoken import Called, require_playable
from judge.process.bots.bot import Bot, distinct, find_all
from judge.process.bots.names import clean

Objects = Mapping[str, LocalBot]
"""The bots that are objects of this process, by their names."""


def found(bots: Sequence[AnyBot], play_settings: PlaySettings) -> tuple[tuple[Bot, ...], Objects]:
    """The bots, in order, and the objects of this process among them. Raises `UsageError` for a
    value that is not a bot, a program that cannot be used, and settings under which an object
    cannot play."""
    require_one_process(bots, play_settings)
    specs = [str(bot) for bot in bots if not is_local(bot)]
    programs = iter(find_all(specs, **play_settings.finding))
    named = distinct([_without_files(bot) if is_local(bot) else next(programs) for bot in bots])
    both = zip(named, bots, strict=True)
    return named, {each.name: bot for each, bot in both if is_local(bot)}


def _without_files(bot: LocalBot) -> Bot:
    # The wire is one that every program could speak by any rules; nothing is sent over it.
    return Bot(clean(name_of(bot)) or "bot", (), Path(), (), "", 0, "", wires=("open",))


def require_one_process(bots: Sequence[AnyBot], play_settings: PlaySettings) -> None:
    """Raise `UsageError` if one of the bots is an object of this process and the settings have a
    cluster, several jobs or learning, or if all bots are such objects and the settings have a
    folder for exchanges."""
    name = next((name_of(bot) for bot in bots if is_local(bot)), None)
    if name is None:
        return
    if play_settings.cluster is not None:
        raise UsageError(f"{name} is a bot of this process, which no worker has: leave out cluster")
    if play_settings.jobs > 1:
        raise UsageError(
            f"{name} is a bot of this process, which plays one game at a time: leave out jobs"
        )
    if play_settings.io is not None and all(map(is_local, bots)):
        raise UsageError("io is for what programs are told and answer: leave out io")
    require_no_learning(play_settings)


def require_kept(bots: Iterable[AnyBot]) -> None:
    """Raise `UsageError` if a bot is an object of this process: no ledger keeps its games."""
    if name := next((name_of(bot) for bot in bots if is_local(bot)), None):
        raise UsageError(
            f"{name} is a bot of this process, and a ledger keeps games between programs: leave "
            "out ledger"
        )


def require_no_learning(play_settings: PlaySettings) -> None:
    if play_settings.limits.data_bytes:
        raise UsageError("learning is for games between programs: leave out learning")


def setup_of(
    bots: Sequence[AnyBot],
    play_settings: PlaySettings,
    open_until: ExitStack,
    seats: int = 2,
    tell: Tell = untold,
) -> Setup:
    """The setup for games between these bots. Raises errors as `found` and `held` do."""
    named, objects = found(bots, play_settings)
    specs = [str(bot) for bot in bots if not is_local(bot)]
    return held(named, objects, play_settings, seats, specs=specs, tell=tell, open_until=open_until)


def held(
    bots: tuple[Bot, ...],
    objects: Objects,
    play_settings: PlaySettings,
    seats: int = 2,
    *,
    specs: Sequence[str] | None = None,
    tell: Tell = untold,
    open_until: ExitStack,
) -> Setup:
    """The setup for games between these bots. Without a program the games have no isolation.

    ``specs`` are the typed texts of the programs among the bots. The other arguments and the errors
    are those of `judge.contest.setup.Setup.holding`.
    """
    programs = tuple(bot for bot in bots if bot.name not in objects)
    setup = Setup(bots, Conditions(rules=play_settings.rules, limits=play_settings.limits), 1)
    if programs:
        setup = Setup.holding(
            programs, play_settings, seats, specs=specs, tell=tell, open_until=open_until
        )
        if len(programs) == len(bots):
            return setup
    require_seats(play_settings.rules, seats)
    names = [bot.name for bot in bots if bot.name in objects]
    named = [Called(name, name, "give it another __name__") for name in names]
    require_playable(play_settings.rules, programs, named, seats)
    speaking = {bot.name: bot for bot in setup.bots}
    return replace(
        setup,
        bots=tuple(speaking.get(bot.name, bot) for bot in bots),
        jobs=1,
        objects={name: partial(LocalPlayer, bot) for name, bot in objects.items()},
    )
