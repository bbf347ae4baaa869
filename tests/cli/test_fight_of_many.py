"""judge fight with more than two bots: scripted players, through the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from commands import Done, judge
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.standings.summary import forfeits
from judge.errors import Crashed
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from judge.wire import WIRES
from three_seats import FLEET, FORWARDS, TRIO, Lines, shooting

PLAYERS = {
    "ada": shooting(FORWARDS),
    "bob": shooting(FORWARDS[::-1]),
    "cyd": shooting(FORWARDS[::-1], most=2),
    "dan": shooting(FORWARDS),
}


def breaking(name: str, at: int) -> Callable[[bytes], bytes]:
    """A program that breaks when it is asked for its fleet (``at`` 0), for its first shot (1), …"""
    asked = count()

    def answer(data: bytes) -> bytes:
        if next(asked) == at:
            raise Crashed(f"{name} broke")
        return PLAYERS[name](data)

    return answer


def fight(*arguments: str, players: Mapping[str, Callable[[bytes], bytes]] = PLAYERS) -> Done:
    def connect(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        return Script(players[bot.name])

    kept = [] if {"--ledger", "--no-ledger"} & {*arguments} else ["--no-ledger"]
    return judge(
        "fight", "--rules", "trio.json", "--isolation", "none", *arguments, *kept,
        embedding=Embedding(connect),
    )  # fmt: skip


@pytest.fixture(autouse=True)
def folder(own_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with rules for three or four and a file for each player; and the table of wires
    with a row more."""
    monkeypatch.setitem(WIRES, Lines.name, Lines)
    Path("trio.json").write_text(json.dumps(TRIO))
    for name in PLAYERS:
        Path(f"{name}.sh").write_text("#!/bin/sh\n")
    yield own_folder
    kept = {"kept.json", "kept.games.jsonl", ".kept.json.lock", "kept.games.index"}
    left = {file.name for file in own_folder.iterdir()} - {"game.json", "page.html", *kept}
    assert left == {"trio.json", *(f"{name}.sh" for name in PLAYERS)}


THREE = ("ada.sh", "bob.sh", "cyd.sh")


def test_one_game_of_three_is_told_in_words() -> None:
    """The winner, who forfeited, a row a seat, what the game did to the points of all, and how to
    play it again."""
    done = fight(*THREE, "--seed", "7", "--ledger", "kept.json")
    assert (done.status, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
ada wins: it was the last with a ship afloat, after 2 shots, without a miss.

cyd, bad-output: replied enough

                           shots   hits   misses    afloat   ms a move    worst
ada                            2      2        0    1 of 1           -        -
bob                            1      0        1    0 of 1           -        -
cyd                            2      0        2    1 of 1           -        -

cyd moved first. 5 shots. Rules trio, seed 7.
Points: ada 10.00 to 11.00, bob 10.00 to 10.00, cyd 10.00 to 10.00; kept in
kept.json.
Run that move again:
  judge replay 'kept.json#1' --move 6
Play it again:
  judge fight --rules trio.json --isolation none ada.sh bob.sh cyd.sh --seed 7 --ledger kept.json
"""
    )


def test_many_games_of_four_are_told_in_words() -> None:
    """Wins, shares, shots, times and forfeits of each, three bots beside each other; neither Elo
    nor who is the stronger of two."""
    done = fight(*THREE, "dan.sh", "--seed", "7", "--games", "8", "--no-ledger")
    assert (done.status, done.stderr) == (0, "")
    assert (
        done.stdout
        == """\
ada 0, bob 0, cyd 0, dan 8 in 8 games

                                   ada                 bob                 cyd
wins                                 0                   0                   0
win rate                          0.0%                0.0%                0.0%
  95% interval            0.0% – 32.4%        0.0% – 32.4%        0.0% – 32.4%
shots to win                         -                   -                   -
shots a game                       1.2                 2.0                 2.0
misses a game                      0.0                 2.0                 2.0
ms a move, median                    -                   -                   -
  99 of 100 within                   -                   -                   -
  worst                              -                   -                   -
forfeits                          none                none                   8
  bad-output                         -                   -                   8

                                   dan
wins                                 8
win rate                        100.0%
  95% interval          67.6% – 100.0%
shots to win                       2.8
shots a game                       2.8
misses a game                      0.0
ms a move, median                    -
  99 of 100 within                   -
  worst                              -
forfeits                          none
  bad-output                         -

first mover won   25.0% (2 of 8)

cyd, bad-output (8 games, first 7-1): replied enough

Seed 7.
Run that move again:
  judge fight --rules trio.json --isolation none ada.sh bob.sh cyd.sh dan.sh --seed 7 --games 8 --no-ledger --json > game.json
  judge replay 'game.json#7-1' --move 8
Play it again:
  judge fight --rules trio.json --isolation none ada.sh bob.sh cyd.sh dan.sh --seed 7 --games 8 --no-ledger
"""
    )


def test_documents_of_three() -> None:
    """`--json` has a bot for each seat and null for what is defined for two alone; every game in
    it can be judged again, and its first movers take turns."""
    done = fight(*THREE, "--games", "4", "--json", "--quiet")
    document = json.loads(done.stdout)
    assert (done.status, done.stderr) == (0, "")
    assert schemas.problem("fight", document) is None
    assert [bot["name"] for bot in document["bots"]] == ["ada", "bob", "cyd"]
    assert [bot["wins"] for bot in document["bots"]] == [4, 0, 0]
    assert [bot["losses"] for bot in document["bots"]] == [0, 4, 4]
    assert [bot["win_rate"] for bot in document["bots"]] == [1.0, 0.0, 0.0]
    assert document["bots"][2]["forfeits"] == {"bad-output": 4}
    assert [document[key] for key in ("pairs", "elo", "sprt")] == [None] * 3
    assert [record["first"] for record in document["records"]] == [0, 1, 2, 0]
    for record in map(GameRecord.from_json, document["records"]):
        assert [seat.fleet for seat in record.seats] == [FLEET] * 3
        assert list(replay(record))[-1].outcome == record.outcome


@pytest.mark.parametrize("key", ["pairs", "elo", "sprt"])
def test_the_schema_holds_documents_to_their_number_of_bots(key: str) -> None:
    """What is defined for two bots is no part of the document of three; pairs, of that of two."""
    document = json.loads(fight(*THREE, "--json", "--quiet").stdout)
    totals = json.loads(fight(*THREE, "--jsonl", "--quiet").stdout.splitlines()[-1])
    given = schemas.load("fight")["examples"][0][key] or {}
    document[key] = totals["fight"][key] = given
    assert schemas.problem("fight", document) is not None
    assert schemas.problem("fight-event", totals) is not None
    duel = {**schemas.load("fight")["examples"][0], "pairs": None}
    assert schemas.problem("fight", duel) is not None


def test_events_of_three() -> None:
    """`--jsonl` tells every game with the wins of all seats, whatever the number of jobs."""
    told = [
        fight(*THREE, "--games", "7", "--seed", "3", "--jobs", jobs, "--jsonl", "--quiet")
        for jobs in ("1", "3")
    ]
    events = [[json.loads(line) for line in one.stdout.splitlines()] for one in told]
    for event in events[0]:
        assert schemas.problem("fight-event", event) is None
    start, *games, end = events[0]
    assert start["bots"] == ["ada", "bob", "cyd"]
    assert [game["score"]["wins"] for game in games] == [[n, 0, 0] for n in range(1, 8)]
    assert end["fight"]["first_mover_wins"] == 3
    shots = [[game["record"]["shots"] for game in one[1:-1]] for one in events]
    assert shots[0] == shots[1]


@pytest.mark.parametrize(
    ("turn", "at", "ended"),
    [
        ("single", {"bob": 1, "cyd": 2}, "crash"),
        ("single", {"cyd": 1, "bob": 2}, "crash"),
        ("single", {"bob": 1}, "fleet-destroyed"),
        ("single", {"bob": 0, "cyd": 0}, "crash"),
        ("single", {"bob": 0, "cyd": 1}, "crash"),
        ("both", {"bob": 2, "cyd": 2}, "crash"),
        ("both", {"bob": 1, "cyd": 2}, "crash"),
        ("single", dict.fromkeys(("ada", "bob", "cyd"), 0), "void"),
        ("both", dict.fromkeys(("ada", "bob", "cyd"), 1), "both-failed"),
    ],
)
def test_every_bot_that_forfeits_has_its_own_sentence(
    turn: str, at: dict[str, int], ended: str
) -> None:
    """Whenever it forfeited, and whoever ended the game; the record keeps it."""
    Path("trio.json").write_text(json.dumps({**TRIO, "turn": turn}))
    players = dict.fromkeys(PLAYERS, PLAYERS["bob"])
    players |= {name: breaking(name, number) for name, number in at.items()}
    done = fight(*THREE, "--first", "a", "--json", "--quiet", players=players)
    (document,) = json.loads(done.stdout)["records"]
    record = GameRecord.from_json(document)
    assert record.outcome.termination == ended
    said = {record.seats[seat].name: one.detail for seat, one in forfeits(record).items()}
    assert said == {name: f"{name} broke" for name in at}


def test_watching_three() -> None:
    """`--watch` names the target of each shot, and who forfeits."""
    done = fight(*THREE, "--seed", "7", "--watch", "--quiet")
    assert (
        done.stderr
        == """\
   1  cyd  22  miss  at ada
   2  ada  00  hit  at bob
   3  bob  22  miss  at cyd
   4  cyd  12  miss  at ada
   5  ada  10  hit, sinks the 2  at bob
   6  cyd forfeits: bad-output

"""
    )


def test_looking_at_a_game_of_three() -> None:
    """`judge replay` shows the three boards, in the fog of any seat, and makes a page of them."""
    Path("game.json").write_text(fight(*THREE, "--seed", "7", "--json", "--quiet").stdout)
    truth = judge("replay", "game.json").stdout
    assert truth.count("\n  ada   ") == 2
    assert truth.count("  afloat: none") == 1
    fog = judge("replay", "game.json", "--fog", "C").stdout
    assert "\n> cyd\n  0 1 2\n0 2 2 ·\n" in fog
    assert "\n  ada                                       bob\n  0 1 2  " in fog
    assert fog.count("0 2 2 ·") == 2  # its own, before and after
    none = judge("replay", "game.json", "--fog", "D")
    assert (none.status, none.stderr) == (2, "judge: --fog: only 3 played this game.\n")
    move = judge("replay", "game.json", "--move", "D")
    assert (move.status, move.stderr) == (2, "judge: --move D: only 3 played this game.\n")
    judge("replay", "game.json", "--html", "page.html")
    assert Path("page.html").read_text().count('<section class="side"') == 3


COUNT = "the rules trio are for 3 to 4 players, not {}: choose others with --rules"
MORE = "{} two bots, and 3 are named: leave it out"
WIRE = (
    "in the brainjar protocol, which it speaks, a game has two players; judge bots with the same "
    "--rules lists bots that can, over open, open-lines, lines"
)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (THREE[:2], COUNT.format(2)),
        ((*THREE, *THREE), COUNT.format(6)),
        ((*THREE, "--sprt", "0,30"), MORE.format("--sprt compares")),
        ((*THREE[:2], "cyd.sh@brainjar"), f"cyd cannot play the rules 'trio': {WIRE}"),
    ],
)
def test_what_three_cannot_do_is_said_in_a_sentence(
    arguments: tuple[str, ...], sentence: str
) -> None:
    """Too few or too many for the rules, a question about two, a wire for two: exit 2,
    one sentence, and nothing is written."""
    done = fight(*arguments)
    assert (done.status, done.stdout, done.stderr) == (2, "", f"judge: {sentence}.\n")


def test_games_of_three_are_kept_and_move_points() -> None:
    """A single winner gains 5% of the points of each of the others; the games are sound to
    `verify`, and the table counts them."""
    assert fight(*THREE, "--seed", "3", "--games", "2", "--ledger", "kept.json").status == 0
    document = json.loads(judge("standings", "kept.json", "--json").stdout)
    assert document["games"] == 2
    assert {bot["name"]: bot["points"] for bot in document["bots"]} == {
        "ada": 12.0,
        "bob": 10.0,
        "cyd": 10.0,
    }
    assert [bot["points_shuffled"] for bot in document["bots"]] == [12.0, 10.0, 10.0]
    assert [bot["games"] for bot in document["bots"]] == [2, 2, 2]
    ada, *others = document["bots"]
    assert ada["elo"] > 0 > max(bot["elo"] for bot in others)
    verified = judge("ledger", "verify", "kept.json")
    assert verified.status == 0, verified.stderr


@pytest.mark.parametrize("command", ["rank . --quiet", "test ada.sh", "play ada.sh", "tester"])
def test_commands_for_two_refuse_rules_for_three(command: str) -> None:
    """Rules that two cannot play are refused by every command that seats two."""
    done = judge(*command.split(), "--rules", "trio.json", "--isolation", "none")
    assert (done.status, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert COUNT.format(2) in done.stderr or "a game has two players" in done.stderr
