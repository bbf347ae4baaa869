"""Logs of the contest on the command line: written by judge fight and judge rank, and looked at by
judge replay and judge ledger verify."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from broadsides_players import folder
from changes import replace
from commands import JUDGE, Done, judge
from contest_folder import journal as games_in
from contest_players import plays, program, slips
from games import played
from judge.cli.ledgers.game_source import LONGEST
from judge.cli.ledgers.written_logs import opened
from judge.cli.settings import Settings
from judge.cli.setup import Embedding
from judge.documents.game import Limits
from judge.game.variants import contest
from judge.logs.contest.model import ContestLog, ContestMatch, ContestSide, LogBot, Score
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from judge.show.contest_log import leaderboards, match_lines
from ledgers import rewritten
from terminals import DOWN, END, RIGHT, UP, Terminal
from wire_players import Frames

assert folder  # the players' folder, a fixture of every test


def play(command: str, *arguments: str, connect: Callable[..., Connection] = plays) -> Done:
    words = [command, *arguments, "--rules", "contest-4", "--isolation", "none", "--seed", "5"]
    return judge(*words, embedding=Embedding(connect=connect))


def fight(*arguments: str, connect: Callable[..., Connection] = plays) -> Done:
    bots = ("players/ann.py", "players/bob.py")
    done = play("fight", *bots, "--no-ledger", *arguments, connect=connect)
    assert done.status == 0, done.stderr
    return done


def test_the_rules_are_called_by_the_size_of_their_board() -> None:
    """The name is the one of `--rules` in a game, in a log of it and on pages: all sizes have one
    name of their own, and without the size it would be that of 10×10."""
    fight("--games", "2", "--game-log", "x.json")
    assert "Rules contest-4, seed 5" in fight("--games", "1").stdout
    assert "Rules contest-4." in judge("replay", "x.json").stdout
    for which in ("all", "last"):
        assert judge("replay", "x.json", "--which", which, "--html", "x.html").status == 0
        assert "contest-4" in Path("x.html").read_text().replace('"name":"contest"', "")
        Path("x.html").unlink()
    refused = play("fight", "players/ann.py@brainjar", "players/bob.py", "--no-ledger")
    assert "ann cannot play the rules 'contest-4'" in refused.stderr
    assert "judge bots --rules contest-4 lists" in refused.stderr


def test_an_error_ends_a_match_and_its_log() -> None:
    """The games up to it are there, and the code of the error."""
    fight("--games", "50", "--game-log", "x.json", connect=slips)
    log = json.loads(Path("x.json").read_text())
    assert len(log["games"]) < 50
    assert (log["player1"]["error"], log["player2"]["error"] in (10, 11)) == (0, True)
    done = judge("replay", "x.json", "--json")
    assert json.loads(done.stdout)["outcome"]["termination"] == "bad-output"
    one_of_each = judge("replay", "x.json", "--which", "one-of-each").stdout
    assert "gave no valid reply" in one_of_each


def test_the_leaderboards_of_a_log_rank_by_lives_and_then_by_games() -> None:
    """Games count over all matches; an error is named with its code, and who has not played yet
    has lost nothing. The matches are numbered, each with its winner first."""
    names = ("ann", "bob", "cy")
    totals = (Score(3, 1), Score(1, 3, 2), Score(2, 2, 2))
    entrants = tuple(
        LogBot(number, name, "X. Y.", total)
        for number, (name, total) in enumerate(zip(names, totals, strict=True))
    )
    first = ContestMatch(
        1, (ContestSide(0, Score(3, 1), 0, 3), ContestSide(1, Score(1, 3), 11, 0)), None
    )
    second = ContestMatch(
        1, (ContestSide(1, Score(0, 0, 2), 0, 0), ContestSide(2, Score(2, 2, 2), 0, 2)), None
    )
    log = ContestLog(5, entrants, ((first,), (second,)))
    assert match_lines(log) == [
        "The matches:",
        "  1  round 1  ann 3–1 bob",
        "  2  round 2   cy 2–0 bob, 2 tied",
    ]
    boards = leaderboards(log).split("\n\n")
    assert [board.splitlines() for board in boards] == [
        [
            "After round 1:",
            "  #  bot  authors  won  lost  tied",
            "  1  cy   X. Y.      0     0     0",
            "  2  ann  X. Y.      3     1     0  3 lives",
            "  3  bob  X. Y.      1     3     0  0 lives, error 11",
        ],
        [
            "At the end:",
            "  #  bot  authors  won  lost  tied",
            "  1  ann  X. Y.      3     1     0  3 lives",
            "  2  cy   X. Y.      2     2     2  2 lives",
            "  3  bob  X. Y.      1     3     2  0 lives",
        ],
    ]


def test_the_log_of_a_contest_that_goes_on_has_all_its_matches() -> None:
    """Those that were played before are in it as in a log of the whole contest, with their last
    games."""

    def log_of(ledger: str, *more: str) -> list[tuple[object, ...]]:
        words = ("rank", "players", "--games", "3", "--ledger", ledger, *more)
        done = play(*words, "--game-log", "x.json")
        assert done.status == 0, done.stderr
        assert judge("ledger", "verify", "x.json").status == 0
        log = json.loads(Path("x.json").read_text())
        sides = ("player1", "player2")
        return [
            tuple((one[side]["player_idx"], one[side]["wins"], one[side]["ties"]) for side in sides)
            for round_ in log["matches"]
            for one in round_
        ]

    whole = log_of("a.json", "--rounds", "2")
    assert len(whole) == 6
    begun = log_of("b.json", "--rounds", "1")
    assert (len(begun), set(begun) <= set(whole)) == (3, True)
    assert sorted(log_of("b.json", "--rounds", "2")) == sorted(whole)
    again = log_of("b.json", "--rounds", "2")
    assert sorted(again) == sorted(whole)
    log = json.loads(Path("x.json").read_text())
    assert all(match["last_game"] for round_ in log["matches"] for match in round_)


def test_a_past_game_that_tells_no_time_is_damage() -> None:
    """The line is named, and no log is written; a time without a zone is one of UTC."""
    words = ("rank", "players", "--games", "2", "--ledger", "a.json", "--rounds", "1")
    assert play(*words).status == 0
    first, *_ = games_in(Path("a.games.jsonl"))
    place = 2  # after the header, and how the contest is held
    for started, status in (("-h", 1), (first["started"].removesuffix("Z"), 0)):
        change = {"record": first | {"started": started}}
        rewritten(Path("a.json"), lambda entries, change=change: entries[place].update(change))
        done = play(*words, "--game-log", "x.json")
        assert done.status == status, done.stderr
        assert Path("x.json").exists() == (status == 0)
        said = "it is no game record: started: '-h' is not a time"
        assert (said in done.stderr) == (status == 1)


def test_each_error_costs_one_life_in_the_log_of_a_contest() -> None:
    """A player that errs match after match has one life less after each in the log, as in the
    contest, whatever the score was; nobody else loses one by it."""

    def errs(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        chance = 0.02 * (bot.name == "bob")
        return Frames(program(seed % 1000 + sum(map(ord, bot.name)), slips=chance))

    words = ("rank", "players", "--games", "20", "--format", "lives", "--lives", "4")
    done = play(*words, "--game-log", "x.json", "--json", connect=errs)
    assert done.status == 0, done.stderr
    log = json.loads(Path("x.json").read_text())
    sides = [(one["player1"], one["player2"]) for round_ in log["matches"] for one in round_]
    left = dict.fromkeys((0, 1, 2), 4)
    after_errors = []
    for pair in sides:
        for own, other in (pair, pair[::-1]):
            if own["error"]:
                assert (left[own["player_idx"]] - own["lives"], other["error"]) == (1, 0)
                assert left[other["player_idx"]] == other["lives"]
                after_errors.append(own["lives"])
        left.update({one["player_idx"]: one["lives"] for one in pair})
    assert after_errors == [3, 2, 1, 0]
    places = json.loads(done.stdout)["contest"]["places"]
    by_name = {one["name"]: one["lives"] for one in places}
    assert [left[number] for number in (0, 1, 2)] == [
        by_name[name] for name in ("ann", "bob", "cy")
    ]


def test_a_match_is_a_page() -> None:
    """A log gives all its games, or those that are asked for; a ledger gives the match that a game
    belongs to, with its own page still there to be had."""
    fight("--games", "7", "--game-log", "x.json")

    def page(*words: str) -> str:
        done = judge("replay", *words, "--html", "x.html")
        assert done.status == 0, done.stderr
        return Path("x.html").read_text()

    def drawn(text: str) -> list[str]:
        return list(json.loads(text.partition('id="match">')[2].partition("<")[0])["games"])

    assert drawn(page("x.json")) == list("1234567")
    assert drawn(page("x.json", "--which", "every:3")) == list("147")
    assert "Score sheet of a game" in page("x.json", "--which", "last")
    assert "Score sheet of a game" in page("x.json", "--game", "3")
    words = ("players/ann.py", "players/bob.py", "--games", "7")
    assert play("fight", *words, "--ledger", "y.json").status == 0
    assert "Score sheet of a game" in page("y.json#2")
    assert drawn(page("y.json#2", "--which", "all")) == list("1234567")


def test_a_match_costs_the_disk_as_much_as_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """All its games are synced to the disk at once, in a fight and in a contest."""
    synced: list[str] = []
    sync = os.fsync

    def counted(fd: int) -> None:
        synced.append(str(Path(f"/proc/self/fd/{fd}").readlink()))
        sync(fd)

    def journal_syncs(*words: str) -> int:
        synced.clear()
        assert play(*words).status == 0
        return sum(name.endswith(".games.jsonl") for name in synced)

    monkeypatch.setattr(os, "fsync", counted)
    for words in (
        ("fight", "players/ann.py", "players/bob.py"),
        ("rank", "players", "--format", "tournament"),
    ):
        ledgers = (f"{words[0]}-{games}.json" for games in (1, 9))
        one, nine = (
            journal_syncs(*words, "--games", games, "--ledger", ledger)
            for games, ledger in zip("19", ledgers, strict=True)
        )
        assert one == nine > 0


def test_how_the_match_stood_after_a_game() -> None:
    """Under each game stand the games won, lost and tied by then, and above it who wrote the
    players."""
    fight("--games", "7", "--game-log", "x.json", "--game-log-format", "contest-1")
    log = json.loads(Path("x.json").read_text())
    log["p1"]["au"] = "A. One"
    Path("x.json").write_text(json.dumps(log, sort_keys=True, separators=(",", ":")))
    results = [game["p1"]["o"] for game in log["gms"]]
    shown = judge("replay", "x.json", "--game", "3").stdout
    assert "policy: by A. One" in shown
    wins, losses, ties = (results[:3].count(one) for one in (87, 76, 84))
    assert f"after 3{'wins':>25}  losses    ties\n" in shown
    assert f"{'policy':24}{wins:8}{losses:8}{ties:8}\n" in shown
    assert f"{'policy#2':24}{losses:8}{wins:8}{ties:8}\nThe match took {log['et']} second" in shown


def test_a_log_that_is_too_long_to_be_read_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """It is written all the same, and judge replay refuses it."""
    record = played(contest(3), 1)
    seats = tuple(replace(seat, own_name="x" * (LONGEST // 2)) for seat in record.seats)
    with click.Context(click.Command("fight")):
        settings = Settings(rules=contest(3), limits=Limits(), bot_size_bytes=0)
        logs = opened("x.json", settings, [], games=1, seats=2)
        logs.keep(replace(record, seats=seats))
    assert Path("x.json").stat().st_size > LONGEST
    said = " ".join(capsys.readouterr().err.split())
    assert "x.json has 67,1" in said
    assert "bytes, and the judge reads logs of up to 67,108,864" in said
    done = judge("replay", "x.json")
    assert (done.status, "it is longer than 67,108,864 bytes" in done.stderr) == (1, True)


@pytest.mark.whole
def test_several_games_are_stepped_through_by_keys(tmp_path: Path) -> None:
    """Sideways from step to step, and up and down from game to game, at the same step; under the
    last step stands the match."""
    fight("--games", "5", "--game-log", "x.json")
    words = [*JUDGE, "replay", "x.json", "--which", "every:2", "--step"]
    with Terminal(words, tmp_path, rows=40) as terminal:
        terminal.shows("Game 1: ", "1 of 3 games", ", placing, 0 of 4")
        terminal.types(RIGHT)
        terminal.shows("Game 1: ", "1 of 3 games", ", placing, 1 of 4", "ship 1  policy")
        terminal.types(RIGHT, RIGHT, RIGHT, RIGHT, RIGHT)
        terminal.shows("Game 1: ", "1 of 3 games", ", 2 of ")
        terminal.types(DOWN)
        terminal.shows("Game 3: ", "2 of 3 games", ", 2 of ")
        terminal.types(END)
        terminal.shows("after 3 ", "wins", "The match took")
        terminal.types(DOWN, END)
        terminal.shows("Game 5: ", "3 of 3 games", "after 5 ")
        terminal.types(UP, b"q")
        assert terminal.ends() == 0
        assert terminal.is_as_before()


@pytest.mark.whole
def test_several_games_play_by_themselves(tmp_path: Path) -> None:
    """One after another, with a pause between them."""
    fight("--games", "2", "--game-log", "x.json")
    words = [*JUDGE, "replay", "x.json", "--which", "all", "--delay", "1ms"]
    with Terminal(words, tmp_path, rows=40) as terminal:
        terminal.shows("Game 2: ", "2 of 2 games", "after 2 ")
        terminal.types(b"q")
        assert terminal.ends() == 0
        assert terminal.is_as_before()
