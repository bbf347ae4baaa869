"""Documents as types: read, written, refused in one sentence, and as their schemas say."""

from __future__ import annotations

import contextlib
import copy
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import played
from judge import schemas
from judge.documents.__main__ import DOCUMENTS
from judge.documents.__main__ import examples as examples_of
from judge.documents.bots import Manifest
from judge.documents.codec import (
    DocumentError,
    Part,
    Report,
    builtins,
    convert,
    decode,
    forms,
)
from judge.documents.game import Evidence, GameRecord, Limits, Termination
from judge.documents.json_schema import text as schema_of
from judge.documents.replies import Reply
from judge.documents.tasks import SentTask, TaskResult
from judge.errors import JudgeFault, UsageError
from strategies import examples

LENIENT = (
    Limits,
    Evidence,
    SentTask,
    TaskResult,
)  # with fields that are always written, and may be left out


def is_read(kind: Any) -> bool:
    """Whether the judge reads documents by this type: what bots reply it holds to the schema."""
    return isinstance(kind, type) and not issubclass(kind, Report | Reply)


def kind_of(name: str, example: Any) -> Any:
    """The type of a document; of an event, that of its kind of event."""
    for kind in forms(DOCUMENTS[name]):
        with contextlib.suppress(msgspec.ValidationError):
            msgspec.convert(example, kind, str_keys=True)
            return kind
    raise AssertionError(f"an example of {name} is not a document")


ALL = [(name, example) for name in DOCUMENTS for example in examples_of(name)]
LOST = builtins(played(forfeit=(0, Termination.CRASH)))
LOST["outcome"]["evidence"][0]["exchanges"] = [["asked", "said", 1.5], ["asked", "", 0]]
LOST["match"] = {"id": "m", "game": 1, "games": 2}
LOST["seats"][0] |= {"own_name": "x", "placed": LOST["seats"][1]["fleet"]}
LOST["incidents"].append([0, 1, "crash", "why"])
Case = tuple[Callable[[Any], str | None], Any, Any]  # a schema's check, its type, an example
READ: list[Case] = [
    *(
        (partial(schemas.problem, name), DOCUMENTS[name], example)
        for name, example in ALL
        if is_read(DOCUMENTS[name])
    ),
    (partial(schemas.problem, "game-record"), GameRecord, LOST),
]
WRITTEN: list[Case] = [
    (partial(schemas.problem, name), kind_of(name, example), example)
    for name, example in ALL
    if not is_read(DOCUMENTS[name])
]
ODD = st.sampled_from(
    [
        *(None, True, -1, 0, 1, 2, 100, 101, 10**6, 2**40, 2**63, 10**30, 1.5, -0.0),
        *("", "a", "Ä", "a" * 61, "a" * 1001),
        *([], {}, [1], ["a"], {"a": 1}, ["a", "a"], [[]]),
    ]
).map(copy.deepcopy)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_that_of_its_type(name: str) -> None:
    """``python -m judge.documents`` would change nothing."""
    text = schema_of(name, DOCUMENTS, examples_of(name))
    assert (schemas.bundled("schemas") / f"{name}.schema.json").read_text("utf-8") == text


@pytest.mark.parametrize(("name", "example"), ALL)
def test_a_document_is_written_as_it_was_read(name: str, example: Any) -> None:
    """With every field, unless it is one of those that may be left out."""
    read = msgspec.convert(example, kind_of(name, example), str_keys=True)
    as_read = builtins(read) if isinstance(read, Part) else json.loads(msgspec.json.encode(read))
    assert json.loads(json.dumps(as_read)) == example


@st.composite
def mutated(draw: st.DrawFn, cases: Sequence[Case]) -> Case:
    """A document with a part that is something else, is gone, or is there besides."""
    check, kind, example = draw(st.sampled_from(cases))
    document = copy.deepcopy(example)
    for _ in range(draw(st.integers(1, 2))):
        holder, key = None, None
        inner: Any = document
        while inner and isinstance(inner, dict | list) and (holder is None or draw(st.booleans())):
            holder = inner
            key = draw(
                st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner)))
            )
            inner = holder[key]
        if holder is None:
            continue
        match draw(st.integers(0, 5)):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, list):
                holder.append(copy.deepcopy(holder[key]))
            case 1:
                holder[draw(st.sampled_from(["x", "name", "wire"]))] = draw(ODD)
            case _:
                holder[key] = draw(ODD)
    return check, kind, document


@given(mutated(READ))
@examples(400)
def test_a_type_and_its_schema_take_the_same(case: Case) -> None:
    """Whatever the type refuses, its schema refuses, unless each field is right by itself; what the
    type takes is written as it was read. The sentence is one short line."""
    check, kind, document = case
    found = check(document)
    try:
        read = convert(kind, document, "it")
    except (DocumentError, JudgeFault) as error:
        said = str(error)
        assert said.startswith(f"it is no {kind.CALLED}: ")
        assert len(said) < 400
        assert "\n" not in said
        if found is None:
            assert said.startswith(
                (
                    f"it is no {kind.CALLED}: rules ",
                    "it is no game record: started: ",
                    "it is no game record: finished: ",
                )
            )
        return
    assert found is None or (issubclass(kind, LENIENT) and "required" in found)
    assert convert(kind, json.loads(json.dumps(document)), "it") == read


@given(mutated(WRITTEN))
@examples(400)
def test_a_schema_refuses_what_its_type_refuses(case: Case) -> None:
    """So a bot's author who holds what the judge writes to a schema is told of each bound."""
    check, kind, document = case
    try:
        msgspec.convert(document, kind, str_keys=True)
    except msgspec.ValidationError:
        assert check(document) is not None
    except UsageError:  # rules that make no sense together
        pass


WRONG = {
    '{"command":["sh"],"command":["sh"]}': "it has the key 'command' twice in one object",
    '{"command":' + "[" * 30_000 + "]" * 30_000 + "}": "it is nested without end",
    '{"command":["sh"]} x': "it is not JSON (Extra data: line 1 column 20 (char 19))",
    '{"command":NaN}': "it holds NaN, which is not JSON",
    '{"command":["\\ud800"]}': "it holds half a surrogate pair, which is not a character",
    "\udcff": "it is not text, from byte 0",
}


@pytest.mark.parametrize("text", WRONG, ids=range(len(WRONG)))
def test_what_is_no_json_is_told_so(text: str) -> None:
    """It is told so in whichever way it fails to be JSON."""
    with pytest.raises(DocumentError) as raised:
        decode(Manifest, text.encode(errors="surrogateescape"), "bot.json")
    assert str(raised.value) == f"bot.json cannot be read: {WRONG[text]}"


def test_a_document_is_measured_before_it_is_read() -> None:
    """One byte too many, and nothing of it is looked at."""
    for size, said in ((65_536, "it is not JSON"), (65_537, "is longer than 65,536 bytes")):
        with pytest.raises(DocumentError, match=said):
            decode(Manifest, b"x" * size, "bot.json")


SAID = {
    '{"command":["sh",7]}': "$.command[1]: 7 is not a text",
    '{"command":[]}': "$.command: a list of 0 is too short: 1 is the least",
    '{"command":["sh"],"wire":["open","Telex"]}': (
        "$.wire[1]: 'Telex' does not match '^[a-z][a-z0-9-]{0,29}$'"
    ),
    '{"command":["sh"],"wire":5}': "$.wire: 5 is not a text or a list",
    "{}": "it has no 'command'",
    "[]": "a list of 0 is not an object",
    '{"command":["sh"],"nmae":"x"}': "it has a key that is not known: 'nmae'; did you mean 'name'?",
}


@pytest.mark.parametrize("text", SAID)
def test_a_sentence_names_the_place_the_value_and_what_it_should_be(text: str) -> None:
    """In the words of people who write JSON."""
    with pytest.raises(DocumentError) as raised:
        decode(Manifest, text.encode(), "bot.json")
    said = str(raised.value).removeprefix("bot.json is no bot's manifest: ")
    assert said == SAID[text]


@pytest.mark.whole
def test_threads_may_read_the_first_of_a_kind_at_once() -> None:
    """A bare msgspec crashes the process then: games in threads have their players' replies read."""
    script = """
import sys, threading
from judge.documents.__main__ import examples
from judge.documents.codec import convert
from judge.documents.game import GameRecord

def read():
    together.wait()
    convert(GameRecord, example, "it")

sys.setswitchinterval(1e-6)
example = examples("game-record")[0]
together = threading.Barrier(6)
threads = [threading.Thread(target=read) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    for _ in range(4):
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
