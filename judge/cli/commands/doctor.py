"""judge doctor: reports on the machine and the configuration, and how to mend them."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from functools import partial
from typing import Any, NoReturn

import click
from msgspec.structs import replace

from judge.cli.configuration import (
    PREFIX,
    UNTYPED,
    Command,
    Defaults,
    all_options,
    commands_of,
    find,
    settable,
    source_of,
    text_of,
    unknown_variables,
    variable,
    written,
)
from judge.cli.exit_status import status_and_line
from judge.cli.options import COLORED, JSON, playing
from judge.cli.output import answer, note, width
from judge.cli.setup import Embedding
from judge.cli.values.network import CLUSTER
from judge.contest.cluster import reached as clusters
from judge.documents.machines import (
    Cluster,
    Configuration,
    OptionValue,
    Problem,
    StandardOutput,
)
from judge.likeness import did_you_mean
from judge.process.run.listening import Stop
from judge.process.sandbox.doctor import examine, problems
from judge.show.doctor import cluster_text, document, text
from judge.waiting import apart, awaited

DEFAULT_LEDGERS = (
    "fight: ledger.json; rank: FOLDER.ledger.json; others: the only one in this folder"
)


class Lenient(Command):
    """A command that runs even if the configuration is wrong."""

    def invoke(self, ctx: click.Context) -> Any:
        return click.Command.invoke(self, ctx)


@click.command(cls=Lenient)
@click.option(
    "--cluster",
    "address",
    type=CLUSTER,
    allow_from_autoenv=False,
    help="Say instead what each worker of a cluster offers, and have it play a game.",
)
@JSON
@COLORED
@click.pass_context
def doctor(ctx: click.Context, address: str | None, json: bool, color: bool) -> None:
    """Say what this machine offers, and how to get more.

    Tries what the judge needs, with programs that do what a bot must not; finds the interpreters;
    and says of each option where its value comes from. The exit status is 1 if the judge cannot
    play here, or on no worker of the cluster.

    \b
    Examples:
      judge doctor         what this machine offers
      judge doctor --json  the same as a document
    """
    if address is not None:
        _examine_cluster(ctx, address, json, color)
    embedding = ctx.find_object(Embedding) or Embedding()
    with closing(Stop()) as stop, ThreadPoolExecutor(1, "doctor") as pool:
        try:
            machine = awaited(pool.submit(embedding.examine or examine, stop))
        finally:
            stop.set()
    configuration, wrong = configured(ctx)
    found = document(machine, _terminal(color), configuration, (*problems(machine), *wrong))
    answer(found, lambda: text(found, colour=color, width=width()), json=json, colour=color)
    ctx.exit(0 if found.can_play else 1)


def _examine_cluster(ctx: click.Context, address: str, json: bool, color: bool) -> NoReturn:
    """Print what the workers of a cluster offer, and exit with 0 if one of them can play, else
    1."""
    with ExitStack() as open_until:
        engine = apart(partial(clusters.reached, address, note, open_until))
        from judge.contest.cluster import worker_report

        found = apart(partial(worker_report.reports, engine))
        shown = engine.address_text
    answer(
        Cluster(address=shown, workers=found),
        lambda: cluster_text(shown, found, colour=color, width=width()),
        json=json,
        colour=color,
    )
    ctx.exit(0 if any(worker.reason is None for worker in found) else 1)


def configured(ctx: click.Context) -> tuple[Configuration, tuple[Problem, ...]]:
    """Return the configuration and its problems. The configuration has the common options, and each
    command's options that are set and do not get their values from the source of the common one."""
    assert ctx.parent is not None, "doctor is a command of the judge"
    commands = commands_of(ctx.parent)
    shared = click.command("judge")(playing(lambda **_: None))
    defaults = find("", shared, ctx.parent)
    wrong = [*defaults.problems]
    settings = dict(_settings("", shared, defaults, wrong))
    for name, command in commands.items():
        own = find(name, command, ctx.parent)
        wrong += own.problems
        for option, setting in _settings(f"{name} ", command, own, wrong):
            common = settings.get(option.removeprefix(f"{name} "))
            if setting.source not in ("default", common and common.source):
                settings[option] = setting
    if settings["--ledger"].source == "default":
        settings["--ledger"] = replace(settings["--ledger"], value=DEFAULT_LEDGERS)
    file = None if defaults.path is None else str(defaults.path)
    faults = [
        Problem(text, "correct it, or take it out", fatal=True) for text in dict.fromkeys(wrong)
    ]
    return Configuration(file, tuple(settings.values())), (*faults, *_odd_variables(ctx))


def _settings(
    prefix: str, command: click.Command, defaults: Defaults, wrong: list[str]
) -> Iterator[tuple[str, OptionValue]]:
    """Yield the label and the value of each option. Each value is parsed as the command would parse
    it. If that fails, the option is left out, and the error is added to ``wrong``."""
    for name, option in settable(command).items():
        try:
            ctx = click.Command("judge", params=[option]).make_context(
                "judge",
                [],
                auto_envvar_prefix=PREFIX,
                default_map=defaults.values,
                obj=defaults,
            )
        except click.UsageError as error:
            wrong.append((status_and_line(error)[1] or "").rstrip("."))
            continue
        label = prefix + max(option.opts, key=len)
        yield label, OptionValue(label, *_value(ctx, option, name))


def _value(ctx: click.Context, option: click.Option, name: str) -> tuple[str, str]:
    """Return the text of an option's value, and its source. The text is as it stands in the
    variable or judge.toml, or else is the default as the help shows it."""
    if ctx.get_parameter_source(name) not in UNTYPED:
        is_open = ctx.params[name] is None  # then the help says what that means
        return written(option.show_default if is_open else option.get_default(ctx)), "default"
    path = ctx.ensure_object(Defaults).path  # the file is named once, above all options
    source = source_of(ctx, option).removeprefix(f"{path.parent}/" if path else "")
    return text_of(ctx, option), source


def _odd_variables(ctx: click.Context) -> Iterator[Problem]:
    for name in unknown_variables(ctx):
        near = did_you_mean(name, map(variable, all_options(ctx)))
        said = f"{name} is set, but there is no such option.{near}".rstrip(".")
        yield Problem(said, f"unset {name}", fatal=False)


def _terminal(colour: bool) -> StandardOutput:
    return StandardOutput(
        is_terminal=sys.stdout.isatty(),
        colour=colour,
        columns=shutil.get_terminal_size().columns,
        encoding=sys.stdout.encoding,
    )
