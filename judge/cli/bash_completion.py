"""Completion in bash, which splits a word at ``=``, ``@`` and ``:``, and replaces its last part."""

from __future__ import annotations

import re

from click.shell_completion import BashComplete, CompletionItem, add_completion_class

_BREAKS = ("=", "@", ":")
_BREAK = re.compile("[=@:]")


@add_completion_class
class JoiningBashComplete(BashComplete):
    """Joins the parts of a word before it is completed, and offers only the last part."""

    _is_split = False  # whether the word to complete came in parts

    def get_completion_args(self) -> tuple[list[str], str]:
        args, incomplete = super().get_completion_args()
        words: list[str] = []
        for part in (*args, incomplete):
            if words and part and (part in _BREAKS or words[-1].endswith(_BREAKS)):
                words[-1] += part
            else:
                words.append(part)
        self._is_split = words[-1] != incomplete
        return words[:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        if self._is_split and item.type == "plain":
            item.value = _BREAK.split(item.value)[-1]
        return super().format_completion(item)
