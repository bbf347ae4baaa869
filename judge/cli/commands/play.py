"""judge play: a game of a person against a bot."""

from __future__ import annotations

import getpass
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.interactive.line_input import PlayerLeft
from judge.cli.interactive.person import LinePlayer, Person, on_screen
from judge.cli.ledgers.ledger_option import keeping, require_new, save_record, say_what_has_changed
from judge.cli.options import OWN_LEDGER, option, playing_by_hand
from judge.cli.output import has_full_screen, note, say, width
from judge.cli.reproduction import again
from judge.cli.settings import Settings
from judge.cli.setup import only_game, set_up
from judge.cli.values.files import FILE
from judge.cli.values.games import BOT, NAME, name_of_player
from judge.cli.values.numbers import PAUSE
from judge.contest.ledger.ledger import Ledger, Rated
from judge.contest.schedule import Pairing
from judge.contest.seeds import derive
from judge.contest.setup import Setup
from judge.contest.standings.summary import FightSummary
from judge.contest.threads import asking
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import Interrupted, UsageError
from judge.play.actions import with_fleet
from judge.play.player import Human
from judge.play.referee import play_game
from judge.play.session import wire_for
from judge.play.spoken import Called, require_playable, spoken
from judge.process.bots.bot import Bot
from judge.quoting import word
from judge.show.many_games import points_line
from judge.show.one_game import one_game
from judge.show.text import clean


@click.command(cls=Command, usual=("rules", "first", "rated", "ledger", "seed"))
@click.argument("bot", type=BOT)
@option("--name", "Your name, in the result and the ledger.", type=NAME, show_default="your login")
@option("--rated", "Count the game in the ledger, for you and the bot.", is_flag=True)
@OWN_LEDGER
@option("--save", "Keep the game in this new file.", type=FILE, show_default="kept nowhere")
@option("--delay", "How long a shot of the bot is shown.", type=PAUSE, default="600ms")
@playing_by_hand
def play(
    *, bot: str, name: str | None, rated: bool, save: Path | None, delay: int, settings: Settings
) -> None:
    """Play against BOT yourself.

    You are A, the bot is B. In a terminal, ships are laid and shots aimed with the arrow keys, or
    by the cell's two digits. Elsewhere lines are read: a cell, or all cells of a volley with blanks
    between; random, skip, resign, help, quit. You have no time limit; the bot has the time limit of
    any fight. A game that you leave is not kept; a game that you resign is lost.

    \b
    Examples:
      judge play hunter                      a game against a bundled bot
      judge play hunter --rules xbs --rated  by other rules, and counted
    """
    if save is not None:
        require_new(save)
    seed = settings.drawn_seed()
    pairing = only_game(settings, seed)
    settings = replace(settings, rules=with_fleet(settings.rules, pairing.seed))
    setup = set_up([bot], settings).expecting(1)
    (opponent,) = setup.bots
    names = (_name(name, opponent), opponent.name)
    you = Called(names[0], "you", "--name gives you another name")
    require_playable(settings.rules, setup.bots, [you])
    with keeping(settings.ledger if rated else None, setup) as ledger:
        if isinstance(ledger, Ledger):
            digests = dict(zip(names, (None, opponent.digest), strict=True))
            say_what_has_changed(ledger, digests, settings)
        try:
            record = _played(setup, names, delay, settings, seed, pairing)
        except PlayerLeft:
            note("you have left the game; it is not kept")
            return
        except Interrupted:
            raise Interrupted("interrupted; the game is not kept") from None
        summary = FightSummary(names)
        if isinstance(ledger, Ledger):
            rating = ledger.add(record, numbered=True)
            assert isinstance(rating, Rated), "a game of a person is like no other"
            record = rating.record
            summary.rate(rating.before, rating.after)
        summary.add(record)
    if save is not None:
        save_record(save, lambda: record)
    colour = settings.color.on(sys.stdout)
    points = points_line(summary, str(settings.ledger))
    click.echo(
        one_game(
            record,
            seed=seed,
            again=again(seed),
            points=points,
            colour=colour,
            width=width(),
            verbose=settings.verbose,
        ),
        color=colour,
    )
    if save is not None:
        say(f"The game is kept in {clean(str(save))}; judge replay {word(str(save))} shows it.")


def _name(given: str | None, bot: Bot) -> str:
    """Return the name that was given, or else the login name. Raises `UsageError` if the bot has
    the same name."""
    if given is None:
        try:
            given = name_of_player(getpass.getuser())
        except (OSError, KeyError, ValueError):  # not a known user, or a name that a table refuses
            given = "you"
    if given == bot.name:
        raise UsageError(f"you and the bot are both called {given}; --name gives you another name")
    return given


def _played(
    setup: Setup,
    names: tuple[str, str],
    delay: int,
    settings: Settings,
    seed: int,
    pairing: Pairing,
) -> GameRecord:
    (bot,) = setup.bots
    seed_of_person, colour = derive(seed, "person"), settings.color.on(sys.stdout)
    # A game that is broken off ends once its bot has ended: so its thread outlives the bot.
    with ThreadPoolExecutor(1, "game") as pool, asking(setup.run(), pairing.id) as seated:
        opponent = seated(bot, 1, pairing.bot_seeds[1])

        def game(person: Person) -> GameRecord:
            return play_game(
                setup.conditions,
                [Human(names[0], person.ask), opponent],
                game_id=pairing.id,
                seed=pairing.seed,
                first=pairing.first,
                watch=person.watch,
            )

        if not has_full_screen(sys.stdout):
            wire = _wire_of_typed_fleets(bot, settings.rules)
            return game(
                LinePlayer(names, settings.rules, wire=wire, seed=seed_of_person, colour=colour)
            )
        return on_screen(
            game, pool, names, settings.rules, seed=seed_of_person, delay=delay, colour=colour
        )


def _wire_of_typed_fleets(bot: Bot, rules: Rules) -> str:
    """Return the wire whose replies may be typed as fleets: that of the rules or of the bot."""
    try:
        return wire_for(rules)
    except UsageError:
        return spoken(bot, rules)[0].name
