"""click's types for options: `Value` (a reader parses it), `Choice` (of words) and `Switch` (a
flag).

A reader is a function that takes a text and returns its value. If it cannot, it raises `ValueError`
or `UsageError` with a sentence that quotes the text and says what was expected.
`judge.cli.exit_status` puts the source of the text before the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge.errors import UsageError
from judge.likeness import did_you_mean

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    ParamType = click.ParamType[Any]
    ChoiceType = click.Choice[str]
else:
    ParamType, ChoiceType = click.ParamType, click.Choice  # generic only in newer releases of click

_SWITCHED = {
    **dict.fromkeys(("1", "yes", "true", "on"), True),
    **dict.fromkeys(("0", "no", "false", "off"), False),
}


class Value(ParamType):
    """click's type for a value that the reader ``read`` parses.

    A shell completes a word with the ``names``, or with what ``offers`` returns for the context and
    the begun word. If none of these fits, it completes files if ``files`` is true. ``seen_from``
    joins a relative path in judge.toml to the folder of that file.
    """

    def __init__(
        self,
        metavar: str,
        read: Callable[[str], Any],
        *,
        names: Callable[[], Iterable[str]] = tuple,
        offers: Callable[[click.Context, str], Iterable[str]] | None = None,
        files: bool = False,
        seen_from: Callable[[Path, str], str] | None = None,
    ) -> None:
        self.name = metavar
        self.seen_from = seen_from
        self.read = read
        self._offers = offers or (lambda *_: names())
        self._files = files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return self.read(value)
        except (ValueError, UsageError) as error:
            self.fail(str(error), param, ctx)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        names = self._offers(ctx, incomplete)
        items = [CompletionItem(name) for name in names if name.startswith(incomplete)]
        if self._files and not items and "#" not in incomplete:  # the number of a game follows it
            items.append(CompletionItem(incomplete, type="file"))
        return items


class Choice(ChoiceType):
    """click's type for one of several words. A refusal of a mistyped word names a similar one, if
    any."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx)
        near = did_you_mean(str(value), map(str, self.choices))
        return f"{said}{near}"


class Switch(click.types.BoolParamType):
    """click's type for a flag, with a short message for a variable that is neither yes nor no."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        if isinstance(value, bool):  # from the typed flag or from judge.toml, not from a variable
            return value
        if value.lower() not in _SWITCHED:
            self.fail(f"{value!r} is neither 1 (yes) nor 0 (no)", param, ctx)
        return _SWITCHED[value.lower()]


SWITCH = Switch()
