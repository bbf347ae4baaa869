"""The form of the help: it fits the terminal, but for the commands in it, which are to be copied."""

from __future__ import annotations

from collections.abc import Iterable

import click

from judge.cli.output import width
from judge.show.text import wrap


class HelpFormatter(click.HelpFormatter):
    """Writes help for terminals of 40 columns, too; click's own is 50 columns wide at least."""

    def __init__(self) -> None:
        super().__init__(width=width())

    def write_text(self, text: str) -> None:
        lines = (self._under_command(line) for line in text.split("\n"))
        super().write_text("\n".join(lines))

    def _under_command(self, line: str) -> str:
        """Put what stands behind a command and two spaces under the command, if the line is too
        long."""
        command, gap, said = line.strip().partition("  ")
        if not gap or len(line) <= (room := self.width - self.current_indent):
            return line
        indent = " " * (len(line) - len(line.lstrip()))
        return "\n".join([indent + command, *wrap(said, f"{indent}  ", room)])

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        fitting = [(self._at_bars(first), second) for first, second in rows]
        super().write_dl(fitting, min(col_max, self.width * 3 // 8), col_spacing)

    def _at_bars(self, option: str) -> str:
        """Break an option whose choices are too long for a line, behind bars."""
        if len(option) <= self.width - self.current_indent:
            return option
        lines = wrap(option.replace("|", "| "), " " * (self.current_indent + 4), self.width)
        return "\n".join(lines).replace("| ", "|").lstrip()
