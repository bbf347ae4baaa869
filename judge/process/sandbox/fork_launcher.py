"""Launches a bot by a fork server, which is kept for a run."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from judge.errors import LaunchFault
from judge.process.run.launch import (
    NO_VARIABLES,
    DataFile,
    Launcher,
    LiveProgram,
    MeetingPlace,
    NotStarted,
    ProcessRun,
    listened,
    not_started,
    unheard,
)
from judge.process.run.listening import Stop
from judge.process.run.processes import Lookout, Usage
from judge.process.run.scratch import remove
from judge.process.run.streams import Streams
from judge.process.sandbox.fork_client import ForkClient
from judge.process.sandbox.plan import SandboxPlan

LONGEST_ARGUMENT = 131_071  # bytes, in Linux

# The numbers stay below 32,768, which every kernel allows, with room for processes that a bot
# starts itself.
_LEAST_NUMBER, _NUMBERS = 1_000, 20_000


def first_number(luck: Mapping[str, str]) -> int:
    """The process number of a bot's first process in a game with these variables: some programs
    seed their random numbers with it. The number is made from variables that the bot knows anyway,
    so it reveals nothing."""
    text = json.dumps(dict(luck), sort_keys=True)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return _LEAST_NUMBER + int.from_bytes(digest) % _NUMBERS


class ForkLauncher(Launcher):
    """The launcher of one bot by a fork server."""

    def __init__(self, sandbox: SandboxPlan, stop: Stop) -> None:
        self._sandbox = sandbox
        self._start = sandbox.start
        self._stop = stop
        self._server: ForkClient | None = None
        self._number = first_number(NO_VARIABLES)

    def run(
        self,
        argument: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        seconds: float = math.inf,
        lookout: Lookout | None = None,
    ) -> ProcessRun:
        """See `judge.process.run.launch.Launcher.run`."""
        start, limits = self._start, self._start.limits
        if start.fork and len(argument.encode()) > LONGEST_ARGUMENT:  # the limit of exec
            raise LaunchFault(f"no process could be started: {os.strerror(errno.E2BIG)}")
        with self._sandbox.around_a_move():
            try:
                program = self._started(variables, (argument,), has_stdin=False)
                count, most_kib = len(start.processors) or 1, self._sandbox.most_kib
                usage = Usage(program.first, count, limits.timeout_ms, most_kib, is_new=False)
                return listened(
                    program, usage, limits, self._stop, seconds=seconds, lookout=lookout
                )
            except NotStarted as error:
                return not_started((*start.bot.command, argument), str(error))

    def start(
        self,
        variables: Mapping[str, str],
        workplace: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        data: DataFile | None = None,
    ) -> LiveProgram:
        """See `judge.process.run.launch.Launcher.start`."""
        assert self._sandbox.scratch is not None, "elsewhere a process of our own does"
        return self._started(variables, tuple(arguments), workplace, data)

    def _started(
        self,
        variables: Mapping[str, str],
        arguments: tuple[str, ...],
        workplace: Sequence[str] | None = None,
        data: DataFile | None = None,
        *,
        has_stdin: bool = True,
    ) -> ForkClient:
        """Have the fork server start the bot, and return its client. Raises `NotStarted` if the
        bot's folder is gone, `LaunchFault` if the fork server does not begin or does not get a move
        ready, and `Interrupted` once the user stops the run."""
        if not self._start.bot.folder.is_dir():
            raise NotStarted(f"{self._start.bot.folder}: {os.strerror(errno.ENOENT)}")
        with ExitStack() as failing:
            failing.callback(self._end_server)
            try:
                server = self._ready()
                server.start(Streams(has_stdin=has_stdin), variables, arguments, workplace, data)
            except OSError as error:
                raise unheard(self._start.bot.command[0], error) from error
            failing.pop_all()
        return server

    @contextmanager
    def meeting_place(self) -> Iterator[MeetingPlace]:
        """See `judge.process.run.launch.Launcher.meeting_place`. The bot cannot write into this
        folder."""
        assert self._sandbox.sockets, "the bot is one that connects"
        self._ready()
        yield self._sandbox.sockets

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """See `judge.process.run.launch.Launcher.begin_game`."""
        self._number = first_number(luck)
        if (server := self._server) and not (
            server.is_well and (self._sandbox.scratch is None or server.renew(self._number))
        ):
            self._end_server()
        if self._server is None and self._start.bot.folder.is_dir():
            # The fork server gets ready while others do.
            self._server = ForkClient(self._sandbox, self._stop, self._number)

    def end_game(self) -> None:
        """See `judge.process.run.launch.Launcher.end_game`."""
        if self._server:
            self._server.forget()

    def end(self) -> None:
        """Kill the fork server without waiting. ``close`` waits for it."""
        if self._server:
            self._server.kill()

    def close(self) -> None:
        """See `judge.process.run.launch.Launcher.close`."""
        self._end_server()
        if self._sandbox.sockets:
            remove(Path(self._sandbox.sockets.folder))

    def _end_server(self) -> None:
        """End the fork server, with all processes that it has started."""
        if self._server:
            self._server.close()
            self._server = None

    def _ready(self) -> ForkClient:
        """The client of a fork server that has a move ready: of the present one if it can take
        another move, or else of a new one."""
        if self._server and not self._server.is_clear():
            self._end_server()
        if self._server is None:
            self._server = ForkClient(self._sandbox, self._stop, self._number)
        self._server.begin()
        return self._server
