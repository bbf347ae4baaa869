"""Defaults from outside the command line: ``JUDGE_*`` variables and the user's ``judge.toml``.

click reads the variables itself, and gets the values of the file as its ``default_map``. So the
code that parses a typed value parses these values too, and click knows the source of each.

The file in force is the one that ``--config`` or ``JUDGE_CONFIG`` names, or else the one in the
user's own configuration folder. A judge.toml in the current folder has no effect by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from judge.cli import Context
from judge.cli.output import note
from judge.cli.values.value import Value
from judge.errors import UsageError
from judge.likeness import did_you_mean
from judge.quoting import word

PREFIX = "JUDGE"
OTHER_VARIABLES = frozenset({f"{PREFIX}_CONFIG", f"{PREFIX}_TRACEBACK"})  # they set no option
LONGEST = 64 * 2**10  # bytes of a file

_HelpRecord = tuple[str, str]

# The parameters of each group, in the order of the help. Any other option is rare.
GROUPS: dict[str, tuple[str, ...]] = {
    "The server": ("host", "port", "url", "behind_proxy", "open", "approve"),
    "The bots": ("bot", "name", "wire", "dialect", "python", "launch", "share", "learning"),
    "The games": (
        *("games", "rounds", "lives", "for", "seats", "sprt", "boards", "placements", "against"),
        *("columns", "rows", "fleet", "game", "which", "move", "rules", "first", "seed", "title"),
        *("min", "max", "width", "height", "boats", "goal", "auto_start", "repeat", "about"),
        *("share_new", "without", "versions", "by", "taunts"),
    ),
    "Limits": (
        *("timeout", "turn_timeout", "bot_timeout", "rejoin_grace", "rejoin", "memory"),
        *("output_limit", "bot_size", "max_clients", "per_address", "cores", "jobs"),
    ),
    "Isolation": ("isolation",),
    "Results": (
        *("ledger", "no_ledger", "rated", "save", "html", "markdown", "json", "jsonl", "csv"),
        *("watch", "web", "delay", "fog", "io", "log", "log_format", "plain", "verbose", "quiet"),
        "color",
    ),
}


def _grouped(
    records: Mapping[str, _HelpRecord], usual: Sequence[str]
) -> Iterator[tuple[str, list[_HelpRecord]]]:
    """Yield the title and the records of each group that has any: the ``usual`` options, `GROUPS`,
    and the rest. ``records`` has each option's record by its name: the option and its help."""
    left = dict(records)
    for title, names in {"Usual options": usual, **GROUPS, "Rare": tuple(records)}.items():
        if rows := [left.pop(name) for name in names if name in left]:
            yield title, rows


class Command(click.Command):
    """A command whose options may also be set by variables and by judge.toml.

    If it ``is_strict``, it does not run while judge.toml has a problem (`Defaults.problems`). The
    help ends with the exit statuses; ``epilog`` words a further status of the command. If some
    options are ``usual``, the help shows these first and the others in groups.
    """

    context_class = Context
    is_strict = True

    def __init__(self, *args: Any, usual: Sequence[str] = (), **more: Any) -> None:
        super().__init__(*args, **more)
        self.usual = usual
        config = click.Option(
            ["--config"],
            metavar="FILE",
            type=click.Path(),
            allow_from_autoenv=False,  # JUDGE_CONFIG sets the same option of the judge
            expose_value=False,
            is_eager=True,  # the other options take their defaults from the file
            callback=_take_defaults,
            help="Take defaults of options from this file, not from your own judge.toml.",
        )
        self.params.append(config)
        self.context_settings["auto_envvar_prefix"] = PREFIX

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.usual:
            super().format_options(ctx, formatter)
            return
        records = {
            param.name or "": record
            for param in self.get_params(ctx)
            if isinstance(param, click.Option) and (record := param.get_help_record(ctx))
        }
        for title, rows in _grouped(records, self.usual):
            with formatter.section(title):
                formatter.write_dl(rows)

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

    def invoke(self, ctx: click.Context) -> Any:
        # Loaded now: at the end there may be no descriptor or memory left to load it.
        import judge.cli.exit_status  # noqa: F401

        # Not earlier, so --help works whatever the file holds.
        for problem in ctx.ensure_object(Defaults).problems if self.is_strict else ():
            raise UsageError(problem)
        if not ctx.params.get("quiet"):
            for name in unknown_variables(ctx):
                near = did_you_mean(name, map(variable, all_options(ctx)), likeness=0.9)
                note(f"no option has the variable {name}, so it does nothing.{near}")
        try:
            return super().invoke(ctx)
        except UsageError as error:
            for said in untyped(ctx, str(error)):
                error.add_note(said)
            raise


@dataclass(slots=True)
class Defaults:
    """The values that judge.toml has for one command."""

    path: Path | None = None  # None if there is no file
    values: dict[str, Any] = field(default_factory=dict)  # by option name
    places: dict[str, str] = field(default_factory=dict)  # where each value stands, by option name
    problems: list[str] = field(default_factory=list)  # a sentence each


def _take_defaults(ctx: click.Context, _: click.Parameter, named: str | None) -> None:
    judge = ctx.find_root()
    if named is not None:
        judge.params["config"] = named  # the last --config holds
    table = ctx if ctx.parent in (judge, None) else ctx.parent  # a family of commands has one table
    ctx.obj = find(str(table.info_name), ctx.command, judge)
    ctx.default_map = ctx.obj.values


def find(name: str, command: click.Command, judge: click.Context) -> Defaults:
    """Read the values for a command from the file in force. ``name`` is the name of the command's
    table in that file.

    Problems are listed in the result, not raised.
    """
    defaults = Defaults(_file(judge))
    if defaults.path is None:
        return defaults
    import tomllib

    from judge.cli.values.files import bytes_in

    try:
        data = bytes_in(defaults.path, "configuration", LONGEST)
    except UsageError as error:
        defaults.problems.append(str(error))
        return defaults
    try:
        document = tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        defaults.problems.append(f"{defaults.path} is not TOML: {error}")
        return defaults
    tables = {key: value for key, value in document.items() if isinstance(value, dict)}
    top = {key: value for key, value in document.items() if key not in tables}
    _take(defaults, top, "", command, lambda: all_options(judge))
    own = tables.get(name, {})
    _take(defaults, own, name, command, lambda: settable(commands_of(judge)[name]))
    names = _group(judge).list_commands(judge)
    for key in tables:
        if key not in names:
            near = did_you_mean(key, names)
            defaults.problems.append(f"{defaults.path}, [{key}]: there is no such command.{near}")
    return defaults


def _file(judge: click.Context) -> Path | None:
    """Return the path of the file that the user has named, or of the user's own judge.toml, or None
    if there is neither."""
    if named := judge.params.get("config"):
        return Path(named)
    folder = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    if not folder.is_absolute():  # the XDG specification has such a value ignored
        folder = Path(os.path.expanduser("~/.config"))  # noqa: PTH111 - Path raises without a home
    own = folder / "battleships-judge" / "judge.toml"
    return own if own.is_absolute() and os.path.lexists(own) else None


def _take(
    defaults: Defaults,
    pairs: Mapping[str, Any],
    table: str,
    command: click.Command,
    known: Callable[[], Iterable[str]],
) -> None:
    """Add to ``defaults`` the values that a table of the file has for the command's options.
    ``known`` imports commands, and returns the names of all options that the table may hold."""
    options = {_key(name): option for name, option in settable(command).items()}
    for key, value in pairs.items():
        place = f"{defaults.path}, {f'[{table}] ' if table else ''}{key}"
        if option := options.get(key):
            _set(defaults, option, value, place)
        elif key not in (keys := list(map(_key, known()))):
            near = did_you_mean(key, keys)
            lacking = f"judge {table} has" if table else "there is"
            defaults.problems.append(f"{place}: {lacking} no such option.{near}")


def _set(defaults: Defaults, option: click.Option, value: Any, place: str) -> None:
    if option.is_flag != isinstance(value, bool) or not isinstance(value, str | int | float):
        wanted = "true or false" if option.is_flag else "text or a number"
        defaults.problems.append(f"{place}: the value must be {wanted}")
        return
    if not option.is_flag:
        value = str(value)
        if isinstance(option.type, Value) and option.type.seen_from and defaults.path:
            value = option.type.seen_from(defaults.path.parent, value)
    name = option.name or ""
    defaults.values[name] = [value] if option.multiple else value
    defaults.places[name] = place


def _key(name: str) -> str:
    """Return the key of an option in judge.toml, such as ``output-limit`` for ``output_limit``."""
    return name.replace("_", "-")


def unknown_variables(ctx: click.Context) -> list[str]:
    """Return the sorted names of the variables that begin with ``JUDGE_`` and mean nothing to the
    judge."""
    mine = {variable(name) for name in settable(ctx.command)}
    strange = [
        name
        for name in os.environ
        if name.startswith(f"{PREFIX}_") and name not in OTHER_VARIABLES and name not in mine
        if not name.startswith(f"{PREFIX}_TEST_")  # variables of the judge's own tests
    ]
    known = set(map(variable, all_options(ctx))) if strange else set()
    return sorted(set(strange) - known)


def all_options(ctx: click.Context) -> set[str]:
    """Import all commands, and return the names of their options."""
    return {name for command in commands_of(ctx.find_root()).values() for name in settable(command)}


def commands_of(ctx: click.Context) -> dict[str, click.Command]:
    """Import all commands of a group, and return them by name."""
    group = _group(ctx)
    commands = {name: group.get_command(ctx, name) for name in group.list_commands(ctx)}
    return {name: command for name, command in commands.items() if command}


def settable(command: click.Command) -> dict[str, click.Option]:
    """Return by name, such as ``output_limit``, the options of a command that a variable or
    judge.toml may set. A group has the options of all its commands."""
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
    """Return the name of the variable that sets an option, such as ``JUDGE_OUTPUT_LIMIT``."""
    return f"{PREFIX}_{name.upper()}"


def is_typed(name: str) -> bool:
    """Whether an option was typed on the command line."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def is_given(name: str) -> bool:
    """Whether an option was typed, or set by a variable or judge.toml."""
    return click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT


def text_of(ctx: click.Context, option: click.Option) -> str:
    """Return the text of the value that a variable or judge.toml gives an option. The text of a
    flag in judge.toml is ``yes`` or ``no``."""
    name = option.name or ""
    if ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
        return os.environ[variable(name)]
    value = ctx.ensure_object(Defaults).values[name]
    return written(value[0] if option.multiple else value)


def written(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def source_of(ctx: click.Context, param: click.Parameter) -> str:
    """Name the source of a parameter's value for a message: the variable, the place in judge.toml,
    or else the option or argument itself."""
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
    """Return a sentence on the source of each option that ``refusal`` mentions and that a variable
    or judge.toml has set. The refusal may mention the option or its value. A value that is a choice
    or a number may be an ordinary word, so only a mention of its option counts."""
    said = []
    for name, option in settable(ctx.command).items():
        if ctx.get_parameter_source(name) not in UNTYPED:
            continue
        flag = max(option.opts, key=len)
        value = "" if option.is_flag else text_of(ctx, option)
        is_a_word = isinstance(option.type, click.Choice) or value.isdecimal()
        if _speaks_of(refusal, flag) or (not is_a_word and _speaks_of(refusal, value)):
            what = flag if option.is_flag else f"{flag} {word(value)}"
            said.append(f"{what} comes from {source_of(ctx, option)}")
    return said


UNTYPED = (ParameterSource.ENVIRONMENT, ParameterSource.DEFAULT_MAP)


def _speaks_of(text: str, what: str) -> bool:
    """Whether ``what`` stands in a text as a word of its own."""
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
