"""The process of a fork server: its start, its limits as a whole, and its end."""

from __future__ import annotations

import os
import re
import select
import signal
import socket
import subprocess
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from judge.errors import LaunchFault, shortage
from judge.process.sandbox.plan import Copied, SandboxPlan, command, memory_file, programs

READY = 2  # moves that are ready at any time, for a program that is started for each question

PATIENCE_SECONDS = 30.0  # seconds of a wait that only a busy machine makes long

_CHILD = re.compile(rb'"child-pid": (\d+)')


class ForkProcess:
    """The process of a fork server. ``turns`` are the sockets for the requests of moves, used in
    turn. ``answers`` is the socket for all other messages. ``group`` is its control group, if it
    has one. The constructor raises `LaunchFault` if the process does not start."""

    turns: list[socket.socket]
    answers: socket.socket
    popen: subprocess.Popen[bytes]

    def __init__(self, sandbox: SandboxPlan, number: int) -> None:
        """``number`` is the number of the bot's process in the first game, inside bubblewrap."""
        self._sandbox = sandbox
        self._number = number
        # The pipe on which bubblewrap names the first process inside.
        self._names_first: int | None = None
        self._first: int | None = None  # the pidfd of the first process
        self._released: int | None = None  # a pipe: once it is written to, bubblewrap goes on
        self._admission = threading.Thread(target=self._admit)
        self._refusal: OSError | None = None
        self._resources = ExitStack()
        self.group = None
        try:
            copied = sandbox.copied()
            if sandbox.group:
                # Data files are copied inside, and count as the bot's memory.
                kept = 2 * sandbox.learner["data_bytes"] if sandbox.learner else 0
                self.group = self._resources.enter_context(sandbox.group(copied.memory + kept))
            self._start(copied)
        except OSError as error:
            self.close()
            raise LaunchFault(f"no bot could be kept: {error}") from error
        except BaseException:
            self.close()
            raise

    def require_admitted(self) -> None:
        """Wait until the fork server was allowed to begin. Raises `OSError` if the admission
        failed."""
        self._admission.join()
        if self._refusal:
            raise self._refusal

    def last_words(self) -> str:
        """The last line that the fork server or bubblewrap has printed, on why it could not start.
        The process is killed."""
        self.kill()  # bubblewrap alone would leave the processes inside, which hold its stderr
        _, said = self.popen.communicate()
        words = said.decode("utf-8", "backslashreplace").strip()
        return words.rpartition("\n")[2] or "no reason given"

    def kill(self) -> None:
        """Kill the fork server and so all its processes, without waiting. A fork server that is
        still beginning is ended by `close` only."""
        if self._admission.is_alive():
            return
        self.popen.kill()
        if self._first is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)

    def close(self) -> None:
        """End the fork server, with all processes that it has started."""
        self._resources.close()

    def _start(self, copied: Copied) -> None:
        sandbox = self._sandbox
        prefix = list(sandbox.prefix)
        with ExitStack() as passed:
            ready = 1 if sandbox.lives else READY
            turns = [self._socket_pair(passed) for _ in range(ready)]
            self.turns = [ours for ours, _ in turns]
            for ours in self.turns:
                ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            self.answers, answers = self._socket_pair(passed)
            requests = [theirs.fileno() for _, theirs in turns]
            content = memory_file(passed, copied.content)
            booted = memory_file(
                passed, programs(sandbox, copied, requests, answers.fileno(), content)
            )
            fds = [booted, content, *requests, answers.fileno()]
            if prefix:
                self._names_first, teller = os.pipe()
                self._resources.callback(os.close, self._names_first)
                passed.callback(os.close, teller)
                # bubblewrap gets the reading end too. Otherwise it would die of its write if the
                # judge were killed, and its second process would wait for ever.
                fds += [teller, self._names_first]
                prefix += ["--info-fd", str(teller)]
                if sandbox.user is not None:
                    held, self._released = os.pipe()
                    self._resources.callback(os.close, self._released)
                    passed.callback(os.close, held)
                    fds.append(held)
                    prefix += ["--userns-block-fd", str(held)]
                if sandbox.filter_program is not None:
                    fds.append(memory_file(passed, sandbox.filter_program))
                    prefix += ["--seccomp", str(fds[-1])]
                prefix.append("--")
            nowhere = os.pipe()
            for end in nowhere:
                passed.callback(os.close, end)
            self.popen = subprocess.Popen(
                [*prefix, *sandbox.becomes, *command(sandbox), str(booted)],
                cwd="/",  # the fork server does not use the bot's folder
                # The linker looks up everything now instead of in each move.
                env={**sandbox.environment, "LD_BIND_NOW": "1"},
                stdin=nowhere[0],  # a fork gets pipes as its streams
                stdout=nowhere[1],
                stderr=subprocess.PIPE,
                pass_fds=fds,
                start_new_session=True,
            )
        self._resources.callback(self._end)
        # A thread admits the process: to put it into a group can take as long as the start of an
        # interpreter.
        try:
            self._admission.start()
        except RuntimeError as error:
            raise LaunchFault(f"no bot could be kept: {shortage(error) or error}") from error

    def _admit(self) -> None:
        """Put the process into its control group, and then allow it to begin."""
        try:
            first = self._first_inside()
            with suppress(ProcessLookupError, ConnectionError):  # its last words say why
                if first and self._released is not None:
                    self._name_users(first)
                if first and self.group:
                    self.group.add(first)
                self.answers.send(b"!")
                if self._sandbox.scratch is not None:
                    self.answers.send(b"%d" % self._number)
        except OSError as error:
            self._refusal = error

    def _name_users(self, first: int) -> None:
        """Map two users into bubblewrap's namespace: root, who makes it, and the bot's user."""
        for kind in ("gid_map", "uid_map"):
            user = self._sandbox.user
            Path(f"/proc/{first}/{kind}").write_text(f"0 0 1\n{user} {user} 1\n")
        assert self._released is not None, "it waits for this"
        os.write(self._released, b"!")

    def _socket_pair(self, passed: ExitStack) -> tuple[socket.socket, socket.socket]:
        """A pair of connected sockets: the judge's end, and the end that is passed on."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return self._resources.enter_context(ours), passed.enter_context(theirs)

    def _first_inside(self) -> int | None:
        """The number of the first process (of the first inside, with bubblewrap), or None if it did
        not start."""
        first: int | None = self.popen.pid
        if self._names_first is not None:
            said = b""
            while not said.endswith(b"}\n") and (more := os.read(self._names_first, 4096)):
                said += more
            named = _CHILD.search(said)  # its message breaks off if it was killed
            first = int(named[1]) if named else None
        if first:
            with suppress(ProcessLookupError):
                self._first = os.pidfd_open(first)
        return first

    def _end(self) -> None:
        """End the started process and the first process of its namespace, with which all others
        end. Returns when they have ended."""
        # Wait first until bubblewrap has named its second process, which could otherwise outlive
        # it.
        if self._admission.ident is None:  # the thread was never started
            with suppress(OSError):
                self._first_inside()
            self.popen.kill()
        else:
            self._admission.join(PATIENCE_SECONDS)
            self.popen.kill()
            self._admission.join()
        self.kill()
        if self._first is not None:
            poll = select.poll()
            poll.register(self._first, select.POLLIN)
            poll.poll(PATIENCE_SECONDS * 1000)
            os.close(self._first)
            self._first = None
        self.popen.wait()
        if self.popen.stderr:
            self.popen.stderr.close()
