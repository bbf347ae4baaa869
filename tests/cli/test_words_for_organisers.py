"""What an organiser is told who mistyped a name, set a value elsewhere, or named the wrong
thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import judge
from games import played, strange_texts
from judge.cli import cli
from judge.contest.journal.orders import Order, OrderKind, Orders
from judge.contest.ledger.ledger import Ledger
from judge.contest.ledger.tally import Tally
from judge.contest.schedule import is_of_a_contest
from judge.game.outcome import Termination
from judge.show.ledger import overview
from judge.show.text import cells

RANKED = "ada:bob:brainjar:abcdefghijkl:{}.1"


@pytest.fixture(autouse=True)
def in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder has the ledger of a contest of two games, and the folder of its bots."""
    monkeypatch.chdir(tmp_path)
    Path("bots").mkdir()
    with Ledger(Path("bots.ledger.json")) as ledger:
        for number in (1, 2):
            ledger.add(a_game(number, game_id=RANKED.format(number)))


def a_game(seed: int, **more):
    crash = (seed % 2, Termination.CRASH)
    return played(seed=seed, names=("ada", "bob"), forfeit=crash, after=2, **more)


def refused(*words: str) -> str:
    done = judge(*words)
    assert (done.status, done.stdout) == (2, "")
    return done.stderr


# Values that nobody typed


def test_a_refused_value_is_said_to_come_from_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the option that the refusal names, or by its value; what was typed is not spoken of."""
    monkeypatch.setenv("JUDGE_RULES", "nosuch")
    assert refused("standings").endswith(" --rules nosuch comes from JUDGE_RULES.\n")
    monkeypatch.delenv("JUDGE_RULES")
    monkeypatch.setenv("JUDGE_LEDGER", "gone.json")
    assert refused("standings") == (
        "judge: gone.json: there is no such ledger; a fight or a contest makes one. "
        "--ledger gone.json comes from JUDGE_LEDGER.\n"
    )
    assert "comes from" not in refused("standings", "other.json")
    monkeypatch.setenv("JUDGE_JSON", "1")
    monkeypatch.setenv("JUDGE_CSV", "1")
    assert refused("standings", "bots.ledger.json") == (
        "judge: --json and --csv cannot both be had: choose one. --json comes from JUDGE_JSON. "
        "--csv comes from JUDGE_CSV.\n"
    )


def test_a_refused_value_is_said_to_come_from_its_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the table and the key."""
    monkeypatch.setenv("JUDGE_CONFIG", "judge.toml")
    Path("judge.toml").write_text('[standings]\nwithout = "eve"\nrules = "brainjar"\n')
    assert refused("standings").endswith(
        "no bot of that name has played in bots.ledger.json. --without eve comes from judge.toml, "
        "[standings] without.\n"
    )
    said = refused("standings", "--without", "bo")
    assert said.endswith("has played in bots.ledger.json. Did you mean bob?\n")


# Names


NEARLY = {
    "standings bot.ledger.json": "Did you mean bots.ledger.json?",
    "standings bots": "Did you mean bots.ledger.json?",
    "ledger show bot.ledger.json": "Did you mean bots.ledger.json?",
    "ledger show aad": "Did you mean ada?",
    "ledger verify bost.ledger.json": "Did you mean bots.ledger.json?",
    "ledger rebuild bost.ledger.json": "Did you mean bots.ledger.json?",
    "ledger void bost.ledger.json 1 --reason x": "Did you mean bots.ledger.json?",
    "ledger void --cause timout --reason x": "Did you mean timeout?",
    "standings --versions al": "Did you mean all?",
    "replay bost.ledger.json": "Did you mean bots.ledger.json?",
    "rank bost": "judge: there is no folder 'bost'. Did you mean bots?",
    "rank nowhere/else": "judge: there is no folder 'nowhere/else'.",
    "check random --only fleat": "there is no such check. Did you mean fleet? There are: places ",
}


@pytest.mark.parametrize(("typed", "said"), NEARLY.items(), ids=NEARLY)
def test_a_mistyped_name_is_told_what_may_have_been_meant(typed: str, said: str) -> None:
    """Where one is like it."""
    assert said in refused(*typed.split())
    assert not Path("bost.ledger.json").exists()


def test_a_ledger_that_is_named_as_a_folder_of_pages_is_told_its_option() -> None:
    """With the command that was meant; nothing is written."""
    way = "a ledger is named by --ledger: `judge site {} --ledger bots.ledger.json`.\n"
    assert refused("site", "bots.ledger.json").endswith(way.format("FOLDER"))
    assert refused("site", "pages", "bots.ledger.json").endswith(way.format("pages"))
    assert refused("site", "a", "b") == "judge: a b: name one folder to write pages into.\n"
    assert {path.name for path in Path().iterdir()} >= {"bots"}
    assert not Path("pages").exists()


def complete(words: list[str], incomplete: str) -> list[str]:
    """What a shell is offered in the place of the last word."""
    from click.shell_completion import BashComplete

    shell = BashComplete(cli, {}, "judge", "_JUDGE_COMPLETE")
    return [item.value for item in shell.get_completions(words, incomplete)]


def test_numbers_of_games_to_void_complete_without_their_mark() -> None:
    """As people type them; of the ledger that is named, and with the mark as before."""
    with Ledger(Path("fights.json")) as ledger:
        for seed in range(11):
            ledger.add(played(seed=seed, names=("eve", "fay")))
    assert complete(["ledger", "void", "fights.json"], "1") == ["11", "10", "1"]
    assert complete(["ledger", "void", "fights.json"], "#1") == ["#11", "#10", "#1"]
    assert complete(["ledger", "void", "fights.json", "11"], "2") == ["2"]
    assert complete(["ledger", "void"], "fi") == ["fights.json"]


@pytest.mark.parametrize("typed", [["reset", "ada"], ["show", "ada"], ["void", "1"], ["undo", "1"]])
def test_a_ledger_behind_a_word_is_said_to_come_first(typed: list[str]) -> None:
    """And nothing is taken for a ledger that is none."""
    command, word = typed
    said = refused("ledger", command, word, "bots.ledger.json")
    assert said == (
        f"judge: {word} bots.ledger.json: the ledger comes first, so name bots.ledger.json before "
        f"{word}.\n"
    )


def test_names_of_bots_complete_from_their_ledger() -> None:
    """Where an order or an option takes one: of the only ledger, or of the one that is named."""
    for order in ("reset", "retire", "disqualify", "show"):
        assert complete(["ledger", order], "a") == ["ada"]
        assert complete(["ledger", order], "") == ["ada", "bob", "bots.ledger.json"]
    assert complete(["ledger", "void", "--bot"], "b") == ["bob"]
    assert complete(["standings", "--without"], "a") == ["ada"]
    with Ledger(Path("fights.json")) as ledger:
        ledger.add(played(seed=9, names=("eve", "fay")))
    assert complete(["ledger", "retire"], "a") == []
    assert complete(["ledger", "retire", "fights.json"], "")[:2] == ["eve", "fay"]
    assert complete(["ledger", "retire", "--ledger", "fights.json"], "f")[0] == "fay"
    assert complete(["ledger", "retire", "nowhere.json"], "a") == []


# Orders


def test_games_of_no_contest_are_not_said_to_be_played_again() -> None:
    """A fight's games have no contest that would play them again once they are void."""
    with Ledger(Path("bots.ledger.json")) as ledger:
        for seed in (3, 4):
            ledger.add(a_game(seed), numbered=True)
    assert "played again" not in judge("ledger", "void", "1", "--reason", "rain").stdout
    done = judge("ledger", "void", "3", "--reason", "rain").stdout
    assert done.endswith("It is a game of no contest, and is not played again by `judge rank`.\n")
    judge("ledger", "undo")
    done = judge("ledger", "void", "3", "4", "--reason", "rain").stdout
    assert done.endswith(
        "They are games of no contest, and are not played again by `judge rank`.\n"
    )
    judge("ledger", "undo")
    done = judge("ledger", "void", "2", "4", "--reason", "rain").stdout
    assert done.endswith("`judge rank` plays them again, but for 1 game of no contest.\n")


def test_what_a_contest_calls_its_games_is_told_from_other_ids() -> None:
    """Those of fights are numbers."""
    assert is_of_a_contest(RANKED.format(1))
    assert is_of_a_contest("ada:bob:brainjar:77:1.2")  # by an older judge
    for other in ("1", "g1", "", "a:b:c:d:e.1", "12-3.1"):
        assert not is_of_a_contest(other)


def test_a_retired_bots_games_are_counted_alike_everywhere() -> None:
    """In the table, by `ledger show`, on the page, and by the command that writes it."""
    with Ledger(Path("bots.ledger.json")) as ledger:
        ledger.add(played(seed=5, names=("ada", "eve"), game_id="5"))
    judge("ledger", "retire", "eve")
    judge("ledger", "void", "2", "--reason", "rain")
    total = "2 games of 2 bots and 1 retired, and 1 taken out of the count"
    assert judge("standings").stdout.endswith(f"{total}.\n")
    shown = " ".join(judge("ledger", "show").stdout.split())
    assert "2 games that count, 1 game taken out of the count." in shown
    assert judge("site", "pages").stdout.startswith(f"pages/index.html: {total}; ")
    assert f"{total}. " in Path("pages/index.html").read_text()
    shown = judge("ledger", "show", "eve").stdout
    assert " after 1 game: 1 lost." in shown or " after 1 game: 1 won." in shown


def test_a_bot_without_a_game_that_counts_is_named_with_the_reason() -> None:
    """By the table, its page and the document; and who judges the games again counts them alike."""
    with Ledger(Path("bots.ledger.json")) as ledger:
        ledger.add(played(seed=5, names=("ada", "eve"), game_id="5"))
        ledger.add(played(seed=6, names=("bob", "fay"), game_id="6"))
    judge("ledger", "void", "4", "--reason", "rain")
    judge("ledger", "disqualify", "eve", "--reason", "it cheats")
    table = judge("standings").stdout
    assert "Without a game that counts: fay (all are taken out of the count or with a" in table
    assert table.endswith(
        "2 games of 2 bots, and 1 taken out of the count, and 1 with a disqualified bot.\n"
    )
    assert json.loads(judge("standings", "--json").stdout)["without_games"] == ["fay"]
    judge("standings", "--html", "table.html")
    assert "Without a game that counts</dt><dd><bdi>fay</bdi>" in Path("table.html").read_text()
    said = " ".join(judge("ledger", "verify").stdout.split())
    parts = "2 games that count, 1 game taken out of the count, 1 game with a disqualified bot"
    assert f"4 games judged again: {parts}; all is as it should be." in said
    rebuilt = judge("ledger", "rebuild").stdout
    assert rebuilt.endswith(f"4 games of 4 bots, from its journal: {parts}.\n")


@given(st.integers(60, 100), strange_texts(), strange_texts(), st.lists(st.integers(1, 9**9)))
def test_a_ledger_in_brief_fits_its_width(width, bot, reason, games) -> None:
    """Whatever bots and reasons are called; the numbers of games are whole."""
    orders = [
        Order(OrderKind.DISQUALIFY, bot or "x", reason=reason or "x"),
        Order(OrderKind.VOID, games=tuple(games or [1]), reason=reason or "x"),
    ]
    tally = Tally(orders=Orders(orders), versions={bot or "x": {"sha256:" + "a" * 64: 1, None: 2}})
    text = overview("ledger.json", tally, width=width)
    assert all(cells(line) <= width for line in text.split("\n"))
    for number in (games or [1])[:5]:
        assert f"#{number}" in text
