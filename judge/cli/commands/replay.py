"""judge replay: a game to step through in the terminal, or printed elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from judge.cli.atomic_write import save
from judge.cli.configuration import Command
from judge.cli.failing_moves import rerun, rerun_options
from judge.cli.ledgers.game_source import GameSource, the_games
from judge.cli.ledgers.which_ledger import GAME, is_kept
from judge.cli.options import (
    COLORED,
    ISOLATION,
    JSON,
    LEDGER_FILE,
    MEMORY_LIMIT,
    OUTPUT_LIMIT,
    PYTHON,
    TIMEOUT,
    VERBOSE,
    choose_one,
    option,
)
from judge.cli.output import has_full_screen, note, print_json, say, width
from judge.cli.reproduction import with_options
from judge.cli.values.files import FILE
from judge.cli.values.games import BOT, MOVE, SEAT, WHICH
from judge.cli.values.numbers import DURATION, count
from judge.cli.values.value import Choice
from judge.documents.game import GameRecord
from judge.errors import UsageError
from judge.game.variants import undrawn
from judge.logs.contest.chosen import chosen, kind
from judge.logs.contest.model import ContestLog
from judge.logs.contest.writers import ContestFormat
from judge.logs.formats import FORMATS
from judge.play.recorded_move import forfeiting
from judge.process.bots.specs import bundled_folders
from judge.show.one_game import rerun_lines
from judge.show.replay import Replay, whole

PLAYTHROUGH_MS = 300  # milliseconds of a step, if several games play by themselves
_PLACEHOLDER = "BOT"  # stands in a command for a bot whose files a record does not name


@click.command(cls=Command, usual=("move", "fog", "html", "delay", "ledger"))
@click.argument("source", metavar="[GAME]", type=GAME, required=False)
@LEDGER_FILE
@option(
    "--game",
    "The game of this number in a log, or in the match that a ledger's game is of.",
    type=count(1),
    show_default="the last",
)
@option(
    "--which",
    "These games of a log, or of the match that a ledger's game is of.",
    type=WHICH,
    show_default="the last; with --html all of a log's",
)
@option(
    "--step",
    "Step through several games by keys, where they play by themselves otherwise; with --json: "
    "print the actions of each player as the contest's programs have them.",
    is_flag=True,
)
@option(
    "--game-log-format",
    "In which form --step --json prints the actions: as the contest is described, or as its first "
    "program has it.",
    type=Choice(["contest-text", "contest-1"]),
    default="contest-text",
)
@option(
    "--fog",
    "Show only what this seat knew: A, the first bot named, or B.",
    type=SEAT,
    show_default="off: the truth",
)
@option(
    "--delay",
    "Play by itself, a step each such time.",
    type=DURATION,
    show_default="off: step by keys",
)
@option(
    "--move",
    "Run this move of its bot again and compare. N is its number here and on the page: a volley "
    "is one move. A or B: that seat's placing; 12A: where all shoot at once, the move of A.",
    type=MOVE,
)
@option("--html", "Write the game, or the match, as a page; - prints it.", type=FILE)
@option("--bot", "The bot for --move, unless it is bundled.", type=BOT)
@PYTHON
@ISOLATION
@TIMEOUT
@MEMORY_LIMIT
@OUTPUT_LIMIT
@JSON
@VERBOSE
@COLORED
def replay(
    *,
    source: str | None,
    ledger: Path | None,
    game: int | None,
    which: str | None,
    step: bool,
    game_log_format: str,
    fog: int | None,
    delay: int | None,
    move: tuple[int | None, int | None] | None,
    html: Path | None,
    json: bool,
    verbose: bool,
    color: bool,
    **held: Any,
) -> None:
    """Step through GAME.

    GAME is a game record's file, a page, a log of broadsides or of the contest, a ledger (its last
    game), or LEDGER#N; by default the last game of the ledger. Without a terminal the whole game is
    printed. The log of a contest shows its leaderboards and matches, unless --game, --which, --step,
    --move, --json or --html is given; on a terminal the match to step through is then asked for.

    \b
    Examples:
      judge replay --html game.html  the last game, as a page
      judge replay '#12' --move 7    game 12: run its seventh move again
    """
    choose_one(html=html, json=json, move=move)
    choose_one(html=html, move=move, step=step)
    choose_one(game=game, which=which)
    games = the_games(source, ledger)
    looks_at_games = which is not None or game is not None or move is not None
    if games.contest is not None and not (looks_at_games or json or html or step):
        game = _match_of_contest(games, games.contest)
        if game is None:
            return
    if html is not None and game is None and (chosen_games := _of_match(games, which)):
        from judge.show.pages.match_page import match_page

        save(match_page(chosen_games, seconds=_seconds(games)), html)
        return
    games, numbers = _chosen(games, game, which)
    if step and json:
        click.echo(_actions([games.game(number) for number in numbers], game_log_format), nl=False)
        return
    if json or html is not None or move is not None:
        record = _only(games, numbers)
    if json:
        print_json(record)
        return
    if html is not None:
        from judge.show.pages.page import page

        save(page(record), html)
        return
    if move is not None:
        from judge.cli.move_rerun import again, move_of
        from judge.show.move_rerun import text

        one = move_of(record, *move)
        rerun = again(record, one, **held)
        shown = text(record, one, rerun, colour=color, width=width(), verbose=verbose)
        click.echo(shown, color=color)
        return

    def replayed(place: int) -> Replay:
        number = numbers[place]
        return Replay.of(games.game(number), games.standing(number))

    seats = len(replayed(0).names)
    if fog is not None and fog >= seats:
        raise UsageError(f"--fog: only {seats} played this game")
    if has_full_screen(sys.stdout):
        from judge.screen.hosting import Hosting
        from judge.screen.replay import ReplayApp

        plays = delay if step or delay or len(numbers) == 1 else PLAYTHROUGH_MS
        app = ReplayApp(replayed, len(numbers), seat=fog, delay=plays, colour=color)
        with Hosting(app) as hosting:
            hosting.until_left()
        return
    for place in range(len(numbers)):
        shown = whole(replayed(place), seat=fog, colour=color, width=width(), verbose=verbose)
        click.echo("\n\n" * (place > 0) + shown, color=color)
    if len(numbers) == 1:
        _print_commands_again(games, replayed(0))


def _match_of_contest(games: GameSource, contest: ContestLog) -> int | None:
    """Print the leaderboards and the matches of a contest's log. On a full screen, ask for the
    match to step through, and return its number. Otherwise, or without any match, return None."""
    from judge.show.contest_log import leaderboards, match_lines

    click.echo(leaderboards(contest))
    if not len(games):
        return None
    click.echo("\n".join(["", *match_lines(contest)]))
    if not has_full_screen(sys.stdout):
        note(f"--game N, from 1 to {len(games):,}, shows the last game of a match")
        return None
    from judge.cli.interactive.questions import Answers, MenuQuestion, answer

    said = answer(
        MenuQuestion(
            "\nMatch to step through", lambda _: str(len(games)), reads=count(1, len(games)).read
        ),
        Answers(),
    )
    assert said is not None, "it has a default"
    return int(said)


def _print_commands_again(games: GameSource, replayed: Replay) -> None:
    """Print the commands that run again the moves with which bots forfeited a game."""
    record, commands, specs = replayed.record, list[str](), list[str]()
    for seat, move in forfeiting(record, replayed.steps):
        name = record.seats[seat].name.partition("#")[0]
        spec = name if name in bundled_folders() else _PLACEHOLDER
        specs.append(spec)
        if is_kept(games.path) and record.number is not None:
            # The last game may be another by then.
            commands.append(rerun(f"{games.path}#{record.number}", move, spec))
        else:
            commands.append(with_options(*rerun_options(move, spec)))
    for said in rerun_lines(commands, len(commands)):
        click.echo(said)
    if _PLACEHOLDER in specs:
        say(f"Give the bot's file or folder in the place of {_PLACEHOLDER}.")


def _of_match(games: GameSource, which: str | None) -> Sequence[GameRecord]:
    """Return the games of a match that one page shows, or no games if there are fewer than two."""
    if which is None and len(games) == 1:
        return ()  # a game of a ledger, or a log of one
    records = games.of_match()
    if which is not None and records:
        of_all = GameSource(games.path, records)
        wanted = _selected(of_all, which)
        records = [records[number - 1] for number in wanted]
    return records if len(records) > 1 else ()


def _seconds(games: GameSource) -> float | None:
    standing = games.standing(len(games))
    return None if standing is None else standing.seconds


def _chosen(games: GameSource, game: int | None, which: str | None) -> tuple[GameSource, list[int]]:
    """Return the games to choose from, and the numbers of those that are shown. Without --game and
    --which, the last game is shown.

    Raises `UsageError` if --game or --which is given for a game of a ledger that belongs to no
    match, if --which is given and there is no game, or if there is no game with the number of
    --game. Raises `RecordError` if a game that is read breaks its rules.
    """
    if which is None and game is None:
        return games, [len(games)]
    if games.is_ledger and not games.of_match():
        option = "--which" if game is None else "--game"
        number = games.game(len(games)).number if game is None else game
        raise UsageError(
            f"{option} is for a log or a match, and the game in {games.path} is of none: "
            f"{games.path}#{number} names game {number} of the ledger"
        )
    games = games.match()
    if which is not None:
        if not len(games):
            raise UsageError(f"{games.path} holds no game")
        return games, _selected(games, which)
    assert game is not None, "one of the two is given"
    games.game(game)
    return games, [game]


def _selected(games: GameSource, which: str) -> list[int]:
    """Return the numbers of the games that ``which`` chooses, in order."""
    return chosen(which, len(games), lambda number: kind(games.game(number)))


def _only(games: GameSource, numbers: list[int]) -> GameRecord:
    if len(numbers) > 1:
        raise UsageError(f"--which names {len(numbers):,} games here; --game N names one")
    return games.game(numbers[0])


def _actions(records: list[GameRecord], form_name: str) -> str:
    """Return both players' actions in these games, as the JSON text of --step --json."""
    form = FORMATS[form_name]
    assert isinstance(form, ContestFormat), "it is one of the contest's"
    for record in records:
        if reason := form.unsupported(undrawn(record.rules), len(record.seats)):
            raise UsageError(f"--step --json: the contest has no words for this game: {reason}")
    return form.step_through(records)
