"""A hint for a program that was written for Ruby 1.8 and crashed because Ruby has changed since.

It goes by what Ruby printed. Nothing but plain words is looked for in that, line by line.
"""

from __future__ import annotations

from typing import NamedTuple


class Cause(NamedTuple):
    """What a line says, any of ``said`` and then ``end``; what has changed; and what to write."""

    said: tuple[str, ...]
    end: str
    changed: str
    mend: str


def _no_method(changed: str, mend: str, *names: str, of: str = "") -> Cause:
    """There is no method of any of these names, for an object of that class if it is given."""
    said = tuple(f"undefined method '{name}' for " for name in names)
    return Cause(said, f":{of} (NoMethodError)" if of else "", changed, mend)


def _any_of(changed: str, mend: str, *said: str) -> Cause:
    return Cause(said, "", changed, mend)


_CHARACTERS = (
    "since Ruby 1.9 a character, as in text[0] or ?A, is a text and no number",
    "write text[0].ord and ?A.ord",
)

# The first that fits is told.
CAUSES = (
    _no_method(*_CHARACTERS, *"-/&|^", "**", ">>", "abs", "times", "upto", "step", of="String"),
    _any_of(
        *_CHARACTERS,
        "String can't be coerced into Integer",
        "no implicit conversion of Integer into String",
        "comparison of String with ",
        "comparison of Integer with String failed",
    ),
    _no_method(
        "since Ruby 1.9 a text is no list of its lines",
        "write text.lines",
        *("each", "each_with_index", "map", "collect", "select", "reject", "inject", "sort"),
        *("to_a", "grep", "find", "any?", "all?"),
        of="String",
    ),
    _no_method("since Ruby 1.9 an object that is no list has no to_a", "write [object]", "to_a"),
    _no_method("since Ruby 1.9 there is no nitems", "write list.compact.size", "nitems"),
    _no_method("since Ruby 1.9 there is no choice", "write list.sample", "choice"),
    _no_method("since Ruby 1.9 there is no type", "write object.class", "type"),
    _no_method("since Ruby 1.9 there is no id", "write object.object_id", "id"),
    _no_method(
        "since Ruby 1.9 there is no enum_slice, enum_cons or enum_with_index",
        "write each_slice, each_cons or each_with_index",
        *("enum_slice", "enum_cons", "enum_with_index"),
    ),
    _no_method("since Ruby 3.0 a hash has no index", "write hash.key(value)", "index", of="Hash"),
    _no_method("since Ruby 3.2 there is no exists?", "write File.exist?", "exists?"),
    _any_of(
        "since Ruby 3.2 there are no Fixnum and Bignum",
        "write Integer",
        *("uninitialized constant Fixnum", "uninitialized constant Bignum"),
    ),
    _any_of("since Ruby 2.2 there is no Config", "write RbConfig", "uninitialized constant Config"),
    _any_of(
        "since Ruby 3.0 there are no TRUE, FALSE and NIL",
        "write true, false and nil",
        *(f"uninitialized constant {name} " for name in ("TRUE", "FALSE", "NIL")),
    ),
    _any_of(
        "since Ruby 1.9 no colon follows a condition, as in `when 1: x`",
        "write `when 1 then x`",
        *("unexpected ':', expecting 'then'", "unexpected ':', expecting 'do'"),
    ),
    _any_of(
        "since Ruby 1.9 a text has an encoding",
        "begin the program with `# encoding: BINARY`, or save it as UTF-8",
        *("invalid multibyte char", "invalid byte sequence in "),
        "incompatible character encodings",
    ),
    _any_of(
        "since Ruby 3.0 Proc.new does not take the block of its method",
        "name the block, as in `def play(&block)`",
        "tried to create Proc object without a block",
    ),
    _any_of("since Ruby 1.9 retry is for rescue alone", "write a loop", "Invalid retry"),
    _any_of(
        "this library is no part of Ruby any more",
        "write fileutils for ftools, time for parsedate, optparse for getopts, String#encode for "
        "iconv, and leave out jcode",
        *(
            f"cannot load such file -- {name}"
            for name in ("ftools", "parsedate", "getopts", "iconv", "jcode")
        ),
    ),
)


def changed_since(stderr: bytes) -> str:
    """The hint, to be added to a sentence; empty where nothing of that kind is to be seen."""
    text = stderr.decode("utf-8", "backslashreplace")
    # Ruby 3.4 has other quotes, and names a class otherwise.
    lines = text.replace("`", "'").replace("an instance of ", ":").splitlines()
    for cause in CAUSES:
        for line in lines:
            if cause.end in line and any(said in line for said in cause.said):
                return f"; if it was written for Ruby 1.8: {cause.changed}; {cause.mend}"
    return ""
