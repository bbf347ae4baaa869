"""The texts of judge ledger fit a terminal, whatever bots are called and whatever has happened."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from games import SGR, strange_texts
from judge import schemas
from judge.contest.bot_games import BotGame
from judge.contest.ledger.orders import Orders
from judge.contest.ledger.tally import Tally
from judge.contest.standings.summary import Forfeit
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.documents.history import HistoryGame
from judge.documents.ledger import Disqualify, Void
from judge.documents.reports import Verification
from judge.show import history
from judge.show.ledger import overview
from judge.show.text import cells
from strategies import FORFEITS, examples


@st.composite
def histories(draw: st.DrawFn) -> list[BotGame]:
    results = st.sampled_from(["won", "lost", "tied", "void"])
    texts = st.sampled_from(draw(st.lists(strange_texts(), min_size=1, max_size=5)))
    names = texts.map(lambda text: text or "bot")
    forfeits = st.builds(
        Forfeit, st.just("g"), st.sampled_from([*FORFEITS]), texts, st.none(), st.just({}), texts
    )
    games, points = [], 10.0
    for number in range(draw(st.sampled_from([1, 2, 5, 59, 60, 61, 75]))):
        after = draw(st.floats(10, 1e5, allow_nan=False))
        opponents = (*draw(st.lists(names, min_size=1, max_size=3)),)
        forfeit = draw(st.none() | forfeits)
        games.append(
            BotGame(
                HistoryGame(
                    number=number + 1,
                    id=str(number),
                    opponent=opponents[0] if len(opponents) == 1 else opponents,
                    result=draw(results),
                    termination=draw(st.sampled_from([*Termination])),
                    detail=draw(texts),
                    forfeit=forfeit and forfeit.termination,
                    evidence=None,
                    voided=draw(st.none() | texts),
                    digest=None,
                    bot_version=draw(st.integers(1, 9)),
                    changed=draw(st.booleans()),
                    reset=draw(st.booleans()),
                    points_before=points,
                    points_after=after,
                ),
                forfeit,
            )
        )
        points = after
    return games


@given(strange_texts(), histories(), st.sampled_from([60, 80, 100, 120]))
@examples(25)
def test_the_text_of_a_history_fits_a_terminal(bot: str, games: list[BotGame], width: int) -> None:
    """Whatever bots are called and whatever happened: no line is wider than the terminal or
    moves the cursor, the curve has no more than 60 bars, and the document meets its schema."""
    text = history.text(bot, games, 10.0, width=width)
    assert SGR.sub("", history.text(bot, games, 10.0, width=width, colour=True)) == text
    for line in text.split("\n"):
        assert cells(line) <= width
        assert "\x1b" not in line
    bars = re.search(r"^Points  (\S+)$", text, re.MULTILINE)
    assert bars is not None
    assert len(bars[1]) == min(60, width - len("Points  "), len(games) + 1)
    points = [games[0].game.points_before, *(game.points_after for game, _ in games)]
    if points[-1] == max(points) > min(points):
        assert bars[1].endswith("█")
    document = builtins(history.document(bot or "bot", games))
    assert schemas.problem("history", document) is None


PROBLEMS = st.lists(strange_texts().map("line 3: {}".format)).map(tuple)


COUNTS = st.fixed_dictionaries(dict.fromkeys(("games", "void", "behind", "torn"), st.integers(0)))


@given(COUNTS, PROBLEMS)
@examples(50)
def test_the_text_of_what_was_found_fits_a_terminal(counts: dict[str, int], said: tuple) -> None:
    """However long a problem is, and whatever it quotes."""
    found = Verification(intact=not said, **counts, problems=said)
    text = history.verified("ledger.json", found)
    assert all(cells(line) <= 80 and "\x1b" not in line for line in text.split("\n"))
    assert text.count("\n  - ") == len(found.problems)
    assert schemas.problem("verify", builtins(found)) is None


@given(st.integers(60, 100), strange_texts(), strange_texts(), st.lists(st.integers(1, 9**9)))
def test_a_ledger_in_brief_fits_its_width(width, bot, reason, games) -> None:
    """Whatever bots and reasons are called; the numbers of games are whole."""
    tally = Tally(versions={bot or "x": ["sha256:" + "a" * 64, None]})
    tally.orders = Orders.of(
        [
            Disqualify(bot=bot or "x", reason=reason or "x"),
            Void(games=tuple(games or [1]), reason=reason or "x"),
        ]
    )
    text = overview("ledger.json", tally, width=width)
    assert all(cells(line) <= width for line in text.split("\n"))
    for number in (games or [1])[:5]:
        assert f"#{number}" in text
