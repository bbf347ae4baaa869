"""The seating and the games of a match, for tests that feed it by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from hypothesis import strategies as st

from judge.documents.game import Limits, RecordedSeat
from judge.documents.rules import Rules
from judge.play.actions import GameSetup, Seating
from strategies import some_fleet


def table_of(
    rules: Rules,
    players: int,
    answer_ms: Iterable[float | None],
    games: int,
    join_ms: Mapping[int, float | None] | None = None,
) -> Seating:
    return Seating(
        rules=rules,
        seats=tuple(RecordedSeat.of(f"p{seat}", seed=seat) for seat in range(players)),
        answer_ms=tuple(answer_ms),
        limits=Limits(),
        isolation="none",
        match="m",
        games=games,
        join_ms=join_ms or {},
    )


@st.composite
def deals(draw, rules: Rules, players: int, games: int) -> list[GameSetup]:
    """The games of a match; now and then with fleets that are given."""
    made = []
    for number in range(games):
        rng = Random(draw(st.integers(0, 99)))
        asked = draw(st.sets(st.integers(0, players - 1))) if draw(st.booleans()) else None
        given = range(players) if asked is not None else ()
        made.append(
            GameSetup(
                id=f"{number}",
                seed=draw(st.integers(0, 99)),
                first=draw(st.integers(0, players - 1)),
                rules=rules,
                fleets={s: some_fleet(rules, rng) for s in given if s not in (asked or ())},
            )
        )
    return made
