"""A stranger's record, page or ledger is data: it runs nothing, names no path, loosens nothing, and
what is too large or can be read in two ways is refused in a sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from changes import replace
from commands import judge as in_process
from commands import judge_in
from games import played
from judge import schemas
from judge.contest.journal.audit import verify
from judge.contest.ledger.fold import identify
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import MOST_BOTS
from judge.documents.codec import builtins
from judge.documents.game import Limits, Termination
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.record import GameRecord
from judge.game.variants import VARIANTS
from judge.show.pages.page import page
from needs import strictest

EVIL = '#!/bin/sh\ntouch {}\necho \'{{"move":"00"}}\'\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a stranger's, with programs that leave a file ``ran`` beside it."""
    place = tmp_path / "got"
    place.mkdir()
    script = EVIL.format(tmp_path / "ran")
    for name in ("evil.sh", "evil", "hunter/run.sh", "bots/nobody/run.sh", "nobody.py"):
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(0o755)
    (place / "hunter" / "bot.json").write_text('{"command":["./run.sh"]}')
    return place


def forfeited(name: str, argv: tuple[str, ...] = ("./evil", "{}"), **more: Any) -> GameRecord:
    """A game that the first seat forfeits with its fleet, by a run of that command."""
    record = played(names=(name, "random"), forfeit=(0, Termination.ILLEGAL_FLEET))
    evidence = tuple(replace(one, argv=argv) for one in record.evidence)
    return replace(record, isolation="none", evidence=evidence, **more)


def write(folder: Path, record: GameRecord) -> None:
    (folder / "game.json").write_text(json.dumps(record.to_json()))


NAMES: dict[str, tuple[str, tuple[str, ...]]] = {
    "a command line": ('sh -c "touch ../ran"', ("./evil", "{}")),
    "a script": ("./evil.sh", ("./evil", "{}")),
    "a program": ("evil", ("./evil", "{}")),
    "a renamed script": ("x=./evil.sh", ("./evil", "{}")),
    "a bot in bots/": ("nobody", ("./evil", "{}")),
    "a folder's name": ("hunter/", ("./evil", "{}")),
    "a script in the evidence": ("who", ("sh", "./evil.sh", "{}")),
    "a folder in the evidence": ("who", ("hunter", "{}")),
    "a program in the evidence": ("who", ("./evil", "{}")),
    "a shell in the evidence": ("who", ("sh", "-c", "touch ../ran", "{}")),
    "no command at all": ("who", ()),
    "an option": ("--bot=./evil.sh", ("./evil", "{}")),
    "a way up": ("../got/evil.sh", ("./evil", "{}")),
    "a home": ("~/evil.sh", ("./evil", "{}")),
}


@pytest.mark.parametrize(("name", "argv"), NAMES.values(), ids=NAMES)
def test_nothing_in_a_record_is_run(name: str, argv: tuple[str, ...], folder: Path) -> None:
    """Neither a seat's name nor the command in the evidence is a bot: one has to be named."""
    write(folder, forfeited(name, argv))
    done = judge_in(folder, "replay", "game.json", "--move", "A")
    assert done.returncode == 2, done.stdout
    assert "name it: --bot BOT" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_a_bundled_name_means_the_bundled_bot(folder: Path) -> None:
    """A folder here of the same name does not run; other files than recorded are told of."""
    write(folder, forfeited("hunter"))
    done = judge_in(folder, "replay", "game.json", "--move", "A", "--isolation", "limits")
    assert done.returncode == 0, done.stderr
    assert "the files of hunter are not those that played" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_isolation_and_limits_are_the_users(folder: Path) -> None:
    """A record's isolation is not asked, and its limits hold up to the user's own."""
    loose = Limits(timeout_ms=86_400_000, memory_bytes=2**50, output_bytes=2**50)
    write(folder, forfeited("hunter", limits=loose))
    arguments = ("replay", "game.json", "--move", "A")
    done = judge_in(folder, *arguments, JUDGE_ISOLATION="limits")
    assert "the game was played under isolation none, this is limits" in done.stderr
    assert (
        "the game was played with higher limits; to allow them here: --timeout --memory "
        "--output-limit.\n"
    ) in done.stderr
    write(folder, replace(forfeited("hunter"), isolation="bwrap"))
    done = judge_in(folder, *arguments, "--isolation", "limits")
    assert "under isolation bwrap, this is limits, which holds a bot less" in done.stderr


# Numbers, lengths, and what can be read in two ways


def changed(*steps: Any, value: Any) -> Callable[[dict[str, Any]], str]:
    def change(document: dict[str, Any]) -> str:
        node: Any = document
        for step in steps[:-1]:
            node = node[step]
        node[steps[-1]] = value
        return json.dumps(document)

    return change


HUGE = 10**400
REFUSED: dict[str, tuple[Callable[[dict[str, Any]], str], str]] = {
    "a time": (changed("limits", "timeout_ms", value=HUGE), "limits.timeout_ms: 1000"),
    "a time over a day": (changed("limits", "timeout_ms", value=10**9), "limits.timeout_ms: "),
    "a memory": (changed("limits", "memory_bytes", value=HUGE), "limits.memory_bytes: "),
    "an output": (changed("limits", "output_bytes", value=HUGE), "limits.output_bytes: "),
    "columns": (changed("rules", "columns", value=HUGE), "rules.columns: "),
    "points": (changed("rules", "points", value=HUGE), "rules.points: "),
    "a round limit": (changed("rules", "round_limit", value=HUGE), "rules.round_limit: "),
    "a seed": (changed("seed", value=HUGE), "seed: "),
    "a seat": (changed("shots", 0, 0, value=HUGE), "shots[0][0]: "),
    "a column": (changed("shots", 0, 2, value=HUGE), "shots[0][2]: "),
    "a ship far out": (changed("seats", 0, "fleet", 0, "column", value=HUGE), "seats[0].fleet"),
    "milliseconds": (changed("shots", 0, 5, value=HUGE), "shots[0][5]: "),
    "an exit": (changed("outcome", "evidence", 0, "exit", value=HUGE), "outcome.evidence"),
    "a memory's peak": (changed("outcome", "evidence", 0, "peak_kib", value=HUGE), "outcome."),
    "a score": (changed("outcome", "scores", value=[HUGE]), "outcome.scores"),
    "a name": (changed("seats", 0, "name", value="x" * 2000), "seats[0].name: "),
    "an id": (changed("id", value="x" * 2000), "id: "),
    "a sentence": (changed("outcome", "detail", value="x" * 20_000), "outcome.detail: "),
    "seats": (changed("seats", value=[{}] * 200), "seats"),
    "brackets": (changed("id", value=json.loads("[" * 900 + "]" * 900)), "id: "),
    "infinity": (lambda d: json.dumps(d).replace('"ms": ', '"ms": 1e999, "x": ', 1), "seats[0]"),
    "no number": (lambda d: json.dumps(d).replace('"ms": ', '"ms": NaN, "x": ', 1), "holds NaN"),
    "digits": (lambda d: json.dumps({**d, "seed": 0}).replace('"seed": 0', '"seed": ' + "9" * 9999),
               "thousands of digits"),
    "a key twice": (lambda d: json.dumps(d).replace("{", '{"id": "2", ', 1), "'id' twice"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_out_of_bounds_is_refused(change: Any, sentence: str, tmp_path: Path) -> None:
    """One sentence names the place, in a record file, in a page, and in a journal."""
    from judge.cli.ledgers.game_source import the_game

    text = change(forfeited("x").to_json() if "evidence" in sentence or "outcome" in sentence
                  else played(forfeit=(0, Termination.CRASH)).to_json())  # fmt: skip
    for begin, end in (
        ("", ""),
        ('<!doctype html><script type="application/json" id="record">', "<"),
    ):
        (tmp_path / "game.json").write_text(begin + text + end)
        with pytest.raises(RecordError) as refused:
            the_game(str(tmp_path / "game.json"), tmp_path / "ledger.json")
        assert sentence in str(refused.value)
        assert len(str(refused.value)) < 1500


def test_a_time_without_end_is_a_sentence_of_the_command(folder: Path) -> None:
    """Not an error of the judge's own."""
    document = forfeited("hunter").to_json()
    document["limits"]["timeout_ms"] = 10**30
    (folder / "game.json").write_text(json.dumps(document))
    done = judge_in(folder, "replay", "game.json", "--move", "A")
    assert done.returncode == 1
    assert "limits.timeout_ms: " in done.stderr
    assert done.stderr.count("\n") == 1


# Pages as records, records as pages


MARK = '<script type="application/json" id="record">'


@pytest.mark.parametrize("words", [("standings",), ("ledger", "show")])
def test_the_name_of_rules_reaches_no_terminal(words: tuple[str, ...], tmp_path: Path) -> None:
    """A ledger's games may be of rules that a stranger has named."""
    record = played(seed=3)
    path = tmp_path / "l.json"
    with Ledger(path) as ledger:
        ledger.add(replace(record, rules=replace(record.rules, name="x\x1b]0;PWNED\x07\x9by")))
        ledger.save()
    done = in_process(*words, str(path))
    assert "the rules x" in done.stdout
    assert not {"\x1b", "\x07", "\x9b"}.intersection(done.stdout)


def test_a_page_in_a_record_stays_a_text(tmp_path: Path) -> None:
    """A record whose names and output are a page with another record in it is read as itself, as a
    record and as a page."""
    from judge.cli.ledgers.game_source import the_game

    inner = page(played(seed=5, names=("x", "y")))
    record = played(names=(f"{MARK}{{}}</script>", "b"), forfeit=(0, Termination.CRASH),
                    stdout=inner, stderr=inner)  # fmt: skip
    for name, text in (("a.json", json.dumps(record.to_json())), ("a.html", page(record))):
        (tmp_path / name).write_text(text)
        assert the_game(str(tmp_path / name), tmp_path / "ledger.json") == record


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (lambda one, other: one + other, "more than one record"),
        (lambda one, _: one.replace(MARK, MARK.replace("record", "derived")), "holds no record"),
        (lambda one, _: one.replace(MARK, f"{MARK}{MARK}"), "more than one record"),
        (lambda one, _: one[: one.index(MARK) + 200], "it is not JSON"),
        (lambda one, _: f"<html>{one[one.index(MARK) :].replace('<', '[')}", "holds no record"),
        (lambda _, __: " " * 1000 + "<svg/onload=alert(1)>", "holds no record"),
    ],
)
def test_a_page_that_is_none_is_refused(text: Any, sentence: str, tmp_path: Path) -> None:
    """Two pages in a file, a record in a record, half a page: which game is meant is not
    guessed."""
    from judge.cli.ledgers.game_source import the_game

    path = tmp_path / "page.html"
    path.write_text(text(page(played(seed=1)), page(played(seed=2))))
    with pytest.raises(RecordError, match=sentence):
        the_game(str(path), tmp_path / "ledger.json")


# A ledger of a stranger's, and what a bot prints


def test_a_bot_that_floods_with_complaints_costs_no_time(tmp_path: Path) -> None:
    """Of a file beside it, that it cannot see and names at the end of 60,000 others: the hint
    comes, and the match with it."""
    bot = tmp_path / "bot.py"
    (tmp_path / "helper.py").write_text("")
    bot.write_text("import sys\nsys.exit('no such file ' * 4700 + 'helper')\n")
    done = judge_in(tmp_path, "fight", str(bot), "random", "--games", "4", "--json", "--no-ledger",
                 JUDGE_ISOLATION=strictest().name)  # fmt: skip
    document = json.loads(done.stdout)
    assert document["bots"][0]["forfeits"] == {"crash": 4}
    if strictest().walls_off:
        assert "helper.py" in document["records"][0]["outcome"]["detail"]


TABLES: dict[str, Callable[[dict[str, Any]], object]] = {
    "points": lambda d: d["tables"][0]["bots"][0].update(points=1e300),
    "games": lambda d: d["tables"][0].update(games=HUGE),
    "games of all tables": lambda d: d.update(recorded=HUGE),
    "notes": lambda d: d.update(notes=HUGE),
    "a seed": lambda d: d.update(seed=HUGE),
    "a name": lambda d: d["tables"][0]["bots"][0].update(name="x" * 2000),
    "a path": lambda d: d["tables"][0]["bots"][0].update(path="/bin/sh"),
    "a command": lambda d: d.update(command=["sh", "-c", "touch ran"]),
    "stints": lambda d: d["tables"][0]["stints"][0].__setitem__(0, 10**9),
    "a void game": lambda d: d.update(orders=[{"kind": "void", "games": [HUGE], "reason": "x"}]),
    "pairs": lambda d: d["tables"][0].update(pairs=[[0, 10**9, 1, 0, 0]]),
}


@pytest.mark.parametrize("change", TABLES.values(), ids=TABLES)
def test_a_ledger_that_asks_for_too_much_is_refused(change: Any, tmp_path: Path) -> None:
    """With the place, by every command that reads it; nothing is computed from it."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    path = tmp_path / "ledger.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    done = judge_in(tmp_path, "standings")
    assert done.returncode == 1
    assert "is no ledger" in done.stderr
    assert done.stderr.count("\n") == 1


def ledger_of(*counts: tuple[int, int, int], bots: int = 2) -> dict[str, Any]:
    """A table that adds up, of bots that play each other in a chain, with these counts."""
    stints: list[list[Any]] = [[bot, 1, *[0] * 8, {}] for bot in range(bots)]
    pairs = []
    for number, (won, lost, tied) in enumerate(counts):
        pairs.append([number, number + 1, won, lost, tied])
        for bot, results in (number, (won, lost, tied)), (number + 1, (lost, won, tied)):
            row = stints[bot]
            row[3:6] = [one + more for one, more in zip(row[3:6], results, strict=True)]
    games = sum(sum(one) for one in counts)
    names = [f"b{number}" for number in range(bots)]
    table = {
        "rules": builtins(VARIANTS["brainjar"]), "limits": builtins(Limits()),
        "games": games, "void": 0, "voided": 0, "disqualified": 0,
        "bots": [{"name": name, "points": 10, "version": 1} for name in names],
        "stints": stints, "pairs": pairs,
    }  # fmt: skip
    return {"version": 1, "kind": "ledger", "seed": None, "recorded": games, "last": "1",
            "notes": 0, "orders": [], "versions": {name: [None] for name in names},
            "tables": [table]}  # fmt: skip


def limited(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The judge with a gigabyte of memory and no more."""
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from judge.__main__ import main; main()"
    )
    return judge_in(
        folder, *arguments, command=(sys.executable, "-c", code), OPENBLAS_NUM_THREADS="1"
    )


def test_a_table_of_more_games_than_its_journal_can_hold_is_refused(tmp_path: Path) -> None:
    """A table of a few hundred bytes asks for no memory."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    for many in (10**9, 1000):
        (tmp_path / "ledger.json").write_text(json.dumps(ledger_of((many, many, 0))))
        done = limited(tmp_path, "standings")
        assert done.returncode == 1
        assert f"counts {2 * many:,} games, and " in done.stderr
        assert "is too short for so many; `judge ledger rebuild " in done.stderr


def test_points_of_a_billion_games_are_those_of_some(tmp_path: Path) -> None:
    """A table whose journal is as long as it has to be, for it has holes, costs no memory."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    journal = tmp_path / "ledger.games.jsonl"
    with journal.open("r+b") as file:
        line = file.read()
        file.truncate(2 * 10**11 + 1000)
        file.seek(0, os.SEEK_END)
        file.write(b"\n" + line)
    (tmp_path / "ledger.json").write_text(json.dumps(ledger_of((10**9, 10**9, 0))))
    done = limited(tmp_path, "standings", "--json")
    assert done.returncode == 0, done.stderr
    first, second = json.loads(done.stdout)["bots"]
    assert first["points_shuffled"] == pytest.approx(second["points_shuffled"], rel=0.3)


def test_a_ledger_has_so_many_bots_and_no_more(tmp_path: Path) -> None:
    """A table of more is refused, a journal of more as well, and no game of one more is added."""
    path = tmp_path / "ledger.json"
    path.write_text(json.dumps(ledger_of(bots=MOST_BOTS + 1)))
    (tmp_path / "ledger.games.jsonl").touch()
    with pytest.raises(LedgerError, match="is no ledger: versions: "):
        read(path)
    path.unlink()
    game = played(forfeit=(0, Termination.CRASH)).to_json()
    lines = []
    for number in range(0, MOST_BOTS, 2):
        game["id"] = str(number)
        for seat in (0, 1):
            game["seats"][seat]["name"] = f"b{number + seat}"
        lines.append(json.dumps(game) + "\n")
    journal = tmp_path / "ledger.games.jsonl"
    journal.write_text("".join(lines))
    with Ledger(path) as ledger:
        assert len(ledger.tally.versions) == MOST_BOTS
        with pytest.raises(UsageError, match="more than 2,000 bots into one ledger; --ledger"):
            ledger.add(played(names=("b0", "new")), numbered=True)
        ledger.add(played(names=("b0", "b3")), numbered=True)
    game["seats"][0]["name"] = "new"
    with journal.open("a") as file:
        file.write(json.dumps({**game, "id": "x"}) + "\n")
    with pytest.raises(LedgerError, match="it brings more than 2,000 bots into one ledger"):
        read(path)
    path.unlink()
    with pytest.raises(LedgerError, match="it brings more than 2,000 bots into one ledger"):
        read(path)


@pytest.mark.parametrize("place", ["id", "name"])
def test_a_whole_journal_is_held_to_the_lengths_of_the_schema(place: str, tmp_path: Path) -> None:
    """Though, for time's sake, not to all of it."""
    game = played().to_json()
    (game if place == "id" else game["seats"][0])[place] = "x" * 1001
    (tmp_path / "ledger.games.jsonl").write_text(json.dumps(game) + "\n")
    with pytest.raises(LedgerError, match=r"line 1 is damaged: .* longer than 1,000 characters"):
        read(tmp_path / "ledger.json")


@pytest.mark.parametrize("name", ["ledger.json", "ledger.games.jsonl"])
def test_a_file_without_end_is_not_read_to_it(name: str, tmp_path: Path) -> None:
    """Three gigabytes of nothing, which take no room on a disk, take none in memory."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    with (tmp_path / name).open("r+b") as file:
        file.truncate(3 * 2**30)
    done = limited(tmp_path, "standings")
    assert done.returncode == 1, done.stdout
    assert "67,108,864 bytes" in done.stderr
    assert done.stderr.count("\n") == 1


NESTED = [{"name": "x", "digest": None}, {"name": "y", "digest": None}]


def put_first(document: dict[str, Any]) -> str:
    """The game with an unknown key before its seats, which holds seats of others."""
    return json.dumps({"version": 1, "id": "1", "x": {"seats": NESTED}, **document},
                      separators=(",", ":"))  # fmt: skip


def put_between(document: dict[str, Any]) -> str:
    """The game with an unknown key in its first seat, which holds seats of others."""
    first = document["seats"][0]
    document["seats"][0] = {"name": first["name"], "digest": None, "x": [{}, *NESTED], **first}
    return json.dumps(document, separators=(",", ":"))


def without(*steps: Any) -> Callable[[dict[str, Any]], str]:
    def change(document: dict[str, Any]) -> str:
        node: Any = document
        for step in steps[:-1]:
            node = node[step]
        del node[steps[-1]]
        return json.dumps(document)

    return change


EVIDENCE = ("outcome", "evidence")
ENTRIES: dict[str, Callable[[dict[str, Any]], str]] = {
    "a void without a reason": lambda _: '{"version":1,"kind":"void","number":1,"games":[1]}',
    "a void for a number": lambda _: (
        '{"version":1,"kind":"void","number":1,"games":[1],"reason":5}'
    ),
    "no detail": without("outcome", "detail"),
    "a detail of another kind": changed("outcome", "detail", value=[5]),
    "an empty evidence": changed(*EVIDENCE, value=[{}]),
    "an evidence for a number": changed(*EVIDENCE, value=[5]),
    "a number for evidence": changed(*EVIDENCE, value=5),
    "a command for a number": changed(*EVIDENCE, 0, "argv", value=5),
    "a command of numbers": changed(*EVIDENCE, 0, "argv", value=[5]),
    "no command": changed(*EVIDENCE, 0, "argv", value=[]),
    "an output for a number": changed(*EVIDENCE, 0, "stdout", value=5),
    "evidence of nobody": changed(*EVIDENCE, 0, "seat", value=50),
    "seats before the seats": put_first,
    "seats within a seat": put_between,
    "a digest for a list": changed("seats", 1, "digest", value=[]),
    "seats for a text": changed("seats", value="ab"),
    "shots for an object": changed("shots", value={}),
    "no rules": without("rules"),
}
READING = [
    ("standings",),
    ("standings", "--without", "y"),
    ("ledger", "show", "hunter"),
    ("ledger", "show", "hunter", "--json"),
    ("ledger", "show", "x"),
    ("ledger", "verify", "--jobs", "1"),
    ("site", "out", "--jobs", "1"),
    ("replay", "#1"),
    ("replay", "--html", "page.html"),
]


@pytest.mark.parametrize("change", ENTRIES.values(), ids=ENTRIES)
def test_a_strange_entry_is_a_sentence_of_every_command(
    change: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an entry of a journal lacks, or has too much, is never an error of the judge's own."""
    monkeypatch.chdir(tmp_path)
    game = played(forfeit=(0, Termination.CRASH), game_id="1").to_json()
    text = change(json.loads(json.dumps(game)))
    lines = [json.dumps({**game, "id": "2"}), text, json.dumps({**game, "id": "3"})]
    Path("ledger.games.jsonl").write_text("".join(f"{one}\n" for one in lines))
    for arguments in READING:
        done = in_process(*arguments)
        assert "bug in the judge" not in done.stderr, (arguments, done.stderr)
        assert done.status in {0, 1, 2}


def test_a_game_with_evidence_of_nobody_leaves_the_site_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is one of the games without a page, and replay refuses it."""
    monkeypatch.chdir(tmp_path)
    game = played(forfeit=(0, Termination.CRASH)).to_json()
    strange = changed(*EVIDENCE, 0, "seat", value=50)(json.loads(json.dumps(game)))
    lines = [json.dumps({**game, "id": "a"}), json.dumps({**json.loads(strange), "id": "b"})]
    Path("ledger.games.jsonl").write_text("".join(f"{one}\n" for one in lines))
    done = in_process("site", "out", "--jobs", "1")
    assert done.status == 1
    assert "game #2 has no page: game b has evidence of seat 50, which is not there" in done.stderr
    assert Path("out/games/1.html").exists()
    done = in_process("replay", "#b")
    assert (done.status, "evidence of seat 50" in done.stderr) == (1, True)


@pytest.mark.parametrize("change", [put_first, put_between])
def test_a_game_is_of_the_bots_that_it_counts_for(change: Any, tmp_path: Path) -> None:
    """Seats in another place of an entry are not its own."""
    game = change(played().to_json())
    (tmp_path / "ledger.games.jsonl").write_text(game + "\n")
    with Ledger(tmp_path / "ledger.json") as ledger:
        assert (
            identify(game.encode())[1].keys()
            == {"hunter", "random"}
            == ledger.tally.versions.keys()
        )


def test_many_damaged_lines_are_read_once(tmp_path: Path) -> None:
    """To verify a journal of damaged lines takes time by their number, not by its square."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    with (tmp_path / "ledger.games.jsonl").open("a") as journal:
        journal.write("{\n" * 50_000)
    start = time.process_time()
    found = verify(tmp_path / "ledger.json")
    assert len(found.problems) == 50_000
    assert time.process_time() - start < 30


def test_a_game_of_ships_that_sink_at_every_shot_is_read_in_a_moment() -> None:
    """Which ship a shot sank is looked up, not searched in the fleet of a hundred players."""
    document = json.loads(json.dumps(played().to_json()))
    ships = [{"length": 100, "column": 0, "row": 0, "orientation": "vertical"}] * 50
    document["seats"] = [{**document["seats"][0], "fleet": ships}] * 2
    document["shots"] = [[0, 1, 99, 99, 4, 1.0]] * 3000
    schema = time.process_time()
    assert schemas.problem("game-record", document) is None
    start = time.process_time()
    GameRecord.from_json(document)
    assert time.process_time() - start < 3 * (start - schema) + 1


def test_a_journal_that_voids_all_its_games_is_folded(tmp_path: Path) -> None:
    """Twenty thousand entries that void a game are looked up, not searched."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        ledger.add(played(seed=1))
    entry = {"version": 1, "kind": "void", "games": [1], "reason": "x"}
    with path.with_suffix(".games.jsonl").open("a") as journal:
        for number in range(1, 20_001):
            journal.write(json.dumps({**entry, "number": number}) + "\n")
    with Ledger(path) as ledger:
        assert len(ledger.tally.orders.given) == 20_000
