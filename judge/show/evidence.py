"""The text about a bot that lost by a fault: what it did wrong, and the evidence of its run.

Pure. The bot's output is made safe to print.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from judge import quoting
from judge.contest.standings.fight_documents import fault_message
from judge.contest.standings.summary import Forfeit, Times
from judge.contest.window import Fault, has_changed
from judge.documents.codec import builtins
from judge.documents.game import Evidence, Termination
from judge.game.variants import BRAINJAR, variant
from judge.process.bots.interpreters import on_path
from judge.show.text import (
    WIDTH,
    Style,
    cells,
    clean,
    clean_lines,
    cut,
    cut_inside,
    hanging,
    many,
    painted,
    pieces,
    wrap,
)
from judge.wire.interface import RULES_VARIABLE

_SHOWN_FAULTS = 5
_SHOWN_EXCHANGES = 3
_STDERR_FIRST = 6  # lines; Java names the error there, and Node below the place in the source
_STDERR_LAST = 6  # lines; Python names the error there
_STDOUT_LINES = 3
_INDENT = 10  # columns before the text of a run
_MORE = "; --verbose: all"
WHOLE = "--verbose prints commands and output whole"
EARLY = "(the line was written before the question)"
_OF_AN_ANSWER = frozenset(
    {Termination.BAD_OUTPUT, Termination.ILLEGAL_FLEET, Termination.ILLEGAL_MOVE}
)
_MOST_OF_A_COMMAND = 400  # columns; a question late in a game has over a thousand
_UNBROKEN = r"""(?<![^ =]) (?: '[^'"]*+' | [^ '"]++ )  # a word without JSON
              | " (?: [^"\\] | \\. )*+ "?              # a string in JSON
              | [^", ] """
_COMMAND_WORD = re.compile(rf"(?: {_UNBROKEN} | , )++ [ ]? | [ ]", re.VERBOSE)
_COMMAND_PART = re.compile(rf"(?: {_UNBROKEN} )++ [, ]? | [, ]", re.VERBOSE)
_MOST_OF_A_LINE = 400  # columns: a fleet and some more, or the whole of a compiler's sentence


def forfeit_lines(
    name: str,
    forfeit: Forfeit,
    colour: bool,
    where: str = "",
    *,
    folder: str | None = None,
    width: int = WIDTH,
    verbose: bool = False,
) -> list[str]:
    """The lines on a bot's forfeit: a sentence and, if there is evidence, what to do about the
    fault, and the bot's run. With ``verbose`` nothing is left out, and the command can be copied:
    it sets all variables of the bot's protocol, and changes to ``folder``, where the bot ran, if
    that is given."""
    detail = f": {clean(forfeit.detail)}" if forfeit.detail else ""
    lines = painted(f"{name}, {forfeit.termination}{where}{detail}", Style.RED, colour, width)
    evidence = forfeit.evidence
    if evidence is None:
        return lines
    if forfeit.mend:
        lines += wrap(f"To mend it: {clean(forfeit.mend)}.", "  ", width)
    command = command_again(evidence.argv, forfeit.variables, folder) if verbose else None
    ran = ran_lines(evidence.argv, forfeit.variables, width, command)
    return [
        *lines,
        *ran,
        *run_lines(evidence, early=is_early(forfeit), width=width, verbose=verbose),
    ]


def naming_verbose(
    forfeits: Sequence[str], width: int, *, verbose: bool, is_usual: bool = False
) -> list[str]:
    """The lines on ``forfeits``, with a sentence on --verbose below if some of the evidence is cut.
    If it ``is_usual``, any evidence brings the sentence. It is left out with ``verbose``, and where
    the evidence has it."""
    evidence = "\n".join(line for line in forfeits if line.startswith("  "))
    is_wanted = evidence and "--verbose" not in evidence and (is_usual or "…" in evidence)
    return [
        *forfeits,
        *(["", *wrap(f"{WHOLE}.", width=width)] if is_wanted and not verbose else []),
    ]


def is_early(forfeit: Forfeit) -> bool:
    """Whether a program that stays alive lost by a line that it wrote before the last question. The
    judge took that line for the answer, and the program wrote nothing after the question."""
    evidence = forfeit.evidence
    return (
        evidence is not None
        and forfeit.termination in _OF_AN_ANSWER
        and bool(evidence.exchanges)
        and not evidence.exchanges[-1].received
    )


def command_again(
    argv: Sequence[str], variables: Mapping[str, str], folder: str | None = None
) -> str:
    """A shell command that asks a bot the same question again without the judge, in a folder if one
    is given. Empty if no command was run."""
    if not argv:
        return ""
    given = [f"{name}={quoting.word(value)}" for name, value in variables.items()]
    place = [] if folder is None else ["cd", quoting.folder(folder), "&&"]
    return " ".join([*place, *given, quoting.line(argv)])


def ran_lines(
    argv: Sequence[str], variables: Mapping[str, str], width: int, command: str | None
) -> list[str]:
    """The line with the ``command``, whole. Without a ``command``, the lines with the variables and
    ``argv`` in short: absolute paths without folders, and rules only where they differ from their
    variant. Without ``argv``, a line that says that no command ran."""
    if command or not argv:
        return [f"  ran     {command or '(no command)'}"]
    program, *words = (word.rpartition("/")[2] if word[:1] == "/" else word for word in argv)
    shown = program if "/" in program or on_path(program) else f"./{program}"
    given = [
        f"{name}={quoting.word(value)}" for name, value in map(_unusual, variables.items()) if value
    ]
    text = cut(" ".join([*given, *map(quoting.word, (shown, *words))]), _MOST_OF_A_COMMAND)
    first, *more = _command_lines(text, width - _INDENT)
    return [f"  ran     {first}", *(" " * _INDENT + line for line in more)]


def _command_lines(command: str, room: int) -> list[str]:
    """A shell command in lines of at most ``room`` cells that can be copied. A line ends behind a
    word, with a backslash. A word of JSON that is wider than a line is broken behind commas, where
    white space may stand, and a part that still is, anywhere."""
    lines = [""]
    for word in _COMMAND_WORD.findall(command):
        if lines[-1] and cells(lines[-1] + word) >= room:
            lines.append("")
        for part in _COMMAND_PART.findall(word):
            if lines[-1] and cells(lines[-1] + part) >= room:
                lines.append("")
            begin, *more = pieces(part, room - 1)
            lines[-1] += begin
            lines += more
    return [f"{line}\\" if line.endswith(" ") else line for line in lines]


def _unusual(variable: tuple[str, str]) -> tuple[str, str]:
    """A variable's name and value. The variable with the rules keeps only the rules that differ
    from their variant, and is empty if none differs."""
    name, value = variable
    if name != RULES_VARIABLE:
        return variable
    rules = json.loads(value)
    usual = builtins(variant(rules["name"]) or BRAINJAR)
    unusual = {key: rule for key, rule in rules.items() if usual.get(key) != rule}
    if not unusual:
        return name, ""
    return name, f"{json.dumps(unusual, separators=(',', ':'))[:-1]},…}}"


def run_lines(
    evidence: Evidence,
    *,
    early: bool = False,
    width: int = WIDTH,
    verbose: bool = False,
) -> list[str]:
    """The lines with the evidence of a run, with or without a fault.

    ``early`` is the result of `is_early`. With ``verbose`` all questions and all output are shown.
    """
    return [
        *hanging("  ended   ", end_of_run(evidence), width),
        *_exchanges(evidence, early, width, verbose),
        *_output("stdout", evidence.stdout, (_STDOUT_LINES, 0), width, verbose),
        *_output("stderr", evidence.stderr, (_STDERR_FIRST, _STDERR_LAST), width, verbose),
    ]


def _exchanges(evidence: Evidence, early: bool, width: int, verbose: bool) -> Iterator[str]:
    """The lines with the last questions to a program that stays alive, and its answers; with
    ``verbose``, all that the evidence has. Any other program has the question in its command."""
    room = width - _INDENT
    last = len(evidence.exchanges)
    for number, exchange in enumerate(evidence.exchanges, 1):
        asked = clean_lines(exchange.sent)
        if verbose:
            yield from (f"  asked   {line}" for line in asked)
        elif number <= last - _SHOWN_EXCHANGES:
            continue
        elif asked:
            yield f"  asked   {cut(asked[-1], room)}"
        if early and number == last:
            yield f"  said    {cut(EARLY, room)}"
            continue
        after = f", after {milliseconds(exchange.ms)} ms"
        said = clean_lines(exchange.received) or ["(nothing)"]
        if verbose:
            yield from (f"  said    {line}" for line in said[:-1])
            yield f"  said    {said[-1]}{after}"
        else:
            yield f"  said    {cut(said[0], room - len(after))}{after}"


def end_of_run(evidence: Evidence) -> str:
    """How the run ended, or that it still runs, and the time and memory that it used."""
    how = "still running" if evidence.exit is None else f"exit {evidence.exit}"
    if evidence.signal:
        how = clean(evidence.signal)
    used = [f"{how} after {milliseconds(evidence.wall_ms)} ms"]
    if evidence.cpu_ms is not None:
        used.append(f"{milliseconds(evidence.cpu_ms)} ms of CPU")
    if evidence.peak_kib is not None:
        used.append(f"{evidence.peak_kib / 1024:.1f} MiB at its peak")
    return cut(", ".join(used), 70)


def _output(name: str, text: str, ends: tuple[int, int], width: int, verbose: bool) -> list[str]:
    """The first and last lines of an output, with the number of all lines if some are left out.
    ``ends`` has the numbers of first and last lines. With ``verbose`` all lines are shown."""
    lines = clean_lines(text)
    if not lines:
        return [f"  {name}  (nothing)"]
    shown, kept, (first, last) = lines, "", ends
    if verbose:
        return [f"  {name}", *(f"    {line}".rstrip() for line in lines)]
    if len(lines) > first + last:
        shown = lines[:first] + (["…", *lines[-last:]] if last else [])
        both = f"first {first}, last {last}" if last else f"first {first}"
        kept = f"({both} of {len(lines)} lines{_MORE})"
    if len(lines) == 1:
        return hanging(f"  {name}  ", cut(lines[0], _MOST_OF_A_LINE), width)
    head = hanging(f"  {name}  ", kept, width)
    return [*head, *(row for line in shown for row in _rows(line, width))]


def _rows(line: str, width: int) -> list[str]:
    """A line of output, indented. A long line is wrapped, since its error may be anywhere in it. A
    line of more than `_MOST_OF_A_LINE` cells loses its middle."""
    if cells(f"    {line}") <= width:
        return [f"    {line}".rstrip()]
    own = min(len(line) - len(line.lstrip()), width // 4)
    return wrap(cut_inside(line.strip(), _MOST_OF_A_LINE), " " * (4 + own), width)


def milliseconds(milliseconds: float) -> str:
    return f"{milliseconds:.1f}" if milliseconds < 1000 else f"{milliseconds:.0f}"


def quantile(times: Times, share: float) -> str:
    """The milliseconds within which ``share`` of the moves were made; ``-`` without moves."""
    return milliseconds(times.quantile(share)) if times.count else "-"


def fault_lines(faults: Sequence[Fault], what: str, width: int = WIDTH) -> list[str]:
    """The lines on games or boards, as ``what`` calls them, that the judge could not play. Only the
    first few faults are listed."""
    lines = wrap(
        f"{many(len(faults), what)} could not be played. That costs no bot anything:", width=width
    )
    for fault in faults[:_SHOWN_FAULTS]:
        lines += wrap(
            f"{clean(fault.pairing.id)}: {clean(fault_message(fault))}", indent="  ", width=width
        )
    if len(faults) > _SHOWN_FAULTS:
        lines.append(f"  and {len(faults) - _SHOWN_FAULTS} more.")
    if has_changed(faults):
        lines.append(f"No {what} was played after that.")
    return lines
