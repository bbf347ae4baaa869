"""judge rank --shard and judge ledger merge: a contest played in parts, by scripted players, ends in
the bytes of one that was played at once."""

from __future__ import annotations

import json
import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import Done, judge
from contest_folder import make
from contest_players import program
from judge import schemas
from judge.cli.setup import Embedding
from judge.contest.journal.audit import verify
from judge.contest.ledger.ledger import read
from judge.errors import TimedOut
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection, Script
from small_contest import NAMES, as_usual, by_luck, of_matches, set_up
from wire_players import Frames

WHOLE, MERGED = Path("whole.json"), Path("bots.ledger.json")
OF = 3
FORMATS = {
    "rounds": ["--rounds", "2"],
    "gauntlet": ["--bot", "cyd", "--rounds", "2"],
    "tournament": ["--games", "3"],
}


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> None:
    """A folder of its own with seven bots, and the rules of a small board."""
    set_up()
    rules = json.loads(Path("tiny.json").read_text())
    Path("others.json").write_text(json.dumps({**rules, "name": "others"}))


def late(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    """A player by luck, but for bob, who never answers in time."""

    def answer(_: bytes) -> bytes:
        raise TimedOut("no answer")

    return Script(answer) if bot.name == "bob" else by_luck(bot, seed, usual)


def rank(*arguments: str, connect: Any = late) -> Done:
    return judge(
        *("rank", "bots", "--isolation", "none", "--rules", "tiny.json", "--quiet"),
        *arguments,
        embedding=Embedding(connect),
    )


def whole(*arguments: str) -> bytes:
    """What one machine makes of a contest."""
    done = rank(*arguments, "--seed", "5", "--insist", "--ledger", str(WHOLE))
    assert done.status == 0, done.stderr
    return WHOLE.read_bytes()


def shard(number: int, *arguments: str, of: int = OF) -> Path:
    """The ledger of a shard, played to its end."""
    done = rank(*arguments, "--seed", "5", "--shard", f"{number}/{of}", "--jobs", str(number))
    assert done.status == 0, done.stderr
    return Path(f"bots.{number}-of-{of}.ledger.json")


def shards(*arguments: str, of: int = OF) -> list[str]:
    return [str(shard(number, *arguments, of=of)) for number in range(1, of + 1)]


def merge(*ledgers: object) -> Done:
    return judge("ledger", "merge", str(MERGED), *map(str, ledgers))


def games(path: Path) -> list[Any]:
    """What no clock shows of the games of a ledger, in order."""
    lines = path.with_suffix(".games.jsonl").read_text().splitlines()
    return [
        (
            *(one[key] for key in ("id", "number", "seed", "first", "match")),
            [(seat["name"], seat["digest"], seat["seed"], seat["fleet"]) for seat in one["seats"]],
            [shot[:5] for shot in one["shots"] or ()],
            [one["outcome"][key] for key in ("winner", "loser", "termination", "scores")],
        )
        for one in map(json.loads, lines)
        if "kind" not in one
    ]


def edit(path: Path, change: Callable[[list[Any]], None]) -> None:
    """Edit the entries of a journal, from which the ledger is computed anew."""
    journal = path.with_suffix(".games.jsonl")
    entries = [json.loads(line) for line in journal.read_text().splitlines()]
    change(entries)
    journal.write_text("".join(f"{json.dumps(one, separators=(',', ':'))}\n" for one in entries))
    path.unlink(missing_ok=True)


@pytest.mark.parametrize("name", FORMATS)
def test_merged_shards_are_one_contest(name: str) -> None:
    """The merged ledger is that of one run with --insist, byte for byte, and its journal holds the
    same games in the same order; nothing more is to be played on it."""
    arguments = ["--format", name, *FORMATS[name]]
    expected = whole(*arguments)
    parts = shards(*arguments)
    counts = [len(games(Path(one))) for one in parts]
    assert all(counts)
    assert sum(counts) == len(games(WHOLE))
    done = merge(*reversed(parts))
    assert (done.status, done.stderr) == (0, "")
    assert f"{sum(counts)} games added" in done.stdout
    assert MERGED.read_bytes() == expected
    assert games(MERGED) == games(WHOLE)
    assert verify(MERGED).problems == ()
    assert rank("--insist", *FORMATS[name]).status == 0
    assert MERGED.read_bytes() == expected


@pytest.mark.parametrize("format_", ["rounds", "tournament"])
def test_shards_of_matches_are_merged_match_by_match(format_: str) -> None:
    """Where the unit is a match, a shard has whole ones; one that a crash broke off is missing until
    the shard has gone on."""
    of_matches()
    options = ["--format", format_, "--games", "3", "--keep", "last"]
    done = rank(*options, "--seed", "5", "--ledger", str(WHOLE), connect=as_usual)
    assert done.status == 0, done.stderr
    for number in (1, 2):
        rank(*options, "--seed", "5", "--shard", f"{number}/2", connect=as_usual)
    parts = [f"bots.{number}-of-2.ledger.json" for number in (1, 2)]
    journal = Path(parts[0]).with_suffix(".games.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    Path(parts[0]).unlink()
    journal.write_text("".join(lines[:-1]))
    done = merge(*parts)
    assert done.status == 1
    assert "lacks 1 match of shard 1/2" in done.stderr
    assert rank(*options, "--shard", "1/2", connect=as_usual).status == 0
    assert merge(*parts).status == 0
    assert MERGED.read_bytes() == WHOLE.read_bytes()
    assert games(MERGED) == games(WHOLE)


def test_a_shard_that_was_killed_goes_on() -> None:
    """Wherever a shard was broken off, merging it is refused with nothing written, and the same
    command plays what is missing; then all is as if nothing had happened."""
    expected = whole()
    parts = shards()
    journal = Path(parts[1]).with_suffix(".games.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    for kept in (1, len(lines) // 2, len(lines) - 1):
        for file in Path().glob(f"{parts[1].removesuffix('.json')}*"):
            file.unlink()
        journal.write_text("".join(lines[:kept]))
        done = merge(*parts)
        assert done.status == 1
        lacking = len(lines) - max(kept, 2)
        assert f"bots.2-of-3.ledger.json lacks {lacking} game" in done.stderr or kept == 1
        assert "Nothing was merged" in done.stderr
        assert not MERGED.with_suffix(".games.jsonl").exists()
        shard(2)
    assert merge(*parts).status == 0
    assert MERGED.read_bytes() == expected


def test_a_merge_that_was_killed_goes_on() -> None:
    """Wherever a merge was broken off, the same command ends in the same bytes; once more, it adds
    nothing."""
    expected = whole()
    parts = shards()
    assert merge(*parts).status == 0
    journal = MERGED.with_suffix(".games.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    for kept in (0, 1, len(lines) // 2, len(lines) - 1):
        for file in Path().glob("bots.ledger*"):
            file.unlink()
        journal.write_text("".join(lines[:kept]))
        assert merge(*parts).status == 0
        assert MERGED.read_bytes() == expected
    done = merge(*parts)
    assert "0 games added" in done.stdout
    assert f"{len(lines) - 1} games of these shards stood there before" in done.stdout
    assert MERGED.read_bytes() == expected


def test_the_same_shard_twice_counts_once() -> None:
    """A shard that is named twice, or played twice, is skipped by the ids of its games."""
    expected = whole()
    parts = shards()
    copied = Path("copied.json")
    for suffix in (".json", ".games.jsonl"):
        shutil.copy(Path(parts[0]).with_suffix(suffix), copied.with_suffix(suffix))
    done = merge(*parts, copied, parts[1])
    count = len(games(copied)) + len(games(Path(parts[1])))
    assert f"{count} games stood in several shards, and count once" in done.stdout
    assert MERGED.read_bytes() == expected


def test_more_rounds_are_merged_into_the_same_ledger() -> None:
    """Shards that go on with more rounds are merged again, and only the new games are added."""
    parts = shards()
    assert merge(*parts).status == 0
    expected = whole("--rounds", "2")
    parts = shards("--rounds", "2")
    done = merge(*parts)
    assert "42 games added" in done.stdout, done
    assert MERGED.read_bytes() == expected


OTHERS = {
    "seed": (["--seed", "6"], "different seeds"),
    "time": (["--seed", "5", "--timeout", "1s"], "the other with 1s for an answer; play all"),
    "rules": (["--seed", "5", "--rules", "others.json"], "by the rules tiny."),
    "rounds": (
        ["--seed", "5", "--rounds", "2"],
        "played with different --rounds or --games; play all",
    ),
    "format": (
        ["--seed", "5", "--format", "tournament"],
        "played with different --format; play all",
    ),
    "number": (["--seed", "5", "--shard", "2/4"], "one is shard 1/3, the other 2/4"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_a_shard_of_another_contest_is_refused(name: str) -> None:
    """A shard under other conditions, of another seed or schedule is named, and nothing is
    written."""
    arguments, said = OTHERS[name]
    one, other = shard(1), Path("other.json")
    done = rank("--shard", "2/3", *arguments, "--ledger", str(other))
    assert done.status == 0, done.stderr
    refused = merge(one, other)
    assert refused.status == 2
    assert said in refused.stderr
    assert "other.json" in refused.stderr
    assert not MERGED.with_suffix(".games.jsonl").exists()


def test_a_shard_with_other_bots_is_refused() -> None:
    """Another version of a bot, or a bot more, is named; so it is where the shard itself goes
    on."""
    one = shard(1)
    make("ann", "#!/bin/sh\n# changed\n")
    two = shard(2)
    refused = merge(one, two, shard(3))
    assert refused.status == 2
    assert f"ann played with different files in {one} and {two}" in refused.stderr
    make("zoe")
    done = rank("--seed", "5", "--shard", "1/3")
    assert done.status == 2
    assert "of a contest of 7 bots, and these are others: zoe" in done.stderr
    other = rank("--seed", "5", "--shard", "2/3", "--ledger", "other.json")
    assert other.status == 0
    refused = merge(one, "other.json")
    assert "only one of them is with zoe" in refused.stderr


def test_shards_that_are_missing_are_named() -> None:
    """Without the ledgers of some shards nothing is merged."""
    done = merge(shard(2))
    assert done.status == 2
    assert "shards 1/3, 3/3 of the contest are missing" in done.stderr
    assert not MERGED.with_suffix(".games.jsonl").exists()


def test_what_is_no_shard_is_refused() -> None:
    """A whole contest, a ledger that is not there, a shard to merge into, and no shard at all."""
    whole()
    one = shard(1)
    refused = {
        "whole.json is not the ledger of a shard": (str(MERGED), str(WHOLE)),
        "absent.json: there is no such ledger": (str(MERGED), "absent.json"),
        "holds shard 1/3 itself": (str(one), str(shard(2))),
        "name the ledgers of all shards behind": (str(one),),
    }
    for said, ledgers in refused.items():
        done = judge("ledger", "merge", *ledgers)
        assert done.status == 2
        assert said in done.stderr
    assert not MERGED.with_suffix(".games.jsonl").exists()


def test_a_ledger_with_another_contest_takes_no_shards() -> None:
    """A contest of another seed or format is not merged into, and stays as it is."""
    parts = shards()
    for arguments, said in (
        (["--seed", "6"], "another seed"),
        (["--seed", "5", "--format", "tournament"], "of the format tournament"),
        (["--seed", "5", "--timeout", "1s"], "2s for an answer; name another ledger to merge"),
    ):
        assert rank(*arguments, "--ledger", str(MERGED)).status == 0
        before = MERGED.read_bytes()
        done = merge(*parts)
        assert done.status == 2
        assert said in done.stderr
        assert MERGED.read_bytes() == before
        for file in Path().glob("bots.ledger*"):
            file.unlink()


def test_a_shard_without_its_journal_is_refused() -> None:
    """The journal is what was not carried over; nothing is to be removed."""
    parts = shards()
    Path(parts[1]).with_suffix(".games.jsonl").unlink()
    done = merge(*parts)
    assert done.status == 1
    assert "bots.2-of-3.ledger.games.jsonl is not, and holds the games" in done.stderr
    assert "remove" not in done.stderr


def test_a_ledger_with_fights_takes_no_shards() -> None:
    """The contest would be rated together with them; the sentence says which ledger would do."""
    parts = shards()
    done = judge(
        *("fight", "bots/ann.sh", "bots/cyd.sh", "--isolation", "none", "--rules", "tiny.json"),
        *("--quiet", "--ledger", str(MERGED)),
        embedding=Embedding(late),
    )
    assert done.status == 0, done.stderr
    before = MERGED.read_bytes()
    done = merge(*parts)
    assert done.status == 2
    assert "which is no game of this contest" in done.stderr
    assert "name one that is not there yet. Nothing was merged" in done.stderr
    assert MERGED.read_bytes() == before


def test_games_of_a_stranger_are_checked() -> None:
    """A game with another seed than that of its place, one of no contest, and a plan without end
    are refused before anything is written."""
    parts = shards()
    journal = Path(parts[0]).with_suffix(".games.jsonl")
    before = journal.read_text()

    def seed(entries: list[Any]) -> None:
        entries[3]["seed"] += 1

    def foreign(entries: list[Any]) -> None:
        entries.append({**entries[3], "id": "fight-1", "number": len(entries), "seed": 77})

    def endless(entries: list[Any]) -> None:
        entries[0]["format"]["units"] = 10**9

    for change, said in (
        (seed, "seeds or another first mover than this contest has for it"),
        (foreign, "holds fight-1, which is no game of its contest"),
        (endless, "different --rounds"),
    ):
        edit(Path(parts[0]), change)
        done = merge(*parts)
        assert done.status in (1, 2)
        assert said in done.stderr
        assert not MERGED.with_suffix(".games.jsonl").exists()
        journal.write_text(before)
    edit(Path(parts[0]), endless)
    assert "lacks" in merge(parts[0]).stderr or "missing" in merge(parts[0]).stderr


def test_matches_that_a_stranger_planned_without_end() -> None:
    """They are counted, and their games are not."""
    parts = shards()

    def endless(entries: list[Any]) -> None:
        entries[0]["format"]["match"] = 100_000
        del entries[1:]

    for part in parts:
        edit(Path(part), endless)
    tracemalloc.start()
    done = merge(*parts)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (done.status, "matches of shard 1/3" in done.stderr) == (1, True)
    assert peak < 10 * 2**20


def test_matches_that_ended_long_before_their_last_game() -> None:
    """Each has the game in which it was forfeited, and is merged so."""

    def errs(_: Bot, seed: int, __: Callable[[], Connection]) -> Connection:
        return Frames(program(seed, slips=1.0))

    for name in NAMES:
        Path("bots", f"{name}.sh").unlink()
    for name in NAMES[:3]:
        Path("bots", f"{name}.py").write_text("")
    options = ["--rules", "contest-3", "--format", "tournament", "--games", "10000"]
    for number in (1, 2):
        done = rank(*options, "--seed", "5", "--shard", f"{number}/2", connect=errs)
        assert done.status == 0, done.stderr
    done = merge("bots.1-of-2.ledger.json", "bots.2-of-2.ledger.json")
    assert (done.status, "3 games added; it has 3 games" in done.stdout) == (0, True), done.stderr
    assert verify(MERGED).problems == ()


def test_orders_of_a_shard_are_given_to_the_merged_ledger() -> None:
    """A shard with an order on a bot is refused; a voided game is played again, and merged."""
    expected = whole()
    parts = shards()
    assert judge("ledger", "void", parts[0], "2", "--reason", "a power cut").status == 0
    done = merge(*parts)
    assert done.status == 1
    assert "lacks 1 game of shard 1/3" in done.stderr
    shard(1)
    assert merge(*parts).status == 0
    assert MERGED.read_bytes() == expected
    assert judge("ledger", "reset", parts[0], "ann").status == 0
    refused = merge(*parts)
    assert refused.status == 2
    assert "has order 2, to reset ann; take it back with `judge ledger undo`" in refused.stderr


def test_a_shard_is_told_as_one() -> None:
    """Its events and standings are valid, say which shard it is, and count its own games."""
    done = rank("--seed", "5", "--format", "tournament", "--shard", "2/3", "--jsonl")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert all(schemas.problem("rank-event", event) is None for event in events)
    assert events[0]["format"]["shard"] == {"number": 2, "of": 3}
    assert events[0]["games"] == events[0]["missing"] == len(events) - 2 == 14
    shown = judge("ledger", "show", "bots.2-of-3.ledger.json")
    assert "shard 2/3 of its games" in " ".join(shown.stdout.split())
    document = json.loads(judge("standings", "--json", "bots.2-of-3.ledger.json").stdout)
    assert schemas.problem("standings", document) is None
    held = json.loads(Path("bots.2-of-3.ledger.json").read_text())
    assert schemas.problem("ledger", held) is None
    assert read(Path("bots.2-of-3.ledger.json")).recorded == 14
