"""The text of a comparison of a bot's new version with its old one: a verdict and its reasons."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.comparison import Compared, ComparisonReport
from judge.show.text import WIDTH, Style, clean, many, painted, wrap


def text(
    found: ComparisonReport,
    *,
    again: str,
    checks: Sequence[str],
    colour: bool = False,
    width: int = WIDTH,
) -> str:
    """The verdict, the results on boards and in games, the seed, and the command ``again``, which
    repeats the comparison. ``checks`` has the command that checks each version."""
    lines = painted(verdict(found), Style.BOLD, colour, width)
    for grounds in (_shots(found), _games(found)):
        lines += wrap(grounds, width=width)
    for one, check in zip((found.old, found.new), checks, strict=True):
        failed = [_not_cleared(one, found.boards)] if one.not_cleared else []
        if one.forfeits:
            failed.append(f"forfeited {one.forfeits:,} of {many(found.games, 'game')}")
        if failed:
            said = f"{clean(one.name)} {' and '.join(failed)}; this says what to mend:"
            lines += [*painted(said, Style.RED, colour, width), f"  {clean(check)}"]
    return "\n".join([*lines, f"Seed {found.seed}.", "Compare them again:", f"  {again}"])


def verdict(found: ComparisonReport) -> str:
    """The verdict in a sentence: of the games, and of the boards if they show a difference."""
    old, new = clean(found.old.name), clean(found.new.name)
    none_cleared = found.old.not_cleared == found.new.not_cleared == found.boards
    if none_cleared and found.verdict not in {"stronger", "weaker"}:
        return f"Neither {new} nor {old} can play yet: they cleared no board."
    needs = f"; the boards show that {new} needs {_more_or_fewer(found)} shots"
    shots = needs if _boards_decide(found) else ""
    if found.verdict == "undecided":
        more = "" if found.old.forfeits or found.new.forfeits else " More games will tell."
        return f"It is not decided whether {new} is stronger than {old}{shots}.{more}"
    return f"{new} is {found.verdict} than {old}{shots}."


def _not_cleared(one: Compared, boards: int) -> str:
    if one.not_cleared == boards:
        return f"cleared none of {many(boards, 'board')}"
    return f"did not clear {one.not_cleared:,} of {many(boards, 'board')}"


def _boards_decide(found: ComparisonReport) -> bool:
    """Whether the interval of the difference in shots leaves out 0."""
    low, high = found.difference_95 or (0, 0)
    return low > 0 or high < 0


def _more_or_fewer(found: ComparisonReport) -> str:
    return "more" if (found.difference or 0) > 0 else "fewer"


def _shots(found: ComparisonReport) -> str:
    new = clean(found.new.name)
    means = ", ".join(
        f"{clean(compared.name)} {'none' if compared.shots_mean is None else f'{compared.shots_mean:.2f}'}"
        for compared in (found.old, found.new)
    )
    said = f"Shots on {many(found.boards, 'board')}: {means}."
    if found.difference is None:
        return said
    more = _more_or_fewer(found)
    needs = f"{abs(found.difference):.2f} {more}" if round(found.difference, 2) else "as many"
    said = f"{said} {new} needs {needs}"
    if found.difference_95 is None:
        return f"{said}."
    low, high = found.difference_95
    sure = "" if _boards_decide(found) else "; the boards do not show a difference"
    return f"{said}, 95% from {low:+.2f} to {high:+.2f}{sure}."


def _games(found: ComparisonReport) -> str:
    tied = f", {found.tied} tied" if found.tied else ""
    said = f"{many(found.games, 'game')}: {clean(found.new.name)} won {found.won} and lost {found.lost}{tied}"
    if found.elo is None or found.elo_95 is None:
        return f"{said}."
    low, high = found.elo_95
    return f"{said}; Elo {found.elo:+.0f}, 95% from {low:+.0f} to {high:+.0f}."
