"""Every variant is played across protocols, and whoever cannot play one is told why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import judge
from judge import schemas
from judge.contest.standings.summary import forfeits, run_times
from judge.documents.codec import convert
from judge.documents.game import GameRecord, Termination
from judge.game.replay import replay
from judge.game.variants import VARIANTS
from judge.play.recorded_move import move
from judge.play.spoken import expressing
from judge.process.bots.bot import bundled
from needs import need

ANY = """\
import json, random, sys

luck = random.Random(sys.argv[1])
asked = json.loads(sys.argv[1])
columns, rows = asked["rules"]["columns"], asked["rules"]["rows"]
if asked["cmd"] == "place":
    ships = [[n, 0, row, "horizontal"] for row, n in enumerate(asked["rules"]["fleet"])]
    print(json.dumps({"ships": ships}))
else:
    shot = {(target, x, y) for _, target, x, y, *_ in asked["shots"]}
    fresh = [
        (seat, x, y) for seat in range(len(asked["players"])) if seat != asked["seat"]
        for x in range(columns) for y in range(rows) if (seat, x, y) not in shot
    ]
    luck.shuffle(fresh)
    print(json.dumps({"shots": (fresh * asked["due"])[:asked["due"]]}))
"""
BROADSIDER = """\
import random, sys

for line in sys.stdin:
    match line.split():
        case ["ACTION", "SHIPS", _]:
            print("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H", flush=True)
        case ["ACTION", "SHOTS", due]:
            cells = [f"{random.choice('ABCDEFGHIJ')}{random.randint(1, 10)}" for _ in range(int(due))]
            print("SHOTS", *cells, flush=True)
        case ["ACTION", "FINISH"]:
            print("FINISH", flush=True)
"""
PLAYED_OUT = {
    "brainjar": Termination.FLEET_DESTROYED,
    "broadsides": Termination.FLEET_DESTROYED,
    "contest": Termination.FLEET_DESTROYED,
    "bsp": Termination.FLEET_DESTROYED,
    "xbs": Termination.GOAL,
}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder with a bot for each protocol."""
    Path("any.py").write_text(ANY)
    Path("sea.py").write_text(BROADSIDER)


@pytest.mark.whole
@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_played_across_protocols(name: str) -> None:
    """A bot of another protocol plays a bundled one; the game is played out, is judged again
    alike, and can be seen as text and as a page."""
    other = {
        "brainjar": "random@brainjar",
        "broadsides": "sea.py@broadsides",
        "contest": "contest-hunt",
        "xbs": "xbs-hunt",
    }
    played = judge(
        "fight", other.get(name, "any.py@open"), "hunter", "--rules", name, "--seed", "3", "--json",
        # A program that is started for each move takes the longer, the stricter it is held.
        "--isolation", "auto" if name == "broadsides" else "none",
    )  # fmt: skip
    assert played.status == 0, played.stderr
    document = json.loads(played.stdout)
    assert schemas.problem("fight", document) is None
    record = convert(GameRecord, document["records"][0], "it")
    usual = VARIANTS[name].wire
    hunters = "brainjar" if name == "brainjar" else "open-lines"
    assert [seat.wire for seat in record.seats] == [usual, hunters]
    assert record.outcome.termination is PLAYED_OUT[name]
    assert forfeits(record) == {}
    assert list(replay(record))[-1].outcome == record.outcome
    assert judge("ledger", "verify").stdout == (
        "ledger.json: 1 game judged again; all is as it should be.\n"
    )
    text = judge("replay")
    assert (text.status, text.stderr) == (0, "")
    winner, loser = (
        record.seats[seat].name for seat in (record.outcome.winner, record.outcome.loser)
    )
    assert re.search(f"{winner} (beats {loser}|wins with)", text.stdout)
    assert judge("replay", "--html", "page.html").status == 0
    assert Path("page.html").read_text().count('<section class="side"') == 2
    if name == "bsp":  # whose time for a move is longer than that of most rules
        again = judge("replay", "--move", "1", "--bot", "any.py@open", "--isolation", "none")
        assert (again.status, again.stderr) == (0, "")


@pytest.mark.whole
def test_three_play_xbs() -> None:
    """Bots of several protocols sit at one table, and each has its row and its board."""
    fight = ("fight", "any.py@open", "hunter", "random", "--rules", "xbs", "--seed", "2")
    played = judge(*fight, "--isolation", "none", "--json")
    assert played.status == 0, played.stderr
    (document,) = json.loads(played.stdout)["records"]
    record = convert(GameRecord, document, "it")
    assert [seat.wire for seat in record.seats] == ["open", "open-lines", "open-lines"]
    assert record.outcome.termination is Termination.GOAL
    assert record.outcome.scores is not None
    assert max(record.outcome.scores) >= VARIANTS["xbs"].points_goal
    said = judge(*fight).stdout
    assert re.match(r"(\w+) wins with 17 points; \w+ \d+, \w+ \d+ \(\1 was ahead when the", said)
    Path("game.json").write_text(json.dumps(document))
    assert judge("replay", "game.json", "--html", "page.html").status == 0
    assert Path("page.html").read_text().count('<section class="side"') == 3


@pytest.mark.whole
def test_a_forfeit_takes_the_time_of_its_answer() -> None:
    """The move by which a program that stays alive lost took as long as that answer, not as long
    as the program had lived by then."""
    bad = BROADSIDER.replace('"SHOTS", *cells', '"SHOTS none"')
    Path("slow.py").write_text(f"import time\n\ntime.sleep(1)\n{bad}")
    fight = ("fight", "slow.py@broadsides", "hunter", "--rules", "broadsides", "--first", "a")
    played = judge(*fight, "--json")
    assert played.status == 0, played.stderr
    record = convert(GameRecord, json.loads(played.stdout)["records"][0], "it")
    (evidence,) = record.evidence
    answer = evidence.exchanges[-1]
    assert answer.received == "SHOTS none\n"
    _, lost = (ms for seat, ms in run_times(record) if seat == 0)
    assert lost == answer.ms < 1000 < evidence.wall_ms
    assert move(record, 1).ms == answer.ms


@pytest.mark.whole
def test_two_of_one_name_can_be_told() -> None:
    """The number that tells two bots of one name apart is not part of the name."""
    done = judge(
        "fight", "sea.py@broadsides", "sea.py@broadsides", "--rules", "broadsides", "--seed", "1"
    )
    assert done.status == 0, done.stderr
    assert "sea#2" in done.stdout


# judge bots --rules


@pytest.mark.parametrize("name", VARIANTS)
def test_bots_are_listed_by_what_they_can_play(name: str) -> None:
    """The list says over which protocol each bundled bot plays these rules, or why it cannot, with
    those that can first; and which protocols can express them."""
    told = json.loads(judge("bots", "--rules", name, "--json").stdout)
    assert schemas.problem("bots", told) is None
    assert (told["rules"], told["wires"]) == (name, expressing(VARIANTS[name]))
    assert sorted(bot["name"] for bot in told["bots"]) == sorted(bot.name for bot in bundled())
    unable = [bot["cannot_play"] is not None for bot in told["bots"]]
    assert unable == sorted(unable)
    wires = {bot.name: [*bot.wires] for bot in bundled()}
    for listed in told["bots"]:
        able = [wire for wire in listed["wires"] if told["wires"][wire] is None]
        assert listed["wires"] == wires[listed["name"]]
        assert listed["wire"] == (able[0] if able else None)
        assert (listed["cannot_play"] is None) == bool(able)
    over = {bot["name"]: bot["wire"] for bot in told["bots"]}
    assert over["hunter"] == ("brainjar" if name == "brainjar" else "open-lines")
    assert over["foresight"] == ("brainjar" if name == "brainjar" else None)

    text = judge("bots", "--rules", name).stdout
    able = [wire for wire, reason in told["wires"].items() if reason is None]
    assert f"\n\nWires that can express {name}: {', '.join(able)}.\n" in text
    words = " ".join(text.split())
    for wire, reason in told["wires"].items():
        assert reason is None or f"{wire} cannot: {reason}." in words
    assert ("Cannot play" in text) == any(unable)


@pytest.mark.whole
def test_a_living_bot_is_asked_by_itself_as_users_hold_it() -> None:
    """Under bwrap a move of a bot that stays alive is run again, and the tester steps it: that its
    program is ended afterwards is no interruption."""
    need("bwrap")
    played = judge("fight", "hunter", "random", "--rules", "bsp", "--seed", "1", "--quiet")
    assert (played.status, played.stderr) == (0, "")
    again = judge("replay", "--move", "3", "--isolation", "bwrap")
    assert again.status == 0, again.stderr
    assert "the same again" in again.stdout
    typed = judge("tester", "--bot", "0=hunter", "--rules", "bsp", "--isolation", "bwrap")
    assert "interrupted" not in typed.stderr
    assert typed.status == 0, typed.stderr
