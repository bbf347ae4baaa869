"""The judge's side of a fork server, from which all moves of a bot start.

The fork server runs `judge.process.sandbox.fork_server`, whose docstring has the messages between
it and the judge. `judge.process.sandbox.fork_process` starts and ends it. A fork server is started
for a bot's first game, and a new one whenever the last can take no further move, as after a
timeout. One fork server serves all games of a run: what differs between games comes with each move,
or at the beginning of a game.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from itertools import cycle

from msgspec import structs

from judge.errors import Interrupted, LaunchFault
from judge.process.bots.data_file import Data, OwnData
from judge.process.bots.files import quoted
from judge.process.run.launch import (
    MACHINES,
    DataFile,
    Exit,
    NotStarted,
)
from judge.process.run.limits import GRACE_SECONDS
from judge.process.run.listening import Stop
from judge.process.run.processes import Usage, children, parent, signal_family
from judge.process.run.processors import spare
from judge.process.run.streams import Streams
from judge.process.sandbox.fork_process import PATIENCE_SECONDS, ForkProcess
from judge.process.sandbox.fork_server import NEW_GAME, PAUSE, RESUME
from judge.process.sandbox.plan import OLD_FORMAT, SandboxPlan, memory_file

# KiB; the memory of a process before it becomes the bot counts as the bot's. It is a little more
# than the fork server's own.
_COPIED_KIB = 2048

_BOT_AND_INIT = 2  # processes of every move in bubblewrap: the bot and its init

_KILLED = signal.SIGKILL.value  # a wait status
_LONGEST_ANSWER = 4096
_CREDENTIALS_SPACE = socket.CMSG_SPACE(12)  # a process, a user and a group


class ForkClient:
    """One fork server, from its start to its end. The object is the
    `judge.process.run.launch.LiveProgram` of each bot that the fork server starts.

    The constructor raises `LaunchFault` if the fork server does not start.
    """

    def __init__(self, sandbox: SandboxPlan, stop: Stop, number: int) -> None:
        """``number`` is the number of the bot's process in the first game, inside bubblewrap."""
        self.is_well = True  # whether another move may follow
        self._sandbox = sandbox
        self._command = sandbox.start.bot.command
        self._stop = stop
        self._number = number
        self._heard: dict[str, list[str]] = {}  # the messages of this move, by their first words
        self._own_peak = 0  # the fork server's memory in KiB, once it has begun
        self._is_used = self._is_renewing = False
        self._games = 1  # the number of games that have begun
        # Numbers of processes as the judge sees them: this move's bot and init, and its game's
        # process.
        self._bot = self._init = self._game = 0
        self._brought, self._made = "", tuple[str, ...]()  # data file and folders of this move
        self._ended_before = 0  # processes ended for memory before this move
        self._process = ForkProcess(sandbox, number)
        self._answers, self._group = self._process.answers, self._process.group
        self._requests = cycle(self._process.turns)

    def start(
        self,
        streams: Streams,
        variables: Mapping[str, str],
        arguments: tuple[str, ...],
        workplace: Sequence[str] | None,
        data: DataFile | None,
    ) -> None:
        """Ask the fork server to start the bot. The caller has to call `end`. Raises `LaunchFault`
        if the fork server does not get a move ready, `OSError` if the order cannot be passed to the
        move's process, and `Interrupted` once the user stops the run."""
        self.argv, self.streams = (*self._command, *arguments), streams
        folders = None if workplace is None else tuple(workplace)
        self._brought, self._made = data.name if data else "", folders or ()
        with ExitStack() as failing, ExitStack() as passed:
            failing.callback(streams.close)
            *stdin, stdout, stderr = streams.theirs
            more = [memory_file(passed, data.content)] if data else []
            told = (data.name, len(data.content)) if data else None
            self._take_next()
            self._is_used = True
            self._ended_before = self._group.ended_for_memory() if self._group else 0
            asked = marshal.dumps((dict(variables), arguments, folders, told), OLD_FORMAT)
            socket.send_fds(self._turn, [asked], [stdout, stderr, *stdin, *more])
            streams.hand_over()
            failing.pop_all()

    def end(self, usage: Usage | None = None) -> Exit:
        """See `judge.process.run.launch.LiveProgram.end`. A fork server that can take no further
        move is ended too."""
        try:
            is_by_itself = not {"exited", "ended"}.isdisjoint(self._heard)
            # Outside of bubblewrap, processes that the bot has started would live on.
            if self._sandbox.scratch is None or not is_by_itself:
                self._say(b"!")
                self._hear_one_of("ended", "broken", may_stop=False)
            done = self._outcome(usage, is_by_itself=is_by_itself)
            if self._sandbox.learner:
                left = self._left(self._sandbox.learner["stem"])
                self.is_well = left is not None and self.is_well
                return structs.replace(done, left=left)
            is_inside = self._sandbox.scratch is not None
            if self.is_well and is_inside and usage and usage.most_processes > _BOT_AND_INIT:
                # The bot's other processes end on the processor of the player that is asked next,
                # so wait for them.
                self._hear_one_of("gone", "broken", may_stop=False)
            return done
        finally:
            self.streams.close()
            if not self.is_well:
                self.close()

    def first(self) -> Sequence[int]:
        """The bot's first process and, inside bubblewrap, the first process of its namespace, which
        adopts processes whose parents have ended. Empty if the bot is known to have ended."""
        if self._sandbox.scratch is None:
            return (self._bot,)
        game = parent(self._bot)
        if not self._init:
            beside = children(game, game)
            if self._bot in beside:
                self._init, self._game = beside[beside.index(self._bot) - 1], game
        elif game != self._game:  # the bot has ended, and its number may be another's
            return ()
        return (self._bot, self._init) if self._init else (self._bot,)

    def pause(self) -> None:
        """Stop the bot with its processes: the judge stops those that it finds, and the process of
        the game in the fork server stops all, though perhaps later."""
        signal_family(self.first(), signal.SIGSTOP)
        self._say(PAUSE)

    def resume(self) -> None:
        """Let the stopped bot go on."""
        self._say(RESUME)

    def _say(self, word: bytes) -> None:
        with suppress(OSError):  # the server has ended, which the next read reports
            self._answers.send(word)

    def _take_next(self) -> None:
        """Wait until the next move is ready, and bind its process to the game's processors. At the
        first move of a game, bind the process that makes moves ready to spare processors. Raises
        `LaunchFault` if the move has failed or is not ready within `PATIENCE_SECONDS`, `OSError` if
        the fork server cannot be heard, and `Interrupted` once the user stops the run."""
        self._heard, self.is_well = {}, False
        self._bot, self._init = 0, 0
        self._turn: socket.socket = next(self._requests)
        poll = select.poll()
        for one in (self._turn, self._answers, self._stop):
            poll.register(one, select.POLLIN)
        while not self._bot:
            ready = [fd for fd, _ in poll.poll(PATIENCE_SECONDS * 1000)]
            if self._stop.fileno() in ready:
                raise Interrupted
            if self._turn.fileno() not in ready or not self._hear_who_it_is():
                # The move takes too long, or has failed.
                said = self._hear() if self._answers.fileno() in ready else ""
                reason = " ".join(self._heard[said]) if said == "broken" else "it is not ready"
                raise LaunchFault(f"no move of {self._command[0]} could begin: {reason}")
        if processors := self._sandbox.start.processors:
            with suppress(ProcessLookupError):
                os.sched_setaffinity(self._bot, processors)
                # Inside bubblewrap no bot can end the process of its game, and so change its parent.
                is_inside = self._sandbox.scratch is not None
                if is_inside and not self._is_used and (game := parent(self._bot)):
                    os.sched_setaffinity(game, spare())

    def _hear_who_it_is(self) -> bool:
        """Read which process is ready: the message has the number of its game, and the kernel adds
        the process. Returns False if the fork server has ended."""
        game, told, _, _ = self._turn.recvmsg(_LONGEST_ANSWER, _CREDENTIALS_SPACE)
        if game == b"%d" % self._games:  # a move made ready in an earlier game does not count
            self._bot = int.from_bytes(told[0][2][:4], sys.byteorder)
        return bool(game)

    def _left(self, stem: str) -> OwnData | None:
        """The data that a bot has left that has just ended, or None if the fork server cannot tell.
        ``stem`` is the base name of the bot's program."""
        with suppress(OSError), ExitStack() as passed:
            into = os.memfd_create("data", os.MFD_CLOEXEC)
            passed.callback(os.close, into)
            asked = marshal.dumps((self._brought, self._made), OLD_FORMAT)
            socket.send_fds(self._answers, [asked], [into])
            if self._hear_one_of("data", "broken", may_stop=False) and "data" in self._heard:
                what, size, *names = self._heard["data"]
                name, dropped = (
                    "" if name == "-" else os.fsdecode(bytes.fromhex(name)) for name in names
                )
                if what == "kept":
                    data = Data(name.removeprefix(stem), os.pread(into, int(size), 0))
                    return OwnData(data, dropped=dropped)
                return OwnData(problem=_why_not(what, quoted(name), int(size)), dropped=dropped)
        return None

    @property
    def grace(self) -> float:
        """The seconds for which other processes may hold a bot's pipes after its exit. In
        bubblewrap these processes end with the bot, so the time may be long."""
        return GRACE_SECONDS if self._sandbox.scratch is None else PATIENCE_SECONDS

    def _outcome(self, usage: Usage | None, *, is_by_itself: bool) -> Exit:
        """How a finished move ended. Raises `NotStarted` if the program could not be executed.
        Raises `LaunchFault` if the machine is the cause of that or is broken, or if, in bubblewrap,
        the fork server has ended."""
        program = self._command[0]
        # The kernel may also have ended the next move, which is ready already.
        ended_now = self._group.ended_for_memory() if self._group else 0
        out_of_memory = ended_now > self._ended_before
        self.is_well = is_by_itself and "ended" in self._heard and not out_of_memory
        if (broken := self._heard.get("broken")) and not out_of_memory:
            raise LaunchFault(" ".join(broken))
        if failed := self._heard.get("failed"):
            reason = f"{program}: {os.strerror(int(failed[0]))}"
            if int(failed[0]) not in MACHINES:
                raise NotStarted(reason)
            raise LaunchFault(f"no process could be started: {reason}")
        if "" in self._heard and self._sandbox.scratch is not None and not out_of_memory:
            # In bubblewrap no bot can reach the fork server.
            raise LaunchFault(f"the fork server of {program} has ended in a move")
        status, cpu, peak = map(int, self._heard.get("ended", (_KILLED, 0, 0)))
        peak = max(peak, usage.peak_kib if usage else 0)
        # A smaller peak may be the fork server's own.
        is_told = (usage and usage.is_over) or peak > self._own_peak + _COPIED_KIB
        return Exit(
            status=os.waitstatus_to_exitcode(status),
            cpu_ms=cpu / 1000,
            peak_kib=peak if is_told else None,
            out_of_memory=out_of_memory,
        )

    def begin(self) -> None:
        """Wait until the fork server has moves ready. Raises `LaunchFault` or `OSError` if it does
        not begin, and `Interrupted` on the stop."""
        if self._own_peak:
            return
        self.is_well = False
        self._process.require_admitted()
        if not self._is_heard() or self._hear() != "ready":
            reason = " ".join(self._heard.get("broken", [])) or self._process.last_words()
            holder = (*self._sandbox.prefix, *self._sandbox.interpreter)[0]
            raise LaunchFault(f"{holder} could not hold {self._command[0]}: {reason}")
        self._own_peak = int(self._heard.pop("ready")[0])
        self.is_well = True

    def is_clear(self) -> bool:
        """Wait until nothing is left of the last move, and return whether another move can follow.

        No move can follow if the fork server has more to say, or if the program lives for a match
        and was started in this game.
        """
        if not self.is_well or (self._is_used and self._sandbox.lives):
            return False
        if not self._own_peak:  # the fork server has not begun, and there was no move
            return True
        is_there = self._process.popen.poll() is None
        is_gone = is_there and (not self._heard or self._hear_one_of("gone"))
        if self._is_renewing:
            is_gone = is_gone and self._hear_one_of("renewed")
            self._is_renewing = False
        poll = select.poll()
        poll.register(self._answers, select.POLLIN)
        return is_gone and not poll.poll(0)

    def renew(self, number: int) -> bool:
        """Begin another game, without waiting: the fork server renews what moves of one game share,
        and gives the bot's process this number. Before the first move of a game nothing is done.
        Returns False if moves are ready with another number."""
        if not self._is_used:
            return number == self._number
        self._is_used, self._is_renewing = False, True
        self._number = number
        self._games += 1
        self._requests = cycle(self._process.turns)
        self._say(NEW_GAME)
        self._say(b"%d" % number)
        return True

    def forget(self) -> None:
        """Have the kernel drop the file contents that the moves have cached, if they have a control
        group."""
        if self._group:
            self._group.forget()

    def fileno(self) -> int:
        return self._answers.fileno()

    def has_come(self) -> bool:
        """See `judge.process.run.listening.Running.has_come`."""
        return self._hear() in ("exited", "ended", "broken", "")

    def close(self) -> None:
        """End the fork server, with all processes that it has started."""
        self._process.close()

    def kill(self) -> None:
        """Kill the fork server and so all its processes, without waiting."""
        self._process.kill()

    def _hear(self) -> str:
        """Read the fork server's next message, and return its first word; empty if the fork server
        has ended."""
        try:
            message = self._answers.recv(_LONGEST_ANSWER).decode("ascii", "replace")
        except ConnectionError:
            message = ""
        word, *more = message.split(" ")
        self._heard[word] = more
        return word

    def _hear_one_of(self, *words: str, may_stop: bool = True) -> bool:
        """Wait for a message that begins with one of these words. Returns False if the fork server
        ends, or does not send such a message in time.

        With ``may_stop``, raises `Interrupted` on the stop.
        """
        while not {*words, ""} & self._heard.keys():
            if not self._is_heard(may_stop=may_stop):
                return False
            self._hear()
        return "" not in self._heard

    def _is_heard(self, *, may_stop: bool = True) -> bool:
        """Wait for any message. Returns False if none comes in time. With ``may_stop``, raises
        `Interrupted` on the stop."""
        poll = select.poll()
        poll.register(self._answers, select.POLLIN)
        if may_stop:
            poll.register(self._stop, select.POLLIN)
        ready = [fd for fd, _ in poll.poll(PATIENCE_SECONDS * 1000)]
        if self._stop.fileno() in ready:
            raise Interrupted
        return bool(ready)


def _why_not(what: str, name: str, size: int) -> str:
    """Why a player's data file was not kept, in a clause; empty if there was no file."""
    problems = {
        "nothing": "",
        "several": "several files could be its data",
        "irregular": f"{name} is not a regular file",
        "large": f"{name} has {size:,} bytes, and data may have 10 MB",
    }
    if what in problems:
        return problems[what]
    number = int(what.rpartition("-")[2])
    why = "a link" if number == errno.ELOOP else os.strerror(number)
    return f"{name} cannot be read: {why}"
