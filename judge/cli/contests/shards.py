"""--shard: what a shard of a contest refuses."""

from __future__ import annotations

from collections.abc import Sequence

from judge.cli.settings import OutputFormat, Settings
from judge.contest.formats.shard import Shard
from judge.contest.formats.table import FORMATS
from judge.contest.ledger.tally import Tally
from judge.errors import UsageError

_MOST_NAMED = 5  # bots in one sentence


def require_fit_for_shards(settings: Settings, *, has_budget: bool, final: bool) -> None:
    """Raise `UsageError` if an option does not go with --shard."""
    if settings.ledger is None:
        raise UsageError("--shard plays into a ledger, and --no-ledger keeps none: leave one out")
    if has_budget:
        raise UsageError("--for chooses games by results, and a shard knows only its own")
    if final:
        raise UsageError("--final leaves games out, and all shards together must have every game")
    if settings.limits.data_bytes:
        raise UsageError(
            "--learning on: what a player learns depends on all of its games, and a shard has only "
            "some of them"
        )
    if settings.report is OutputFormat.PRINT:
        raise UsageError("--print prints every game of a tournament, and a shard has only some")


def require_shard(
    shard: Shard | None, tally: Tally, format_: str, names: Sequence[str], where: str
) -> None:
    """Raise `UsageError` if a contest of this format has no shards, or the ledger ``where`` it is
    kept holds something else than this shard of a contest of these bots."""
    kept = None if tally.contest is None else tally.contest.plan
    held = None if kept is None else kept.shard
    if held != shard:
        if held is not None:
            raise UsageError(
                f"{where} holds shard {held} of a contest: --shard {held} goes on with it, and "
                "`judge ledger merge` joins all shards"
            )
        if kept is not None or tally.recorded:
            raise UsageError(
                f"{where} holds games already, and a shard needs a ledger of its own: "
                "--ledger OTHER.json"
            )
    if shard is None:
        return
    if FORMATS[format_].is_closed:
        raise UsageError(
            f"--shard is for contests whose games are all known from the start, and in the format "
            f"{format_} results decide who meets"
        )
    if kept is not None and (changed := sorted({*kept.bots} ^ {*names})):
        more = len(changed) - _MOST_NAMED
        raise UsageError(
            f"{where} holds shard {shard} of a contest of {len(kept.bots)} bots, and these are "
            f"others: {', '.join(changed[:_MOST_NAMED])}{f' and {more} more' if more > 0 else ''}; "
            "bring the same bots together, or begin every shard anew: --ledger OTHER.json"
        )
