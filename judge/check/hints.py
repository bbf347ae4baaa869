"""The mends that `judge check` and forfeits suggest, by what a fault looks like from outside.

A table of the mistakes that strangers' bots make: the first that fits is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from judge.check.conformance import READ_ONLY, wants_network
from judge.documents.game import Evidence
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.play.asking import Reply

# Alternations of plain words: what a bot prints is searched in linear time.
_NO_INPUT = re.compile(r"EOF|end of file|end of input|char 0|\bstdin\b", re.IGNORECASE)
_NO_MEMORY = re.compile(r"MemoryError|OutOfMemory|out of memory|annot allocate|eap exhausted")


def hint(reply: Reply) -> str:
    """One sentence on what to do about the fault of this reply; it begins in lower case."""
    fault, run = reply.fault, reply.run
    assert fault is not None, "there is nothing to mend"
    rows = HINTS[reply.wire]
    return next(
        mend for kind, fits, mend in rows if isinstance(fault, kind) and fits(str(fault), run)
    )


def _lost_its_quotes(_: str, run: Evidence) -> bool:
    """Whether the argument turns up without its quotation marks: a second shell has read it."""
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
    return run.stdout.lstrip()[:2] == "{'"


def _reads_its_input(_: str, run: Evidence) -> bool:
    return bool(_NO_INPUT.search(run.stderr))


def _asked_a_server(_: str, run: Evidence) -> bool:
    return wants_network(run.stderr)


def _out_of_memory(fault: str, run: Evidence) -> bool:
    return "memory" in fault or _NO_MEMORY.search(run.stderr) is not None


def _says(*words: str) -> Callable[[str, Evidence], bool]:
    return lambda fault, _: any(word in fault for word in words)


def _complains(*words: str) -> Callable[[str, Evidence], bool]:
    return lambda _, run: any(word in run.stderr for word in words)


def _nothing_came(_: str, run: Evidence) -> bool:
    return not any(one.received for one in run.exchanges)


def _has_windows_line_ends(_: str, run: Evidence) -> bool:
    """Whether a shell, or env, complains of a word that ends with a carriage return."""
    return "\\r'" in run.stderr or "\r: " in run.stderr or "\r': " in run.stderr


def _is_silent(_: str, run: Evidence) -> bool:
    return not run.stderr.strip()


def _always(_: str, __: Evidence) -> bool:
    return True


Row = tuple[type[BotError], Callable[[str, Evidence], bool], str]

_WITHOUT_STDERR: Row = (
    Crashed,
    _is_silent,
    "end with exit status 0; it wrote nothing to stderr, so have it print there how far it comes",
)

_SLOW_START: Row = (
    TimedOut,
    _says("still starting"),
    (
        "start sooner, for the first answer's time runs from the start of the program: load less "
        "before the first line of stdin is read, or allow more by --timeout"
    ),
)

_STARTING: tuple[Row, ...] = (
    (Crashed, _says("could not be started"), "give the command of a program that can be started"),
    (
        Crashed,
        _has_windows_line_ends,
        "take the Windows line ends (CRLF) out of its files: sed -i 's/\\r$//' FILE",
    ),
    (
        Crashed,
        _complains("Could not find or load main class", "ClassNotFoundException"),
        "compile it: javac makes the .class file that the command names",
    ),
    (Crashed, _out_of_memory, "use less memory: load less, and keep less"),
    (
        Crashed,
        _says("is on your PATH"),
        "call programs that bots see: those below /usr, its own, and the Python of --python",
    ),
    (
        Crashed,
        _says("the judge's own Python has no"),
        "name the Python that has the module by --python, or do without it",
    ),
)

_ONE_SHOT: tuple[Row, ...] = (
    (
        BotError,
        _lost_its_quotes,
        (
            'hand the argument on as "$1", and not through sh -c or eval, where it loses its '
            "quotation marks"
        ),
    ),
    (BotError, _asked_a_server, "ask no server: a bot has no network"),
    (
        Crashed,
        _complains(*READ_ONLY, "ermission denied"),
        "write no files but in $TMPDIR, which ends with the move",
    ),
    (
        Crashed,
        _complains(
            "No such file", "ENOENT", "not found", "cannot open", "Can't open", "annot find"
        ),
        (
            "take files from the bot's own folder, which is the working directory, and find them by "
            "their names in it"
        ),
    ),
    (
        Crashed,
        _reads_its_input,
        "read the request from the argument: standard input is empty",
    ),
    (
        Crashed,
        _replied_rightly,
        "end with exit status 0: the reply is there, but what comes after it fails",
    ),
    _WITHOUT_STDERR,
    (Crashed, _always, "end with exit status 0; what it wrote to stderr says why it did not"),
    (
        TimedOut,
        _says("did not exit"),
        "exit as soon as the reply is printed, and leave no process behind",
    ),
    (TimedOut, _always, "reply and exit sooner: a move is one short run, with nothing to wait for"),
)

_JSON: tuple[Row, ...] = (
    (
        BadOutput,
        _replied_on_stderr,
        "print the reply to stdout: it went to stderr",
    ),
    (BadOutput, _says("printed more than"), "print the reply and nothing else"),
    (
        BadOutput,
        _says("after the JSON value comes"),
        "print the reply once, and everything else to stderr",
    ),
    (BadOutput, _speaks_python, "print JSON, whose quotation marks are double: json.dumps(reply)"),
    (
        BadOutput,
        _says("which is not JSON"),
        "print one JSON value and nothing else to stdout; for other words there is stderr",
    ),
    (BadOutput, _says("not UTF-8", "byte-order"), "print plain UTF-8"),
)

_SILENT: tuple[Row, ...] = (
    (
        BadOutput,
        _says("printed nothing"),
        "print the reply to stdout before the exit; the request is the one argument, stdin is empty",
    ),
)

_TO_THE_LETTER: tuple[Row, ...] = ((BadOutput, _always, "print one JSON value, to the letter"),)

_BRAINJAR: tuple[Row, ...] = (
    (
        BadOutput,
        _says("required property", "does not match", "is not of type", "is not one of"),
        (
            'reply {"move":"XY"} to a snapshot, and to init {"2":{"point":"XY","orientation":'
            '"vertical"},…} with every size; XY are two digits in quotation marks, column then row'
        ),
    ),
    (
        IllegalFleet,
        _always,
        "draw the fleet anew until it fits: point is the left or the top end, column then row",
    ),
    (
        IllegalMove,
        _says("outside"),
        "shoot at cells of the grid only, XY being column then row, each counted from 0",
    ),
    (
        IllegalMove,
        _says("shot at before"),
        (
            "shoot at no cell of hit or missed; those two hold all shots of its own, whoever it plays "
            "as, and moves holds the opponent's too"
        ),
    ),
    (IllegalMove, _always, "do what the rules allow in this position"),
)

_OPEN: tuple[Row, ...] = (
    (
        BadOutput,
        _says(
            "required property",
            "does not match",
            "is not of type",
            "is not one of",
            "were unexpected",
            "is not valid",
            "is not true",
            "too short",
            "too long",
            "of which a reply has one",
        ),
        (
            'reply {"ships":[[length,column,row,"vertical"],…]} to place, and to shoot '
            '{"shots":[[target,column,row],…]} or {"skip":true}; to refused, reply as to its again'
        ),
    ),
    (
        IllegalFleet,
        _says("placed ships of"),
        "place a ship for each length in the fleet of rules, as often as it is there",
    ),
    (
        IllegalFleet,
        _always,
        "draw the fleet anew until it fits: column and row are a ship's left or top end",
    ),
    (
        IllegalMove,
        _says("outside"),
        "shoot at cells of the board only: column, then row, each counted from 0",
    ),
    (
        IllegalMove,
        _says("shot at before"),
        "shoot at no cell that shots has for the same target, whoever shot there",
    ),
    (IllegalMove, _says("due"), "fire as many shots as due says, each time"),
    (
        IllegalMove,
        _says("no opponent", "no fleet"),
        "give the target of each shot: the seat of an opponent, counted from 0 in players",
    ),
    (IllegalMove, _says("skipped"), 'reply {"skip":true} only where may_skip of rules is true'),
    (IllegalMove, _always, "do what the rules allow in this position"),
)

_LIVING_OPEN: tuple[Row, ...] = (
    (BotError, _asked_a_server, "ask no server: a bot has no network"),
    (
        Crashed,
        _complains(*READ_ONLY, "ermission denied"),
        "write no files but in $TMPDIR, which ends with the process",
    ),
    (
        Crashed,
        _says("before its answer", "before it answered"),
        "read lines until stdin ends, and exit only then",
    ),
    _WITHOUT_STDERR,
    (Crashed, _always, "mend the error; what it wrote to stderr says what went wrong"),
    _SLOW_START,
    (
        TimedOut,
        _nothing_came,
        (
            "flush each line: in Python, print(…, flush=True); and end it with a line feed; the "
            "request is a line of stdin"
        ),
    ),
    (TimedOut, _always, "answer sooner, by one line that ends with a line feed"),
)

_SHIPS = "answer ACTION SHIPS with one line of all ships asked for, as in SHIPS 5:A1:H 4:A2:V …"
_SHOTS = "answer ACTION SHOTS 3 with one line of as many cells, as in SHOTS A1 J10 C5"

_BROADSIDES: tuple[Row, ...] = (
    (BotError, _asked_a_server, "ask no server: a player has no network"),
    (
        Crashed,
        _complains("cannot load such file", "No such file", "ENOENT"),
        (
            "find files beside the program, as by require_relative: the working folder holds the "
            "player's data file and an empty folder log, and nothing else; a player that is more than "
            "one file is given as its folder, and helpers that lie elsewhere come with --share FOLDER"
        ),
    ),
    (
        Crashed,
        _says("before its answer", "before it answered"),
        "read lines until stdin ends, and exit only then or after ACTION FINISH",
    ),
    _WITHOUT_STDERR,
    (Crashed, _always, "mend the error; what it wrote to stderr says what went wrong"),
    _SLOW_START,
    (
        TimedOut,
        _nothing_came,
        "flush each line: in Ruby, begin with $stdout.sync = true; and end it with a line feed",
    ),
    (TimedOut, _always, "answer sooner, by one line that ends with a line feed"),
    (BadOutput, _says("printed more than"), "print one line for an answer and nothing else"),
    (BadOutput, _says("starts with SHIPS", "is no ship"), _SHIPS),
    (
        BadOutput,
        _says("starts with SHOTS"),
        f"{_SHOTS}; a line too many before is taken for this answer: print such lines to stderr",
    ),
    (BadOutput, _always, _SHOTS),
    (
        IllegalFleet,
        _says("placed ships of"),
        "place each ship that is asked for, as often as it is asked for",
    ),
    (
        IllegalFleet,
        _always,
        "draw the fleet anew until it fits: a ship is named by its left or top cell",
    ),
    (IllegalMove, _says("due"), "fire as many shots as ACTION SHOTS says, each time"),
    (IllegalMove, _always, "shoot at cells of the board only: A1 to J10"),
)

_XBS: tuple[Row, ...] = (
    (BotError, _asked_a_server, "ask no server: a bot has no network"),
    (
        Crashed,
        _complains(*READ_ONLY, "ermission denied"),
        "write files in the working folder only, which is empty and gone after the game",
    ),
    (
        Crashed,
        _says("before its answer", "before it answered"),
        "read lines until Q comes or stdin ends, and exit only then",
    ),
    _WITHOUT_STDERR,
    (Crashed, _always, "mend the error; what it wrote to stderr says what went wrong"),
    _SLOW_START,
    (
        TimedOut,
        _nothing_came,
        (
            "print I|name|version before anything is read, and flush each line: in Python, "
            "print(…, flush=True)"
        ),
    ),
    (
        TimedOut,
        _says("no legal answer"),
        "shoot at a square that is a dot on the board of the target, and count its column and row from 1",
    ),
    (
        TimedOut,
        _always,
        "answer sooner: G by J and the board, N with its own name by S or K, each a line of its own",
    ),
    (BadOutput, _says("printed more than"), "print one line for an answer and nothing else"),
    (BadOutput, _says("before everything else"), "print I|name|version first, and only once"),
    (
        BadOutput,
        _says("answer to G"),
        "answer each G by J|name|board, with the name that its first line says",
    ),
    (
        BadOutput,
        _always,
        "answer N with its own name, and nothing else, by S|target|column|row or K",
    ),
    (
        IllegalFleet,
        _always,
        "place each ship of G once, as so many of its letter in one straight line; all else is dots",
    ),
    (IllegalMove, _always, "shoot at others, at squares that are dots on their boards"),
)

_IN_ONE_PIECE = (
    "send each answer in one piece, as by one send, and one answer to each question; a JSON object of "
    "at most 255 bytes, with nothing after it but NULs"
)
_CONTEST: tuple[Row, ...] = (
    (
        BotError,
        _says("did not connect", "status 0 before it connected"),
        "connect to the Unix socket (AF_UNIX, SOCK_STREAM) whose path is the last argument",
    ),
    (
        TimedOut,
        _nothing_came,
        (
            'first say who it is: {"mt":1,"ai":"its name","au":"its authors"}; then read messages of 256 '
            "bytes, and answer those of mt 4 and 6, and in dialect 2 of mt 8 with ns true"
        ),
    ),
    (TimedOut, _always, "answer each question in time; think less where the board is large"),
    (
        Crashed,
        _says("exited with status 0", "closed its connection"),
        (
            "read and answer messages until the match is over: mt 11 in dialect 1, mt 10 in dialect 2; "
            "judge guide contest says how to name the dialect"
        ),
    ),
    (Crashed, _always, "run it by hand: all that it printed stands below"),
    (
        BadOutput,
        _says("third protocol"),
        "build it with the library of dialect 1 or 2, whose hello has mt 1 (judge guide contest)",
    ),
    (BadOutput, _says("whole number"), "give rows, columns, lengths and directions as integers"),
    (
        BadOutput,
        _says("is awaited"),
        f"answer each question once, by its own kind of message, and nothing else; {_IN_ONE_PIECE}",
    ),
    (BadOutput, _always, _IN_ONE_PIECE),
    (IllegalFleet, _says("is asked for"), "place a ship of the length that is asked for"),
    (
        IllegalFleet,
        _always,
        (
            "draw each ship anew until it fits beside those that are placed: r and c are its top or left "
            "cell, d is 72 to the right and 86 downwards"
        ),
    ),
    (IllegalMove, _always, "shoot at rows and columns from 0 to the size of the board less 1"),
)

HINTS: dict[str, tuple[Row, ...]] = {
    "brainjar": (*_STARTING, *_ONE_SHOT, *_JSON, *_SILENT, *_BRAINJAR, *_TO_THE_LETTER),
    "open": (*_STARTING, *_ONE_SHOT, *_JSON, *_SILENT, *_OPEN, *_TO_THE_LETTER),
    "open-lines": (*_STARTING, *_LIVING_OPEN, *_JSON, *_OPEN, *_TO_THE_LETTER),
    "broadsides": (*_STARTING, *_BROADSIDES),
    "xbs": (*_STARTING, *_XBS),
    "contest": (*_STARTING, *_CONTEST),
}
"""By the name of a wire: the mistakes, from the first to be looked for to the last, and what to do
about each."""
