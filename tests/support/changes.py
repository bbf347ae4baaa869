"""A value with other fields, whether it is a dataclass or a document's type."""

from __future__ import annotations

import dataclasses
from typing import Any

import msgspec


def replace(value: Any, **changes: Any) -> Any:
    """As `dataclasses.replace`, for both."""
    if isinstance(value, msgspec.Struct):
        return msgspec.structs.replace(value, **changes)
    return dataclasses.replace(value, **changes)
