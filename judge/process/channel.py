"""The way to one player's program: bytes there, bytes back.

For launch-once-a-move, a write starts a process with the bytes as its last argument, and reads
give its stdout and then ``b""``, its exit. What went wrong with the process is a `BotError`;
what was said is the wire's to judge. The fake for tests is `Script`, one more channel.
"""

from __future__ import annotations

import contextlib
import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, Protocol

from judge.errors import BadOutput, Crashed, TimedOut
from judge.game.record import Evidence, Limits
from judge.game.rules import Rules
from judge.process.bot import Bot
from judge.process.files import quoted
from judge.process.isolation import Isolation
from judge.process.launch import Ended, Run, Stop
from judge.process.launchers import Launchers

LANG = "C.UTF-8"  # the locale in which bots play


def variables(bot: Bot, rules: Rules, seed: int, lang: str = LANG) -> dict[str, str]:
    """The environment of a bot, but for ``HOME`` and ``TMPDIR``, which are its scratch folder."""
    return {
        "PATH": bot.path,
        "LANG": lang,
        "BOT_SEED": str(seed),
        "BOT_RULES": json.dumps(rules.to_json(), separators=(",", ":")),
    }


class Channel(Protocol):
    """One exchange after another: write, then read until ``b""``."""

    @property
    def milliseconds(self) -> float:
        """Wall time of the last exchange."""

    def write(self, data: bytes) -> None: ...

    def read(self) -> bytes:
        """The next bytes, ``b""`` at the end; raises `BotError`, `LaunchFault`, `Interrupted`."""

    def evidence(self, seat: int) -> Evidence | None:
        """What the last exchange looked like, if there was one."""


class Exec:
    """A new process for every exchange, in which the bot's command is executed."""

    forks: ClassVar[bool] = False

    def __init__(
        self,
        bot: Bot,
        *,
        rules: Rules,
        seed: int,
        limits: Limits,
        isolation: Isolation,
        stop: Stop,
        lang: str = LANG,
        launchers: Launchers | None = None,
    ) -> None:
        """``launchers`` are those of the run, to which ``stop`` belongs, if there is more of it
        than this channel."""
        self._bot = bot
        self._limits = limits
        self._isolation = isolation
        environment = variables(bot, rules, seed, lang)
        self._variables = {"BOT_SEED": environment.pop("BOT_SEED")}  # of this game alone
        self._kept = contextlib.ExitStack()
        if launchers is None:
            launchers = self._kept.enter_context(contextlib.closing(Launchers(stop)))
        self._launcher = self._kept.enter_context(
            launchers.lent(isolation, bot, environment, limits, fork=self.forks)
        )
        self._pending: list[bytes] = []
        self._last: Run | None = None

    @property
    def milliseconds(self) -> float:
        return self._last.wall_ms if self._last else 0.0

    def write(self, data: bytes) -> None:
        """Run the bot with ``data`` as its last argument."""
        self._last = None
        self._last = self._launcher.run(data.decode(), self._variables)
        _check(self._last, self._limits, self._isolation, self._bot)
        self._pending = [self._last.stdout]

    def read(self) -> bytes:
        return self._pending.pop() if self._pending else b""

    def evidence(self, seat: int) -> Evidence | None:
        return _evidence(self._last, seat) if self._last else None

    def close(self) -> None:
        """End what has been kept for the next exchange, or leave it to the next game."""
        self._kept.close()


class Forked(Exec):
    """A new process for every exchange, forked from one interpreter that is started once; for
    the bots that `judge.process.fork.require_forkable` allows.
    """

    forks = True


CHANNELS = {"exec": Exec, "fork": Forked}


class Script:
    """A player in this very process: a function from what it is asked to what it answers.

    The function may raise a `BotError` of its own; there is no process, and so no evidence.
    """

    milliseconds = 0.0

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self._answer = answer
        self._pending: list[bytes] = []

    def write(self, data: bytes) -> None:
        self._pending = [self._answer(data)]

    def read(self) -> bytes:
        return self._pending.pop() if self._pending else b""

    def evidence(self, seat: int) -> Evidence | None:
        return None


def _check(run: Run, limits: Limits, isolation: Isolation, bot: Bot) -> None:
    """Raise the `BotError` that the run itself was, whatever it said."""
    if run.ended is Ended.NOT_STARTED:
        raise Crashed(f"could not be started: {_text(run.stderr)}")
    allowed = f"{limits.memory_bytes / 2**20:g} MiB"
    if run.out_of_memory:  # and what came of that
        raise Crashed(f"used more memory than the {allowed} that are allowed")
    if run.ended is Ended.TIMED_OUT:
        said = "no reply" if not run.stdout else "it replied, but did not exit,"
        raise TimedOut(f"{said} within {limits.timeout_ms / 1000:g} s")
    if run.ended is Ended.FLOODED:
        raise BadOutput(f"printed more than {limits.output_bytes} bytes")
    peak = run.peak_kib
    if isolation.limits_memory and peak is not None and peak * 1024 > limits.memory_bytes:
        raise Crashed(f"used {peak / 1024:.0f} MiB of memory, where {allowed} are allowed")
    if run.status < 0:
        raise Crashed(f"was ended by {_signal_name(-run.status)}")
    if run.status:
        hint = _missed_neighbour(run, bot) if isolation.hides_neighbours else ""
        raise Crashed(f"exited with status {run.status}{_as_after_a_signal(run.status)}{hint}")


def _as_after_a_signal(status: int) -> str:
    """What a shell makes of a signal; a bot may exit so by itself."""
    number = status - 128
    is_one = number in signal.valid_signals()
    return f", as after {_signal_name(number)}" if is_one else ""


def _missed_neighbour(run: Run, bot: Bot) -> str:
    """A hint for a bot that was given as a file, and complained of another that lies beside it."""
    if bot.files == (bot.folder,):
        return ""
    said = run.stderr.decode("utf-8", "backslashreplace")
    with contextlib.suppress(OSError):
        for path in sorted(bot.folder.iterdir()):
            if path not in bot.files and _complains_of(path, said):
                return (
                    f"; it cannot see {quoted(path.name)} beside it, for it was given as a file: "
                    "make that a folder with a run.sh or a bot.json, and name the folder"
                )
    return ""


# How languages say that something is missing, of which they may leave off the suffix.
_MISSING = "(?i:no module named|cannot find (?:module|package)|cannot load such file|no such file)"


def _complains_of(path: Path, said: str) -> bool:
    """Whether a file is named as a file; its name may also be a word."""
    name, stem = (rf"(?<![\w.-]){re.escape(word)}(?![\w-])" for word in (path.name, path.stem))
    ways = [f"{_MISSING}.*{stem}", f"{stem}.*{_MISSING}", f"{stem}: (?:command )?not found"]
    if path.suffix:
        ways.append(name)
    return any(re.search(way, said) for way in ways)


def _evidence(run: Run, seat: int) -> Evidence:
    cut = "\n… cut at the output limit …\n" if run.ended is Ended.FLOODED else ""
    return Evidence(
        seat=seat,
        argv=run.argv,
        stdout=_text(run.stdout) + cut,
        stderr=_text(run.stderr),
        exit=run.status if run.status >= 0 else None,
        signal=_signal_name(-run.status) if run.status < 0 else None,
        wall_ms=round(run.wall_ms, 1),
        cpu_ms=round(run.cpu_ms, 1),
        peak_kib=run.peak_kib,
    )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
