"""judge replay where there is no terminal, and its pictures: show/replay.py, show/move_rerun.py."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from commands import judge_at
from games import SGR, played, strange_texts, void
from golden import hold
from judge.contest.standings.summary import forfeits
from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Termination
from judge.documents.rules import Sinking
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, BROADSIDES, VARIANTS, contest
from judge.play.recorded_move import can_be_run_again, forfeiting, move, placing
from judge.show import board
from judge.show.board import Picture
from judge.show.replay import Replay, picture, whole
from judge.show.text import cells
from needs import need
from strategies import FORFEITS, examples


@st.composite
def records(draw) -> GameRecord:
    """A game of any variant, played out, forfeited or void, with strange names."""
    rules = VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))]
    seed = draw(st.integers(0, 99))
    names = (draw(strange_texts()) or "a", draw(strange_texts()) or "b")
    kind = draw(st.sampled_from(["played", "forfeit", "void"]))
    if kind == "void":
        return void(seed, names=names)
    how = (draw(st.integers(0, 1)), draw(st.sampled_from(FORFEITS)))
    after, detail = draw(st.integers(0, 30)), draw(strange_texts())
    forfeit = how if kind == "forfeit" else None
    return played(rules, seed, names=names, forfeit=forfeit, after=after, detail=detail)


@pytest.mark.parametrize("seat", [None, 1])
def test_a_whole_game_is_played_once(seat: int | None) -> None:
    """As text, a game costs a walk through its moves, not one for each of them."""
    replayed = Replay.of(played(seed=1))
    shots = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal shots
        shots += event == "call" and frame.f_code is Game.shoot.__code__

    sys.setprofile(count)
    try:
        whole(replayed, seat=seat)
    finally:
        sys.setprofile(None)
    assert shots == replayed.last > 50


@given(records())
@examples(100)
def test_each_forfeit_of_a_bot_is_named_as_a_move_that_can_be_run_again(record: GameRecord) -> None:
    """By its number, and its side where that does not say whose move it was."""
    seats = tuple(replace(seat, digest=f"sha256:{'a' * 64}") for seat in record.seats)
    record = replace(record, seats=seats)
    named = [*forfeiting(record, Replay.of(record).steps)]
    found = []
    for of_seat, name in named:
        number, side = name.rstrip("AB"), "AB".find(name[-1])
        seat = None if side < 0 else side
        one = move(record, int(number), seat) if number else placing(record, side)
        assert one.seat == of_seat
        found.append(one.seat)
        assert one.forfeit is not None
    again = [can_be_run_again(seat) for seat in record.seats]
    assert sorted(found) == [
        seat for seat in forfeits(record) if again[seat] and not _resigned(record, seat)
    ]


def _resigned(record: GameRecord, seat: int) -> bool:
    return forfeits(record)[seat].termination is Termination.RESIGNED


def drawn(shown: Picture, columns: int = 80, *, colour: bool = False) -> list[str]:
    """A picture as lines."""
    boards = board.drawn(shown.rules, shown.boards, columns=columns, colour=colour).split("\n")
    return [shown.title, *shown.about, *boards, *shown.said]


@given(records(), st.data())
@examples(60)
def test_every_picture_fits_and_is_harmless(record: GameRecord, data: st.DataObject) -> None:
    """At every step and through all eyes, no line above the boards is wider than the terminal (the
    screen wraps those below), and no line moves the cursor; colours change nothing else."""
    replayed = Replay.of(record)
    step = data.draw(st.integers(replayed.first, replayed.last))
    seat = data.draw(st.sampled_from([None, 0, 1]))
    columns = data.draw(st.sampled_from([12, 46, 80, 200]))
    plain = picture(replayed, step, seat=seat, columns=columns)
    assert all(cells(line) <= columns for line in (plain.title, *plain.about))
    lines = drawn(plain, columns)
    assert not any("\x1b" in line or "\n" in line for line in lines)
    shown = picture(replayed, step, seat=seat, columns=columns, colour=True)
    coloured = drawn(shown, columns, colour=True)
    assert [SGR.sub("", line).rstrip() for line in coloured] == [line.rstrip() for line in lines]


@given(records())
@examples(40)
def test_the_steps_of_a_game_are_those_of_its_replay(record: GameRecord) -> None:
    """Each step is a position of the engine's and has its own number; together they tell every
    shot and every forfeit, once."""
    replayed = Replay.of(record)
    assert [step.fired for step in replayed.steps] == [len(game.shots) for game in replay(record)]
    told = []
    for number in range(1, replayed.last + 1):
        lines = replayed.said(number)
        assert {line[:4] for line in lines} <= {f"{number:>4}", "    "}
        told += lines
    incidents = [line for line in [*replayed.said(0), *told] if "forfeits: " in line]
    assert len(incidents) == len(record.incidents)
    words = re.findall(r"\b(?:hit|miss|wasted)\b", "\n".join(told))
    assert len(words) == len(record.shots)


@given(st.sampled_from(["brainjar", "bsp"]), st.integers(0, 99), st.data())
@examples(30)
def test_fog_shows_what_was_told_and_no_more(name: str, seed: int, data: st.DataObject) -> None:
    """The hits are all that is seen of the other's fleet, and a sinking only if it is told."""
    replayed = Replay.of(played(VARIANTS[name], seed))
    step = data.draw(st.integers(0, replayed.last - 1))
    for seat, other in ((0, slice(43, None)), (1, slice(1, 40))):
        lines = drawn(picture(replayed, step, seat=seat))
        rows = [line[other] for line in lines if line[:1].isdigit()]
        assert len(rows) == VARIANTS[name].rows
        assert set("".join(rows)) <= set("·○×#[] ")
        assert ("sinks" in "".join(lines)) <= (VARIANTS[name].sinking is not Sinking.NOTHING)


def pictures(record: GameRecord, *steps: int, seats: Sequence[int | None] = (None,)) -> str:
    """The pictures of these steps, `LAST` for the last, as each of these sees them."""
    replayed = Replay.of(record)
    return "\n".join(
        line
        for step in steps
        for seat in seats
        for line in drawn(picture(replayed, step if step != LAST else replayed.last, seat=seat))
    )


LAST = 10_000
PICTURES: dict[str, Callable[[], str]] = {
    "ships placed one by one": lambda: pictures(
        played(contest(5), 3), *range(Replay.of(played(contest(5), 3)).first, 1), seats=(None, 0)
    ),
    "fleets placed at once": lambda: f"begins at {Replay.of(played(BRAINJAR, 1)).first}",
    **{
        f"the end by {cause}": partial(
            lambda cause: pictures(played(forfeit=(1, cause), detail="it said so"), LAST), cause
        )
        for cause in FORFEITS
    },
    "a volley": lambda: pictures(played(BROADSIDES, 2), 5, seats=(None, 0, 1)),
    "a whole game": lambda: whole(Replay.of(played(BROADSIDES, 2))),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """Ships that are placed, the end and why, volleys with their shots numbered, who is due, and a
    whole game as text are as pictures.txt has them."""
    text = "\n".join(line.rstrip() for line in PICTURES[name]().split("\n"))
    hold(Path(__file__).with_name("pictures.txt"), name, text, PICTURES, pytestconfig)


# As a command


@pytest.fixture
def judge(tmp_path: Path):
    return partial(judge_at, tmp_path)


def write(folder: Path, record: GameRecord, name: str = "game.json") -> None:
    (folder / name).write_text(json.dumps(builtins(record)))


def test_a_move_is_run_again_with_its_process_id(judge, tmp_path: Path) -> None:
    """Under bwrap a program that places by its process id places the same fleet again."""
    need("bwrap")
    bot = tmp_path / "lucky.sh"
    bot.write_text(
        "#!/bin/sh\n"
        "r=$(($$ % 2)) c=$(($$ / 2 % 2)) d=$(($$ / 4 % 2)) e=$(($$ / 8 % 2))\n"
        'case $1 in *init*) echo \'{"2":{"point":"\'$r\'0","orientation":"horizontal"},'
        '"3":{"point":"\'$c\'1","orientation":"horizontal"},'
        '"4":{"point":"\'$d\'2","orientation":"horizontal"},'
        '"5":{"point":"\'$e\'3","orientation":"horizontal"}}\';; *) exit $$;; esac\n'
    )
    bot.chmod(0o755)
    bwrap = ("--isolation", "bwrap")
    judge("fight", f"mine={bot}", f"its={bot}", "--seed", "2", "--quiet", *bwrap)
    again = [judge("replay", "--move", side, "--bot", str(bot), *bwrap) for side in "AB"]
    assert ["the same again" in one.stdout for one in again] == [True, True]
    fleets = [re.search(r'stdout +(\{"2".*)', one.stdout) for one in again]
    assert fleets[0]
    assert fleets[1]
    assert fleets[0][1] != fleets[1][1]
