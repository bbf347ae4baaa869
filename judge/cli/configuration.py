"""Defaults from outside the command line: ``JUDGE_*`` variables and ``judge.toml``.

Both go through click's own machinery, its automatic variables and its map of defaults, so every
value is read by the same code as one that was typed, and click knows where each came from.

A ``judge.toml`` that was only found may lie in a stranger's folder: it names no program and
chooses no isolation weaker than the default. One that ``JUDGE_CONFIG`` names may set everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from judge.cli.did_you_mean import did_you_mean
from judge.cli.output import note
from judge.cli.values.value import Value
from judge.errors import UsageError
from judge.process.sandbox.levels import LEVELS, is_weaker
from judge.quoting import word

FILE_NAME = "judge.toml"
PREFIX = "JUDGE"
NAMED = "JUDGE_CONFIG"
OTHER_VARIABLES = frozenset({NAMED, f"{PREFIX}_TRACEBACK"})  # that set no option
LONGEST = 64 * 2**10  # bytes of a file
LONGEST_LINE = 1000  # in bytes: what tomllib takes for a key with dots grows with its square
PROGRAMS = frozenset({"against", "bot", "python"})  # options that name a program
CLUSTERS = frozenset({"cluster", "trust_bots"})  # that let others in, or hold bots less
DEFAULT_LEVEL = "auto"  # of isolation


class Command(click.Command):
    """A command whose options may also be set by variables and by judge.toml.

    One that is not strict goes on without a judge.toml that is wrong. Its help ends with the exit
    statuses; ``epilog`` is the one that no other command has.
    """

    is_strict = True

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = f"{self.epilog}, " if self.epilog else ""
        formatter.write_paragraph()
        formatter.write_text(
            f"Exit status: 0 done, {own}2 what was typed is wrong, 1 anything else that kept the judge "
            "from its work, 130 interrupted."
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["typed"] = list(args)  # for `judge.cli.reproduction`
        return super().parse_args(ctx, args)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        if parent is not None and parent.parent is not None:  # one of a family: judge ledger show
            defaults = find(parent.info_name or "", self, parent.parent)
        else:
            defaults = find(info_name or "", self, parent)
        extra |= {"auto_envvar_prefix": PREFIX, "default_map": defaults.values, "obj": defaults}
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        # Not before, so that --help is there whatever the file holds.
        for problem in ctx.ensure_object(Defaults).problems if self.is_strict else ():
            raise UsageError(problem)
        for name, problem in ctx.ensure_object(Defaults).withheld.items():
            if ctx.get_parameter_source(name) is ParameterSource.DEFAULT:
                raise UsageError(problem)
        if not ctx.params.get("quiet"):
            for name in _unknown_variables(ctx):
                near = did_you_mean(name, map(variable, _all_options(ctx)), likeness=0.9)
                note(f"no option has the variable {name}, so it does nothing.{near}")
        try:
            return super().invoke(ctx)
        except UsageError as error:
            for said in untyped(ctx, str(error)):
                error.add_note(said)
            raise


@dataclass(slots=True)
class Defaults:
    """What judge.toml says to one command: values and their places by option, its faults, and by
    option what it may not say, which is a fault unless the user says it."""

    path: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    withheld: dict[str, str] = field(default_factory=dict)


def find(name: str, command: click.Command, parent: click.Context | None = None) -> Defaults:
    """Read judge.toml for this command: the one that ``JUDGE_CONFIG`` names, or else the nearest.

    What is wrong is collected, not raised.
    """
    named = os.environ.get(NAMED)
    path = Path(named) if named else _find_file()
    defaults = Defaults(path)
    if path is None:
        return defaults
    shown = named or os.path.relpath(path)
    try:
        table = _table(path)
    except OSError as error:
        defaults.problems.append(f"{shown} cannot be read: {error.strerror}")
    except ValueError as error:
        defaults.problems.append(f"{shown} {error}")
    else:
        is_named = bool(named)
        _Reader(defaults, path.parent, shown, is_named, name, command, parent).read(table)
    return defaults


def _table(path: Path) -> dict[str, Any]:
    """What a file says; raises ValueError with the rest of a sentence if it is no such file."""
    import tomllib

    with path.open("rb") as file:
        data = file.read(LONGEST + 1)
    if len(data) > LONGEST:
        raise ValueError(f"is longer than {LONGEST:,} bytes")
    for number, line in enumerate(data.split(b"\n"), 1):
        if len(line) > LONGEST_LINE:
            raise ValueError(f"has more than {LONGEST_LINE:,} bytes in line {number}")
    try:
        return tomllib.loads(data.decode())
    except ValueError as error:
        raise ValueError(f"is not TOML: {error}") from None
    except RecursionError:
        raise ValueError("is not TOML that can be read: it is nested without end") from None


def _find_file() -> Path | None:
    try:
        here = Path.cwd()
    except FileNotFoundError:  # the current folder is gone
        return None
    files = (folder / FILE_NAME for folder in (here, *here.parents))
    return next((file for file in files if _is_there(file)), None)


def _is_there(file: Path) -> bool:
    """Whether there is such a file, as far as this user may know."""
    try:
        return file.is_file()
    except PermissionError:
        return False


@dataclass(frozen=True, slots=True)
class _Reader:
    """Sorts what a file says into one command's defaults."""

    defaults: Defaults
    folder: Path
    shown: str
    is_named: bool
    name: str
    command: click.Command
    parent: click.Context | None

    def read(self, table: Mapping[str, Any]) -> None:
        sections = {key: value for key, value in table.items() if isinstance(value, dict)}
        self._check_sections(sections)
        self._take({key: table[key] for key in table if key not in sections}, "", strict=False)
        family = self.parent and _group(self.parent).get_command(self.parent, self.name)
        strict = not isinstance(family, click.Group)  # a family's table is for all in it
        self._take(sections.get(self.name, {}), f"[{self.name}] ", strict=strict)

    def _take(self, pairs: Mapping[str, Any], section: str, *, strict: bool) -> None:
        """Sort these keys; unless ``strict``, a key may also be an option of another command."""
        options = settable(self.command)
        seen: set[str] = set()
        for key, value in pairs.items():
            name = key.replace("-", "_")
            place = f"{self.shown}, {section}{key}"
            if name in seen:
                self._refuse(f"{place}: set twice, with - and with _")
            elif name in options:
                self._set(options[name], name, value, place)
            elif strict and name in self._options_of_others():
                self._refuse(
                    f"{place}: judge {self.name} has no such option, but another command has; put "
                    "it above all tables, or into the table of that command"
                )
            elif strict or name not in self._options_of_others():
                names = [key.replace("_", "-") for key in (*options, *self._options_of_others())]
                self._refuse(f"{place}: there is no such option.{did_you_mean(key, names)}")
            seen.add(name)

    def _set(self, option: click.Option, name: str, value: Any, place: str) -> None:
        if option.is_flag != isinstance(value, bool) or not isinstance(value, str | int | float):
            wanted = "true or false" if option.is_flag else "text or a number"
            self._refuse(f"{place}: {_shown(value)} is not {wanted}")
            return
        if not self.is_named and (what := _only_for_the_user(name, value)):
            self.defaults.withheld[name] = (
                f"{place}: a {FILE_NAME} that was only found may not {what}; type --{name}, set "
                f"{variable(name)}, or vouch for the file: `{NAMED}={word(self.shown)}`"
            )
            return
        if not option.is_flag:
            value = str(value)
            if isinstance(option.type, Value) and option.type.seen_from:
                value = option.type.seen_from(self.folder, value)
        self.defaults.values[name] = [value] if option.multiple else value
        self.defaults.places[name] = place

    def _check_sections(self, sections: Iterable[str]) -> None:
        if self.parent is None:
            return
        names = _group(self.parent).list_commands(self.parent)
        for section in sections:
            if section not in names:
                self._refuse(
                    f"{self.shown}, [{section}]: there is no such command."
                    f"{did_you_mean(section, names)}"
                )

    def _options_of_others(self) -> set[str]:
        """The options of all commands, which are imported for it: asked only about odd keys."""
        if self.parent is None:
            return set()
        return {name for command in commands_of(self.parent).values() for name in settable(command)}

    def _refuse(self, problem: str) -> None:
        self.defaults.problems.append(problem)


def _only_for_the_user(name: str, value: Any) -> str | None:
    """What a file that was found would do by this value that it may not, if so."""
    if name in PROGRAMS:
        return "name a program"
    if name in CLUSTERS and value is not False:
        return "send games to other machines, or trust bots"
    if name == "isolation" and value in LEVELS and is_weaker(value, DEFAULT_LEVEL):
        return f"choose an isolation weaker than the default, like {value}"
    return None


def _unknown_variables(ctx: click.Context) -> list[str]:
    """Variables that look like the judge's and set no option, of whatever command."""
    mine = {variable(name) for name in settable(ctx.command)}
    strange = [
        name
        for name in os.environ
        if name.startswith(f"{PREFIX}_") and name not in OTHER_VARIABLES and name not in mine
        if not name.startswith(f"{PREFIX}_TEST_")  # which are those of the judge's own tests
    ]
    known = set(map(variable, _all_options(ctx))) if strange else set()
    return sorted(set(strange) - known)


def _all_options(ctx: click.Context) -> set[str]:
    """The options of all commands, which are imported for it."""
    return {name for command in commands_of(ctx.find_root()).values() for name in settable(command)}


def commands_of(ctx: click.Context) -> dict[str, click.Command]:
    """Every command of a group, imported."""
    group = _group(ctx)
    commands = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    return {name: command for name, command in commands.items() if command}


def settable(command: click.Command) -> dict[str, click.Option]:
    """The options that a variable or a file may set, by name: ``output_limit``. Of a family of
    commands, those of all of them."""
    if isinstance(command, click.Group):
        return {
            name: option
            for member in command.commands.values()
            for name, option in settable(member).items()
        }
    return {
        param.name: param
        for param in command.params
        if isinstance(param, click.Option)
        and param.name
        and param.expose_value
        and param.allow_from_autoenv
    }


def variable(name: str) -> str:
    """The variable that sets an option: ``JUDGE_OUTPUT_LIMIT``."""
    return f"{PREFIX}_{name.upper()}"


def text_of(ctx: click.Context, option: click.Option) -> str:
    """What a variable or judge.toml says that an option is, as it would be typed."""
    name = option.name or ""
    if ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
        return os.environ[variable(name)]
    value = ctx.ensure_object(Defaults).values[name]
    return str(value[0] if option.multiple else value)


def source_of(ctx: click.Context, param: click.Parameter) -> str:
    """Where a parameter's value came from, as the user knows it."""
    name = param.name or ""
    match ctx.get_parameter_source(name):
        case ParameterSource.ENVIRONMENT:
            return variable(name)
        case ParameterSource.DEFAULT_MAP:
            return ctx.ensure_object(Defaults).places[name]
        case _ if isinstance(param, click.Argument):
            return param.human_readable_name
        case _:
            return max(param.opts, key=len)


def untyped(ctx: click.Context, refusal: str) -> list[str]:
    """Where the values that a refusal speaks of came from, a sentence each, if nobody typed them:
    of the options that it names, and of those whose values it does."""
    said = []
    for name, option in settable(ctx.command).items():
        if ctx.get_parameter_source(name) not in _UNTYPED:
            continue
        flag = max(option.opts, key=len)
        value = "" if option.is_flag else text_of(ctx, option)
        if _speaks_of(refusal, flag) or (not value.isdecimal() and _speaks_of(refusal, value)):
            what = flag if option.is_flag else f"{flag} {word(value)}"
            said.append(f"{what} comes from {source_of(ctx, option)}")
    return said


_UNTYPED = (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


def _speaks_of(text: str, what: str) -> bool:
    """Whether this stands in a text as a word of its own."""
    at = text.find(what) if what else -1
    while at >= 0:
        before, after = text[max(0, at - 1) : at], text[at + len(what) :][:1]
        if not any(one.isalnum() or one in ("_", "-") for one in (before, after)):
            return True
        at = text.find(what, at + 1)
    return False


def _group(ctx: click.Context) -> click.Group:
    assert isinstance(ctx.command, click.Group), "a command's parent is a group"
    return ctx.command


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str() | int() | float():
            return repr(value)
        case list():
            return "a list"
        case dict():
            return "a table"
        case _:
            return "a date or a time"
