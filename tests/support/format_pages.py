"""Standings of a contest of a format, played by luck, and their page."""

from __future__ import annotations

import random

from msgspec import structs

from changes import replace
from games import ATTACK, played, void
from judge.contest.formats.registry import FORMATS, Progress
from judge.contest.games import places_of
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import entry_of
from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import Standings, standings
from judge.contest.standings.time_series import TimeSeries
from judge.documents.ledger import Contest, Plan
from judge.show.pages.site import LedgerPages, standings_page

NAMES = ("ada", f"{ATTACK}\u202eevil", "שלום 🚢 مرحبا", "x" * 120, "__proto__")
CALLED = "brainjar:abcdefghijkl"


def contest(
    format_: str,
    *,
    share: float = 1.0,
    names: tuple[str, ...] = NAMES,
    most: int = 40,
    is_tied: bool = False,
) -> Standings:
    """The standings of a contest that has played that share of ``most`` games, by luck; if it
    ``is_tied``, no bot wins any, for both forfeit."""
    plan = Plan(
        format=format_,
        bots=names if FORMATS[format_].is_closed else (),
        units=2,
        rounds=3,
        lives=3 if format_ == "lives" else 0,
        bot=names[0] if format_ == "gauntlet" else None,
    )
    tally, luck = Tally(), random.Random(3)
    tally.enter(Contest(seed="7", contest_key=CALLED, plan=plan))
    playing = structs.replace(plan, bots=names)
    number = 0
    while number < most * share:
        assert tally.results is not None
        progress = Progress(playing, tally.results)
        if progress.is_over:
            break
        meeting = next(progress.missing)
        bots = f"{meeting.one}:{meeting.other}" if ":" not in meeting.one + meeting.other else "a:b"
        (place,) = places_of(meeting, bots, CALLED, playing, both=False)
        number += 1
        seated = (meeting.one, meeting.other)[:: luck.choice((1, -1))]
        record = (void if is_tied else played)(seed=number, names=seated)
        game_id = f"{bots}:{CALLED}:{place.round}.{place.first + 1}"
        entry = entry_of(replace(record, id=game_id))
        tally.enter(entry, ConditionSet.of(record))
    return standings(tally)


def page_of(found: Standings) -> str:
    return standings_page(
        LedgerPages("cup.json", found, None, TimeSeries(found.document.games)),
        [],
        linked=False,
    )
