"""judge check over the open wires: the general bots conform under the rules of every game, what
only some rules bring can fail, and advice is about what these wires send."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from changes import replace
from findings import failed, found
from judge.check.checks import LIVING, Subject, checks_of
from judge.check.examination import CheckReport, examine
from judge.documents.game import Evidence, Exchange, Limits
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.variants import VARIANTS
from judge.play.asking import Question, Reply, ask
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import make
from judge.process.sandbox.isolation import choose
from judge.show.check import again, hint, text
from judge.wire import WIRES
from judge.wire.hints import ANYTHING_ELSE
from judge.wire.open import Open

BOTS = Path(__file__).parents[2] / "bots"
CONDITIONS = Conditions(
    rules=VARIANTS["contest"], isolation=choose("limits")[0], limits=Limits(timeout_ms=60_000)
)
OTHERS = [name for name in VARIANTS if name != "brainjar"]
FIRST, _, OTHER_CHECKS, *_ = checks_of(Open, "plain")
CHECKS = (*FIRST, *OTHER_CHECKS)


def examined(folder: Path, rules: str, wire: str, launch: str) -> CheckReport:
    bot = replace(find(str(folder)), wires=(wire,))
    conditions = replace(CONDITIONS, rules=VARIANTS[rules], launch=launch)
    return examine(bot, Run(conditions), seed=2, jobs=2)


@pytest.mark.whole
@pytest.mark.parametrize("name", ["hunter", "open-python"])
def test_general_bots_conform_under_every_variant(name: str, tmp_path: Path) -> None:
    """The last question of each check of each variant gets an answer that the rules allow, over one
    of the open wires and the other in turn. Beside `hunter`, `random`, `hunt` and `parity` differ in
    one function (tests/bots)."""
    folder = BOTS / name
    if name == "open-python":
        folder = tmp_path / "mine"
        make(name, folder)
    for number, variant in enumerate(OTHERS):
        rules = VARIANTS[variant]
        asked = [check.asked(Subject(Open, name, rules), number) for check in CHECKS]
        questions = [some[-1] for some in asked if some]
        assert len(questions) >= 12
        with Run(replace(CONDITIONS, rules=rules)) as run:
            for index, question in enumerate(questions):
                wire = ("open", "open-lines")[index % 2]
                reply = ask(run, replace(find(str(folder)), wires=(wire,)), question)
                assert reply.fault is None, (variant, wire, reply.asked)


@pytest.mark.whole
def test_every_claim_is_tried_of_one_that_lives(tmp_path: Path) -> None:
    """The bot that `judge new open-python` makes conforms, in whole games too, and is asked in no
    dialect that its protocol does not have."""
    make("open-python", tmp_path / "mine")
    report = examined(tmp_path / "mine", "contest", "open-lines", "exec")
    assert report.conforms, text(report, again="", colour=False)
    assert found(report)[LIVING].passed
    assert not any("dialect" in claim for claim in found(report))


def broken(folder: Path, lines: str) -> Path:
    """The bundled bot `random`, after some lines that look at its first ``question``."""
    shutil.copytree(BOTS / "random", folder)
    (folder / "main.py").write_text(f"import io, json, sys\n{lines}\nexec(open('bot.py').read())\n")
    about = json.loads((folder / "bot.json").read_text())
    (folder / "bot.json").write_text(json.dumps({**about, "command": ["python3", "main.py"]}))
    return folder


AT_TABLES = """
question = json.loads(sys.argv[1])
shots = question.get("shots", [])
if question["cmd"] == "refused" or len(question["players"]) > 2:
    sys.exit(1)
if len(shots) > 1 and all(shot[0] == question["seat"] for shot in shots):
    sys.exit(1)
"""
ONCE = """
line = sys.stdin.readline()
shots = [str(shot[:4]) for shot in json.loads(line).get("shots", [])]
if len(shots) > len(set(shots)):
    sys.exit(1)
sys.stdin = io.StringIO(line)
"""


@pytest.mark.whole
@pytest.mark.parametrize(
    ("lines", "rules", "wire", "claims"),
    [
        (
            AT_TABLES,
            "xbs",
            "open",
            {
                "copes with turns that are skipped",
                "copes with several opponents",
                "replies again when it is refused",
            },
        ),
        (ONCE, "bsp", "open-lines", {"copes with cells that are shot at again", LIVING}),
    ],
    ids=["at tables", "one answer"],
)
def test_what_only_some_rules_bring_can_fail(
    lines: str, rules: str, wire: str, claims: set[str], tmp_path: Path
) -> None:
    """A bot that copes with two players, no skipping, no repeats and one question a process fails
    just the checks that bring the rest."""
    report = examined(broken(tmp_path / "mine", lines), rules, wire, "fork")
    assert failed(report) == claims


def test_the_judge_places_and_nobody_is_asked() -> None:
    """No question asks for a fleet if the judge places the fleets."""
    subject = Subject(Open, "mine", VARIANTS["bsp"])
    asked = {check.claim: check.asked(subject, 1) for check in CHECKS}
    assert asked["places a legal fleet"] == ()
    every = [one.position for some in asked.values() for one in some]
    assert every
    assert not any(position.game.is_placing for position in every if position)


# What to do

SAID = {
    "could be started": Crashed("could not be started: x"),
    "memory": Crashed("took more memory than allowed"),
    "early": Crashed("exited with status 0 before its reply"),
    "crash": Crashed("exited with status 1"),
    "late": TimedOut("no reply within 2 s"),
    "shape": BadOutput("replied '{}': 'ships' is a required property"),
    "both": BadOutput("replied '{}': it has `shots` and `skip`, and a reply has one of these"),
    "lengths": IllegalFleet("placed ships of 1 where the rules have 2"),
    "overlap": IllegalFleet("the ships of 2 and 3 overlap at column 1, row 1"),
    "outside": IllegalMove("shot at column 9, row 9, outside the 8×8 grid"),
    "repeat": IllegalMove("shot at column 1, row 1, which was shot at before"),
    "due": IllegalMove("fired 1 shot where 6 are due"),
    "seat": IllegalMove("seat 0 is not an opponent"),
    "skip": IllegalMove("a turn cannot be skipped in bsp"),
}
ADVICE = {
    "early": "until stdin ends",
    "late": "flush each line",
    "shape": '{"shots":[[target,column,row],…]}',
    "both": '{"shots":[[target,column,row],…]}',
    "lengths": "each length in the fleet",
    "overlap": "draw the fleet anew",
    "outside": "counted from 0",
    "repeat": "for the same target",
    "due": "as many shots as due says",
    "seat": "the seat of an opponent",
    "skip": "only where may_skip",
}


def reply(fault: BotError, wire: str) -> Reply:
    exchanges = (Exchange('{"cmd":"place"}\n', "", 1.0),) if wire == "open-lines" else ()
    run = Evidence(0, ("./bot", "{}"), "", "", 1, None, 1.0, 1.0, None, exchanges)
    question = Question(None, 1)
    return Reply(question, None, fault, run, "/bots/mine", {"BOT_SEED": "1"}, 1.0, WIRES[wire])


@pytest.mark.parametrize("what", SAID)
def test_advice_is_about_the_open_protocols(what: str) -> None:
    """Each fault gets advice over either open wire, and what is wrong with a reply the same over
    both."""
    lines, once = hint(reply(SAID[what], "open-lines")), hint(reply(SAID[what], "open"))
    assert ADVICE.get(what, "") in lines
    assert (lines == once) == (what not in ("early", "late"))
    assert "hit or missed" not in lines + once


def test_every_wire_has_advice_for_every_fault() -> None:
    """There is no fault without a sentence, whatever the wire."""
    for wire in WIRES:
        for kind in (Crashed, TimedOut, BadOutput, IllegalFleet, IllegalMove):
            said = hint(reply(kind("of a kind that nobody thought of"), wire))
            assert said != ANYTHING_ELSE


def test_a_question_to_one_that_lives_is_asked_again_by_its_stdin() -> None:
    """The command for a shell goes to the bot's own folder, and sends the line."""
    command = again(reply(SAID["late"], "open-lines"))
    assert "cd /bots/mine" in command
    assert """printf '%s\\n' '{"cmd":"place"}' |""" in command
