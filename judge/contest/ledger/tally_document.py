"""Makes the content of ``X.json`` from a tally: the ``ledger`` document. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from judge.contest.formats.units import UnitTally
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import TallyTable
from judge.documents.ledger import (
    Group,
    GroupRow,
    HeldContest,
    LedgerDocument,
    MeetingRow,
    OpenRow,
    PairRow,
    RankedBot,
    VersionRow,
)


def document_of(tally: Tally) -> LedgerDocument:
    """The ``ledger`` document of a tally."""
    table, conditions = tally.table, tally.conditions
    return LedgerDocument(
        seed=tally.seed,
        entries=tally.entries,
        recorded=tally.recorded,
        last=tally.last,
        orders=tuple(tally.orders.given),
        versions={name: tuple(digests) for name, digests in tally.versions.items()},
        description=tally.description,
        contest=_contest(tally),
        rules=conditions.rules if conditions else None,
        limits=conditions.limits if conditions else None,
        games=table.games,
        void=table.void,
        voided=table.voided,
        disqualified=table.disqualified,
        bots=tuple(RankedBot(bot.name, bot.points, bot.version) for bot in table.bots.values()),
        results=tuple(_results(table)),
        pairs=tuple(
            PairRow(*both, pair.won, pair.lost, pair.tied) for both, pair in table.pairs.items()
        ),
        groups=tuple(_groups(table)),
        open_matches=tuple(
            OpenRow(key.one, key.other, *_counts(unit), key.id) for key, unit in table.open.items()
        ),
    )


def _contest(tally: Tally) -> HeldContest | None:
    if (contest := tally.contest) is None:
        return None
    units = (
        MeetingRow(meeting.one, meeting.other, *_counts(unit), meeting.number)
        for meeting, unit in contest.units.items()
    )
    return HeldContest(contest.plan, contest.contest_key, tuple(units))


def _counts(unit: UnitTally) -> tuple[tuple[int, int], int, int, int, int, int]:
    return unit.versions, unit.won, unit.lost, unit.tied, unit.void, unit.forfeits


def _results(table: TallyTable) -> Iterator[VersionRow]:
    numbers = {name: number for number, name in enumerate(table.bots)}
    for version_tally in table.version_tallies:
        yield VersionRow(
            bot=numbers[version_tally.name],
            version=version_tally.version,
            won=version_tally.units.won,
            lost=version_tally.units.lost,
            tied=version_tally.units.tied,
            games_won=version_tally.counts.won,
            games_lost=version_tally.counts.lost,
            games_tied=version_tally.counts.tied,
            won_by_play=version_tally.counts.won_by_play,
            shots_to_win=version_tally.counts.shots_to_win,
            volleys_to_win=version_tally.counts.volleys_to_win,
            streak=version_tally.counts.streak,
            forfeits=dict(sorted(version_tally.counts.forfeits.items())),
        )


def _groups(table: TallyTable) -> Iterator[Group]:
    for key, group in table.groups.items():
        pairs = (
            GroupRow(*both, pair.above, pair.below, pair.level, pair.won, pair.lost)
            for both, pair in group.pairs.items()
        )
        yield Group(key.seats, key.ranked, group.games, tuple(pairs))
