"""The standings: what stands in a row, in which order, and how it is shown."""

from __future__ import annotations

import csv
import json
from collections import deque
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from changes import replace
from games import SGR, introduced, played, strange_texts, void
from judge import schemas
from judge.contest.ledger import order_entries
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import decoded, entry_of, record_of
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import each_pair
from judge.contest.standings.history import History
from judge.contest.standings.standings import standings
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.documents.ledger import Game
from judge.game.variants import VARIANTS
from judge.show.columns import on_page
from judge.show.standings import (
    MARK,
    SHARED,
    SHARED_LEGEND,
    as_csv,
    as_markdown,
    columns,
    leaders,
    ranked_by,
    table,
    total,
    two_leaders,
)
from judge.show.text import cells, clean
from judge.stats.percentage_rule import shuffled_points
from judge.stats.strength import bradley_terry
from strategies import FORFEITS, examples
from tallies import BOTS, CONDITIONS, game, names_in


def tally_of(*games: tuple[str, str, str]) -> Tally:
    tally = Tally()
    for number, (first, second, how) in enumerate(games):
        tally.enter(game(number, first, second, how), CONDITIONS)
    return tally


@st.composite
def tallies(draw: st.DrawFn, names: tuple[str, ...] = BOTS) -> Tally:
    ends = [
        "0",
        "1",
        "tie",
        "void",
        *(f"{seat} {termination}" for seat in (0, 1) for termination in FORFEITS),
    ]
    couple = st.permutations(names).map(lambda order: order[:2])
    games = draw(st.lists(st.tuples(couple, st.sampled_from(ends)), max_size=40))
    return tally_of(*((*couple, how) for couple, how in games))


@given(tallies())
@examples(150)
def test_the_document_is_valid_and_repeatable(tally: Tally) -> None:
    """Whatever was played, by however few: the document meets its schema, is the same each time,
    and adds up."""
    found = standings(tally)
    document = builtins(found.document)
    assert schemas.problem("standings", json.loads(json.dumps(document))) is None
    assert standings(tally) == found
    assert {row.name for row in found.rows} == names_in(tally)
    assert sum(row.games for row in found.rows) == 2 * document["games"] == 2 * tally.table.games
    assert all(row.games == row.won + row.lost + row.tied for row in found.rows)


@given(tallies())
@examples(100)
def test_points_rank_the_bots(tally: Tally) -> None:
    """A rank is one more than the number of bots with more points: who has the same points has
    the same rank, and of those the first by name stands first."""
    rows = standings(tally).rows
    for row in rows:
        assert row.points == tally.table.points_of(row.name)
        assert row.rank == 1 + sum(other.points > row.points for other in rows)
    keys = [(-row.points, row.name) for row in rows]
    assert keys == sorted(keys)


@given(tallies())
@examples(50)
def test_a_rank_that_is_shared_has_its_sign(tally: Tally) -> None:
    """And no other; the legend says what it means where there is one."""
    found = standings(tally)
    text = table(found, width=None)
    if not found.rows:
        return
    _, _, below = text.partition("to win\n")
    for row, line in zip(found.rows, below.split("\n"), strict=False):
        shares = sum(other.rank == row.rank for other in found.rows) > 1
        assert line.split()[0].rstrip(MARK) == f"{row.rank}{SHARED if shares else ''}"
    assert (SHARED_LEGEND in text) is bool(found.shared_ranks)


@given(tallies())
@examples(50)
def test_the_rest_is_what_the_estimates_say(tally: Tally) -> None:
    """Shuffled points are of the table of wins, strength of the same with half a win to each for
    a tie; and the order is supported just where the interval of the difference says so."""
    only = tally.table
    if not tally.recorded:
        assert standings(tally).rows == ()
        return
    names = list(only.bots)
    wins = [[0] * len(names) for _ in names]
    scores = [[0.0] * len(names) for _ in names]
    for a, b, pair in each_pair(only.pairs):
        i, j = names.index(only.version_tallies[a].name), names.index(only.version_tallies[b].name)
        wins[i][j], wins[j][i] = pair.won, pair.lost
        scores[i][j], scores[j][i] = pair.won + pair.tied / 2, pair.lost + pair.tied / 2
    shuffled, strength = shuffled_points(wins), bradley_terry(scores)
    rows = standings(tally).rows
    places = [names.index(row.name) for row in rows]
    for row, place in zip(rows, places, strict=True):
        assert row.points_shuffled == shuffled[place]
        assert (row.elo, row.elo_95) == (strength.elo[place], strength.elo_95[place])
        assert row.rank_95 == strength.rank_95[place]
    for row, above, below in zip(rows[:-1], places[:-1], places[1:], strict=True):
        assert row.order_supported is strength.order_supported(above, below)
    assert all(row.order_supported is None for row in rows[-1:])


def test_what_is_not_known_is_null() -> None:
    """Without a game that counts there is no win rate, without a fleet sunk no shots to win; and
    a void game's forfeits are told all the same."""
    ada, bob, cyd = standings(tally_of(("ada", "bob", "1 timeout"), ("ada", "cyd", "void"))).rows
    assert (ada.win_rate, ada.shots_to_win_mean, ada.forfeits) == (1.0, None, {"crash": 1})
    assert (bob.win_rate, bob.forfeits) == (0.0, {"timeout": 1})
    assert (cyd.win_rate, cyd.games, cyd.forfeits) == (None, 0, {"timeout": 1})
    played_out = standings(tally_of(("ada", "bob", "0"), ("ada", "bob", "tie"))).rows[0]
    assert (played_out.shots_to_win_mean, played_out.win_rate) == (40.0, 0.75)


def test_no_games_are_no_table() -> None:
    """An empty ledger has standings without rows, and the text says so."""
    assert standings(Tally()).rows == ()
    assert table(standings(Tally())) == "No game has been played."
    assert as_csv(standings(Tally())).count("\n") == 1
    assert leaders(Tally()) == ""


# Without some of the bots


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Real games of three bots, one of them void by a later entry, one void by itself."""
    path = tmp_path / "ledger.json"
    couples = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada")]
    with Ledger(path) as opened:
        opened.contest_seed(7)
        for seed in range(12):
            names = couples[seed % 3]
            forfeit = (seed % 2, Termination.TIMEOUT) if seed in (4, 5, 6) else None
            opened.add(played(seed=seed, names=names, forfeit=forfeit))
        opened.add(void(99, names=("ada", "bob")))
        opened.order(partial(order_entries.void, games=[4], reason="a dispute"))
    return path


@pytest.mark.parametrize("names", [["bob"], ["cyd"], ["ada", "bob", "cyd"], []])
def test_without_a_bot_it_is_as_if_it_had_never_played(
    names: list[str], ledger: Path, tmp_path: Path
) -> None:
    """Leaving bots out gives the very tables of a ledger to which only the others' games were
    added: points and forfeits included. Games keep their numbers."""
    other = tmp_path / "other.json"
    with Ledger(other) as opened:
        opened.contest_seed(7)
        for line in ledger.with_suffix(".games.jsonl").read_text().splitlines():
            entry = decoded(line.encode())
            if isinstance(entry, Game) and not {*entry.result.names} & set(names):
                record = record_of(entry)
                opened.add(record)
                if record.number == 4:
                    last = opened.tally.recorded
                    opened.order(partial(order_entries.void, games=[last], reason="a dispute"))
    history = History(ledger, names)
    deque(history, maxlen=0)
    found = history.tally
    assert found.table == read(other).table
    assert found.versions == read(other).versions
    assert found.recorded == 13
    assert {"ada", "bob", "cyd"} - set(names) >= names_in(found)


# As text


@given(
    st.lists(strange_texts().filter(bool), min_size=4, max_size=4, unique=True),
    st.sampled_from([60, 80, 100, 120]),
    st.data(),
)
@examples(100)
def test_the_table_fits_a_terminal(names: list[str], width: int, data: st.DataObject) -> None:
    """Whatever bots are called, no line is wider than the terminal, none can move the cursor, and
    colour changes nothing but the colour."""
    found = standings(data.draw(tallies(names=tuple(names))))
    plain = table(found, width=width)
    assert SGR.sub("", table(found, width=width, colour=True)) == plain
    for line in plain.split("\n"):
        assert cells(line) <= width
        assert "\x1b" not in line
        assert line.isprintable() or not line.isascii()


def test_a_narrow_table_says_what_it_has_no_room_for() -> None:
    """Columns are left out of a narrow table, the least wanted first, and named below it; a file
    has all columns and whole names, however wide that is."""
    name = "a bot with quite a long name, as they come" * 3
    found = standings(tally_of((name, "bob", "0"), ("cyd", name, "0 crash")))
    narrow, file = table(found, width=60), table(found, width=None)
    assert "win rate" in narrow.replace("\n", " ").split("No room here for ")[1]
    assert "rate" not in narrow.split("\n")[1]
    assert "No room" not in file
    assert name in file.split("\n")[2] + file.split("\n")[3] + file.split("\n")[4]


@pytest.mark.parametrize(
    ("others", "shows"),
    [([], "a` shows why."), ([("c", "d", "0 crash")], "BOT` shows why a bot forfeited.")],
)
def test_the_evidence_of_forfeits_is_pointed_to_once(
    others: list[tuple[str, str, str]], shows: str
) -> None:
    """Below the bots that forfeited; the command names the bot if it is the only one."""
    found = standings(tally_of(("a", "b", "0 crash"), *others))
    text = table(found, ledger="l.json")
    assert f" forfeited: 1 crash.\n`judge ledger show l.json {shows}\n" in text
    assert text.count("judge ledger show") == 1
    assert "judge ledger show" not in table(found)


def test_a_bot_with_the_fault_of_another_is_pointed_to_its_mend() -> None:
    """A mend of several bots is written out once, and every other bot's line says with which."""
    found = standings(tally_of(("ada", "b", "0 crash"), ("cyd", "d", "0 crash")))
    text = table(found, mends={"ada": "install it", "cyd": "install it"})
    assert "ada forfeited: 1 crash; to mend it: install it.\n" in text
    assert "cyd forfeited: 1 crash; to mend it, see ada.\n" in text


def test_elo_ranks_if_it_is_asked_for() -> None:
    """By Elo the strongest stands first, equals share a rank, and nothing else of a row changes but
    what hangs on the next one; where points and Elo disagree on the first place, the headline names
    both, and nothing does where they agree."""
    games = [("ada", "bob", "0")] * 12 + [("bob", "ada", "0")] * 8 + [("cyd", "bob", "0")] * 6
    games += [(name, "ada", "1") for name in ("dan", "eve")]
    tally = tally_of(*games, *[("ada", "cyd", "0")] * 2, *[("bob", "ada", "0")] * 3)
    points, elo = standings(tally), standings(tally, by="elo")
    values = [row.elo for row in elo.rows]
    assert values == sorted(values, reverse=True)
    assert [row.rank for row in elo.rows if row.name in ("dan", "eve")] == [4, 4]
    assert [row.name for row in points.rows] != [row.name for row in elo.rows]
    untouched = ("rank", "order_supported")
    rows = [
        {
            name: replace(row, **dict.fromkeys(untouched))
            for row in found.rows
            for name in [row.name]
        }
        for found in (points, elo)
    ]
    assert rows[0] == rows[1]
    leaders = f"{points.rows[0].name} leads by points, {elo.rows[0].name} by Elo"
    for found in (points, elo):
        assert two_leaders(found, clean) == leaders
        assert table(found).startswith(f"{leaders}.\n")
        assert as_markdown(found).endswith(
            f"|\n\n{ranked_by(found)}\n\n{leaders}.\n\n{total(found)}."
        )
    for found, value, said in (
        (points, "points", "Ranked by points, by the 5% rule."),
        (elo, "elo", "Ranked by Elo, and not by points."),
    ):
        assert (found.document.ranked_by, ranked_by(found)) == (value, said)
        assert {row["ranked_by"] for row in csv.DictReader(as_csv(found).splitlines())} == {value}
    assert ranked_by(elo) in table(elo)
    agreed = standings(tally_of(("ada", "bob", "0"), ("ada", "cyd", "0")))
    assert two_leaders(agreed, clean) == ""
    assert two_leaders(standings(Tally()), clean) == ""


@given(tallies(), strange_texts().filter(bool))
@examples(30)
def test_markdown_shows_what_the_page_shows(tally: Tally, name: str) -> None:
    """The cells of the table are those of the page, and a name is nothing but text, whatever is in
    it."""
    games = [("ada", "bob", "0"), (name if name not in ("ada", "bob") else "cyd", "ada", "0")]
    for found in (standings(tally), standings(tally_of(*games))):
        parsed = MarkdownIt("commonmark").enable("table").parse(as_markdown(found))
        cells_of = [token.children or [] for token in parsed if token.type == "inline"]
        texts = ["".join(part.content for part in parts) for parts in cells_of]
        assert {part.type for parts in cells_of for part in parts} <= {"text", "text_special"}
        assert not any(row.own_name or row.author for row in found.rows)
        shown = on_page(columns(found)) if found.rows else []
        expected = [column.page_heading for column in shown]
        expected += [column.page_text(row) for row in found.rows for column in shown]
        split = [f"{said}." for said in [two_leaders(found, clean)] if said]
        split = [ranked_by(found), *split] if found.rows else split
        assert texts == [*(one.strip() for one in [*expected, *split]), f"{total(found)}."]


def tally_of_people() -> Tally:
    """The tally of ada, who has a name of her own, bob, whose author is known, and cyd."""
    tally = Tally()
    people = {"ada": ("Salvo_2000", "Ann & Ed"), "bob": ("bob", "Bea"), "cyd": ("", "")}
    for number, names in enumerate((("ada", "bob"), ("cyd", "ada"), ("bob", "cyd"))):
        record = introduced(played(seed=number, names=names, game_id=str(number)), **people)
        tally.enter(entry_of(record), ConditionSet.of(record))
    return tally


def test_who_a_bot_is_stands_in_every_form_of_the_table() -> None:
    """Below its name in a terminal, in columns of Markdown if anybody has said anything, and
    always in those of CSV; a name that is the file's stands nowhere twice."""
    found = standings(tally_of_people())
    lines = table(found, width=80).split("\n")
    places = {name: next(at for at, one in enumerate(lines) if name in one) for name in BOTS[:3]}
    for name, said in (("ada", "“Salvo_2000”, by Ann & Ed"), ("bob", "by Bea")):
        at = places[name]
        assert lines[at + 1] == " " * lines[at].index(name) + said
    assert not lines[places["cyd"] + 1].startswith("   ")
    rows = {row["name"]: row for row in csv.DictReader(as_csv(found).splitlines())}
    assert [(rows[name]["own_name"], rows[name]["author"]) for name in ("ada", "bob", "cyd")] == [
        ("Salvo_2000", "Ann & Ed"),
        ("", "Bea"),
        ("", ""),
    ]
    heading, _, *cells_of = as_markdown(found).split("\n")
    assert heading.startswith("| # | Bot | Calls itself | Author | Points |")
    assert any(r"| ada | Salvo\_2000 | Ann \& Ed |" in line for line in cells_of)
    plain = as_markdown(standings(tally_of(("ada", "bob", "0"))))
    assert plain.startswith("| # | Bot | Points |")


@given(strange_texts(), strange_texts(), st.integers(40, 120))
@examples(50)
def test_what_a_bot_says_of_itself_fits_the_terminal(own: str, author: str, width: int) -> None:
    """Whatever is in it, no line is wider than the terminal, and it stands in few lines."""
    tally = Tally()
    record = introduced(played(names=("ada", "bob")), ada=(own, author))
    tally.enter(entry_of(record), ConditionSet.of(record))
    silent = table(standings(tally_of(("ada", "bob", "0"))), width=width).split("\n")
    lines = table(standings(tally), width=width).split("\n")
    assert max(map(cells, lines)) <= max(map(cells, [*silent, width * " "]))
    assert all(line == clean(line) for line in lines)


def test_the_last_word_of_a_bot_counts() -> None:
    """A later game says who it is now, and one in which it says nothing changes nothing."""
    tally = Tally()
    for number, said in enumerate([("Old", "Ann"), ("New", ""), ("", "")]):
        record = introduced(
            played(seed=number, names=("ada", "bob"), game_id=str(number)), ada=said
        )
        tally.enter(entry_of(record), ConditionSet.of(record))
    assert tally.people["ada"] == ("New", "Ann")


def test_the_mark_stands_where_neighbours_are_not_told_apart() -> None:
    """A row has the mark just if its lead over the next is not supported; the last has none."""
    games = [("ada", "bob", "0")] * 30 + [("bob", "cyd", "1")] + [("bob", "cyd", "0")] * 2
    rows = table(standings(tally_of(*games))).split("\n")[2:5]
    assert [MARK in row for row in rows] == [False, True, False]


def test_salvos_are_told_as_volleys_too() -> None:
    """Volleys and shots both have a column, of means over the same games, if they differ."""
    tally = Tally()
    for seed in range(3):
        record = played(VARIANTS["broadsides"], seed=seed, names=("ada", "bob"), game_id=str(seed))
        tally.enter(entry_of(record), ConditionSet.of(record))
    found = standings(tally)
    assert found.has_salvos
    best = next(row for row in found.rows if row.shots_to_win_mean is not None)
    counts = tally.table.results_of(best.name, 1).counts
    assert best.volleys_to_win_mean == counts.volleys_to_win_mean
    top, heading, *_ = table(found).split("\n")
    assert top.split()[-2:] == ["shots", "volleys"]
    assert heading.split()[-4:] == ["to", "win", "to", "win"]
    assert f"{best.volleys_to_win_mean:.1f}" in table(found)
    assert not standings(tally_of(("ada", "bob", "0"))).has_salvos


def test_ties_have_a_column_only_where_there_are_some() -> None:
    """Most games know no ties, and need no column for them."""
    without_ties = table(standings(tally_of(("ada", "bob", "0"))))
    with_ties = table(standings(tally_of(("ada", "bob", "0"), ("ada", "bob", "tie"))))
    assert "tied" not in without_ties
    assert "tied" in with_ties


@given(tallies(), strange_texts())
@examples(50)
def test_csv_holds_what_the_document_holds(tally: Tally, name: str) -> None:
    """A spreadsheet gets every number of the document, unrounded, whatever a bot is called; a name
    is the clean one, behind one ' where it could be taken for a formula."""
    if name and tally.recorded:
        tally = tally_of((name, "bob", "0"), ("bob", "cyd", "0 crash"))
    document = builtins(standings(tally).document)
    rows = list(csv.DictReader(as_csv(standings(tally)).splitlines(keepends=True)))
    assert len(rows) == len(document["bots"])
    for row, bot in zip(rows, document["bots"], strict=True):
        cell = row["name"]
        assert cell.removeprefix("'") == clean(bot["name"])
        assert not cell.lstrip().startswith(tuple("=+-@\t\r＝＋－＠"))
        for key in ("points", "points_shuffled", "elo"):
            assert float(row[key]) == bot[key]
        for key in ("rank", "games", "won", "lost", "tied"):
            assert int(row[key]) == bot[key]
        assert row["win_rate"] == ("" if bot["win_rate"] is None else str(bot["win_rate"]))
        assert [float(row["elo_95_low"]), float(row["elo_95_high"])] == bot["elo_95"]
        assert [int(row["rank_95_best"]), int(row["rank_95_worst"])] == bot["rank_95"]
        counts = {k.removeprefix("forfeits_"): int(v) for k, v in row.items() if "forfeits_" in k}
        assert {cause: count for cause, count in counts.items() if count} == bot["forfeits"]
        supported = bot["order_supported"]
        assert row["order_supported"] == ("" if supported is None else str(supported))


def test_the_leaders_are_a_few_lines() -> None:
    """While a contest runs: the first few by points, with games and forfeits, and how many more
    there are."""
    games = [("ada", "bob", "0"), ("cyd", "dan", "1 timeout"), ("ada", "dan", "0")]
    lines = leaders(tally_of(*games), most=2).split("\n")
    assert lines[0].split() == ["1", "ada", "11.00", "won", "2", "of", "2"]
    assert lines[1].split()[:3] == ["2", "cyd", "10.50"]
    assert lines[2].strip() == "and 2 bots more"
    everyone = leaders(tally_of(*games)).split("\n")
    assert everyone[-1].endswith("won 0 of 2, 1 forfeit")
    assert len(everyone) == 4
