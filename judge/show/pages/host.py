"""The pages of a hosted ladder: the table, bots, forms, and the page of an entrant.

Pure but for reading templates. The pages work without a script. `public` takes the secrets of bots
out of a record, and `of_entrant` takes out all but the entrant's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from judge.contest.standings.standings import Standings
from judge.contest.standings.time_series import Curve
from judge.documents.game import Evidence, GameRecord
from judge.documents.host import Entrant, Upload
from judge.documents.ledger import GameResult, VersionTally
from judge.documents.standings import Row
from judge.show.pages import chart, html
from judge.show.standings import about_bot, columns, total
from judge.show.text import clean

COLUMNS = ("#", "Bot", "Elo ± 95%", "May be rank", "Points", "Games", "Win rate", "Forfeits")
"""The headings of the columns in the front page's table, in their order."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The data for every page of a ladder: its title, the organiser's text ``about`` it in
    Markdown, and whether anybody may register."""

    title: str
    about: str = ""
    is_open: bool = False


class ListedGame(NamedTuple):
    """A game in a list, by its number in the ledger. ``has_page`` returns whether a reader may open
    its page."""

    number: int
    result: GameResult
    counts: bool
    has_page: Callable[[], bool]


def front_page(
    ladder: Ladder,
    standings: Standings,
    rows: Sequence[Row],
    *,
    by: str,
    curves: Sequence[tuple[str, Curve]],
    recorded: int,
    first: int,
    playing: Sequence[str],
    latest: Sequence[ListedGame],
) -> str:
    """The front page: the table of these ``rows`` sorted ``by`` Elo or points, the Elo ``curves``
    of the last day, the games ``playing`` now, and the ``latest`` games that are over. The day
    began with the game ``first``. ``recorded`` is the number of games in the ledger."""
    key = {"elo": lambda row: (-row.elo, row.name), "points": lambda row: (row.rank, row.name)}[by]
    ordered = sorted(rows, key=key)
    named = {column.page_heading: column for column in columns(standings)}
    return _render(
        "host_front.html",
        ladder,
        ladder.title,
        about=html.rendered(ladder.about),
        total=total(standings),
        rows=ordered,
        columns=[named[heading] for heading in COLUMNS if heading in named],
        by=by,
        day=chart.chart(curves, recorded, first=first, signed=True),
        chart=chart,
        playing=playing,
        games=latest,
    )


def bot_page(
    ladder: Ladder,
    row: Row,
    versions: Sequence[VersionTally],
    field: int,
    games: Sequence[ListedGame],
) -> str:
    """The page of a bot: its ``row`` of the table, the results of each of its ``versions``, and its
    latest games. ``field`` is the number of bots in the table."""
    return _render(
        "host_bot.html", ladder, row.name, row=row, versions=versions, field=field, games=games
    )


def author_page(
    ladder: Ladder,
    entrant: Entrant,
    *,
    row: Row | None,
    field: int,
    why_idle: str = "",
    uploads: Sequence[Upload],
    lost: Sequence[ListedGame],
    stderr: Sequence[int],
    is_new: bool = False,
    most_bytes: int,
) -> str:
    """The page that only an entrant may see: whether the bot is approved, its row of the table, its
    uploads, and the games that it ``lost``. ``why_idle`` is the reason why the bot plays no more,
    or empty. ``stderr`` has the numbers of the games whose stderr is kept. ``is_new`` is whether an
    upload has just come."""
    return _render(
        "host_author.html",
        ladder,
        entrant.name,
        has_forms=True,
        name=entrant.name,
        is_approved=entrant.approved,
        row=row,
        field=field,
        why_idle=why_idle,
        uploads=uploads,
        reports={upload.number: html.lines(upload.report) for upload in uploads},
        games=lost,
        stderr=stderr,
        is_new=is_new,
        most_bytes=most_bytes,
    )


def form_page(
    ladder: Ladder, heading: str, text: str = "", *, form: str = "", value: str = ""
) -> str:
    """A page with a ``text``. ``form`` adds a form: to ``enter`` with a token, to ``confirm`` the
    token of a link, or to ``register`` a name. ``value`` is the content of the form's field. If
    ``form`` is ``token``, the page has no field, and shows a new entrant its token, the
    ``value``."""
    return _render(
        "host_form.html",
        ladder,
        heading,
        has_forms=True,
        heading=heading,
        text=text,
        form=form,
        value=value,
    )


def _render(
    template: str, ladder: Ladder, title: str, *, has_forms: bool = False, **more: Any
) -> str:
    return html.render(
        template,
        html.LEDGER,
        title=clean(title),
        root="/",
        has_forms=has_forms,
        ladder=ladder,
        about_bot=about_bot,
        **more,
    )


def public(record: GameRecord) -> GameRecord:
    """A record without the secrets of a bot's author, such as evidence, sentences on faults, seeds
    and digests."""
    return _without(record, evidence=(), own=())


def of_entrant(record: GameRecord, name: str) -> GameRecord:
    """A record as the entrant of that name may see it: as `public`, but with the bot's seat and
    evidence."""
    own = {seat for seat, one in enumerate(record.seats) if one.name == name}
    return _without(record, [evidence for evidence in record.evidence if evidence.seat in own], own)


def _without(record: GameRecord, evidence: Iterable[Evidence], own: Collection[int]) -> GameRecord:
    outcome = record.outcome
    failed = {evidence.seat for evidence in record.evidence}
    return replace(
        record,
        seed=None,
        host=None,
        enforcement=(),
        seats=tuple(
            seat
            if number in own
            else replace(
                seat, digest=None, data_digest=None, author="", own_name=UNSET, launch=None, seed=0
            )
            for number, seat in enumerate(record.seats)
        ),
        incidents=tuple(
            incident if incident.seat in own else replace(incident, detail="")
            for incident in record.incidents
        ),
        outcome=replace(
            outcome,
            detail=outcome.detail if failed and failed <= {*own} else "",
            evidence=tuple(evidence) or None,
        ),
    )
