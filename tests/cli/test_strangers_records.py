"""A stranger's record, page or ledger is data: it runs nothing, names no path, loosens nothing, and
what is too large or can be read in two ways is refused in a sentence."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot_files import script
from changes import replace
from commands import judge as in_process
from commands import judge_at, judge_in
from games import played, the_game, with_evidence
from judge import schemas
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import MOST_BOTS
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Limits, Termination
from judge.errors import LedgerError, RecordError, UsageError
from judge.show.pages.page import page
from ledgers import rewritten
from needs import strictest

EVIL = 'touch {}\necho \'{{"move":"00"}}\''


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a stranger's, with programs that leave a file ``ran`` beside it."""
    place = tmp_path / "got"
    place.mkdir()
    for name in ("evil.sh", "evil", "hunter/run.sh", "bots/nobody/run.sh", "nobody.py"):
        script(place / name, EVIL.format(tmp_path / "ran"))
    (place / "hunter" / "bot.json").write_text('{"command":["./run.sh"]}')
    return place


def forfeited(name: str, argv: tuple[str, ...] = ("./evil", "{}"), **more: Any) -> GameRecord:
    """A game that the first seat forfeits with its fleet, by a run of that command."""
    record = played(names=(name, "random"), forfeit=(0, Termination.ILLEGAL_FLEET))
    evidence = [replace(one, argv=argv) for one in record.evidence]
    return replace(with_evidence(record, *evidence), isolation="none", **more)


def write(folder: Path, record: GameRecord) -> None:
    (folder / "game.json").write_text(json.dumps(builtins(record)))


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
    done = judge_at(folder, "replay", "game.json", "--move", "A")
    assert done.returncode == 2, done.stdout
    assert "name it: --bot BOT" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_a_bundled_name_means_the_bundled_bot(folder: Path) -> None:
    """A folder here of the same name does not run; other files than recorded are told of."""
    write(folder, forfeited("hunter"))
    done = judge_at(folder, "replay", "game.json", "--move", "A", "--isolation", "limits")
    assert done.returncode == 0, done.stderr
    assert "the files of hunter are not those that played" in done.stderr
    assert not (folder.parent / "ran").exists()


def test_isolation_and_limits_are_the_users(folder: Path) -> None:
    """A record's isolation is not asked, and its limits hold up to the user's own."""
    loose = Limits(
        timeout_ms=86_400_000, memory_bytes=2**50, output_bytes=2**50, data_bytes=1, cores=2
    )
    write(folder, forfeited("hunter", limits=loose))
    arguments = ("replay", "game.json", "--move", "A")
    done = judge_at(folder, *arguments, JUDGE_ISOLATION="limits")
    assert "the game was played under isolation none, this is limits" in done.stderr
    assert (
        "the game was played with higher limits; to allow them here: --timeout --memory "
        "--output-limit.\n"
        "judge: each bot had 2 cores in the game, and has 1 here.\n"
        "judge: the bot may have had learned data in the game, and has none here.\n"
    ) in done.stderr
    write(folder, replace(forfeited("hunter"), isolation="bwrap"))
    done = judge_at(folder, *arguments, "--isolation", "limits")
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
    text = change(builtins(forfeited("x")) if "evidence" in sentence or "outcome" in sentence
                  else builtins(played(forfeit=(0, Termination.CRASH))))  # fmt: skip
    for begin, end in (
        ("", ""),
        ('<!doctype html><script type="application/json" id="record">', "<"),
    ):
        (tmp_path / "game.json").write_text(begin + text + end)
        with pytest.raises(RecordError) as refused:
            the_game(str(tmp_path / "game.json"), tmp_path / "ledger.json")
        assert sentence in str(refused.value)
        assert len(str(refused.value)) < 1500


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
    inner = page(played(seed=5, names=("x", "y")))
    record = played(names=(f"{MARK}{{}}</script>", "b"), forfeit=(0, Termination.CRASH),
                    stdout=inner, stderr=inner)  # fmt: skip
    for name, text in (("a.json", json.dumps(builtins(record))), ("a.html", page(record))):
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
    path = tmp_path / "page.html"
    path.write_text(text(page(played(seed=1)), page(played(seed=2))))
    with pytest.raises(RecordError, match=sentence):
        the_game(str(path), tmp_path / "ledger.json")


# A ledger of a stranger's, and what a bot prints


def test_a_bot_that_floods_with_complaints_costs_no_time(tmp_path: Path) -> None:
    """It complains of a file beside it, that it cannot see and names at the end of 60,000 others:
    the hint comes, and the match with it."""
    bot = tmp_path / "bot.py"
    (tmp_path / "helper.py").write_text("")
    bot.write_text("import sys\nsys.exit('no such file ' * 4700 + 'helper')\n")
    done = judge_at(tmp_path, "fight", str(bot), "random", "--games", "4", "--json", "--no-ledger",
                 JUDGE_ISOLATION=strictest().name)  # fmt: skip
    document = json.loads(done.stdout)
    assert document["bots"][0]["forfeits"] == {"crash": 4}
    if strictest().walls_off:
        assert "helper.py" in document["records"][0]["outcome"]["detail"]


def test_a_ledger_has_so_many_bots_and_no_more(tmp_path: Path) -> None:
    """No game of one more is added, and a journal that holds one is refused."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        ledger.add(played(forfeit=(0, Termination.CRASH)))

    def most(entries: list[Any]) -> None:
        header, game = entries
        results = [
            {**game["result"], "names": [f"b{number}", f"b{number + 1}"]}
            for number in range(0, MOST_BOTS, 2)
        ]
        entries[:] = [header, *({**game, "result": result} for result in results)]

    rewritten(path, most)
    with Ledger(path) as ledger:
        assert len(ledger.tally.versions) == MOST_BOTS
        with pytest.raises(UsageError, match="more than 2,000 bots into one ledger; --ledger"):
            ledger.add(played(names=("b0", "new")), numbered=True)
        ledger.add(played(names=("b0", "b3")), numbered=True)

    def one_more(entries: list[Any]) -> None:
        result = {**entries[-1]["result"], "names": ["b0", "new"]}
        entries.append({**entries[-1], "result": result})

    rewritten(path, one_more)
    with pytest.raises(LedgerError, match="it brings more than 2,000 bots into one ledger"):
        read(path)


@pytest.mark.parametrize("place", ["id", "names"])
def test_a_journal_is_held_to_the_lengths_of_the_schema(place: str, tmp_path: Path) -> None:
    """The lengths are held for all that is counted; `judge ledger verify` holds it to the whole
    schema."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        ledger.add(played())
    long = "x" * 1001
    change = {place: long if place == "id" else [long, "y"]}
    rewritten(path, lambda entries: entries[1]["result"].update(change))
    with pytest.raises(
        LedgerError, match=r"at line 2, where it is no journal entry: .* is too long: 1000"
    ):
        read(path)


# The judge with a gigabyte of memory and no more.
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
from judge.__main__ import main
for words in ["standings"], ["ledger", "verify", "--jobs", "1"]:
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as end:
        print(*words, "ended with", end.code)
"""


def test_a_file_without_end_is_not_read_to_it(tmp_path: Path) -> None:
    """Three gigabytes of nothing, which take no room on a disk, take none in memory."""
    with Ledger(tmp_path / "ledger.json") as ledger:
        ledger.add(played(seed=1), numbered=True)
    for name in ("ledger.json", "ledger.games.cache", "ledger.games.jsonl"):
        with (tmp_path / name).open("r+b") as file:
            file.truncate(3 * 2**30)
        done = judge_in(tmp_path, command=(sys.executable, "-c", LIMITED), OPENBLAS_NUM_THREADS="1")
        assert "bug in the judge" not in done.stderr
    for words in ("standings", "ledger verify --jobs 1"):
        assert f"{words} ended with 1\n" in done.stdout, done.stderr
    said = " ".join((done.stdout + done.stderr).split())
    assert said.count("ledger.games.jsonl was edited at line 3: ") == 2


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
    """A part that a record in a journal lacks, or has too much, is never an error of the judge's
    own."""
    monkeypatch.chdir(tmp_path)
    game = played(forfeit=(0, Termination.CRASH))
    with Ledger(Path("ledger.json")) as ledger:
        for number in (1, 2, 3):
            ledger.add(replace(game, seed=number), numbered=True)
    strange = json.loads(change(json.loads(json.dumps(builtins(game)))))
    rewritten(Path("ledger.json"), lambda entries: entries[2].update(record=strange))
    for arguments in READING:
        done = in_process(*arguments)
        assert "bug in the judge" not in done.stderr, (arguments, done.stderr)
        assert done.status in {0, 1, 2}


def test_a_game_with_evidence_of_nobody_leaves_the_site_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is one of the games without a page, and replay refuses it."""
    monkeypatch.chdir(tmp_path)
    game = played(forfeit=(0, Termination.CRASH))
    with Ledger(Path("ledger.json")) as ledger:
        ledger.add(replace(game, id="a"))
        ledger.add(replace(game, seed=1, id="b"))
    rewritten(
        Path("ledger.json"),
        lambda entries: entries[2]["record"]["outcome"]["evidence"][0].update(seat=50),
    )
    done = in_process("site", "out", "--jobs", "1")
    assert done.status == 1
    assert (
        "game #2 cannot be shown: game b has evidence of seat 50, which is not there" in done.stderr
    )
    assert Path("out/games/1.html").exists()
    done = in_process("replay", "#b")
    assert (done.status, "evidence of seat 50" in done.stderr) == (1, True)


def test_a_game_of_ships_that_sink_at_every_shot_is_read_in_a_moment() -> None:
    """Which ship a shot sank is looked up, not searched in the fleet of a hundred players."""
    document = builtins(played())
    ships = [{"length": 100, "column": 0, "row": 0, "orientation": "vertical"}] * 50
    document["seats"] = [{**document["seats"][0], "fleet": ships}] * 2
    document["shots"] = [[0, 1, 99, 99, 4, 1.0]] * 3000
    schema = time.process_time()
    assert schemas.problem("game-record", document) is None
    start = time.process_time()
    convert(GameRecord, document, "it")
    assert time.process_time() - start < 3 * (start - schema) + 1


def test_a_journal_of_many_orders_is_folded(tmp_path: Path) -> None:
    """Twenty thousand entries that void a game and take that back are looked up, not searched."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as ledger:
        ledger.add(played(seed=1))
    void = {"kind": "void", "games": [1], "reason": "x"}
    orders = [
        entry
        for number in range(1, 20_001)
        for entry in (void, *([{"kind": "undo", "order": number}] if number % 2 else []))
    ]
    rewritten(path, lambda entries: entries.extend(orders))
    with Ledger(path) as ledger:
        assert len(ledger.tally.orders.given) == 20_000
        assert ledger.tally.table.voided == 1
