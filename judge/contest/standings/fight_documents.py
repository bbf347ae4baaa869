"""Makes the documents of a fight, `fight` and the `fight-event` lines of ``--jsonl``, and the words
for games that the judge could not play. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from msgspec import structs

from judge.contest.ledger.ledger import Repeated
from judge.contest.seeds import spelled
from judge.contest.standings.summary import FightSummary, mean
from judge.contest.window import Fault
from judge.documents.codec import builtins
from judge.documents.fight import (
    Fight,
    FightBot,
    FightElo,
    FightGame,
    FightScore,
    FightStart,
    FightTotals,
    RepeatedGame,
    SequentialTest,
)
from judge.documents.game import GameRecord, Termination
from judge.documents.reports import Failed, Launch, Level, Unplayed
from judge.errors import JudgeFault, shortage, with_mend
from judge.play.conditions import Conditions
from judge.stats.sprt import Sprt


def totals_of(
    summary: FightSummary,
    *,
    seed: int | None = None,
    faults: Iterable[Fault] = (),
    repeats: Iterable[Repeated] = (),
    sprt: Sprt | None = None,
) -> FightTotals:
    """The fields of a ``fight`` document except the records. ``seed`` is the seed of the whole
    fight."""
    elo = summary.elo()
    return FightTotals(
        seed=None if seed is None else spelled(seed),
        games=summary.games,
        void=summary.void,
        pairs=tuple(summary.pairs) if summary.is_duel else None,
        first_mover_wins=summary.first_mover_wins,
        bots=tuple(_bot(summary, number) for number in range(len(summary.bots))),
        elo=FightElo(elo.difference, elo.interval_95, elo.los) if elo else None,
        sprt=_sprt(sprt, summary.pairs) if sprt else None,
        faults=unplayed(faults),
        repeats=tuple(map(_repeat, repeats)),
    )


def fight(totals: FightTotals, records: Iterable[GameRecord]) -> Fight:
    """The ``fight`` document."""
    return Fight(**structs.asdict(totals), records=tuple(map(builtins, records)))


def start_event(
    names: Sequence[str], *, games: int | None, seed: int, conditions: Conditions
) -> FightStart:
    """The first line of ``--jsonl``. ``games`` is the most games to be played, or None."""
    return FightStart(bots=tuple(names), games=games, seed=spelled(seed), **under(conditions))


def game_event(
    summary: FightSummary, record: GameRecord, repeated: Repeated | None = None
) -> FightGame:
    """A line of ``--jsonl`` for a game that has been played, with the score after it. ``repeated``
    is given if the game counts in the ledger already."""
    score = FightScore(
        games=summary.games,
        void=summary.void,
        wins=tuple(bot.counts.won for bot in summary.bots),
        ties=summary.ties,
    )
    again = None if repeated is None else _repeat(repeated)
    return FightGame(record=builtins(record), repeats=again, score=score)


def fault_event(fault: Fault) -> Failed:
    """A line of ``--jsonl`` for a game that the judge could not play."""
    return Failed(id=fault.pairing.id, message=fault_message(fault))


def under(conditions: Conditions) -> dict[str, Any]:
    """The fields of a document for the conditions of all games."""
    return {
        "rules": conditions.rules,
        "dialect": conditions.dialect,
        "launch": Launch(conditions.launch),
        "isolation": Level(conditions.isolation.name),
        "limits": conditions.limits,
    }


def fault_message(fault: Fault) -> str:
    """A sentence on why the judge could not play a game: the error's own sentence, one on a
    shortage of memory or threads, or one that names the owner of the bug."""
    match fault.error:
        case JudgeFault() as error:
            return with_mend(str(error))
        case OSError(strerror=str(reason), filename=file):
            return with_mend(reason if file is None else f"{file}: {reason}")
        case error if short := shortage(error):
            return short
        case error:
            return f"a bug in {fault.whose}: {type(error).__name__}: {error}"


def played_records(result: Sequence[GameRecord] | Fault) -> Sequence[GameRecord]:
    """The records of a result; raises `JudgeFault` if the judge could not play the game."""
    if isinstance(result, Fault):
        raise JudgeFault(fault_note(result, "game"))
    return result


def fault_note(fault: Fault, what: str) -> str:
    """A fault in words; ``what`` is the word "game" or "board"."""
    return f"{what} {fault.pairing.id} could not be played: {fault_message(fault)}"


def unplayed(faults: Iterable[Fault]) -> tuple[Unplayed, ...]:
    """The entries of a document for the games or boards that the judge could not play."""
    return tuple(Unplayed(id=fault.pairing.id, message=fault_message(fault)) for fault in faults)


def _repeat(repeated: Repeated) -> RepeatedGame:
    return RepeatedGame(repeated.id, repeated.number, repeated.difference)


def _bot(summary: FightSummary, number: int) -> FightBot:
    bot = summary.bots[number]
    return FightBot(
        name=bot.name,
        wins=bot.counts.won,
        losses=bot.counts.lost,
        ties=bot.counts.tied,
        forfeits={
            cause: count for cause in Termination if (count := bot.counts.forfeits.get(cause))
        },
        win_rate=summary.win_rate(number),
        win_rate_95=summary.win_rate_95(number),
        shots_mean=mean(bot.shots, summary.counted),
        misses_mean=mean(bot.misses, summary.counted),
        shots_to_win_mean=bot.counts.shots_to_win_mean,
        volleys_mean=mean(bot.volleys, summary.counted),
        volleys_to_win_mean=bot.counts.volleys_to_win_mean,
        ms=bot.times.document(),
        points_before=bot.points_before,
        points_after=bot.points_after,
    )


def _sprt(sprt: Sprt, pairs: Sequence[int]) -> SequentialTest:
    return SequentialTest(
        **asdict(sprt),
        llr=sprt.llr(pairs),
        bounds=sprt.bounds,
        verdict=sprt.verdict(pairs).value,
    )
