"""``--learning`` and ``--share`` as they are typed: what each player finds, and what is refused."""

from __future__ import annotations

import json
import signal
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import judge
from contest_folder import journal as games_in
from judge import writing
from judge.cli.setup import Embedding
from judge.errors import TooManyReferences
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from learner import LEARNER, learners
from needs import need
from terminals import PATIENCE

ON = ("--rules", "broadsides", "--isolation", "bwrap", "--learning", "on")


@pytest.fixture
def players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two that learn, in the current one."""
    need("bwrap")
    monkeypatch.chdir(tmp_path)
    return learners(tmp_path / "players", "ann", "bob")


def digests(journal: Path) -> list[list[str | None]]:
    """The digests of its players' data, for each game."""
    return [[seat["data_digest"] for seat in one["seats"]] for one in games_in(journal)]


def test_a_fight_goes_on_with_what_was_learned(players: Path) -> None:
    """The second fight finds what the first has left; one without --learning, in another ledger,
    what lay beside the player; and the ledger with them is refused."""
    ann, bob = (f"players/{name}.py" for name in ("ann", "bob"))
    (players / "ann.txt").write_text("0 before\n")
    for _ in range(2):
        done = judge("fight", ann, bob, *ON, "--games", "2")
        assert done.status == 0, done.stderr
    (_, _, _, last) = digests(Path("ledger.games.jsonl"))
    learned = Path("ledger.data", (last[0] or "").removeprefix("sha256:")).read_text().splitlines()
    assert [line.partition(" ")[0] for line in learned] == ["0", "2", "3", "4", "5"]

    without = (*ON[:-1], "off")
    refused = judge("fight", ann, bob, *without)
    assert refused.status == 2
    assert "holds games with learning on" in refused.stderr
    assert "`--learning on` makes them equal" in refused.stderr
    done = judge("fight", ann, bob, *without, "--ledger", "other.json", "--games", "2")
    assert done.status == 0, done.stderr
    first, second = digests(Path("other.games.jsonl"))
    assert first == second
    assert first[0] is not None
    assert first[1] is None
    assert (players / "ann.txt").read_text() == "0 before\n"
    assert not Path("other.data").exists()


def test_a_game_that_is_played_again_alone_keeps_no_other_waiting(players: Path) -> None:
    """When too many descriptors are on their way, a game is played again alone, though the next
    ones of its players wait for it; each finds what the one before has left."""
    failures = [TooManyReferences(), TooManyReferences()]

    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        if failures:
            raise failures.pop()
        return usual()

    words = ("fight", "players/ann.py", "players/bob.py", *ON, "--games", "3", "--jobs", "2")
    patience = threading.Timer(PATIENCE, signal.raise_signal, [signal.SIGINT])
    patience.start()
    try:
        done = judge(*words, embedding=Embedding(connect))
    finally:
        patience.cancel()
    assert done.status == 0, done.stderr
    assert not failures
    *_, last = digests(Path("ledger.games.jsonl"))
    for digest in last:
        learned = Path("ledger.data", (digest or "").removeprefix("sha256:")).read_text()
        assert [line.partition(" ")[0] for line in learned.splitlines()] == ["1", "2", "3"]


def test_a_link_in_place_of_the_data_is_refused(players: Path) -> None:
    """Nothing behind it is read or removed, and no game is played; so with a file."""
    victim = players.parent / "victim"
    victim.mkdir()
    for name in (f"{'a' * 64}.txt", f".{'a' * 64}.txt.123.new", ".mine.new"):
        (victim / name).write_text("the user's")
    before = sorted(victim.iterdir())
    path = Path("ledger.data")
    path.symlink_to("victim")
    words = ("fight", "players/ann.py", "players/bob.py", *ON)
    for kind in ("a symbolic link", "no folder"):
        refused = judge(*words)
        assert refused.status == 2
        assert refused.stderr.count("\n") == 1
        assert f"ledger.data is {kind}, and what players have learned lies in a" in refused.stderr
        assert not Path("ledger.games.jsonl").exists()
        path.unlink()
        path.touch()
    assert sorted(victim.iterdir()) == before


def test_a_game_that_is_in_the_ledger_is_not_learned_from_again(players: Path) -> None:
    """A seed is refused whose games are there; nothing is played."""
    words = ("fight", "players/ann.py", "players/bob.py", *ON, "--seed", "7")
    assert judge(*words).status == 0
    before = Path("ledger.games.jsonl").read_bytes()
    again = judge(*words)
    assert again.status == 2
    assert "another --seed plays others" in again.stderr
    assert Path("ledger.games.jsonl").read_bytes() == before


def test_data_half_written_by_a_killed_judge_are_removed(players: Path) -> None:
    """The next run with the ledger removes them, those of games that a killed judge did not keep,
    and those of earlier games; what each version has left in its last game stays, and no file of
    others."""
    words = ("fight", "players/ann.py", "players/bob.py", *ON)
    assert judge(*words).status == 0
    data = Path("ledger.data")
    kept = set(data.iterdir())
    (data / f".{'a' * 64}.txt.123.new").write_text("1 play")
    (data / f"{'a' * 64}.txt").write_text("1 play")
    users = {"notes", ".notes.new", ".notes.txt.12.new", f".{'a' * 64}.txt.new"}
    for name in users:
        (data / name).write_text("the user's")
    (players / "bob.py").write_text(f"{LEARNER}# another version\n")
    assert judge(*words, "--games", "3").status == 0
    (ann, bob), *_, last = digests(Path("ledger.games.jsonl"))
    assert {path.name for path in kept} == {
        one.removeprefix("sha256:") for one in (ann, bob) if one
    }
    now = {one.removeprefix("sha256:") for one in (bob, *last) if one}
    assert {path.name for path in data.iterdir()} == users | now


def test_data_that_are_not_there_as_they_were_are_asked_for(players: Path) -> None:
    """Changed or gone, they are named, and no game is played without them; of a player that has
    played with other files only, they are not needed."""
    words = ("fight", "players/ann.py", "players/bob.py", *ON)
    assert judge(*words).status == 0
    ((ann, bob),) = digests(Path("ledger.games.jsonl"))
    kept = Path("ledger.data", (bob or "").removeprefix("sha256:"))
    content = kept.read_bytes()
    kept.write_bytes(content + b"!")
    damaged = judge(*words)
    assert damaged.status == 1
    assert f"{kept} is damaged" in damaged.stderr
    kept.unlink()
    gone = judge(*words)
    assert gone.status == 1
    assert f"{kept} cannot be read" in gone.stderr
    (players / "bob.py").write_text(f"{LEARNER}# another version\n")
    assert judge(*words).status == 0
    (_, later) = digests(Path("ledger.games.jsonl"))
    assert later[1] is not None
    assert ann not in later


def test_a_journal_that_lost_its_last_line_can_be_gone_on_with(players: Path) -> None:
    """The data of the game before are gone by then. A user who brings the line back goes on, for
    nothing is removed meanwhile; and the way without it is named, and leads on."""
    words = ("fight", "players/ann.py", "players/bob.py", *ON)
    assert judge(*words, "--games", "2").status == 0
    journal = Path("ledger.games.jsonl")
    whole = journal.read_bytes()
    first = b"".join(whole.splitlines(keepends=True)[:-1])
    journal.write_bytes(first)
    Path("ledger.games.cache").unlink()
    data = sorted(Path("ledger.data").iterdir())
    gone = judge(*words)
    assert gone.status == 1
    assert "what ann has learned by its last game, so bring it back; if there is no" in gone.stderr
    assert sorted(Path("ledger.data").iterdir()) == data
    journal.write_bytes(whole)
    assert judge("ledger", "rebuild", "ledger.json").status == 0
    assert judge(*words).status == 0

    journal.write_bytes(first)
    Path("ledger.games.cache").unlink()
    assert "change a comment in the program of ann: as a new version" in judge(*words).stderr
    for name in ("ann", "bob"):
        (players / f"{name}.py").write_text(f"{LEARNER}# again\n")
    assert judge(*words).status == 0


def test_two_judges_do_not_go_on_with_the_same_data(players: Path) -> None:
    """While one plays with a ledger, another is refused."""
    Path(".ledger.json.learning.lock").touch()
    with writing.locked(Path(".ledger.json.learning.lock")):
        refused = judge("fight", "players/ann.py", "players/bob.py", *ON)
    assert refused.status == 2
    assert "another judge plays games with --learning on for" in refused.stderr
    assert not Path("ledger.games.jsonl").exists()


def test_a_contest_says_what_was_dropped_and_nothing_of_data(players: Path) -> None:
    """A data file among the players does not count as left out, and any other file that a player
    writes is said once, by either --learning."""
    (players / "ann.txt").write_text("0 before\n")
    (players / "bob.py").write_text(f"open('more', 'w').close()\n{LEARNER}")
    done = judge("rank", "players", *ON, "--seed", "7", "--rounds", "2")
    assert done.status == 0, done.stderr
    assert "left out" not in done.stderr
    assert done.stderr.count("what bob wrote besides its data is dropped: 'more'") == 1


def test_in_a_format_that_goes_by_results_players_learn_from_batch_to_batch(players: Path) -> None:
    """In the games of a Swiss contest, each finds what the one before has left: a line for each."""
    (players / "cy.py").write_text(LEARNER)
    done = judge("rank", "players", *ON, "--format", "swiss", "--seed", "3", "--jobs", "2")
    assert done.status == 0, done.stderr
    played: Counter[str] = Counter()
    last: dict[str, str] = {}
    for game in games_in(Path("players.ledger.games.jsonl")):
        for seat in game["seats"]:
            played[seat["name"]] += 1
            last[seat["name"]] = seat["data_digest"].removeprefix("sha256:")
    for name, left in last.items():
        assert len(Path("players.ledger.data", left).read_text().splitlines()) == played[name]
    assert set(played) == {"ann", "bob", "cy"}
    assert played.total() > 2


def test_jobs_change_nothing_of_what_players_learn(players: Path) -> None:
    """A contest of players that learn and of one that does not has the same standings, to the byte,
    and its games the same moves and data, however many are played at once."""
    (players / "cy.py").write_text(LEARNER)
    kit = learners(players / "kit", "bot")
    (kit / "bot.json").write_text('{"command": ["python3", "bot.py"], "wire": "broadsides"}')
    words = ("rank", "players", *ON, "--seed", "5", "--rounds", "2", "--ledger")
    for jobs in ("1", "3"):
        done = judge(*words, f"{jobs}.json", "--jobs", jobs)
        assert done.status == 0, done.stderr
    assert Path("1.json").read_bytes() == Path("3.json").read_bytes()
    assert digests(Path("1.games.jsonl")) == digests(Path("3.games.jsonl"))


def test_who_cannot_learn_is_said(players: Path) -> None:
    """With --learning on, each that is no single file or speaks another protocol."""
    kit = learners(Path("kit"), "bot")
    (kit / "bot.json").write_text('{"command": ["python3", "bot.py"], "wire": "broadsides"}')
    rule = (
        "a player that learns is a single file, no folder with a bot.json, and speaks broadsides.\n"
    )
    done = judge("fight", "players/ann.py", "kit", *ON)
    assert done.status == 0, done.stderr
    said = f"judge: --learning on: nothing is kept of what these bots learn: kit; {rule}"
    assert done.stderr.count(said) == 1
    ((one, other),) = digests(Path("ledger.games.jsonl"))
    assert (one is not None, other is None) == (True, True)

    off = ("fight", "players/ann.py", "kit", *ON[:-1], "off", "--no-ledger")
    assert "learns" not in judge(*off).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("players/ann.py", "players/bob.py", "--isolation", "limits"),
            "--learning on needs --isolation bwrap: under limits players could read",
        ),
        (
            ("salvo", "salvo_ruby", "--isolation", "bwrap"),
            "none of these bots can learn; a player that learns is a single file, no folder with a",
        ),
        (
            ("players/ann.py", "players/bob.py", "--isolation", "bwrap", "--share", "players"),
            "--share 'players': ann lies in it; share a folder that holds no player",
        ),
        (
            ("players/ann.py", "players/bob.py", "--isolation", "bwrap", "--share", "nowhere"),
            "--share 'nowhere': there is no such folder",
        ),
        (
            ("players/ann.py", "players/bob.py", "--isolation", "bwrap", "--share", "players/lib"),
            "lies too; put the players into a folder by themselves",
        ),
    ],
)
def test_what_cannot_be_is_refused(players: Path, words: tuple[str, ...], said: str) -> None:
    """Before the first game, with the way out."""
    (players / "lib").mkdir()
    refused = judge("fight", *words, "--rules", "broadsides", "--learning", "on")
    assert refused.status == 2
    assert said in refused.stderr
    assert not Path("ledger.games.jsonl").exists()


@pytest.mark.parametrize("learning", ["on", "off"])
def test_a_player_loads_helpers_from_a_folder_that_is_shared(players: Path, learning: str) -> None:
    """It finds them at their own path, as they were at the start; without --share it cannot, and
    what it is made of, by its digest, is then something else."""
    need_helper(players)
    words = ("fight", "players/ann.py", "players/bob.py", *ON[:-1], learning, "--json")
    (alone,) = json.loads(judge(*words, "--no-ledger").stdout)["records"]
    assert alone["outcome"]["loser"] == 0
    assert "No module named 'helper'" in alone["outcome"]["evidence"][0]["stderr"]
    assert "--share" not in alone["outcome"]["detail"]  # no path was named
    (helped,) = json.loads(judge(*words, "--no-ledger", "--share", "lib").stdout)["records"]
    assert helped["outcome"]["termination"] == "fleet-destroyed"
    assert helped["seats"][0]["digest"] != alone["seats"][0]["digest"]


def test_a_player_with_helpers_is_tested_and_compared(players: Path) -> None:
    """It clears boards if the folder of its helpers is shared, and no board otherwise."""
    need_helper(players)
    more = ("--boards", "2", "--rules", "broadsides", "--isolation", "bwrap", "--json")
    shoots = ("test", "players/ann.py", *more)
    (cleared,) = json.loads(judge(*shoots, "--share", "lib").stdout)["bots"]
    (failed,) = json.loads(judge(*shoots).stdout)["bots"]
    assert (cleared["forfeits"], failed["forfeits"]) == ({}, {"crash": 2})
    words = ("compare", "players/ann.py", "players/bob.py", "--games", "2", *more)
    compared = json.loads(judge(*words, "--share", "lib").stdout)
    assert compared["old"]["not_cleared"] == 0


def need_helper(players: Path) -> None:
    """Let ann load a helper from the folder lib beside the players."""
    helpers = players.parent / "lib"
    helpers.mkdir()
    (helpers / "helper.py").write_text("HELP = 'is here'\n")
    at = "sys.path.append(os.path.dirname(os.path.dirname(__file__)) + '/lib')"
    (players / "ann.py").write_text(f"import os, sys\n{at}\nimport helper\n{LEARNER}")


def test_who_misses_a_file_in_a_folder_beside_its_own_is_told_of_share(players: Path) -> None:
    """By a path in what it printed, and of a folder that is there; of others nothing is said. The
    folder is not named, for the player chose it: it may be another player's, or hold secrets."""
    helpers = players.parent / "lib"
    helpers.mkdir()
    (helpers / "helper.txt").write_text("")
    for folder, is_said in (("lib", True), ("nowhere", False)):
        path = players / ".." / folder / "helper.txt"
        (players / "ann.py").write_text(f"open({str(path)!r})")
        words = ("players/ann.py", "players/bob.py", *ON[:-1], "off", "--no-ledger", "--json")
        (game,) = json.loads(judge("fight", *words).stdout)["records"]
        detail = game["outcome"]["detail"]
        assert ("no other player's, --share FOLDER shows it" in detail) == is_said
        assert str(players.parent) not in detail


def test_a_fight_says_what_was_dropped_and_names_no_command_that_is_refused(players: Path) -> None:
    """Its text does, as its documents do. With a ledger the players have other data by now, so the
    same game cannot be played again; without one it can."""
    writes = "open('more', 'w')"
    (players / "bob.py").write_text(LEARNER.replace("import os, sys", f"import os, sys; {writes}"))
    words = ("fight", "players/ann.py", "players/bob.py", *ON)
    kept = judge(*words)
    assert "what bob wrote besides its data is dropped: 'more'" in kept.stderr
    assert "Play it again" not in kept.stdout
    unkept = judge(*words, "--no-ledger")
    assert "what bob wrote besides its data is dropped: 'more'" in unkept.stderr
    assert "Play it again" in unkept.stdout


def test_what_cannot_be_data_is_said_and_left_alone(players: Path) -> None:
    """A link and a second file are no data; the game is played without."""
    (players / "ann.txt").symlink_to("/etc/passwd")
    for suffix in ("a", "b"):
        (players / f"bob.{suffix}").touch()
    done = judge("fight", "players/ann.py", "players/bob.py", *ON[:-1], "off")
    assert done.status == 0
    assert (
        "ann has no data in its games, for 'ann.txt' cannot be its data: it is a link"
        in done.stderr
    )
    assert "bob has no data in its games, for several files could be its data" in done.stderr
    assert digests(Path("ledger.games.jsonl")) == [[None, None]]
