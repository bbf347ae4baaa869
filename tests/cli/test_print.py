"""judge fight --print broadsides: the very lines of that system."""

from __future__ import annotations

import json
from pathlib import Path

from broadsides_players import fight, folder, play, plays
from commands import Done, judge
from judge.errors import BotChanged, LaunchFault
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection

assert folder  # the players' folder, a fixture of every test


def test_a_game_prints_its_winner() -> None:
    """One line, and nothing else."""
    done = fight("--print", "broadsides", "--quiet")
    assert done.stdout in ("ann wins.\n", "bob wins.\n")
    assert done.stderr == ""


def test_many_games_print_a_line_each_and_the_scores() -> None:
    """As the original's tournament: who moves first is named first, games count from 0, and the
    best is first at the end, zeros included."""
    done = fight("--games", "4", "--print", "broadsides", "--game-log", "logs", "--quiet")
    *games, empty, title, line, first, second = done.stdout.splitlines()
    assert [game.partition("...  ")[0] for game in games] == [
        "Running ann_vs_bob_0",
        "Running bob_vs_ann_1",
        "Running ann_vs_bob_2",
        "Running bob_vs_ann_3",
    ]
    for game in games:
        name, _, won = game.removeprefix("Running ").partition("...  ")
        last = Path("logs", f"{name}.log").read_text().splitlines()[-1]
        assert won == f"{last.removeprefix('WINNER ')} wins."
    assert (empty, title, line) == ("", "Final Scores", "============")
    points = {name: sum(f"  {name} wins." in game for game in games) for name in ("ann", "bob")}
    told = {name: int(count) for name, count in (one.split(": ") for one in (first, second))}
    assert told == points
    assert int(first.split(": ")[1]) >= int(second.split(": ")[1])


def test_a_line_begins_before_its_game() -> None:
    """What scripts wait for is there when the first game is played."""
    seen = []

    def looks(bot: Bot, seed: int, usual: object) -> Connection:
        import sys

        seen.append(sys.stdout.buffer.getvalue())  # type: ignore[attr-defined] # click's, in a test
        return plays(bot, seed, usual)

    words = ["players/ann.py", "players/bob.py", "--games", "2", "--jobs", "1", "--no-ledger"]
    play("fight", *words, "--print", "broadsides", connect=looks)
    assert seen[0] == b"Running ann_vs_bob_0..."


def test_a_game_that_the_judge_could_not_play_gives_nobody_a_point() -> None:
    """The others are printed as they are, and the exit status is 1."""

    def fails(bot: Bot, seed: int, usual: object) -> Connection:
        raise LaunchFault("no more processes")

    words = ["players/ann.py", "players/bob.py", "--games", "2", "--no-ledger"]
    done = play("fight", *words, "--print", "broadsides", connect=fails)
    assert done.status == 1
    assert done.stdout.count("  Nobody wins.\n") == 2
    assert done.stdout.endswith("\nann: 0\nbob: 0\n")
    assert "no more processes" in done.stderr


# A tournament


def lines_of(stdout: str) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """The games that were printed, with their winners, and the final scores."""
    games, _, rest = stdout.partition("\n\nFinal Scores\n============\n")
    pairs = [line.removeprefix("Running ").split("...  ") for line in games.splitlines()]
    scores = [line.split(": ") for line in rest.splitlines()]
    return (
        [(game, winner.removesuffix(" wins.")) for game, winner in pairs],
        {name: int(count) for name, count in scores},
    )


def tournament(*more: str) -> Done:
    words = ["players", "--rules", "broadsides", "--format", "tournament", "--games", "4"]
    return play("rank", *words, "--print", "broadsides", "--quiet", *more)


def test_a_tournament_prints_a_line_a_game_and_the_scores() -> None:
    """In the order of the original: all games of two players in a row. Who moves first is named
    first, the games of every two are numbered, and a name that begins another is scored by
    itself."""
    Path("players", "cy.py").rename("players/ann2.py")
    games, scores = lines_of(tournament().stdout)
    assert [game for game, _ in games] == [
        f"{'_vs_'.join(pair if number % 2 == 0 else pair[::-1])}_{number}"
        for pair in (("ann", "ann2"), ("ann", "bob"), ("ann2", "bob"))
        for number in range(4)
    ]
    won = [winner for _, winner in games]
    assert scores == {name: won.count(name) for name in ("ann", "ann2", "bob")}
    assert list(scores.values()) == sorted(scores.values(), reverse=True)


def test_a_tournament_that_goes_on_prints_the_rest_and_all_scores() -> None:
    """Games that the ledger has are not printed again, and count in the scores."""
    Path("players", "cy.py").rename("cyd.py")
    first, _ = lines_of(tournament().stdout)
    Path("cyd.py").rename("players/cyd.py")
    rest, scores = lines_of(tournament().stdout)
    assert {game.rpartition("_")[0] for game, _ in rest} == {
        *("ann_vs_cyd", "cyd_vs_ann", "bob_vs_cyd", "cyd_vs_bob")
    }
    won = [winner for _, winner in (*first, *rest)]
    assert scores == {name: won.count(name) for name in ("ann", "bob", "cyd")}


def scores_alone(stdout: str) -> dict[str, int]:
    """The final scores where no game was played."""
    begin = "\nFinal Scores\n============\n"
    assert stdout.startswith(begin)
    return lines_of(f"Running a_vs_b_0...  a wins.\n{stdout}")[1]


def points() -> dict[str, float]:
    """The points of the tournament, as the table of its ledger has them."""
    table = json.loads(judge("standings", "players.ledger.json", "--json").stdout)
    return {place["name"]: place["points"] for place in table["contest"]["places"]}


def test_a_changed_player_is_scored_by_its_new_games() -> None:
    """The games of its old file count no more, for nobody."""
    Path("players", "cy.py").unlink()
    before, _ = lines_of(tournament().stdout)
    Path("players", "bob.py").write_text("# better")
    games, scores = lines_of(tournament().stdout)
    assert [game for game, _ in games] == [game for game, _ in before]
    won = [winner for _, winner in games]
    assert scores == {name: won.count(name) for name in ("ann", "bob")} == points()
    assert sum(scores.values()) == 4


def test_games_that_are_not_of_the_tournament_are_not_scored() -> None:
    """A fight into the same ledger changes no score."""
    Path("players", "cy.py").unlink()
    _, before = lines_of(tournament().stdout)
    ann_and_bob = ("players/ann.py", "players/bob.py")
    fought = play("fight", *ann_and_bob, "--games", "3", "--ledger", "players.ledger.json")
    assert fought.status == 0, fought.stderr
    assert scores_alone(tournament().stdout) == before == points()


def test_the_scores_after_an_order_are_the_points_of_the_table() -> None:
    """Games against a player that is disqualified count for nobody."""
    played, _ = lines_of(tournament().stdout)
    told = judge("ledger", "disqualify", "players.ledger.json", "cy", "--reason", "copied")
    assert told.status == 0, told.stderr
    scores = scores_alone(tournament().stdout)
    won = [winner for game, winner in played if "cy" not in game]
    assert scores == {name: won.count(name) for name in ("ann", "bob")} == points()


def test_a_player_that_changes_in_mid_run_gets_no_more_lines() -> None:
    """The game that could not be played says so, the lines of the others stay in step with their
    games, and those of the one that changed are left out."""

    def changes(bot: Bot, seed: int, usual: object) -> Connection:
        if bot.name == "bob":
            raise BotChanged("bob", "its files are others than when the judge began")
        return plays(bot, seed, usual)

    words = ["players", "--rules", "broadsides", "--format", "tournament", "--games", "4"]
    done = play("rank", *words, "--print", "broadsides", "--game-log", "logs", connect=changes)
    assert done.status == 1
    games, _ = lines_of(done.stdout)
    assert games[0] == ("ann_vs_bob_0", "Nobody")
    assert [game for game, _ in games[1:]] == [
        f"{'_vs_'.join(('ann', 'cy') if number % 2 == 0 else ('cy', 'ann'))}_{number}"
        for number in range(4)
    ]
    for game, winner in games[1:]:
        assert Path("logs", f"{game}.log").read_text().endswith(f"\nWINNER {winner}\n")


def test_a_tournament_that_is_stopped_ends_its_line() -> None:
    """What is written next begins a line of its own."""
    left = [3]

    def stops(bot: Bot, seed: int, usual: object) -> Connection:
        left[0] -= 1
        if left[0] < 0:
            raise LaunchFault("no more processes")
        return plays(bot, seed, usual)

    words = ["players", "--rules", "broadsides", "--format", "tournament", "--games", "20"]
    done = play("rank", *words, "--print", "broadsides", "--jobs", "1", connect=stops)
    assert done.status == 1
    assert "games in a row could not be played" in done.stderr
    *_, last = done.stdout.splitlines(keepends=True)
    assert last.startswith("Running ")
    assert last.endswith("...\n")


def test_only_a_tournament_is_printed() -> None:
    """Other formats have no lines there."""
    done = play("rank", "players", "--rules", "broadsides", "--print", "broadsides")
    assert done.status == 2
    assert done.stderr.endswith(
        "judge: --print prints the lines of a tournament: add --format tournament.\n"
    )
