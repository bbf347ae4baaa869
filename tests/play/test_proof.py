"""A bot is forked by itself once its first game has shown that it plays the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from changes import replace
from commands import judge
from judge.documents.codec import builtins
from judge.documents.game import Outcome, RecordedSeat, Termination
from judge.documents.rules import Cell, Orientation, Repeat, Ship
from judge.errors import BotError
from judge.game.events import Target
from judge.game.game import Game
from judge.game.variants import BRAINJAR
from judge.play.proof import ENOUGH, Proof, ProvingPlayer, is_legal
from judge.process.run.connection import Script
from judge.wire.brainjar import Brainjar, fleet_reply
from judge.wire.messages import AskFleet, AskShots, Fired, GameOver, Placed

PLAYS = """\
import json, os, sys
asked = json.loads(sys.argv[1])
with open("/proc/self/cmdline") as file:
    is_forked = __file__ not in file.read()
if asked["cmd"] == "init":
    print(json.dumps({"2": {"point": "00", "orientation": "vertical"}}))
else:
    done = {*asked["hit"], *asked["missed"]}
    fresh = [f"{x}{y}" for x in range(3) for y in range(3) if f"{x}{y}" not in done]
    print(json.dumps({"move": CHOICE}))
"""


@pytest.fixture(autouse=True)
def small_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game of a few moves, and a machine on which nobody is late."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUDGE_TIMEOUT", "1min")
    monkeypatch.setenv("JUDGE_ISOLATION", "none")
    monkeypatch.setenv("JUDGE_JOBS", "1")
    small = {**builtins(BRAINJAR), "name": "small", "columns": 3, "rows": 3, "fleet": [2]}
    Path("small.json").write_text(json.dumps(small))


def fight(choice: str, games: int, *more: str) -> tuple[list[list[str]], list[object], str]:
    """How the bot was started in each game, what was shot, and what was noted."""
    Path("plays.py").write_text(PLAYS.replace("CHOICE", choice))
    arguments = ("--games", str(games), "--rules", "small.json", "--seed", "3", "--no-ledger")
    done = judge("fight", "plays.py", "b=plays.py", *arguments, "--json", *more)
    assert done.status == 0, done.stderr
    records = json.loads(done.stdout)["records"]
    launches = [record["seats"][0]["launch"] for record in records]
    return launches, [[shot[:5] for shot in record["shots"]] for record in records], done.stderr


@pytest.mark.whole
def test_a_bot_that_plays_the_same_is_forked() -> None:
    """Once it has answered a dozen requests by exec and by fork alike; and no game differs."""
    launches, shots, said = fight("fresh[0]", 11)
    assert launches[0] == "exec"
    assert launches[-1] == "fork"
    assert sorted(launches) == launches  # exec before fork
    assert fight("fresh[0]", 11, "--launch", "exec")[:2] == (["exec"] * 11, shots)
    assert said == ""


@pytest.mark.whole
def test_a_bot_that_plays_otherwise_is_not_forked() -> None:
    """Every game is played by exec, and the two replies are told, once."""
    launches, shots, said = fight("fresh[-1 if is_forked else 0]", 11)
    assert set(launches) == {"exec"}
    assert fight("fresh[0]", 11, "--launch", "exec")[1] == shots
    assert said.count("is not forked") == 1
    assert (
        'by exec it replied \'{"move": "00"}\', and by fork it replied \'{"move": "22"}\'' in said
    )


@pytest.mark.whole
def test_a_bot_with_luck_of_its_own_may_play_otherwise() -> None:
    """Two replies by exec differ, so the fork's has only to be legal; and one that is not is told."""
    # Two of its replies are equal by chance now and then, and a third is another.
    lucky = "fresh[os.urandom(1)[0] % len(fresh)]"
    assert any(fight(lucky, 11)[0][-1] == "fork" for _ in range(3))
    launches, _, said = fight(f"99 if is_forked else {lucky}", 11)
    assert set(launches) == {"exec"}
    assert "by fork it replied '{\"move\": 99}'" in said or "by fork it" in said


@pytest.mark.whole
def test_a_few_games_are_not_worth_a_fork() -> None:
    """Up to ten, a bot is started by exec, and nothing is proved."""
    assert set(fight("fresh[0]", 10)[0]) == {"exec"}


def test_what_a_fork_answers_is_judged_by_the_rules() -> None:
    """A volley of the right length at fresh cells of an opponent; a fleet of these rules."""
    game = Game(BRAINJAR)
    fleet = tuple(
        Ship(length, 0, row, Orientation.HORIZONTAL) for row, length in enumerate((2, 3, 4, 5))
    )
    assert is_legal(AskFleet(), Placed(fleet), BRAINJAR)
    assert not is_legal(AskFleet(), Placed(fleet[:3]), BRAINJAR)
    for seat in (0, 1):
        game.place(seat, fleet)
    game.shoot(0, [Target(1, Cell(0, 0))])
    asked = AskShots(game.view(0))
    assert is_legal(asked, Fired((Target(1, Cell(1, 0)),)), BRAINJAR)
    for wrong in ((1, 0, 0), (0, 1, 0), (1, 8, 0)):
        assert not is_legal(asked, Fired((Target(wrong[0], Cell(*wrong[1:])),)), BRAINJAR)
    assert not is_legal(asked, Fired(()), BRAINJAR)
    again = Fired((Target(1, Cell(0, 0)),))
    for repeat in Repeat:
        allows = repeat is not Repeat.ILLEGAL
        assert is_legal(asked, again, replace(BRAINJAR, repeat=repeat)) == allows


def test_a_proof_is_over_after_enough_requests_or_a_difference() -> None:
    """Until then the next game goes on with it, one game at a time."""
    short, whole, failed = proofs = [
        Proof("ada"),
        Proof("ada", asked=ENOUGH),
        Proof("ada", 1, difference="it differs"),
    ]
    for proof in proofs:
        assert proof.begin()
        assert not proof.begin()
        proof.end()
    assert [proof.begin() for proof in proofs] == [True, False, False]
    assert [proof.holds for proof in (short, whole, failed)] == [False, True, False]


def fleet_of(row: int) -> bytes:
    return json.dumps(fleet_reply((Ship(2, 0, row, Orientation.HORIZONTAL),))).encode()


@pytest.mark.parametrize(
    ("again", "forked", "says"),
    [
        (0, 0, ""),
        (0, 1, "by exec it replied, and by fork it replied"),
        (1, 2, ""),
        (1, 7, "by fork it replied"),
    ],
)
def test_a_fork_that_answers_otherwise_is_compared_with_more_processes_by_exec(
    again: int, forked: int, says: str
) -> None:
    """If they all answer as the first did, the fork is wrong; else it has to keep to the rules."""
    rules, proof = replace(BRAINJAR, rows=4, columns=4, fleet=(2,)), Proof("ada")
    answers = [fleet_of(row) for row in (0, again, forked)]
    player = ProvingPlayer(
        RecordedSeat.of("ada"),
        [Brainjar(rules, 0, "readme") for _ in answers],
        [Script(lambda _, answer=answer: answer) for answer in answers],
        rules,
        proof,
    )
    player.ask(AskFleet(), None)
    assert player.answer() == Placed((Ship(2, 0, 0, Orientation.HORIZONTAL),))
    assert says in proof.difference
    assert (proof.asked, bool(proof.difference)) == (1, bool(says))


def test_luck_in_one_answer_excuses_no_other() -> None:
    """A fleet that luck places says nothing of moves: those have to be the same by fork."""
    rules, proof = replace(BRAINJAR, rows=4, columns=4, fleet=(2,)), Proof("ada")
    rows, cells = iter([0, 1, 2]), {0: "00", 1: "00", 2: "33"}

    def answering(number: int) -> Script:
        row = next(rows)
        move = json.dumps({"move": cells[number]}).encode()
        return Script(lambda asked: fleet_of(row) if b"init" in asked else move)

    player = ProvingPlayer(
        RecordedSeat.of("ada"),
        [Brainjar(rules, 0, "readme") for _ in range(3)],
        [answering(number) for number in range(3)],
        rules,
        proof,
    )
    player.ask(AskFleet(), None)
    player.answer()
    assert not proof.difference
    game = Game(rules)
    for seat in (0, 1):
        game.place(seat, (Ship(2, 0, 0, Orientation.HORIZONTAL),))
    player.ask(AskShots(game.view(0)), None)
    player.answer()
    assert "would play otherwise" in proof.difference


@pytest.mark.parametrize(("asked", "more"), [(ENOUGH, 0), (ENOUGH - 1, 1)])
def test_a_proof_ends_with_a_game_of_a_match(asked: int, more: int) -> None:
    """Once enough was asked, the later games of the match are played by one process a request."""
    proof = Proof("ada", asked)
    player = ProvingPlayer(
        RecordedSeat.of("ada"),
        [Brainjar(BRAINJAR, 0, "readme") for _ in range(3)],
        [Script(lambda _: b"{}") for _ in range(3)],
        BRAINJAR,
        proof,
    )
    player.tell(GameOver(Outcome(0, 1, Termination.FLEET_DESTROYED)))
    player.ask(AskFleet(), None)
    with pytest.raises(BotError):
        player.answer()
    assert proof.asked == asked + more


def test_a_fork_that_answers_the_same_costs_no_second_process_by_exec() -> None:
    """The proof of an honest bot runs two processes a request, not three."""

    def never(_: bytes) -> bytes:
        raise AssertionError("it was asked")

    rules, proof = replace(BRAINJAR, rows=4, columns=4, fleet=(2,)), Proof("ada")
    player = ProvingPlayer(
        RecordedSeat.of("ada"),
        [Brainjar(rules, 0, "readme") for _ in range(3)],
        [Script(lambda _: fleet_of(0)), Script(never), Script(lambda _: fleet_of(0))],
        rules,
        proof,
    )
    player.ask(AskFleet(), None)
    player.answer()
    assert (proof.asked, proof.difference) == (1, "")


@pytest.mark.whole
def test_the_check_says_whether_a_bot_can_be_forked() -> None:
    """One that plays otherwise conforms all the same, with a note that has the two replies."""
    Path("odd.py").write_text(PLAYS.replace("CHOICE", "fresh[-1 if is_forked else 0]"))
    done = judge("check", "odd.py", "--rules", "small.json", "--seed", "1")
    assert done.status == 0
    assert "\nnote  can be forked" in done.stdout
    assert "by fork it replied" in " ".join(done.stdout.split())
    Path("early.py").write_text("print('{}')\n")
    for words, why in (
        ((), "fewer than 12 of its replies"),
        (("--launch", "exec"), "--launch exec"),
    ):
        done = judge("check", "early.py", "--rules", "small.json", "--only", "fork", *words)
        assert f"can be forked not tried: {why}" in " ".join(done.stdout.split())
