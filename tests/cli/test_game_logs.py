"""--game-log of judge fight and judge rank, and logs that judge replay and judge ledger verify
read."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from broadsides_players import fight, folder, play, plays
from browser import Browse
from changes import replace
from commands import judge
from judge.documents.codec import convert
from judge.documents.game import GameRecord, Termination
from judge.errors import LaunchFault
from judge.logs import broadsides
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from judge.show.pages.page import page

assert folder  # the players' folder, a fixture of every test


def logged(folder: str) -> dict[str, GameRecord]:
    """The games of the logs in a folder, by the names of their files."""
    return {
        path.name: broadsides.read(path.read_text(), "g") for path in sorted(Path(folder).iterdir())
    }


def test_a_game_is_logged_into_a_file() -> None:
    """The log holds the game that was played, and one that is there is replaced."""
    Path("last_game.log").write_text("SETUP players:old,older board:")
    done = fight("--game-log", "last_game.log", "--json")
    assert done.status == 0, done.stderr
    (document,) = json.loads(done.stdout)["records"]
    record = convert(GameRecord, document, "it")
    assert Path("last_game.log").read_text() == broadsides.written(record)


def test_many_games_are_logged_as_the_original_names_them() -> None:
    """A file a game: who moves first, who moves second, and the number of the game between them."""
    done = fight("--games", "3", "--game-log", "logs", "--json")
    games = logged("logs")
    assert list(games) == ["ann_vs_bob_0.log", "ann_vs_bob_2.log", "bob_vs_ann_1.log"]
    for name, game in games.items():
        assert name.startswith(f"{game.seats[0].name}_vs_{game.seats[1].name}_")
    records = [convert(GameRecord, one, "it") for one in json.loads(done.stdout)["records"]]
    played = {broadsides.written(record) for record in records}
    assert {path.read_text() for path in Path("logs").iterdir()} == played


def test_one_game_goes_into_a_folder_that_is_there() -> None:
    """Or into a new one, if its name has no suffix or ends so."""
    Path("logs").mkdir()
    for place in ("logs", "new/", "log"):
        assert fight("--game-log", place).status == 0
        assert list(logged(place)) == ["ann_vs_bob_0.log"]


def test_a_contest_is_logged_and_goes_on_with_its_numbers() -> None:
    """The first by name of every two players moves first in the games 0, 2, 4 …; games that the
    ledger holds count as well, and their logs are not written again."""
    assert play("rank", "players", "--ledger", "x.json", "--game-log", "one").status == 0
    names = [f"{one}_vs_{other}" for one, other in (("ann", "bob"), ("ann", "cy"), ("bob", "cy"))]
    back = [f"{other}_vs_{one}" for one, _, other in (name.partition("_vs_") for name in names)]
    assert sorted(logged("one")) == sorted(
        [f"{name}_0.log" for name in names] + [f"{name}_1.log" for name in back]
    )
    again = play("rank", "players", "--ledger", "x.json", "--rounds", "2", "--game-log", "two/")
    assert again.status == 0, again.stderr
    assert sorted(logged("two")) == sorted(
        [f"{name}_2.log" for name in names] + [f"{name}_3.log" for name in back]
    )


def test_names_that_make_the_same_word_share_no_log() -> None:
    """``a`` against ``b_vs_c`` and ``a_vs_b`` against ``c`` have the same name for a file."""
    Path("same").mkdir()
    for name in ("a", "b_vs_c", "a_vs_b", "c"):
        Path("same", f"{name}.py").write_text("")
    done = play("rank", "same", "--game-log", "logs")
    assert done.status == 0, done.stderr
    games = [tuple(seat.name for seat in game.seats) for game in logged("logs").values()]
    assert len(games) == len(set(games)) == 12


def test_every_game_has_the_winner_of_its_log() -> None:
    """The table counts the results that the logs tell."""
    done = play("rank", "players", "--ledger", "x.json", "--game-log", "logs", "--json")
    won = {bot["name"]: bot["won"] for bot in json.loads(done.stdout)["bots"]}
    winners = [game.seats[game.outcome.winner].name for game in logged("logs").values()]
    assert won == {name: winners.count(name) for name in won}


def test_a_game_that_the_judge_could_not_play_has_no_log() -> None:
    """The others keep their numbers."""
    games = 0

    def fails(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        nonlocal games
        games += bot.name == "ann"
        if games in (2, 3):  # the second game, and its second try
            raise LaunchFault("no more processes")
        return plays(bot, seed, usual)

    done = play(
        "fight", "players/ann.py", "players/bob.py", "--games", "3", "--jobs", "1",
        "--game-log", "logs", "--no-ledger", connect=fails,
    )  # fmt: skip
    assert done.status == 1
    assert list(logged("logs")) == ["ann_vs_bob_0.log", "ann_vs_bob_2.log"]


def test_a_file_that_is_no_log_is_not_replaced_in_a_folder() -> None:
    """The run stops there, for its game would have no log."""
    Path("logs").mkdir()
    Path("logs/ann_vs_bob_0.log").write_text("mine")
    done = fight("--games", "2", "--game-log", "logs")
    assert done.status == 1
    assert "ann_vs_bob_0.log: it is there already, and is no broadsides log" in done.stderr
    assert Path("logs/ann_vs_bob_0.log").read_text() == "mine"


def test_no_log_is_written_through_a_link_in_a_folder() -> None:
    """The file that the link leads to stays as it was."""
    Path("logs").mkdir()
    Path("kept").write_text("")
    Path("logs/ann_vs_bob_0.log").symlink_to("../kept")
    done = fight("--games", "2", "--game-log", "logs")
    assert done.status == 1
    assert "is not an ordinary file" in done.stderr
    assert Path("kept").read_text() == ""


# Logs that are read


def a_log() -> str:
    assert fight("--game-log", "game.log").status == 0
    return Path("game.log").read_text()


def test_a_log_is_replayed_and_what_it_does_not_tell_is_said() -> None:
    """As text, as a record and as a page, which holds the record."""
    text = a_log()
    for words in ([], ["--json"], ["--html", "-"]):
        done = judge("replay", "game.log", *words)
        assert done.status == 0
        assert done.stderr.startswith("judge: game.log is a broadsides log: it does not tell the ")
    shown = judge("replay", "game.log").stdout
    assert "Game game: ann against bob." in shown
    assert "seed" not in shown
    assert "of the bots' time" not in shown
    record = convert(GameRecord, json.loads(judge("replay", "game.log", "--json").stdout), "it")
    assert broadsides.written(record) == text
    assert judge("replay", "game.log", "--html", "game.html").status == 0
    shown = Path("game.html").read_text()
    assert "<dt>Played</dt>" not in shown
    assert "<dt>Game seed</dt>" not in shown
    assert "BOT_SEED" not in shown
    assert "not told by its log" in shown
    again = judge("replay", "game.html", "--json")
    assert convert(GameRecord, json.loads(again.stdout), "it") == record


def test_the_page_of_a_log_shows_no_times(browse: Browse) -> None:
    """A move of it is shown with its volley, and nothing of how long it took."""
    record = broadsides.read(a_log(), "g")
    shown = browse(page(record)).goto("#move=3")
    assert "ms" not in shown.locator("#runs").inner_text()
    assert "ann" in shown.locator("body").inner_text()
    played = replace(record, started="2026-01-31T12:00:00.000Z")
    assert "0 ms of" in browse(page(played)).goto("#move=3").locator("#runs").inner_text()


def test_a_log_that_breaks_off_is_said_to() -> None:
    """Its game is shown as far as it goes."""
    text = a_log()
    Path("game.log").write_bytes(text[: len(text) // 2].replace("\n", "\r\n").encode())
    done = judge("replay", "game.log", "--json")
    assert "; it breaks off before the game is over." in done.stderr
    record = convert(GameRecord, json.loads(done.stdout), "it")
    assert record.outcome.termination is Termination.ABORTED
    assert record.shots
    verified = judge("ledger", "verify", "game.log")
    assert verified.status == 0
    assert (
        "game.log: 1 game judged again; the game breaks off before the end; what there is of it is as "
        "it should be." in " ".join(verified.stdout.split())
    )
    assert json.loads(judge("ledger", "verify", "game.log", "--json").stdout)["broken_off"] == 1
