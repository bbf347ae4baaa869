"""The base of the types of all options: a reader of a text as click's type.

A reader takes the text and raises `ValueError` or `UsageError` with a sentence that shows the text and says what
was expected. The caller, who knows it, puts the source of the text before it.
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
    """click's type for a reader.

    A shell that completes is offered the ``names``, or what ``offers`` gives for the context and the
    word that is begun, or else files where ``files`` may be named.
    ``seen_from`` says what a value means here that stands in a file of that folder.
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
        if self._files and not items and "#" not in incomplete:  # behind which is a game's number
            items.append(CompletionItem(incomplete, type="file"))
        return items


class Choice(ChoiceType):
    """click's type for one word of several, with what a mistyped one may have been."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        said = super().get_invalid_choice_message(value, ctx)
        near = did_you_mean(str(value), map(str, self.choices))
        return f"{said}{near}"


class Switch(click.types.BoolParamType):
    """click's type for a flag, with a shorter sentence for a variable that says neither."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        if isinstance(value, bool):  # not from a text: the flag itself, or a file
            return value
        if value.lower() not in _SWITCHED:
            self.fail(f"{value!r} is neither 1 (yes) nor 0 (no)", param, ctx)
        return _SWITCHED[value.lower()]


SWITCH = Switch()
