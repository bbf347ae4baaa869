"""JSON of a stranger's file has a bound of values, and signs within texts do not count as
values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.documents import json_files

SOME = st.recursive(
    st.none() | st.integers() | st.text('a[{,:"\\'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _values(value: Any) -> int:
    """How many signs separate the values in its JSON."""
    if isinstance(value, dict):
        return 1 + 2 * len(value) - bool(value) + sum(map(_values, value.values()))
    return 1 + len(value) - bool(value) + sum(map(_values, value)) if isinstance(value, list) else 0


@given(SOME)
def test_as_many_values_as_there_may_be(value: Any) -> None:
    """A document is read if it has as many values as it may, and refused if it has one more."""
    text, most = json.dumps(value), _values(value)
    assert json_files.parse(text, most) == value
    if most:
        with pytest.raises(ValueError, match=f"it has more than {most - 1:,} values"):
            json_files.parse(text, most - 1)


@pytest.mark.parametrize("unit", ['"', '"\\', '\\"', '"a', "\\", '"a\\"'])
def test_texts_without_an_end(unit: str) -> None:
    """Quotes that nothing closes are refused like any other damage, in linear time."""
    with pytest.raises(ValueError, match=r"not JSON|has more than"):
        json_files.parse("[" * 101 + unit * 300_000, 100)
