"""judge fight --print broadsides: the very lines of that system."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_game_logs import fight, folder, play, plays
from test_rank import Done, judge

from judge.errors import LaunchFault
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


@pytest.mark.parametrize("other", ["--json", "--jsonl", "--sprt"])
def test_it_goes_with_no_other_form(other: str) -> None:
    """One form is chosen, in one sentence."""
    words = [other, *(["0,30"] if other == "--sprt" else [])]
    done = judge("fight", "hunter", "random", "--print", "broadsides", *words)
    assert done.status == 2
    assert "cannot both be had: choose one" in done.stderr


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


def test_only_a_tournament_is_printed() -> None:
    """Other formats have no lines there."""
    done = play("rank", "players", "--rules", "broadsides", "--print", "broadsides")
    assert done.status == 2
    assert done.stderr.endswith(
        "judge: --print prints the lines of a tournament: add --format tournament.\n"
    )
