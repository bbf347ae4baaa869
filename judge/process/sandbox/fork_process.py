"""The process of a fork server: started, limited as a whole, let begin, and ended with all in it."""

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
from judge.process.sandbox.copied_files import Copied
from judge.process.sandbox.plan import SandboxPlan, command, memory_file, programs

READY = 2  # moves at any time

PATIENCE_SECONDS = 30.0  # tries for failures that no bot causes; a busy machine may need some

_CHILD = re.compile(rb'"child-pid": (\d+)')


class ForkProcess:
    """``turns`` are the sockets for the requests of its moves, in turn, and ``answers`` that for all
    else; ``group`` is its control group, if it has one. Raises `LaunchFault` if it does not start."""

    turns: list[socket.socket]
    answers: socket.socket
    popen: subprocess.Popen[bytes]

    def __init__(self, sandbox: SandboxPlan, number: int) -> None:
        """``number`` is that of the bot's process in the first game, inside bubblewrap."""
        self._sandbox = sandbox
        self._number = number
        self._names_first: int | None = (
            None  # the pipe on which bubblewrap names the first process inside
        )
        self._first: int | None = None  # its pidfd
        self._released: int | None = None  # written to, it goes on with its users named
        self._admission = threading.Thread(target=self._admit)
        self._refusal: OSError | None = None
        self._resources = ExitStack()
        self.group = None
        try:
            copied = sandbox.copied()
            if sandbox.group:
                # Kept data are copied inside, and count for the bot.
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
        """Wait until it has leave to have moves ready; raises `OSError` if it cannot be given."""
        self._admission.join()
        if self._refusal:
            raise self._refusal

    def last_words(self) -> str:
        """Why it could not be started, as it or bubblewrap has said."""
        self.popen.kill()
        _, said = self.popen.communicate()
        words = said.decode("utf-8", "backslashreplace").strip()
        return words.rpartition("\n")[2] or "no reason given"

    def kill(self) -> None:
        """Kill it, which takes along all others, and wait for nothing. One that still begins is
        left to `close`, for which it is waited.
        """
        if self._admission.is_alive():
            return
        self.popen.kill()
        if self._first is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)

    def close(self) -> None:
        """End it, and all that it has started."""
        self._resources.close()

    def _start(self, copied: Copied) -> None:
        sandbox = self._sandbox
        prefix = list(sandbox.prefix)
        with ExitStack() as passed:
            turns = [self._socket_pair(passed) for _ in range(READY)]
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
                # Its reading end, too: where the judge is killed, bubblewrap would end of writing
                # what nobody can read, and its other half wait for good for leave to begin.
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
                # What the linker looks up now, it does not look up in each move.
                env={**sandbox.environment, "LD_BIND_NOW": "1"},
                stdin=nowhere[0],  # a fork gets pipes for its streams
                stdout=nowhere[1],
                stderr=subprocess.PIPE,
                pass_fds=fds,
                start_new_session=True,
            )
        self._resources.callback(self._end)
        # To put a process into a group can take the kernel as long as an interpreter to start.
        try:
            self._admission.start()
        except RuntimeError as error:
            raise LaunchFault(f"no bot could be kept: {shortage(error) or error}") from error

    def _admit(self) -> None:
        """Limit it as a whole, and then let it have moves ready."""
        try:
            first = self._first_inside()
            with suppress(ProcessLookupError, ConnectionError):  # it will say why, or bubblewrap
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
        """Let there be root in bubblewrap's namespace, who makes it, and who the bot will be."""
        for kind in ("gid_map", "uid_map"):
            user = self._sandbox.user
            Path(f"/proc/{first}/{kind}").write_text(f"0 0 1\n{user} {user} 1\n")
        assert self._released is not None, "it waits for this"
        os.write(self._released, b"!")

    def _socket_pair(self, passed: ExitStack) -> tuple[socket.socket, socket.socket]:
        """Our end, and the one that is passed on."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return self._resources.enter_context(ours), passed.enter_context(theirs)

    def _first_inside(self) -> int | None:
        """The first process, in bubblewrap or without; None if that has come to nothing."""
        first: int | None = self.popen.pid
        if self._names_first is not None:
            said = b""
            while not said.endswith(b"}\n") and (more := os.read(self._names_first, 4096)):
                said += more
            named = _CHILD.search(said)  # what it says breaks off where it is ended
            first = int(named[1]) if named else None
        if first:
            with suppress(ProcessLookupError):
                self._first = os.pidfd_open(first)
        return first

    def _end(self) -> None:
        """End what was started, and the first process of its namespace, which takes along all
        others; return when they are no more.
        """
        # First until bubblewrap has named its other half: before that it could outlive it.
        if self._admission.ident is None:  # there was no memory for it
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
