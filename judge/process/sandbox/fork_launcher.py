"""Launches a bot by a fork server, which is kept for a run."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from judge.documents.game import Limits
from judge.errors import LaunchFault, TooManyReferences
from judge.process.run.launch import (
    NO_VARIABLES,
    DataFile,
    Exit,
    Living,
    MeetingPlace,
    NotStarted,
    ProcessRun,
    not_started,
)
from judge.process.run.listening import Stop
from judge.process.run.processes import Lookout
from judge.process.run.scratch import meeting_place_at, remove
from judge.process.run.streams import Streams
from judge.process.sandbox.fork_client import ForkClient
from judge.process.sandbox.plan import SandboxPlan

LONGEST_ARGUMENT = 131_071  # bytes, in Linux

# Below 32,768, which every kernel has, and with room for what a bot starts itself.
_LEAST_NUMBER, _NUMBERS = 1_000, 20_000


def first_number(luck: Mapping[str, str]) -> int:
    """The number of a bot's first process in a game with these variables, for programs that take
    their luck from it. A bot knows the variables, so the number tells it nothing more."""
    text = json.dumps(dict(luck), sort_keys=True)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return _LEAST_NUMBER + int.from_bytes(digest) % _NUMBERS


class ForkLauncher:
    """The moves of one bot, a game at a time; a `judge.process.run.launch.Launcher`."""

    def __init__(self, sandbox: SandboxPlan, limits: Limits, stop: Stop) -> None:
        self._sandbox = sandbox
        self._limits = limits
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
        sandbox = self._sandbox
        if sandbox.is_forked and len(argument.encode()) > LONGEST_ARGUMENT:  # as exec has it
            raise LaunchFault(f"no process could be started: {os.strerror(errno.E2BIG)}")
        if not sandbox.folder.is_dir():
            return not_started((*sandbox.command, argument), f"{sandbox.folder}: {os.strerror(2)}")
        try:
            with sandbox.around_a_move():
                return self._ready().move(argument, variables, self._limits, seconds, lookout)
        except OSError as error:
            raise self._deaf(error) from error
        finally:
            self.check()

    def start(
        self,
        variables: Mapping[str, str],
        workplace: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        data: DataFile | None = None,
    ) -> Living:
        """See `judge.process.run.launch.Launcher.start`."""
        if not self._sandbox.folder.is_dir():
            raise NotStarted(f"{self._sandbox.folder}: {os.strerror(errno.ENOENT)}")
        with ExitStack() as failing:
            failing.callback(self.close)
            try:
                server = self._ready()
                streams = failing.enter_context(closing(Streams()))
                server.start(variables, streams, workplace, arguments, data)
                streams.hand_over()
            except OSError as error:
                raise self._deaf(error) from error
            failing.pop_all()
        return _InSandbox(self, server, (*self._sandbox.command, *arguments), streams)

    @contextmanager
    def meeting_place(self) -> Iterator[MeetingPlace]:
        """See `judge.process.run.launch.Launcher.meeting_place`.

        It is there as long as the fork server is. The bot can put nothing there.
        """
        assert self._sandbox.sockets, "the bot is one that connects"
        self._ready()
        yield self._sandbox.sockets

    def check(self) -> None:
        """End a fork server that no other move may follow in."""
        if self._server and not self._server.is_well:
            self.close()

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """See `judge.process.run.launch.Launcher.begin_game`."""
        self._number = first_number(luck)
        walled = self._server if self._sandbox.scratch is not None else None
        if walled and not walled.renew(self._number):
            self.close()
        if self._server is None and self._sandbox.folder.is_dir():
            self._server = self._begun()  # it gets ready while others do

    def end_game(self) -> None:
        """See `judge.process.run.launch.Launcher.end_game`."""
        if self._server:
            self._server.forget()

    def end(self) -> None:
        """Have the fork server end; ``close`` will wait for it."""
        if self._server:
            self._server.end()

    def close(self) -> None:
        """End the fork server, and all that it has started."""
        if self._server:
            self._server.close()
            self._server = None
            if self._sandbox.sockets:
                remove(Path(self._sandbox.sockets.folder))

    def _ready(self) -> ForkClient:
        """The fork server, with a move ready: the one of the last move if it can serve another."""
        if self._server and not self._server.is_clear():
            self.close()
        if self._server is None:
            self._server = self._begun()
        self._server.begin()
        return self._server

    def _begun(self) -> ForkClient:
        """A new fork server, with what has to be there for it."""
        if self._sandbox.sockets:
            meeting_place_at(self._sandbox.sockets.folder)
        return ForkClient(self._sandbox, self._stop, self._number)

    def _deaf(self, error: OSError) -> LaunchFault:
        if error.errno == errno.ETOOMANYREFS:
            return TooManyReferences()
        program = self._sandbox.command[0]
        return LaunchFault(f"{program} could not be listened to: {error.strerror}")


class _InSandbox:
    """A bot that lives on in a move of a fork server; a `judge.process.run.launch.Living`."""

    def __init__(
        self, launcher: ForkLauncher, server: ForkClient, argv: tuple[str, ...], streams: Streams
    ) -> None:
        self.argv = argv
        self.streams = streams
        self.grace = server.grace
        self.fileno = server.fileno
        self.has_come = server.has_come
        self.first = server.first
        self.pause = server.pause
        self.resume = server.resume
        self._server = server
        self._launcher = launcher

    def end(self) -> Exit:
        """See `judge.process.run.launch.Living.end`."""
        try:
            return self._server.finish()
        finally:
            self.streams.close()
            self._launcher.check()
