"""The schemas themselves, and that what the judge writes meets them."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from judge import schemas
from judge.documents.__main__ import DOCUMENTS
from judge.documents.codec import builtins, convert
from judge.documents.rules import Rules
from judge.game.variants import CONTEST, VARIANTS
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.testing import random_rules
from judge.testing import rules as any_rules
from players import Scripted, by_luck
from strategies import examples

BOT_REPLIES = {"brainjar-fleet", "brainjar-move", "open-fleet", "open-shots"}
TOLERANT = {*BOT_REPLIES, "ladder-refusal"}
OWN = sorted(set(schemas.names()) - TOLERANT)


def subschemas(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every property of a schema, however deep, and where it stands."""
    match node:
        case dict():
            for key, value in node.items():
                if key == "properties":
                    yield from ((f"{path}/{name}", one) for name, one in value.items())
                if key not in {"examples", "enum", "const", "default"}:
                    yield from subschemas(value, f"{path}/{key}")
        case list():
            for number, value in enumerate(node):
                yield from subschemas(value, f"{path}/{number}")


def nodes(document: Any) -> Iterator[Any]:
    """A JSON document and all values in it."""
    yield document
    if isinstance(document, dict | list):
        for value in document.values() if isinstance(document, dict) else document:
            yield from nodes(value)


def with_unknown_keys(document: Any) -> Iterator[Any]:
    """The document again and again, each time with one key too many, in each of its objects."""
    for number, node in enumerate(nodes(document)):
        if isinstance(node, dict):
            changed = copy.deepcopy(document)
            list(nodes(changed))[number]["no such key"] = 1
            yield changed


def test_each_schema_comes_from_a_type() -> None:
    """`names` lists the files of schemas/, sorted, and none of them is written by hand."""
    assert schemas.names() == sorted(DOCUMENTS)


@pytest.mark.parametrize("name", schemas.names())
def test_each_schema_is_valid(name: str) -> None:
    """A schema says that it is draft 2020-12, and is; its `$id` is the file's name, with the
    version."""
    schema = schemas.load(name)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert (
        best_match(Draft202012Validator(Draft202012Validator.META_SCHEMA).iter_errors(schema))
        is None
    )
    assert schema["$id"] == f"urn:battleships-judge:{name}:1"


@pytest.mark.parametrize("name", schemas.names())
def test_each_schema_explains_itself(name: str) -> None:
    """A schema has a title, a description and examples; every property, a description."""
    schema = schemas.load(name)
    assert schema["title"]
    assert schema["description"].endswith(".")
    assert schema["examples"]
    mute = [path for path, one in subschemas(schema) if not described(one, schema)]
    assert mute == []


def described(one: dict[str, Any], schema: dict[str, Any]) -> bool:
    reference = one.get("$ref", "")
    if "description" not in one and reference.startswith("#/$defs/"):
        one = schema["$defs"][reference.removeprefix("#/$defs/")]
    return bool(one.get("description"))


@pytest.mark.parametrize("name", schemas.names())
def test_each_example_is_valid(name: str) -> None:
    """The examples of a schema meet it."""
    for example in schemas.load(name)["examples"]:
        assert schemas.problem(name, example) is None


@pytest.mark.parametrize("name", OWN)
def test_unknown_keys_are_refused(name: str) -> None:
    """In the judge's own documents, and in those of its users, a key too many is a mistake,
    however deep it lies."""
    for example in schemas.load(name)["examples"]:
        for changed in with_unknown_keys(example):
            assert schemas.problem(name, changed) is not None, changed


@pytest.mark.parametrize("name", sorted(TOLERANT))
def test_unknown_keys_of_others_are_allowed(name: str) -> None:
    """A bot's reply, or a ladder's refusal, may say more than was asked."""
    for example in schemas.load(name)["examples"]:
        for changed in with_unknown_keys(example):
            assert schemas.problem(name, changed) is None


@pytest.mark.parametrize("name", schemas.names())
@pytest.mark.parametrize("value", [None, True, 0, 1.5, "text", []])
def test_no_document_is_anything_but_an_object(name: str, value: Any) -> None:
    """Every document is an object."""
    assert schemas.problem(name, value) is not None


# Numbers


@pytest.mark.parametrize("value", [8.0, True, "8", None, float("nan"), float("inf"), [8]])
def test_an_integer_is_an_int(value: Any) -> None:
    """A value that passes as an integer can be counted with: 8.0 and true do not pass."""
    document = {**builtins(VARIANTS["brainjar"]), "columns": value}
    problem = schemas.problem("rules", document)
    assert problem == f"columns: {value!r} is not of type 'integer'"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf"), True, "1", -0.5])
def test_a_number_is_finite(value: Any) -> None:
    """Times are finite numbers, for JSON has no others."""
    document = copy.deepcopy(schemas.load("game-record")["examples"][0])
    document["seats"][0]["ms"] = value
    problem = schemas.problem("game-record", document)
    assert problem is not None
    assert problem.startswith("seats[0].ms: ")


@pytest.mark.parametrize("value", [0, 1, 0.25, 10**12])
def test_a_number_may_be_an_integer(value: Any) -> None:
    """An integer is a number, up to its bound."""
    document = copy.deepcopy(schemas.load("game-record")["examples"][0])
    document["seats"][0]["ms"] = value
    assert schemas.problem("game-record", document) is None


# Sentences

PROBLEMS = {
    "[] is not of type 'object'": [],
    "'move' is a required property": {},
    "move: 12 is not of type 'string'": {"move": 12},
    "move: '1' does not match '^[0-9]{2}$' "
    "(expected: the cell to shoot at: column, then row, a digit each)": {"move": "1"},
}


@pytest.mark.parametrize("sentence", PROBLEMS)
def test_problems_are_sentences(sentence: str) -> None:
    """A problem names the place, what is there, and what was expected."""
    assert schemas.problem("brainjar-move", PROBLEMS[sentence]) == sentence


SCORES = {
    "scores: 0 is not of type 'array', 'null'": 0,
    "scores: 'an object of many' is not of type 'array', 'null'": "an object of many",
    "scores[1]: -1 is less than the minimum of 0": [1, -1],
    "scores: an array of 200,000 is too long": [0] * 200_000,
}


@pytest.mark.parametrize("sentence", SCORES)
def test_a_value_of_several_types_is_told_what_it_is_not(sentence: str) -> None:
    """A value of none of the types is told them; one of a type, what is wrong with it as such."""
    over = {"cmd": "over", "winner": None, "why": "goal", "scores": SCORES[sentence]}
    assert schemas.problem("open-over", over) == sentence


PLACED = {"point": "00", "orientation": "vertical"}
FLEETS = {
    "[0]: 5 is not of type 'object', 'array'": 5,
    "[0]: 'x' does not match '^[1-9][0-9]?$' (expected: the size of a ship)": {"x": PLACED},
    "[0].2: 'point' is a required property": {"2": {"orientation": "vertical"}},
    "[0][0]: 'column' is a required property": [{"length": 1}],
}


@pytest.mark.parametrize("sentence", FLEETS)
def test_a_fleet_in_a_list_is_told_what_is_wrong_with_it(sentence: str) -> None:
    """In the form that it has."""
    assert schemas.problem("placements", [FLEETS[sentence]]) == sentence


def test_long_values_are_shortened() -> None:
    """However long a value is, the sentence about it is short."""
    problem = schemas.problem("brainjar-move", {"move": "x" * 100_000})
    assert problem is not None
    assert len(problem) < 400
    assert " … " in problem


# What the judge writes


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_are_rules(name: str) -> None:
    """The rules of the five games are documents of the rules schema, and are read back as they were."""
    document = builtins(VARIANTS[name])
    assert schemas.problem("rules", document) is None
    assert convert(Rules, document, "it") == VARIANTS[name]


@given(random_rules())
@examples(50)
def test_rules_round_trip(rules: Rules) -> None:
    """So are any rules."""
    document = builtins(rules)
    assert schemas.problem("rules", document) is None
    assert convert(Rules, document, "it") == rules


def test_defaults_may_be_left_out() -> None:
    """A rules file needs to say only what has no default."""
    required = schemas.load("rules")["required"]
    document = builtins(VARIANTS["brainjar"])
    short = {name: document[name] for name in required}
    assert schemas.problem("rules", short) is None
    assert convert(Rules, short, "it") == VARIANTS["brainjar"]
    for name in required:
        left = {key: value for key, value in short.items() if key != name}
        assert schemas.problem("rules", left) == f"{name!r} is a required property"


def test_a_record_holds_the_fleet_that_was_drawn() -> None:
    """A game record's rules say which ships were played with, not how they are drawn."""
    document = copy.deepcopy(schemas.load("game-record")["examples"][0])
    document["rules"] = builtins(CONTEST)
    assert schemas.problem("rules", document["rules"]) is None
    problem = schemas.problem("game-record", document)
    assert problem is not None
    assert problem.startswith("rules.fleet: ")


@given(any_rules(), st.integers(0, 2**32), st.sampled_from([0.0, 0.1]))
@examples(60)
def test_records_of_any_games(rules: Rules, seed: int, slips: float) -> None:
    """The record of any game meets its schema, and every key that it has is needed."""
    luck = Random(seed)
    players = [Scripted(by_luck(rules, luck, slips)) for _ in range(rules.players[0])]
    record = play_game(Conditions(rules=rules), players, game_id="1", seed=seed)
    document = builtins(record)
    assert schemas.problem("game-record", document) is None
    key = luck.choice(sorted(document))
    del document[key]
    assert schemas.problem("game-record", document) == f"{key!r} is a required property"


class _Counted(list[Any]):
    """A list that counts how many of its items were asked for."""

    asked = 0

    def __getitem__(self, index: Any) -> Any:
        self.asked += 1
        return super().__getitem__(index)


BAD: dict[str, tuple[str, int]] = {
    "enforcement: an array of 200,000 is too long": ("a", 0),
    "shots: an array of 200,000 is too long": ([0, 0, 0, 0, 1, 5], 0),
    "shots[0]: 1 is not of type 'array'": (1, schemas.MOST_ERRORS),
    "seats[0].fleet: an array of 200,000 is too long": ("a", 0),
}


@pytest.mark.parametrize(("said", "item", "most"), [(one, *rest) for one, rest in BAD.items()])
def test_a_document_costs_no_more_the_more_of_it_is_wrong(said: str, item: Any, most: int) -> None:
    """A value that is too long is not looked into, errors are not counted to the last, and no
    sentence writes out what was wrong."""
    document = copy.deepcopy(schemas.load("game-record")["examples"][0])
    many = _Counted([item] * (100_000 if most else 200_000))
    if said.startswith("seats"):
        document["seats"][0]["fleet"] = many
    else:
        document[re.split(r"\W", said)[0]] = many
    problem = schemas.problem("game-record", document) or ""
    assert re.sub(r"shots\[\d+\]", "shots[0]", problem) == said  # which one jsonschema chooses
    assert many.asked <= most


@pytest.mark.parametrize("name", sorted({"placements", *BOT_REPLIES}))
def test_a_long_value_in_place_of_another(name: str) -> None:
    """An array or object of many members is named by its length if it is not what is due."""
    long: list[Any] = [[0] * 101, dict.fromkeys(map(str, range(101)), 0)]
    for problem in (schemas.problem(name, one) for one in long):
        assert problem is not None
        assert len(problem) < 200


def test_a_long_object_has_one_key_named() -> None:
    """The first of many keys that may not be there is named."""
    document = {**builtins(CONTEST), **dict.fromkeys((f"k{n}" for n in range(101)), 0)}
    said = "Additional properties are not allowed ('k0' was unexpected)"
    assert schemas.problem("rules", document) == said
