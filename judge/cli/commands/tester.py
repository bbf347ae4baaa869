"""judge tester: a game whose moves are typed, or made by bots, one by one."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.interactive import fleet_input
from judge.cli.interactive.tester_loop import Tester
from judge.cli.options import option, playing_by_hand
from judge.cli.settings import Settings
from judge.cli.setup import only_game, set_up
from judge.cli.values.games import FLEET, SEATED
from judge.contest.schedule import Pairing
from judge.contest.seeds import derive
from judge.contest.setup import require_seats
from judge.contest.threads import asking
from judge.documents.rules import Fleet, Placing
from judge.errors import UsageError
from judge.game.variants import name_of
from judge.play.actions import with_fleet
from judge.play.conditions import Conditions
from judge.play.player import Human, ShownPlayer
from judge.play.run import Run
from judge.play.session import Session, wire_for
from judge.play.spoken import spoken, unsayable
from judge.process.bots.bot import Bot
from judge.wire.messages import FromPlayer, Question


@click.command(cls=Command, usual=("bot", "rules", "first", "seed", "verbose"))
@click.argument("fleets", metavar="[FLEET [FLEET]]", nargs=-1, type=FLEET)
@option(
    "--bot",
    "Let a bot play this seat; both may be bots.",
    type=SEATED,
    multiple=True,
    show_default="none",
)
@playing_by_hand
def tester(
    fleets: Sequence[Path | None], bot: Sequence[tuple[int, str]], settings: Settings
) -> None:
    """Play both seats by hand, move by move.

    Each FLEET is a JSON file with a fleet as a bot replies it, or the word random. Without them,
    fleets are typed, or drawn if --seed is given. After each move the command shows both boards,
    and what a bot that is up next would be given. With --bot 1=BOT it steps through a bot's moves
    and shows what the bot was given and replied. With bots in both seats, the game is that of judge
    fight with the same seed.

    \b
    Examples:
      judge tester random random           type the moves of both seats
      judge tester --bot 1=mybot --seed 5  step through what your bot is asked
    """
    if len(fleets) > 2:
        raise UsageError("there are two seats, so at most two fleets")
    if fleets and settings.rules.placing is Placing.JUDGE:
        raise UsageError(f"by the rules {name_of(settings.rules)!r} the judge places the fleets")
    require_seats(settings.rules, 2)
    seed = settings.drawn_seed()
    pairing = only_game(settings, seed)
    settings = replace(settings, rules=with_fleet(settings.rules, pairing.seed))
    wire = wire_for(settings.rules)
    bots, run = _bots(bot, len(fleets), settings)
    with _seats(bots, run, pairing) as seats:
        session = Session(run.conditions, seats, seed=pairing.seed, first=pairing.first)
        chosen: list[Fleet | None] = [
            _chosen(path, settings, wire, seed, seat) for seat, path in enumerate(fleets)
        ]
        for seat in range(len(chosen), 2):
            by_luck = settings.seed is not None and seat not in bots
            chosen.append(_chosen(None, settings, wire, seed, seat) if by_luck else None)
        colour = settings.color.on(sys.stdout)
        Tester(
            session,
            set(bots),
            chosen,
            wire,
            seed,
            game_id=pairing.id,
            colour=colour,
            verbose=settings.verbose,
        ).run()


def _bots(
    given: Sequence[tuple[int, str]], fleets: int, settings: Settings
) -> tuple[dict[int, Bot], Run]:
    """Return the bots by their seats, and the run of the game. Without a bot, the run has no
    isolation.

    ``fleets`` is the number of seats for which a fleet was typed.
    """
    specs = dict(given)
    if len(specs) < len(given):
        raise UsageError("--bot: one seat is given two bots; the seats are 0 and 1")
    if not specs:
        if settings.io is not None:
            raise UsageError("--io is about what bots are asked: give --bot too")
        return {}, Run(Conditions(rules=settings.rules, dialect=settings.dialect))
    seats = sorted(specs)
    setup = set_up([specs[seat] for seat in seats], settings).expecting(1)
    for seat, one in zip(seats, setup.bots, strict=True):
        wire, _ = spoken(one, settings.rules, settings.dialect)
        if wire.keeps_state and seat < fleets:
            raise UsageError(
                f"{one.name} speaks {wire.name}, whose players keep account of their own fleets, so "
                f"it places its own: leave the fleet for seat {seat} out"
            )
    return dict(zip(seats, setup.bots, strict=True)), setup.run()


@contextlib.contextmanager
def _seats(
    bots: dict[int, Bot], run: Run, pairing: Pairing
) -> Iterator[list[Callable[[], ShownPlayer]]]:
    """Yield for each seat the function that makes its player. A person has a name that the bots'
    protocols can express."""
    rules = run.conditions.rules
    speakers = {bot.name: spoken(bot, rules)[0] for bot in bots.values()}
    blank = "_" if unsayable(["player 0"], speakers) else " "
    with asking(run, pairing.id) as seated:
        yield [
            partial(seated, bots[seat], seat, pairing.bot_seeds[seat])
            if seat in bots
            else partial(Human, f"player{blank}{seat}", _never)
            for seat in (0, 1)
        ]


def _never(_: Question) -> FromPlayer:
    raise AssertionError("a person's answers are typed, not asked for")


def _chosen(path: Path | None, settings: Settings, wire: str, seed: int, seat: int) -> Fleet:
    """Return the fleet in a file, or draw one if there is no path."""
    if path is None:
        return fleet_input.drawn(settings.rules, derive(seed, "fleet", seat))
    return fleet_input.from_file(path, settings.rules, wire)
