"""Hints of `judge check`: what a bot's author could do about a fault (the *mend*).

Each wire has a table of hints, and the first hint that fits the fault and the program's output is
shown. This file has the hints that several wires share, and the conditions of hints. Pure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from judge.documents.game import Evidence
from judge.errors import BadOutput, BotError, Crashed, TimedOut

Fits = Callable[[str, Evidence], bool]
"""The condition of a hint. The arguments are the sentence on the fault and the evidence of the
run."""


class Hint(NamedTuple):
    """A mend for faults of the type ``fault`` under the condition ``fits``. ``mend`` is one
    sentence that begins in lower case."""

    fault: type[BotError]
    fits: Fits
    mend: str


ANYTHING_ELSE = "see below what it was sent, and what it printed"


def mend(hints: Sequence[Hint], fault: BotError, run: Evidence) -> str:
    """The mend of the first hint that fits; empty if no hint fits."""
    fitting = (
        hint.mend for hint in hints if isinstance(fault, hint.fault) and hint.fits(str(fault), run)
    )
    return next(fitting, "")


def mend_of(hints: Sequence[Hint], termination: str, detail: str, run: Evidence) -> str:
    """The mend of the first hint that fits a fault in a game record; empty if no hint fits, no
    program ran or ``termination`` is not a fault."""
    kinds = {kind.termination: kind for kind in BotError.__subclasses__()}
    # A remote client ran no program here, and resigning or leaving is not a fault.
    if not run.argv or termination not in kinds:
        return ""
    return mend(hints, kinds[termination](detail), run)


# Complaints of programs that may not write or have no network. The patterns search a bot's output
# in linear time.
READ_ONLY = ("Read-only file system", "EROFS")
_NO_NETWORK = re.compile(
    r"network (is )?unreachable|ENETUNREACH|EAI_AGAIN|name resolution|resolve host|bad hostname"
    r"|UnknownHostException|ailed to connect to",
    re.IGNORECASE,
)
_NO_SOCKET = re.compile(r"socket|connect EPERM|bind EPERM|/dev/(tcp|udp)/|urlopen", re.IGNORECASE)
_NOT_PERMITTED = re.compile(r"EPERM|operation not permitted", re.IGNORECASE)
_NO_INPUT = re.compile(r"EOF|end of file|end of input|char 0|\bstdin\b", re.IGNORECASE)
_A_DICT = re.compile(r"\{(?:'|\d++:)")  # as Python prints it, with a key that JSON lacks
_TRACEBACKS = ("Traceback (most recent call last):", "SyntaxError: ", "IndentationError: ")
_NO_MEMORY = re.compile(r"MemoryError|OutOfMemory|out of memory|annot allocate|eap exhausted")


def wants_network(stderr: str) -> bool:
    """Whether a program complains that it cannot reach another machine."""
    has_no_socket = _NOT_PERMITTED.search(stderr) and _NO_SOCKET.search(stderr)
    return bool(has_no_socket or _NO_NETWORK.search(stderr))


# Conditions of hints


def always(_: str, __: Evidence) -> bool:
    return True


def says(*words: str) -> Fits:
    """A condition: one of these texts is in the sentence on the fault."""
    return lambda fault, _: any(word in fault for word in words)


def complains(*words: str) -> Fits:
    """A condition: the program has written one of these texts to stderr."""
    return lambda _, run: any(word in run.stderr for word in words)


def nothing_came(_: str, run: Evidence) -> bool:
    return not any(exchange.received for exchange in run.exchanges)


def _asked_a_server(_: str, run: Evidence) -> bool:
    return wants_network(run.stderr)


def _is_silent(_: str, run: Evidence) -> bool:
    return not run.stderr.strip()


def _lost_its_quotes(_: str, run: Evidence) -> bool:
    """Whether stderr shows the argument without its quotation marks, as after a second shell."""
    bare = run.argv[-1].replace('"', "")
    return bare[:20] in run.stderr and run.argv[-1][:20] not in run.stderr


def _replied_on_stderr(_: str, run: Evidence) -> bool:
    return not run.stdout.strip() and _is_json(run.stderr)


def _replied_rightly(_: str, run: Evidence) -> bool:
    return _is_json(run.stdout)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _speaks_python(_: str, run: Evidence) -> bool:
    return _A_DICT.match(run.stdout.lstrip()) is not None


def _reads_its_input(_: str, run: Evidence) -> bool:
    return _NO_INPUT.search(run.stderr) is not None


def _out_of_memory(fault: str, run: Evidence) -> bool:
    return "memory" in fault or _NO_MEMORY.search(run.stderr) is not None


def _misses_a_module(_: str, run: Evidence) -> bool:
    return "Error: No module named " in _last_line(run.stderr)


def _ends_with_a_traceback(_: str, run: Evidence) -> bool:
    """Whether stderr ends with Python's line on an error, and not with a line that follows it."""
    name = _last_line(run.stderr).partition(":")[0]
    is_error = all(part.isidentifier() for part in name.split("."))
    return is_error and any(words in run.stderr for words in _TRACEBACKS)


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2]


def _has_windows_line_ends(_: str, run: Evidence) -> bool:
    """Whether a shell or env complains on stderr of a word that ends with a carriage return."""
    return "\\r'" in run.stderr or "\r: " in run.stderr or "\r': " in run.stderr


# Hints that wires share

STARTING = (
    Hint(
        Crashed, says("could not be started"), "give the command of a program that can be started"
    ),
    Hint(
        Crashed,
        _has_windows_line_ends,
        "take the Windows line ends (CRLF) out of its files: sed -i 's/\\r$//' FILE",
    ),
    Hint(
        Crashed,
        complains("Could not find or load main class", "ClassNotFoundException"),
        "compile it: javac makes the .class file that the command names",
    ),
    Hint(Crashed, _out_of_memory, "use less memory: load less, and keep less"),
    Hint(
        Crashed,
        says("is on your PATH"),
        "call programs that bots see: those below /usr, its own, and the Python of --python",
    ),
    Hint(
        Crashed,
        says("the judge's own Python has no"),
        "name the Python that has the module by --python, or do without it",
    ),
    Hint(
        Crashed,
        says("isolation hides"),
        "take files from the bot's own folder, which is the working directory, and carry all that it "
        "needs there",
    ),
    Hint(
        Crashed,
        says("beside it, for it was given as a file"),
        "put the file and what it needs into a folder with a run.sh or a bot.json, and name the folder",
    ),
    Hint(
        Crashed,
        _misses_a_module,
        "bring the module along, as the section Packages of `judge guide bots` says",
    ),
)

_PYTHON_CRASH = Hint(
    Crashed, _ends_with_a_traceback, "mend the error that the last line of stderr names"
)
_SILENT_CRASH = Hint(
    Crashed,
    _is_silent,
    "end with exit status 0; it wrote nothing to stderr, so have it print there how far it comes",
)

WRITES = complains(*READ_ONLY)

_DENIED = Hint(
    Crashed,
    complains("ermission denied", "EACCES"),  # words that do not tell a read from a write
    "read files of the bot's own folder only, write in $TMPDIR only, and make what it starts "
    "executable (chmod +x)",
)


def _no_server(who: str) -> Hint:
    return Hint(BotError, _asked_a_server, f"ask no server: {who} has no network")


ONE_SHOT = (
    Hint(
        BotError,
        _lost_its_quotes,
        'hand the argument on as "$1", and not through sh -c or eval, where it loses its quotation '
        "marks",
    ),
    _no_server("a bot"),
    Hint(Crashed, WRITES, "write no files but in $TMPDIR, which ends with the move"),
    _DENIED,
    Hint(
        Crashed,
        complains("No such file", "ENOENT", "not found", "cannot open", "Can't open", "annot find"),
        "take files from the bot's own folder, which is the working directory, and find them by "
        "their names in it",
    ),
    Hint(Crashed, _reads_its_input, "read the question from the argument: standard input is empty"),
    Hint(
        Crashed,
        _replied_rightly,
        "end with exit status 0: the reply is there, but what comes after it fails",
    ),
    _PYTHON_CRASH,
    _SILENT_CRASH,
    Hint(Crashed, always, "end with exit status 0; what it wrote to stderr says why it did not"),
    Hint(
        TimedOut,
        says("did not exit"),
        "exit as soon as the reply is printed, and leave no process behind",
    ),
    Hint(
        TimedOut, always, "reply and exit sooner: a move is one short run, with nothing to wait for"
    ),
)

JSON = (
    Hint(BadOutput, _replied_on_stderr, "print the reply to stdout: it went to stderr"),
    Hint(BadOutput, says("printed more than"), "print the reply and nothing else"),
    Hint(
        BadOutput,
        says("after the JSON value comes"),
        "print the reply once, and everything else to stderr",
    ),
    Hint(
        BadOutput, _speaks_python, "print JSON, whose quotation marks are double: json.dumps(reply)"
    ),
    Hint(
        BadOutput,
        says("which is not JSON"),
        "print one JSON value and nothing else to stdout; for other words there is stderr",
    ),
    Hint(BadOutput, says("not UTF-8", "byte-order"), "print plain UTF-8"),
)

SILENT = Hint(
    BadOutput,
    says("printed nothing"),
    "print the reply to stdout before the exit; the question is the one argument, stdin is empty",
)

TO_THE_LETTER = Hint(BadOutput, always, "print one JSON value, to the letter")


def of_living(
    who: str, files: tuple[Fits, str], leaves: str, says_nothing: str, late: Sequence[Hint]
) -> tuple[Hint, ...]:
    """Hints for programs that stay alive. ``who`` stands for the program in a mend, as "a bot".
    ``files`` is a condition and its mend. ``leaves`` is the mend for a program that ends too early,
    and ``says_nothing`` for a program that never answers. ``late`` are hints on late answers."""
    return (
        _no_server(who),
        Hint(Crashed, *files),
        _DENIED,
        Hint(Crashed, says("before its reply", "before it replied"), leaves),
        _PYTHON_CRASH,
        _SILENT_CRASH,
        Hint(Crashed, always, "mend the error that it wrote to stderr"),
        Hint(
            TimedOut,
            says("still starting"),
            "start sooner, for the first reply's time runs from the start of the program: load less "
            "before the first line of stdin is read, or allow more by --timeout",
        ),
        Hint(TimedOut, nothing_came, says_nothing),
        *late,
    )
