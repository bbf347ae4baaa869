"""judge standings and judge ledger: what they print, change and refuse, on real ledgers."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import judge
from games import SGR, played, strange_texts
from judge import schemas
from judge.contest.bot_games import BotGame
from judge.contest.journal.audit import Verified
from judge.contest.ledger.ledger import Ledger, read
from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.show import history
from judge.show.text import cells
from strategies import FORFEITS, examples

JOURNAL = Path("ledger.games.jsonl")
COUPLES = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada")]


def a_game(number: int) -> GameRecord:
    """Game of that number: three bots in turn, every fourth one forfeited by seat 0. From the
    ninth on bob's files are others."""
    record = played(
        seed=number,
        names=COUPLES[number % 3],
        forfeit=(0, Termination.TIMEOUT) if number % 4 == 3 else None,
        game_id=f"{number}",
        detail="took 2001 ms, over the limit of 2000 ms",
        stderr="still thinking",
    )
    seats = [
        replace(seat, digest=f"sha256:{'ab'[seat.name == 'bob' and number > 8] * 64}")
        for seat in record.seats
    ]
    return replace(record, seats=tuple(seats))


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder with a ledger of twelve games of three bots."""
    fill(Path("ledger.json"), 12)
    return own_folder


def fill(path: Path, games: int) -> None:
    with Ledger(path) as ledger:
        for number in range(games):
            ledger.add(a_game(number))


def points_of(bot: str) -> float:
    table = read(Path("ledger.json")).first_table
    assert table is not None
    return table.points_of(bot)


# judge standings


def test_standings_are_printed_in_three_forms() -> None:
    """Text, JSON to its schema, and CSV are of the same bots in the same order."""
    text, document, rows = (judge("standings", *form) for form in ([], ["--json"], ["--csv"]))
    assert (text.status, document.status, rows.status) == (0, 0, 0)
    found = json.loads(document.stdout)
    assert schemas.problem("standings", found) is None
    names = [bot["name"] for bot in found["bots"]]
    assert [row["name"] for row in csv.DictReader(rows.stdout.splitlines())] == names
    assert [line.split()[1] for line in text.stdout.splitlines()[2:5]] == names
    assert text.stdout.endswith("12 games of 3 bots.\n")


def test_without_a_bot_its_games_never_were() -> None:
    """`--without` takes a bot's games out, of several bots if given again."""
    found = json.loads(judge("standings", "--without", "cyd", "--json").stdout)
    assert {bot["name"] for bot in found["bots"]} == {"ada", "bob"}
    assert found["games"] == 4
    nobody = judge("standings", "--without", "cyd", "--without", "bob")
    assert nobody.stdout == "No game has been played.\n"


@pytest.mark.parametrize("way", ["argument", "option", "variable", "file"])
def test_which_ledger_it_is_can_be_said_in_four_ways(
    way: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As LEDGER, as --ledger, as JUDGE_LEDGER, and in judge.toml, there as seen from its folder."""
    fill(Path("other.json"), 1)
    arguments = []
    match way:
        case "argument":
            arguments = ["other.json"]
        case "option":
            arguments = ["--ledger", "other.json"]
        case "variable":
            monkeypatch.setenv("JUDGE_LEDGER", "other.json")
        case "file":
            Path("judge.toml").write_text('ledger = "other.json"\n')
            monkeypatch.setenv("JUDGE_CONFIG", str(folder / "judge.toml"))
            Path("below").mkdir()
            monkeypatch.chdir("below")
    assert judge("standings", *arguments).stdout.endswith("1 game of 2 bots.\n")
    assert judge("ledger", "verify", *arguments).stdout.startswith("other.json: 1 game ")
    assert "after 1 game" in judge("ledger", "show", *arguments, "ada").stdout


# judge ledger verify, rebuild


def test_a_sound_ledger_is_said_to_be() -> None:
    """Every game is judged again; all well is status 0, in words and as a document."""
    assert judge("ledger", "verify") == (
        0,
        "ledger.json: 12 games judged again; all is as it should be.\n",
        "",
    )
    document = json.loads(judge("ledger", "verify", "--json").stdout)
    assert schemas.problem("verify", document) is None
    assert (document["intact"], document["games"]) == (True, 12)


def test_what_is_wrong_is_listed_with_status_1() -> None:
    """A game that breaks its rules is named by its line; nothing is changed."""
    lines = JOURNAL.read_text().splitlines()
    game = json.loads(lines[4])
    outcome = game["outcome"]
    outcome["winner"], outcome["loser"] = outcome["loser"], outcome["winner"]
    lines[4] = json.dumps(game, separators=(",", ":"))
    JOURNAL.write_text("\n".join(lines) + "\n")
    done = judge("ledger", "verify")
    assert done.status == 1
    assert re.search(
        r"^  - line 5, game 4: .* outcome is not that of its moves", done.stdout, re.MULTILINE
    )
    document = json.loads(judge("ledger", "verify", "--json").stdout)
    assert schemas.problem("verify", document) is None
    assert document["intact"] is False
    assert JOURNAL.read_text().splitlines() == lines


def test_a_damaged_file_is_computed_anew() -> None:
    """`rebuild` makes the very file again, whatever it held."""
    whole = Path("ledger.json").read_bytes()
    Path("ledger.json").write_text("{")
    done = judge("standings")
    assert done.status == 1
    assert "`judge ledger rebuild ledger.json`" in done.stderr
    assert judge("ledger", "rebuild").stdout == (
        "ledger.json: 12 games of 3 bots, from its journal.\n"
    )
    assert Path("ledger.json").read_bytes() == whole


# judge ledger show


def test_a_bots_history_is_all_there() -> None:
    """Points and counts, points over time, opponents, every game with its id, changed files, and
    the first forfeit of each cause with its evidence."""
    done = judge("ledger", "show", "bob")
    table = read(Path("ledger.json")).first_table
    assert table is not None
    points = f"{table.points_of('bob'):.2f}"
    won = sum(table.results_of("bob", version).won for version in (1, 2))
    text = done.stdout
    assert done.status == 0
    assert text.startswith(f"bob has {points} points after 8 games: {won} won, {8 - won} lost.\n")
    assert re.search(r"^Points  [▁▂▃▄▅▆▇█]{9}$", text, re.MULTILINE)
    assert re.search(r"^ada +\d+ +\d+", text, re.MULTILINE)
    assert re.search(r"^cyd +\d+ +\d+", text, re.MULTILINE)
    listed = re.findall(
        r"^ +(\d+\.\d\d)  (won|lost) +(\S+) +(ada|cyd) +#(\d+)$", text, re.MULTILINE
    )
    assert [int(game) for *_, game in listed] == [1, 2, 4, 5, 7, 8, 10, 11]
    assert listed[-1][0] == points
    assert text.index("with other files") > text.index(" #8\n")
    assert text.index("with other files") < text.index(" #10\n")
    assert "bob, timeout (#8): took 2001 ms" in text
    assert "stderr  still thinking" in text


def test_the_history_is_a_document_too() -> None:
    """`--json` has every game of a bot with its points before and after, and all evidence."""
    document = json.loads(judge("ledger", "show", "ledger.json", "cyd", "--json").stdout)
    assert schemas.problem("history", document) is None
    games = document["games"]
    assert [game["points_before"] for game in games[1:]] == [
        game["points_after"] for game in games[:-1]
    ]
    assert games[-1]["points_after"] == points_of("cyd")
    forfeited = [game for game in games if game["forfeit"]]
    assert [game["id"] for game in forfeited] == ["11"]
    assert forfeited[0]["evidence"]["stderr"] == "still thinking"
    assert {one["name"]: one["won"] + one["lost"] for one in document["opponents"]} == {
        "ada": 4,
        "bob": 4,
    }


# judge ledger void


def test_a_disputed_game_is_taken_out_of_the_count() -> None:
    """It counts for nobody any more, the reason is kept and shown, nothing else is lost, and the
    ledger stays sound."""
    before = JOURNAL.read_bytes()
    done = judge("ledger", "void", "12", "--reason", "the machine was being rebooted")
    said = "ledger.json: game #12 does not count any more.\n"
    said += "This is order 1; `judge ledger undo ledger.json 1` takes it back.\n"
    said += "It is a game of no contest, and is not played again by `judge rank`.\n"
    assert done == (0, said, "")
    assert JOURNAL.read_bytes().startswith(before)
    fill(Path("eleven.json"), 11)
    one, other = (
        json.loads(judge("standings", path, "--json").stdout)
        for path in ("ledger.json", "eleven.json")
    )
    assert one == {**other, "voided": 1}
    assert judge("ledger", "verify", "ledger.json").stdout.startswith(
        "ledger.json: 12 games judged again: 11 games that count, 1 game taken out of the\ncount; all is"
    )
    shown = judge("ledger", "show", "ledger.json", "cyd").stdout
    assert "does not count: the machine was being rebooted" in shown
    assert "cyd, timeout" not in shown


# Errors

REFUSED = {
    "standings nowhere.json": "nowhere.json: there is no such ledger; a fight or a contest makes one.",
    "standings --json --csv": "--json and --csv cannot both be had: choose one.",
    "standings a.json --ledger b.json": "a.json and --ledger b.json: name one ledger.",
    "standings --without cyt": "--without cyt: no bot of that name has played in ledger.json. "
    "Did you mean cyd?",
    "ledger verfy": "judge ledger has no command 'verfy'. Did you mean verify?",
    "ledger xyzzy": "judge ledger has no command 'xyzzy'. See judge ledger --help.",
    "ledger verify nowhere.json": "nowhere.json: there is no such ledger; a fight or a contest makes one.",
    "ledger rebuild nowhere.json": "nowhere.games.jsonl: there is no such journal to rebuild "
    "nowhere.json from.",
    "ledger reset": "Missing argument '[LEDGER] BOT'. See judge ledger reset --help.",
    "ledger reset bop": "ledger.json: no bot of the name bop has played there. Did you mean bob?",
    "ledger retire a b c": "a b c: only a LEDGER may stand before BOT.",
    "ledger disqualify bob": "say why bob should be disqualified: --reason TEXT.",
    "ledger undo": "ledger.json: there is no order to take back.",
    "ledger undo 3": "ledger.json: there is no order 3: it holds no order.",
    "ledger undo three": "three is no number of an order.",
    "ledger undo 1 2": "1 2: name one order.",
    "ledger void --reason x": "say which games: by their numbers, or by --bot, --cause and --since.",
    "ledger void 3 --bot bob --reason x": "say which games: by their numbers, or by --bot, --cause "
    "and --since.",
    "ledger void three --reason x": "three is no number of a game.",
    "ledger void --bot bop --reason x": "ledger.json: no bot of the name bop has played there. "
    "Did you mean bob?",
    "ledger void --cause crash --reason x": "ledger.json: there is no such game that counts.",
    "ledger void --since noon --reason x": "--since noon: say a game's number, as in '#210', or a "
    "time, as in 2026-01-31T18:00.",
    "standings --rules contest": "--rules contest: ledger.json holds no game under such rules. It "
    "holds 1: the rules brainjar; 2s for an answer, 256M of memory, 64K for a reply (12 games).",
    "ledger show bop": "ledger.json: no bot of the name bop has played there. Did you mean bob?",
    "ledger show a b c": "a b c: only a LEDGER may stand before BOT.",
    "ledger show nowhere.json bob": "nowhere.json: there is no such ledger; a fight or a contest makes one.",
    "ledger void 3": "say why game #3 should be void: --reason TEXT.",
    "ledger void 77 --reason x": "ledger.json: there is no game #77: its last game is #12.",
    "ledger void nowhere.json 3 --reason x": "nowhere.json: there is no such ledger; a fight or a contest makes one.",
}


@pytest.mark.parametrize("typed", REFUSED)
def test_what_is_typed_wrong_gets_a_line(typed: str) -> None:
    """One sentence, status 2, and not a byte changed or made."""
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    done = judge(*typed.split())
    assert done == (2, "", f"judge: {REFUSED[typed]}\n")
    assert {path.name: path.read_bytes() for path in Path().iterdir()} == before


CHOSEN = {
    "2 #5 2": [2, 5],
    "--bot bob --since #8": [8, 10, 11],
    "--cause timeout": [4, 8, 12],
    "--cause timeout --bot bob": [8],
    "--since 2026-01-01T00:00:00Z --bot cyd": [2, 3, 5, 6, 8, 9, 11, 12],
}


@pytest.mark.parametrize("typed", CHOSEN)
def test_games_are_void_by_number_or_by_what_happened(typed: str) -> None:
    """One order lists them, and says how many they are; those that do not count are left out."""
    assert judge("ledger", "void", "1", "--reason", "x").status == 0
    done = judge("ledger", "void", *typed.split(), "--reason", "it rained")
    games = CHOSEN[typed]
    named = ", ".join(f"#{number}" for number in games[:5])
    more = f" and {len(games) - 5} more" if len(games) > 5 else ""
    said = f"{len(games)} games do not count any more: {named}{more}"
    if len(games) == 1:
        said = f"game {named} does not count any more"
    assert done.stdout.splitlines()[0] == f"ledger.json: {said}."
    entry = json.loads(JOURNAL.read_text().splitlines()[-1])
    order = {"version": 3, "kind": "void", "number": 2}
    assert entry == {**order, "games": games, "reason": "it rained"}
    assert judge("ledger", "verify").status == 0


def test_bots_are_reset_retired_and_disqualified_and_it_is_taken_back() -> None:
    """Each is in the table what it was ordered to be, listed by `ledger show`, and as if it had
    never been once it is taken back."""
    before = judge("standings", "--json").stdout
    assert judge("ledger", "reset", "cyd").stdout == (
        "ledger.json: cyd has 10 points again.\n"
        "This is order 1; `judge ledger undo ledger.json 1` takes it back.\n"
    )
    assert judge("ledger", "show", "cyd").stdout.startswith("cyd has 10.00 points after 8 games")
    assert judge("ledger", "retire", "ledger.json", "ada").status == 0
    assert judge("ledger", "disqualify", "bob", "--reason", "it reads minds").status == 0
    found = json.loads(judge("standings", "--json").stdout)
    assert [(bot["name"], bot["points"], bot["games"]) for bot in found["bots"]] == [
        ("cyd", 10.0, 4)
    ]
    assert (found["games"], found["disqualified_games"], found["retired"]) == (4, 8, ["ada"])
    text = judge("standings").stdout
    assert "Retired: ada." in text
    assert "Disqualified: bob (it reads minds)." in text
    assert text.endswith("4 games of 1 bot and 1 retired, and 8 with a disqualified bot.\n")
    shown = judge("ledger", "show").stdout
    for line in (
        "1. cyd reset to 10 points",
        "2. ada retired",
        "3. bob disqualified: it reads minds",
        "bob (disqualified): v1 bbbbbbbbbbbb, v2 ",
    ):
        assert line in shown or line.replace("bbbbbbbbbbbb", "aaaaaaaaaaaa") in shown
    document = json.loads(judge("ledger", "show", "--json").stdout)
    assert schemas.problem("ledger", document) is None
    assert judge("ledger", "undo").stdout == (
        "ledger.json: order 3, disqualify bob, is taken back.\n"
    )
    assert judge("ledger", "undo", "1").status == 0
    assert judge("ledger", "undo").status == 0
    assert judge("standings", "--json").stdout == before
    assert judge("ledger", "show").stdout.count("(taken back)") == 3
    assert judge("ledger", "verify").status == 0


def test_a_table_of_several_conditions_is_asked_for() -> None:
    """A ledger of an older judge may hold games under several; they are listed, with how to name
    them, and where they differ in limits alone by number."""
    slow = replace(a_game(20), limits=Limits(timeout_ms=9000))
    with JOURNAL.open("a") as journal:
        journal.write(json.dumps(slow.to_json()) + "\n")
    done = judge("standings")
    assert done.status == 2
    assert "several conditions, some of which differ in limits alone: 1: the rules " in done.stderr
    assert "; 2: the rules brainjar; 9s for an answer" in done.stderr
    one, other = (
        json.loads(judge("standings", "--rules", number, "--json").stdout) for number in "12"
    )
    assert (one["games"], other["games"]) == (12, 1)
    assert other["conditions"]["limits"]["timeout_ms"] == 9000
    assert "Under the rules brainjar; 9s" in judge("standings", "--rules", "2").stdout
    assert judge("site", "out").status == 2
    assert judge("site", "out", "--rules", "2").status == 0


def test_every_version_of_a_bot_has_a_row_if_wanted() -> None:
    """By default the one that played last, with its number; `--versions all` shows all."""
    (bob,) = (line for line in judge("standings").stdout.splitlines() if " bob v2 " in line)
    lines = judge("standings", "--versions", "all").stdout.splitlines()
    at = next(number for number, line in enumerate(lines) if " bob v2 " in line)
    assert lines[at + 1].split()[0] == "v1"
    why = "Elo is 0 at the mean of the rows, so each version"
    assert sum(line.startswith(why) for line in lines) == 1
    assert why not in judge("standings").stdout
    found = json.loads(judge("standings", "--versions", "all", "--json").stdout)
    assert schemas.problem("standings", found) is None
    bobs = [bot for bot in found["bots"] if bot["name"] == "bob"]
    assert [(bot["version"], bot["current"], bot["games"]) for bot in bobs] == [
        (2, True, 2),
        (1, False, 6),
    ]
    assert bobs[0]["points"] == bobs[1]["points"]
    assert f"{bobs[0]['points']:.2f}" in bob


def test_a_game_is_void_only_once() -> None:
    """The second time it is said that it is."""
    assert judge("ledger", "void", "3", "--reason", "x").status == 0
    done = judge("ledger", "void", "3", "--reason", "y")
    assert (done.status, done.stderr) == (2, "judge: ledger.json: game #3 is void already.\n")


def test_the_family_alone_is_its_help() -> None:
    """`judge ledger` prints what it can do, with status 2; each member has help of its own."""
    done = judge("ledger")
    assert (done.status, done.stdout) == (2, "")
    for name in ("verify", "rebuild", "show", "void", "reset", "retire", "disqualify", "undo"):
        assert re.search(rf"^  {name} +\w.*\.$", done.stderr, re.MULTILINE)
        assert judge("ledger", name, "--help").stdout.startswith(f"Usage: judge ledger {name} ")


def test_a_familys_table_is_for_all_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In judge.toml, [ledger] may hold what only some of its commands know; what none of them
    knows is refused, and so is a section that no command has."""
    monkeypatch.setenv("JUDGE_CONFIG", "judge.toml")
    Path("judge.toml").write_text("[ledger]\njson = true\n[fight]\ngames = 3\n")
    assert json.loads(judge("ledger", "verify").stdout)["intact"] is True
    assert judge("ledger", "rebuild").status == 0
    Path("judge.toml").write_text("[ledger]\njsn = true\n")
    done = judge("ledger", "rebuild")
    assert done.stderr == (
        "judge: judge.toml, [ledger] jsn: judge ledger has no such option. Did you mean json?\n"
    )
    Path("judge.toml").write_text("[legder]\n")
    assert (
        "[legder]: there is no such command. Did you mean ledger?"
        in judge("ledger", "verify").stderr
    )


def test_a_bot_may_be_left_out_by_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """An option that may be given several times takes one value from judge.toml."""
    monkeypatch.setenv("JUDGE_CONFIG", "judge.toml")
    Path("judge.toml").write_text('[standings]\nwithout = "cyd"\n')
    assert judge("standings").stdout.endswith("4 games of 2 bots.\n")


# The text of any history


@st.composite
def histories(draw: st.DrawFn) -> list[BotGame]:
    results = st.sampled_from(["won", "lost", "tied", "void"])
    games, points = [], 10.0
    for number in range(draw(st.sampled_from([1, 2, 5, 59, 60, 61, 75]))):
        after = draw(st.floats(10, 1e5, allow_nan=False))
        games.append(
            BotGame(
                number=number + 1,
                id=str(number),
                opponents=(*draw(st.lists(strange_texts().filter(bool), min_size=1, max_size=3)),),
                version=draw(st.integers(1, 9)),
                result=draw(results),
                termination=draw(st.sampled_from([*Termination])),
                detail=draw(strange_texts()),
                forfeit=draw(st.none() | st.sampled_from([*FORFEITS])),
                evidence=None,
                variables={},
                voided=draw(st.none() | strange_texts()),
                before=points,
                after=after,
                digest=None,
                changed=draw(st.booleans()),
                reset=draw(st.booleans()),
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
    points = [games[0].before, *(game.after for game in games)]
    if points[-1] == max(points) > min(points):
        assert bars[1].endswith("█")
    document = json.loads(json.dumps(history.document(bot or "bot", games)))
    assert schemas.problem("history", document) is None


PROBLEMS = st.lists(strange_texts().map("line 3: {}".format)).map(tuple)


@given(st.builds(Verified, *[st.integers(0, 10**6)] * 7, PROBLEMS))
@examples(50)
def test_the_text_of_what_was_found_fits_a_terminal(found: Verified) -> None:
    """However long a problem is, and whatever it quotes."""
    text = history.verified("ledger.json", found)
    assert all(cells(line) <= 80 and "\x1b" not in line for line in text.split("\n"))
    assert text.count("\n  - ") == len(found.problems)
    document = json.loads(json.dumps(history.verified_document(found)))
    assert schemas.problem("verify", document) is None
    assert document["intact"] is not bool(found.problems)
