"""judge site: writes a folder of pages for a whole ledger."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import replace

from judge.cli import site_folder as folders
from judge.cli.configuration import Command
from judge.cli.contests.worker_processes import processes
from judge.cli.ledgers.ledger_option import the_ledger
from judge.cli.ledgers.which_ledger import require_there
from judge.cli.options import BY, LEDGER_FILE, QUIET, jobs, option
from judge.cli.output import bar, note, say
from judge.cli.site_folder import Folder, Pages
from judge.cli.values.files import ABOUT, FILE
from judge.cli.values.games import CONTEST_TITLE
from judge.contest.futures import in_order
from judge.contest.ledger.entries import record_from
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import Tally
from judge.contest.standings.history import History, PastGame
from judge.contest.standings.standings import RankedBy, Standings
from judge.contest.standings.standings import standings as standings_of
from judge.documents.ledger import Description
from judge.errors import Interrupted, RecordError, UsageError
from judge.quoting import line, word
from judge.show.pages import html
from judge.show.pages import site as pages
from judge.show.pages.match_page import MatchSeen, match_page
from judge.show.pages.page import Around, page
from judge.show.standings import total
from judge.show.text import clean, many
from judge.signals import looking

ALONE = 50  # pages that are written before worker processes are worth their start
BATCH = 10  # pages that a worker process gets at a time
TOLD = 5  # most games that cannot be shown and are named one by one


@click.command(cls=Command)
@click.argument("words", metavar="FOLDER", type=FILE, nargs=-1, required=True)
@LEDGER_FILE
@option(
    "--title",
    'The title of the contest, on its pages; "" for none. The ledger keeps it.',
    type=CONTEST_TITLE,
    show_default="the one before",
)
@option(
    "--about",
    "A text on the contest in Markdown, for its pages; an empty file for none. The ledger keeps it.",
    type=ABOUT,
    show_default="the one before",
)
@BY
@jobs("How many pages are written at once.")
@QUIET
@click.pass_context
def site(
    ctx: click.Context,
    words: Sequence[Path],
    ledger: Path | None,
    title: str | None,
    about: str | None,
    by: RankedBy,
    jobs: int,
    quiet: bool,
) -> None:
    """Write a ledger as pages into FOLDER: the standings, every bot and every game.

    Open FOLDER/index.html, or have any file server serve the folder. Another run replaces all pages
    there. A FOLDER that holds anything else is left alone.

    \b
    Examples:
      judge site public                 the pages of the only ledger here
      judge site public --title Spring  the same under a title
    """
    folder = _folder(words)
    path = the_ledger(ledger)
    require_there(path)
    read(path)  # checked before a folder is made
    if title is not None or about is not None:
        _describe(path, title, about)
    contest = read(path).description.title
    history = History(path, curves=True)
    with folders.opened(folder, history.origin) as new:
        try:
            past_games = [past_game for past_game, _ in history]
            games = _Games(new, contest, jobs, past_games)
            counted = _write_tables(new, path.name, history, past_games, games.matches.seen, by)
            games.write(history.fold, {row.name for row in counted.rows}, quiet=quiet)
        except Interrupted:
            left = "the next run writes all" if new.is_first else "the site is as it was before"
            raise Interrupted(f"interrupted after {many(new.written, 'page')}; {left}") from None
    _say(games.faults, path, quiet=quiet)
    index = clean(str(folder / "index.html"))
    say(f"{index}: {total(counted)}; {many(new.written, 'page')} written.")
    if games.faults:
        ctx.exit(1)


def _folder(words: Sequence[Path]) -> Path:
    """Return the folder that is named. Raises `UsageError` if a ledger or several folders stand
    among the words."""
    ledgers = [one for one in words if one.suffix == ".json" and not one.is_dir()]
    folders = [one for one in words if one not in ledgers]
    if ledgers:
        to = line(["judge", "site", str(folders[0]) if folders else "FOLDER"])
        raise UsageError(
            f"{ledgers[0]} is not a folder to write pages into; a ledger is named by --ledger: "
            f"`{to} --ledger {word(str(ledgers[0]))}`"
        )
    if len(folders) > 1:
        raise UsageError(f"{' '.join(map(str, folders))}: name one folder to write pages into")
    return folders[0]


def _describe(path: Path, title: str | None, about: str | None) -> None:
    """Write the title and the text of the contest to the ledger, if they have changed."""
    said = {"title": title, "about": about}
    changes = {name: text for name, text in said.items() if text is not None}

    def entry(tally: Tally) -> Description | None:
        new = replace(tally.description, **changes)
        return None if new == tally.description else new

    with Ledger(path) as ledger:
        ledger.order(entry)
        for notice in ledger.notices:
            note(notice)


# The games


class PageTask(NamedTuple):
    """The page of a game, which has to be written. ``around`` has what stands around the game on
    its page, such as the links to other pages."""

    number: int
    record: bytes
    around: Around
    contest: str


class _Games:
    """Writes the pages of games, the newest first. Worker processes write them if there are many.

    ``faults`` has what is wrong with each record that cannot be shown, by the number of its game.
    """

    def __init__(
        self, folder: Folder, contest: str, jobs: int, past_games: Sequence[PastGame]
    ) -> None:
        """``contest`` is the title of the contest, and ``past_games`` are all of its games."""
        self.faults: dict[int, str] = {}
        self.matches = _Matches(past_games)
        self._chapters = past_games
        self._folder = folder
        self._contest = contest
        self._jobs = jobs

    def write(self, fold: Fold, paged: Collection[str], *, quiet: bool) -> None:
        """Write the pages of all games, which ``fold`` finds. ``paged`` are the names of the bots
        that have pages."""
        tasks = (self._task(fold, past_game, paged) for past_game in looking(self._chapters[::-1]))
        few = max(0, ALONE - self._folder.written) if self._jobs > 1 else len(self._chapters)
        with contextlib.ExitStack() as stack:
            done = stack.enter_context(bar(len(self._chapters), "writing pages", quiet=quiet))
            write = partial(_write_game, self._folder.pages)
            self._take_down(in_order(write, islice(tasks, few)), done)
            if few < len(self._chapters):
                pool = stack.enter_context(processes(self._jobs))
                written = in_order(write, tasks, pool, size=BATCH, window=2 * self._jobs)
                self._take_down(written, done)

    def _task(self, fold: Fold, past_game: PastGame, paged: Collection[str]) -> PageTask:
        """Return the task of a game's page. If the game's record is the last that its match was
        missing, write the page of the match."""
        number = past_game.number
        record = bytes(fold.game(number).record)
        self.matches.take(number, record, self._folder, self._contest)
        around = Around(
            voided=past_game.voided,
            match=self.matches.page_of(number),
            before=number - 1 or None,
            after=number + 1 if number < len(self._chapters) else None,
            bots=tuple(
                f"bots/{pages.file_name(name)}" if name in paged else None
                for name in past_game.game.names
            ),
        )
        return PageTask(number, record, around, self._contest)

    def _take_down(
        self, written: Iterable[tuple[PageTask, str | None]], done: Callable[[int], None]
    ) -> None:
        for task, fault in written:
            self._folder.written += 1
            done(1)
            if fault is not None:
                self.faults[task.number] = fault


def _write_game(folder: Pages, task: PageTask) -> str | None:
    """Write the page of a game. Return what is wrong with its record, or None."""
    fault, around, contest = None, task.around, task.contest
    try:
        text = page(record_from(task.record), root="../", contest=contest, around=around)
    except RecordError as error:
        fault = str(error)
        title = f"Game #{task.number} cannot be shown"
        text = html.damaged(title, fault, root="../", contest=contest, around=around)
    folder.put(f"games/{task.number}.html", text)
    return fault


# The matches


_Key = tuple[str, int, tuple[str, ...], tuple[int, ...]]


@dataclass(slots=True)
class _Match:
    """The games of a match. ``records`` has the records taken so far, by the numbers of their
    games."""

    chapters: list[PastGame] = field(default_factory=list)
    records: dict[int, bytes] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return f"matches/{self.chapters[0].number}.html"


class _Matches:
    """The matches of a ledger. The page of a match is ``matches/N.html``, where N is the number of
    its first game. ``seen`` has the finished matches in the order of their ends, and then the
    others."""

    def __init__(self, past_games: Iterable[PastGame]) -> None:
        """``past_games`` are all games of the ledger. A game that an order takes out of the count
        belongs to no match."""
        matches: list[_Match] = []
        going: dict[_Key, _Match] = {}
        self._of: dict[int, _Match] = {}
        for past_game in past_games:
            game = past_game.game
            if game.match is None or past_game.voided is not None:
                continue
            key = game.match.id, game.match.games, game.names, past_game.versions
            match = self._of[past_game.number] = going.setdefault(key, _Match())
            match.chapters.append(past_game)
            if len(match.chapters) == game.match.games or game.forfeits:
                matches.append(going.pop(key))
        self.seen = [
            MatchSeen.of(one.chapters[0].number, [past_game.game for past_game in one.chapters])
            for one in [*matches, *going.values()]
        ]

    def page_of(self, number: int) -> str | None:
        """Return the page of the match to which a game belongs, or None if it belongs to none."""
        match = self._of.get(number)
        return None if match is None else match.name

    def take(self, number: int, record: bytes, folder: Folder, contest: str) -> None:
        """Take the record of a game. If it was the last missing record of its match, write the page
        of the match. ``contest`` is the title of the contest."""
        if (match := self._of.get(number)) is None:
            return
        match.records[number] = record
        if len(match.records) == len(match.chapters):
            folder.put(match.name, _match_page(match, contest))
            match.records.clear()


def _match_page(match: _Match, contest: str) -> str:
    links = {
        place: f"../games/{past_game.number}.html" for place, past_game in enumerate(match.chapters)
    }
    try:
        records = [record_from(match.records[past_game.number]) for past_game in match.chapters]
        return match_page(records, root="../", links=links, contest=contest)
    except RecordError as error:
        title = "This match cannot be shown"
        return html.damaged(title, str(error), root="../", contest=contest)


# All else


def _write_tables(
    folder: Folder,
    name: str,
    history: History,
    past_games: Sequence[PastGame],
    matches: Sequence[MatchSeen],
    by: RankedBy,
) -> Standings:
    """Write the page of the standings, the pages of the bots, and the style sheets and scripts of
    all pages. Returns the standings."""
    standings = standings_of(history.tally, by=by)
    ledger = pages.LedgerPages.of(name, standings, history)
    for kind in (False, True)[: 2 if matches else 1]:
        for shared, text in html.shared_files(of_matches=kind).items():
            folder.put(shared, text)
    folder.put("index.html", pages.standings_page(ledger, past_games, linked=True, matches=matches))
    games: dict[str, list[PastGame]] = {row.name: [] for row in standings.rows}
    for past_game in past_games:
        for bot in past_game.game.names:
            if bot in games:
                games[bot].append(past_game)
    for place, row in enumerate(standings.rows):
        for file, text in pages.bot_pages(ledger, place, games[row.name]):
            folder.put(f"bots/{file}", text)
    return standings


def _say(faults: dict[int, str], ledger: Path, *, quiet: bool) -> None:
    """Note the first games that cannot be shown, with the reason, and how many more there are."""
    if not quiet:
        for number, fault in list(faults.items())[:TOLD]:
            note(f"game #{number} cannot be shown: {fault}")
        if len(faults) > TOLD:
            more = many(len(faults) - TOLD, "game")
            note(f"nor can {more} more; judge ledger verify {word(str(ledger))} tells of all")
