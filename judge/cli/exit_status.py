"""Turns the exception that ends a run into an exit status and a line on stderr.

The judge's own errors, click's, those of the operating system, and a lack of memory or threads are
each told in a sentence. Any other exception is a bug, and the line says whose.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from pathlib import Path
from typing import TextIO

import click

from judge.cli.configuration import commands_of, settable, source_of
from judge.cli.output import folded, several
from judge.errors import Interrupted, JudgeFault, UsageError, shortage, with_mend
from judge.likeness import did_you_mean
from judge.show.text import clean

LONGEST = 8000  # characters of a sentence: two paths, and some words

FAILED, USAGE, BOT_FAILED, INTERRUPTED = 1, 2, 3, 130


def end(error: BaseException) -> int:
    """Say on stderr why the run ends, and return the exit status of the run."""
    status, line = status_and_line(error)
    if status == FAILED and os.environ.get("JUDGE_TRACEBACK", "0") not in ("", "0"):
        traceback.print_exception(error)
    _let_go_of(sys.stdout)
    with contextlib.suppress(OSError):  # stderr itself may be broken
        if line is not None:
            # The terminal's line has a ^C or a progress bar: begin another.
            begin = "\n" if status == INTERRUPTED and sys.stderr and sys.stderr.isatty() else ""
            click.echo(f"{begin}{folded(f'judge: {clean(line)}', sys.stderr)}", err=True)
        if isinstance(error, Interrupted) and error.again:
            click.echo(f"Do it again: {error.again}", err=True)
    _let_go_of(sys.stderr)
    return status


def status_and_line(error: BaseException) -> tuple[int, str | None]:
    """Return the exit status for an exception, and the line for stderr. The line is None for a
    broken pipe."""
    match error:
        case UsageError():
            return USAGE, _sentence(error)
        case click.UsageError():
            return USAGE, _sentence(_of_click(error))
        case Interrupted() | KeyboardInterrupt() | click.Abort():
            return INTERRUPTED, _sentence(error) if str(error) else "interrupted."
        case JudgeFault() | click.ClickException():
            return FAILED, _sentence(error)
        case BrokenPipeError():
            return FAILED, None  # the reader of the output has closed it
        case OSError(strerror=str(reason)):
            names = [os.fsdecode(name) for name in (error.filename, error.filename2) if name]
            return FAILED, _sentence(
                f"{' and '.join(names) or 'a file or standard output'}: {reason}"
            )
        case _ if short := shortage(error):
            return FAILED, _sentence(short)
        case _:
            from judge.contest.outside import whose_bug

            return FAILED, (
                f"a bug in {whose_bug(error)}: "
                f"{_sentence(''.join(traceback.format_exception_only(error)))} "
                "Please report it with what JUDGE_TRACEBACK=1 shows."
            )


def _sentence(said: object) -> str:
    # Only line ends are folded: a command in the sentence may hold blanks that must be copied.
    text = with_mend(" ".join(filter(None, map(str.strip, str(said).split("\n")))))
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"
    text = text if text.endswith((".", "?", "!")) else f"{text}."
    # Notes say where a refused value came from.
    return " ".join([text, *map(_sentence, getattr(said, "__notes__", ()))])


OPTIONS_LIKENESS = 0.7  # all begin with --; --quiet is not like --dialect
_BOARDS = ("--columns", "--rows", "--fleet")  # options of judge test


def _of_click(error: click.UsageError) -> str:
    """Word a usage error of click. The sentence on a bad value begins with its source, if that is
    known. The sentence on another error names a similar option, or the help to read."""
    context = error.ctx
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        if context is not None and error.param is not None:
            return f"{source_of(context, error.param)}: {error.message}"
        return error.message
    if isinstance(error, click.NoSuchOption):
        near = did_you_mean(error.option_name, error.possibilities or (), OPTIONS_LIKENESS)
        return f"there is no option {error.option_name!r}.{near or _other_option(error)}"
    said = error.format_message()
    return _sentence(said[:1].lower() + said[1:]) + _see(context)


def _other_option(error: click.NoSuchOption) -> str:
    """Explain the likely slip behind an unknown option, if any, and name the help to read."""
    context, name = error.ctx, error.option_name
    if context is None:
        return ""
    slip = ""
    if not name.startswith("--"):
        slip = " The name of an option has two dashes before it."
    elif context.parent is None:
        slip = " The options of a command follow its name."
    elif name in _BOARDS and "rules" in settable(context.command):
        slip = " Other boards need a rules file: --rules FILE; `judge guide rules` describes it."
    elif own := _commands_with(name, context):
        slip = f" It comes after the name of its command: {several(own)}."
    elif others := _commands_with(name, context.parent) or _commands_with(
        name, context.find_root()
    ):
        slip = f" It is an option of other commands, such as {others[0]}: leave it out here."
    return slip + _see(context)


def _commands_with(option: str, context: click.Context) -> list[str]:
    """Return the commands of a group that have this option, each as it is typed. The list is empty
    for a single command."""
    if not isinstance(context.command, click.Group):
        return []
    return [
        f"{context.command_path} {name}"
        for name, command in commands_of(context).items()
        if any(option in has.opts for has in settable(command).values())
    ]


def _see(context: click.Context | None) -> str:
    return f" See {context.command_path} --help." if context else ""


def _let_go_of(stream: TextIO | None) -> None:
    """Drop the buffered text of a stream if it cannot be written. Otherwise Python would try again
    at its exit, and print an error or change the exit status."""
    if stream is None:
        return
    try:
        stream.flush()
    except OSError:
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
