"""The games of one run: whose program plays, in which dialect, and in which process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from changes import replace
from judge.contest import threads
from judge.contest.schedule import Fight, First
from judge.documents.game import Limits, Outcome, RecordedSeat, Termination
from judge.documents.tasks import Task
from judge.errors import JudgeFault, UsageError
from judge.game.variants import BRAINJAR, BROADSIDES, VARIANTS
from judge.play import run as run_module
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.run import Run, most_answers
from judge.play.spoken import chosen, unsayable
from judge.process.bots.bot import find_all
from judge.process.run import claims
from judge.process.run.connection import Script
from judge.wire.brainjar import Brainjar
from judge.wire.broadsides import Broadsides
from judge.wire.messages import AskFleet, GameOver, GameStart, Left

CONDITIONS = Conditions(rules=BRAINJAR, limits=Limits(timeout_ms=30_000))

# Answers with the name of its folder, and the dialect that it is asked in, in a wrong reply.
TELLS = """\
import json, os, sys
asked = json.loads(sys.argv[1])
print(os.path.basename(os.getcwd()), "engine" if list(asked)[0] == "hit" else "readme")
"""
FLEET = (
    '{"2":{"point":"10","orientation":"vertical"},"3":{"point":"20","orientation":"vertical"},'
    '"4":{"point":"30","orientation":"vertical"},"5":{"point":"40","orientation":"vertical"}}'
)
PLACES = f"import sys\nif 'init' in sys.argv[1]:\n    print('''{FLEET}''')\n    sys.exit()\n"


@pytest.mark.whole
def test_bots_of_the_same_files_are_two_bots(tmp_path: Path) -> None:
    """Each seat is taken by its own program, though the files that are digested are the same."""
    for name in ("x1", "x2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.py").write_text(TELLS)
    bots = find_all([str(tmp_path / "x1" / "bot.py"), str(tmp_path / "x2" / "bot.py")])
    assert bots[0].digest == bots[1].digest
    with Run(CONDITIONS, bots) as run:
        for seat, pairing in enumerate(Fight(2, 1, First.ALTERNATE)):
            record = run.play(threads.task(pairing, bots))
            (evidence, *_) = record.evidence
            assert evidence.stdout.split()[0] == f"x{evidence.seat + 1}", seat


@pytest.mark.whole
def test_each_seat_is_asked_in_its_own_dialect(tmp_path: Path) -> None:
    """That of one seat is not the other's, though the bot is the same."""
    script = tmp_path / "bot.py"
    script.write_text(PLACES + TELLS)
    bots = find_all([f"plain={script}", f"other={script}@brainjar/engine"])
    with Run(CONDITIONS, bots) as run:
        for pairing, dialect in zip(
            Fight(2, 1, First.ALTERNATE), ("readme", "engine"), strict=True
        ):
            record = run.play(threads.task(pairing, bots))
            assert [seat.dialect for seat in record.seats] == ["readme", "engine"]
            assert record.evidence[0].stdout.split()[-1] == dialect


@pytest.mark.whole
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("play", [Run.play, Run.play_match])
def test_no_other_judge_plays_the_same_bots_with_the_same_seed(
    play: Callable[[Run, Task], object],
    swapped: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A game waits for that of another judge on this machine, whoever sits where."""
    for name in ("x1", "x2"):
        (tmp_path / f"{name}.py").write_text(f"{PLACES}{TELLS}# {name}")
    bots = find_all([str(tmp_path / "x1.py"), str(tmp_path / "x2.py")])
    (pairing,) = Fight(1, 1, First.A)
    task = threads.task(pairing, bots)
    monkeypatch.setattr(claims, "MOST_SECONDS", 0.0)
    digests = [bot.digest for bot in bots][:: -1 if swapped else 1]
    with Run(CONDITIONS, bots) as run:
        with (
            claims.alone_with(pairing.seed, digests, run.stop),
            pytest.raises(JudgeFault, match="another judge on this machine plays these bots"),
        ):
            play(run, task)
        play(run, task)


class Deaf(Brainjar):
    """A wire on which nothing that comes back is ever whole."""

    def next_event(self) -> None:
        return None


def test_a_player_whose_stream_ends_without_an_answer_has_left() -> None:
    """It is not waited for any longer."""
    entry = RecordedSeat.of("gone")
    player = ProgramPlayer(entry, Deaf(BRAINJAR, 0, "readme"), Script(lambda _: b"{"))
    player.ask(AskFleet(), None)
    assert isinstance(player.answer(), Left)


def test_what_happens_is_sent_with_the_next_question() -> None:
    """Until then the program has nothing to compute with; the rest goes out with the farewell."""
    sent: list[bytes] = []

    def note(data: bytes) -> bytes:
        sent.append(data)
        return b""

    wire = Broadsides(BROADSIDES, 0, "plain")
    player = ProgramPlayer(RecordedSeat.of("ada"), wire, Script(note))
    player.tell(GameStart(0, ("ada", "bob"), BROADSIDES, 1, None, 0))
    assert not sent
    player.ask(AskFleet(), None)
    player.tell(GameOver(Outcome(1, 0, Termination.LEFT)))
    player.part(None)
    assert [data.decode().splitlines() for data in sent] == [
        ["INFO SETUP players:ada,bob board:10x10 ships:5,4,3,3,2", "ACTION SHIPS 5,4,3,3,2"],
        ["INFO WINNER bob", "ACTION FINISH"],
    ]


def test_a_name_is_held_to_each_wire_but_those_of_bots_that_cannot_say_their_own() -> None:
    """A bot without a name that its wire can tell does not play, and nobody else is left out for
    it."""
    speakers = {"ada": Broadsides, "b c": Brainjar, "d.e": Broadsides, "ada#2": Broadsides}
    reasons = unsayable([*speakers, "person"], speakers)
    assert list(reasons) == ["b c", "d.e"]
    assert reasons["b c"].startswith("ada speaks broadsides, where a name has only the letters")
    assert reasons["d.e"].startswith("it speaks broadsides, where a name has only the letters")
    assert unsayable(["b c", "d.e"], {"d.e": Broadsides, "b c": Brainjar}).keys() == {"d.e"}


def test_a_number_is_left_out_only_of_the_name_of_a_namesake() -> None:
    """The judge gives such a number to the second of two bots with one name."""
    assert unsayable(["ada", "ada#2"], dict.fromkeys(["ada", "ada#2"], Broadsides)) == {}
    for names in (["bob", "ada#2"], ["ada", "ada#b"]):
        assert list(unsayable(names, dict.fromkeys(names, Broadsides))) == names[1:]


def test_the_most_similar_wire_is_named() -> None:
    """A name that is like no other is answered with all names."""
    with pytest.raises(UsageError, match="'broadside'; did you mean broadsides"):
        chosen(["broadside"], BRAINJAR)
    with pytest.raises(UsageError, match="'zzz'; there are: "):
        chosen(["zzz"], BRAINJAR)


def test_how_a_bot_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that cannot be forked is started by exec; with auto, so is one that is not proved."""
    script, program = find_all(["random", "true=/bin/true"])
    reasons = {script: None, program: "is started by another interpreter"}
    monkeypatch.setattr(run_module, "why_unforkable", reasons.get)  # which starts interpreters
    expected = {"exec": "exec", "auto": "exec", "fork": "fork"}
    for launch, how in expected.items():
        with Run(replace(CONDITIONS, launch=launch), [script, program]) as run:
            assert [run.launch_of(script), run.launch_of(program)] == [how, "exec"]
            assert [run.why_not_forked(script), run.why_not_forked(program)] == [
                "",
                reasons[program],
            ]


def test_a_seat_answers_once_a_turn_and_once_a_ship() -> None:
    """Without a limit of rounds, it has a turn for each cell of each other board."""
    rules = replace(BRAINJAR, round_limit=None, match=1)
    assert most_answers(rules, 2) == 2 * (64 + 4)
    assert most_answers(rules, 3) == 3 * (2 * 64 + 4)
    drawn = replace(VARIANTS["contest"], round_limit=100, match=500)
    assert most_answers(drawn, 2) == 2 * 500 * (100 + 6)


@pytest.mark.parametrize("bots", [10, 1000])
def test_each_name_is_held_once_to_its_own_wire_and_to_each_that_is_spoken(bots: int) -> None:
    """So the work grows with the number of bots, and not with its square."""
    asked: list[str] = []

    class Counted(Brainjar):
        @staticmethod
        def unsayable(name: str) -> str | None:
            asked.append(name)
            return None

    names = [f"bot{number}" for number in range(bots)]
    assert unsayable(names, dict.fromkeys(names, Counted)) == {}
    assert Counter(asked) == dict.fromkeys(names, 2)
