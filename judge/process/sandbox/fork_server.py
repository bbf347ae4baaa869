"""The fork server of one bot, a process that starts every move of the bot in a run.

This program runs inside of the sandbox, with a Python that need not be the judge's. The fork server
imports only the judge's modules that are sent along, and little of the standard library. The fork
server reads no bytes of the bot and no requests; other processes do. So no move changes the fork
server, and its report on the end of a move comes from the kernel alone.
`judge.process.sandbox.fork_client` is the judge's side. One move goes like this::

    judge                  fork server                  (in bubblewrap, once a run)
      |                         | clone -----> init        (first of a pid namespace that is the
      |                         |              |            move's, and sleeps)
      |                         | fork ------- | -------> bot   (limits, no privileges)
      |                         |              |           |
      |  variables, arguments, stdout, stderr (and stdin)  |
      |--------------------------------------------------->| becomes the program (exec), or
      |                         |              |           | runs what is compiled (fork)
      |<---------------- ended: |<-------------------------x
      |      status, CPU, memory| kill ------->x   and with it the kernel ends all of the move
      |<----------------- gone -|<-------------|
      |                         | clone, fork ...

In bubblewrap, a fork of the server in a namespace of its own does all this for one game. The server
itself waits for the end of that fork, and so has seen no move when it forks the next. Two moves are
ready at any time, each with a socket for its request, so the next move need not wait until the last
one is cleared away. A ready move says the number of its game. The judge learns its process from the
kernel, binds that process to the game's processors, and sends the request. The game's process runs
on processors that no job owns, if there are any: its work is not part of any answer's time.

A program that is forked is compiled first, in a process with the limits of a move and without the
sockets (`judge.process.sandbox.compiling`). The compiling process writes to a file in memory. The
file is sealed once that process has ended, and each move reads it after giving up everything else.
If compiling takes too much time or memory, or crashes, each move compiles the program itself, in
its own time.

A program that lives for a match may compute only when it is asked. If such a program computes while
it is not asked, the judge says so, and the process of the game sends SIGSTOP to all other processes
of its namespace. Before the next question it sends them SIGCONT.

Without bubblewrap there are no namespaces, and only the end of the bot's process group is
guaranteed. The fork server then says ``exited`` after the bot's exit, and waits for the judge's
word to end the group.

The judge sends the number of the bot's process at the beginning of each game, in a packet of its
own, since some programs seed their random numbers with it. All moves of a game have the same
number, so that a single move can be run again.

A message to the judge is ASCII words in one packet: ``ready PEAK`` (KiB), ``exited``, ``ended
STATUS CPU PEAK`` (wait status, microseconds, KiB), ``gone`` (nothing is left of a move), ``failed
ERRNO`` (the program could not be executed), ``broken WHAT`` (the machine does not do what is
needed), ``data …`` (a player's data file, asked for after ``ended``; see
`judge.process.sandbox.own_folder`), and ``renewed`` (another game may begin, in another fork with
another copy of the bot's files). A request is four values in the format of `marshal`: further
environment variables, arguments, the folders to make in the scratch folder (which is then the
working folder) or None, and the name and size of a data file there or None.

A program that lives for a match is the one long move of its game, so no other move is made ready.
Such a program gets a stdin too, and is always executed.
"""

from __future__ import annotations

import _socket
import os
import resource
import select
from marshal import loads
from os import chdir, close, dup2, environ, pipe, setpgid
from os import write as write_to
from resource import setrlimit

from judge.process.sandbox.children import Children, MoveProcesses, Rooms
from judge.process.sandbox.game_copy import Copy
from judge.process.sandbox.kernel import (
    OF_A_GAME,
    SIGCONT,
    SIGSTOP,
    Broken,
    Furniture,
    LastNumber,
    LessMemory,
    at_most,
    become,
    drop_privileges,
    end_with_parent,
    enter_new,
    go_in,
    has_exited,
    limit,
    namespaces_of_a_move,
    own_namespaces,
    restore_signals,
    return_to,
    set_dumpable,
    show_own_processes,
    signal_others,
)
from judge.process.sandbox.own_folder import OwnFolder, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn

    from judge.process.sandbox.forked_program import ForkedProgram, Ready

_LONGEST = 2**18  # bytes of a message about a player's data, at most

NEW_GAME, PAUSE, RESUME = b"n", b"s", b"c"
_LONGEST_NUMBER = 16  # bytes

# Limits that only moves have. The fork server may use more time, and must be able to start a move
# when the bot has used up its processes.
_OF_A_MOVE = (resource.RLIMIT_CPU, resource.RLIMIT_NPROC)

_BYTE = bytearray(1)
_PIPES = (1, 2, 0)  # stdout, stderr and stdin: the order of the descriptors in a request

_ANOTHER_GAME = 3  # the exit status of a game's process if another game follows
_NOT_EXECUTED = 127
_UNCHANGEABLE = 1 | 2 | 4 | 8  # seals: no more seals, no shrinking, no growing, no writing


def main(plan: dict[str, Any]) -> ForkServer:
    """Run the fork server. Returns in the process of each game.

    ``plan`` has these keys. ``requests`` are descriptors of sockets, used in turn, and ``answers``
    is that of another socket. ``command``, ``folder``, ``environment`` and ``limits`` are those of
    each move. ``scratch`` is the size of a move's /tmp in bytes, or None outside of bubblewrap.
    ``is_filtered`` says that a filter refuses queues and networks. ``is_forked`` says that the last
    word of the command is a Python program to be forked. ``lives`` says that the program lives for
    a match. ``compiling`` has the limits of a compilation: ``seconds``, bytes of ``memory``, and
    ``size``, the bytes of its output. ``user`` is the user that the fork server becomes, or None.
    ``learner`` is the plan of each move's `judge.process.sandbox.own_folder.OwnFolder`, or None.
    ``places``, ``content`` and ``copy`` are for each game's
    `judge.process.sandbox.game_copy.Copy`.
    """
    answers, *requests = (_socket.socket(fileno=fd) for fd in (plan["answers"], *plan["requests"]))
    below = 2
    for fd in sorted((plan["answers"], plan["content"], *plan["requests"])):
        os.closerange(below + 1, fd)  # bubblewrap leaves its own descriptors open
        os.set_inheritable(fd, False)
        below = fd
    os.closerange(below + 1, 2**31 - 1)
    server = ForkServer(plan, answers, requests)
    server.attempt(server.keep)
    return server


class ForkServer:
    """The state of the fork server, and of each game's process."""

    def __init__(
        self, plan: dict[str, Any], answers: _socket.socket, requests: list[_socket.socket]
    ) -> None:
        self.plan = plan
        self.answers = answers
        self.requests = requests  # the socket of the next move comes first
        self.is_inside = plan["scratch"] is not None
        self.program: Ready | None = None  # the program to fork, if there is one
        self.namespaces = namespaces_of_a_move(is_filtered=plan["is_filtered"])
        self.copy = Copy(plan["places"], plan["content"], plan["copy"])
        self.own = OwnFolder(plan["learner"]) if plan["learner"] else None
        self.home: list[int] = []  # this process's own namespaces, inside bubblewrap
        self.games = 1  # the number of games that have begun
        self.limits_of_a_move: list[tuple[int, tuple[int, int]]] = []
        self.last_number: LastNumber | None = None  # inside bubblewrap
        # In the process of a game:
        self.children: Children | None = None
        self.waiting: list[MoveProcesses] = []  # the moves that are ready, and the one under way

    def attempt(self, work: Callable[[], Any]) -> Any:
        """Do some work and return its result. An error ends this process; if the machine does not
        allow the work, ``broken`` is sent first."""
        is_done = False
        try:
            done = work()
            is_done = True
        except (OSError, Broken) as error:
            _tell(self.answers, f"broken {error}")
        finally:
            if not is_done:
                os._exit(1)
        return done

    def keep(self) -> None:
        """Begin one game after another. Returns in the process of each game."""
        if self.is_inside:
            end_with_parent(0)  # its parent, which is bubblewrap, is outside of the namespace
        if self.plan["user"] is not None:
            become(self.plan["user"])
        for name in ("LD_BIND_NOW", "PWD"):  # variables that only the fork server needs
            environ.pop(name, None)
        for what, most in self.plan["limits"]:
            if what in _OF_A_MOVE:
                self.limits_of_a_move.append((what, (allowed := at_most(what, most), allowed)))
            else:
                limit(what, most)  # set here, and inherited by moves
        if not self.answers.recv(1):  # the judge's leave to begin
            os._exit(0)
        if self.is_inside:
            go_in()
            self.home = own_namespaces()
            self.last_number = LastNumber()
        set_dumpable(False)
        if self.plan["is_forked"]:
            self.copy.put()
            self._prepare()
            self.copy.take_away()
        begun = f"ready {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}"
        number = None
        if self.last_number:
            while not (number := self._begin_apart(self.last_number)):
                begun = "renewed"
                self.games += 1
        self.children = Children(self._rooms(), number)
        _tell(self.answers, begun)

    def _begin_apart(self, last_number: LastNumber) -> int | None:
        """Begin a game in a process of its own, with which all its processes end. Returns the
        number of the bot's process in the game's process, and None in this one if another game
        follows.

        The game's process is the first of its namespace, and a fork of this process, which no move
        has changed.
        """
        last_number.begin_anew()
        enter_new(OF_A_GAME)
        game = os.fork()
        if not game:
            self.home = own_namespaces()
            # The number is read in the fork: the server's memory would show it to later games.
            if not (number := self.answers.recv(_LONGEST_NUMBER)):
                os._exit(0)
            self.copy.put()
            return int(number)
        return_to(self.home)
        _, status = os.waitpid(game, 0)
        if os.WIFSIGNALED(status):
            raise Broken(f"the process of a game was ended by signal {os.WTERMSIG(status)}")
        if os.waitstatus_to_exitcode(status) != _ANOTHER_GAME:
            os._exit(0)
        return None

    def fork(self) -> bool:
        """Make one more move ready. If there is a move for each socket, first wait for the end of
        the oldest and clear it away. Returns False in the process that becomes the bot."""
        assert self.children, "a game has begun"
        if len(self.waiting) == len(self.requests):
            self._see_out(self.children, self.waiting[0])
            del self.waiting[0]
        if started := self.children.start():
            self.waiting.append(started)
            self.requests.append(self.requests.pop(0))
        return started is not None

    def _see_out(self, children: Children, move: MoveProcesses) -> None:
        """Wait until a move has ended, and clear it away. Ends this process if another game begins
        or the judge has ended, which is awaited if a game has only one move."""
        if self._wait_for_its_end(children, move) == NEW_GAME:
            os._exit(_ANOTHER_GAME if self.is_inside else 0)
        children.kill_init(move)
        if not self._tell_its_end(*children.reap(move.bot)):
            os._exit(0)
        children.reap_init(move)
        if not (self._hand_over(move) and _tell(self.answers, "gone")):
            os._exit(0)
        if self.plan["lives"]:
            while (said := self.answers.recv(1)) in (PAUSE, RESUME):
                pass  # meant for the bot, which has ended
            os._exit(_ANOTHER_GAME if said == NEW_GAME else 0)

    def _hand_over(self, move: MoveProcesses) -> bool:
        """Copy a player's data into the file that the judge passes. Returns False if the judge has
        ended."""
        if move.folder is None or self.own is None:
            return True
        passed: list[tuple[int, int, bytes]] = []
        while not passed:  # other messages were for a bot that had ended already
            said, passed, _, _ = self.answers.recvmsg(
                _LONGEST, _socket.CMSG_SPACE(4), _socket.MSG_CMSG_CLOEXEC
            )
            if not said:
                return False
        (into,) = memoryview(passed[0][2]).cast("i")
        brought, made = loads(said)  # noqa: S302 - the judge has sent it
        try:
            told = self.own.collect(move.folder, brought, made, into)
        except OSError as error:
            told = f"data refused-{error.errno} 0 - -"
        close(into)
        close(move.folder)
        return _tell(self.answers, told)

    def _rooms(self) -> Rooms | None:
        """The facilities for each move, or None outside of bubblewrap."""
        if not self.last_number:
            return None
        furniture = Furniture(self.plan["scratch"], self.plan["environment"]["TMPDIR"])
        return Rooms(self.namespaces, furniture, self.last_number, self.home, self.own)

    def _tell_its_end(self, status: int, usage: resource.struct_rusage) -> bool:
        micros = (usage.ru_utime + usage.ru_stime) * 1e6
        return _tell(self.answers, f"ended {status} {micros:.0f} {usage.ru_maxrss}")

    def _prepare(self) -> None:
        """Have the program compiled, and import the modules of the standard library that it
        imports."""
        from judge.process.sandbox.forked_program import ForkedProgram, load, set_up

        *interpreter, path = self.plan["command"]
        program = ForkedProgram(path, interpreter)
        said = self._have_compiled(program).decode("ascii", "replace")
        imported, _, shadowed = said.partition("\n")
        with LessMemory(self.plan["compiling"]["memory"]):
            load(program, imported.split(), shadowed.split())
        chdir(self.plan["folder"])
        self.program = set_up(program)
        chdir("/")

    def _have_compiled(self, program: ForkedProgram) -> bytes:
        """Have another process compile the program, and return that process's report; empty if that
        failed.

        The file of the compiled program is sealed, so no move can change it for the next.
        """
        import fcntl

        from judge.process.sandbox.compiling import LONGEST_REPORT

        most = self.plan["compiling"]["seconds"]
        code = os.memfd_create("code", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        report, end = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        server = os.getpid()
        children = Children(self._rooms())
        move = children.start() or self._be_compiler(program.path, code, end, server)
        close(end)
        is_late = not has_exited(move.bot, most, unless_gone=self.answers.fileno())
        children.kill(move)
        children.kill_init(move)
        status, _ = children.reap(move.bot)
        children.reap_init(move)
        if is_late or os.WIFSIGNALED(status):
            why = f"took more than {most:g} s" if is_late else f"ended by signal {status & 127}"
            program.note = f"judge: compiling this beforehand {why}; now in a move\n".encode()
            return b""
        try:
            said = os.read(report, LONGEST_REPORT)
            fcntl.fcntl(code, fcntl.F_ADD_SEALS, _UNCHANGEABLE)
        except OSError:  # there is no report, or a process can still write to the file
            return b""
        if status or not said:
            return b""
        program.code, program.size = code, os.fstat(code).st_size
        return said

    def _be_compiler(self, path: str, code: int, report: int, server: int) -> NoReturn:
        """Give up everything but the descriptors ``code`` and ``report``, and compile the
        program."""
        from judge.process.sandbox.compiling import compile_bot

        status = 1
        try:
            _go_first(self._give_up())
            end_with_parent(server)
            dup2(0, 1)
            dup2(0, 2)
            low, high = sorted((code, report))
            for first, last in ((3, low), (low + 1, high), (high + 1, 2**31 - 1)):
                os.closerange(first, last)
            bounds = self.plan["compiling"]
            limit(resource.RLIMIT_DATA, bounds["memory"])
            limit(resource.RLIMIT_FSIZE, bounds["size"])
            limit(resource.RLIMIT_CPU, int(bounds["seconds"]) + 1)
            compile_bot(path, code, report)
            status = 0
        finally:
            os._exit(status)

    def _wait_for_its_end(self, children: Children, move: MoveProcesses) -> bytes:
        """Wait until the bot has exited, or the judge says to end it or that another game begins.
        Meanwhile stop and resume the bot when the judge says so. Returns the judge's last word, or
        ``b""``.

        Without a namespace, the judge says when the process group may be ended. The group's leader
        is not reaped yet, so the group's number cannot belong to others.
        """
        while not (children.is_reaped(move.bot) or self._exits_first(move.bot)):
            said = self.answers.recv(1)
            if said not in (PAUSE, RESUME):
                break
            signal_others(SIGSTOP if said == PAUSE else SIGCONT)
        else:
            if self.is_inside:
                return b""
            _tell(self.answers, "exited")
            said = self.answers.recv(1)
        if said != NEW_GAME:
            children.kill(move)
        return said

    def _exits_first(self, bot: int) -> bool:
        """Wait until the bot exits or the judge sends a message. Returns whether the bot has
        exited."""
        exited = os.pidfd_open(bot)
        poll = select.poll()
        for fd in (exited, self.answers.fileno()):
            poll.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poll.poll()]
        close(exited)
        return exited in ready

    def become(self) -> Ready:
        """Give up all privileges, wait for the request, and become the bot. Returns only for a
        forked program."""
        score = self._give_up()
        for what, allowed in self.limits_of_a_move:
            setrlimit(what, allowed)
        if self.program:
            self.program.settle()
        request = _wait_for_request(self.requests[0], self.games, score)
        if not self.program:
            self._execute(*request)
            os._exit(_NOT_EXECUTED)
        variables, arguments, *_ = request
        for name, value in variables.items():  # update() writes to three times as many pages
            environ[name] = value
        self.program.take(arguments)
        for channel in (self.answers, *self.requests):
            channel.detach()  # it is closed already, and its number may be the program's
        return self.program

    def _give_up(self) -> int | None:
        """Become a process of the bot: in the bot's folder and without privileges.

        Returns a descriptor of this process's oom_score_adj, or None if there are no limits.
        """
        if self.is_inside:
            # In the fork server's session, since each session has a share of the processors.
            setpgid(0, 0)
        else:
            os.setsid()
        chdir(self.plan["folder"])
        set_dumpable(True)  # this also lets it write to its own files in /proc
        score = None
        if self.plan["limits"]:
            score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        if self.is_inside:
            show_own_processes()
            drop_privileges()
        stdin, nobody = pipe()  # a closed pipe, and not a file that a bot could change
        close(nobody)
        dup2(stdin, 0)
        return score

    def _execute(
        self,
        variables: dict[str, str],
        arguments: Sequence[str],
        workplace: Sequence[str] | None,
        data: tuple[str, int, int] | None,
    ) -> None:
        command = [*self.plan["command"], *arguments]
        environment = {**self.plan["environment"], **variables}
        restore_signals()
        try:
            if workplace is not None:
                chdir(self.own.folder if self.own else environment["TMPDIR"])
                for folder in workplace:
                    os.mkdir(folder, 0o700)
                if data:
                    name, size, file = data
                    write(name, file, size, 0o644)
            os.execvpe(command[0], command, environment)  # noqa: S606 - as is meant
        except OSError as error:
            _tell(self.answers, f"failed {error.errno}")


def _wait_for_request(
    requests: _socket.socket, game: int, score: int | None
) -> tuple[dict[str, str], Sequence[str], Sequence[str] | None, tuple[str, int, int] | None]:
    """Say that this move is ready, wait for its request, and return it. The pipes of the request
    replace the standard streams. A data file is a name, a size, and the descriptor after the pipes.

    If memory runs out after the request, the kernel ends this process first: before the fork
    server, and before the next ready move.
    """
    requests.send(b"%d" % game)
    # The length is asked first: a buffer for the longest request would cost more.
    length = requests.recv_into(_BYTE, 1, _socket.MSG_PEEK | _socket.MSG_TRUNC)
    size = _socket.CMSG_SPACE(4 * (len(_PIPES) + 1))
    request, passed, _, _ = requests.recvmsg(length, size, _socket.MSG_CMSG_CLOEXEC)
    if not passed:
        os._exit(1)  # the judge has ended
    _go_first(score)
    fds = memoryview(passed[0][2]).cast("i").tolist()
    for place, fd in zip(_PIPES, fds):  # noqa: B905 - there may be only two
        dup2(fd, place)
    variables, arguments, workplace, data = loads(request)  # noqa: S302 - the judge has sent it
    return variables, arguments, workplace, data and (*data, fds[len(_PIPES)])


def _go_first(score: int | None) -> None:
    """Have the kernel end this process first if memory runs out."""
    if score is not None:
        write_to(score, b"1000")


def _tell(answers: _socket.socket, message: str) -> bool:
    """Send a message to the judge. Returns False if the judge has ended."""
    try:
        answers.send(message.encode("ascii", "backslashreplace"))
    except OSError:
        return False
    return True
