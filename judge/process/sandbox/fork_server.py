"""The fork server of one bot: started once for the games of a run, it starts each move anew.

This is a program for the inside of the sandbox, with a Python that need not be the judge's. It
imports nothing of the judge's but the modules that are sent along with it, and little of the
standard library. It reads no byte of the bot's and no request: processes of their own do, so that
the fork server is the same after a move as before, and what it says of how a move ended it has from
the kernel alone. `judge.process.sandbox.fork_client` is the other side, and this is one move::

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

In bubblewrap, each game has a fork of the server, in a namespace of its own, which says and does
all this; the server itself waits until that has ended, and so has seen no move when it forks the
next. Two moves are ready at any time, each with a socket for its request: so the next one need not
wait until what the last one leaves has been cleared away, and the one after it made ready. A move
says in which game it is ready; the judge learns its process from the kernel, binds that to the
game's processors, and then asks. The fork server itself runs nowhere in particular: it has none of
the bot's code, and no answer's time is its.

A program that is to be forked is compiled first, in a process that is held as a move is and has
neither socket (`judge.process.sandbox.compiling`). It writes to a file in memory, which nobody can
change once that process has ended, and which each move reads when it has given up everything else.
A file that takes too long to compile, too much memory, or the compiler's life, is compiled by each
move itself, in its own time.

A program that lives for a match is stopped while another is asked, if it goes on computing: the
judge says so, and the process of the game sends the signal to all in its namespace at once.

Without bubblewrap there are no namespaces, and no more is promised than that the bot's process
group ends: then the fork server says that the bot has ``exited``, and waits for leave to end it.

The bot's process has a number that the judge says at the start of each game, in a packet of its
own: programs that take their luck from it are then lucky by their seed. All moves of a game have
the same number, so that a move can be run again alone.

Messages are words in ASCII, one a packet: ``ready PEAK``, ``exited``, ``ended STATUS CPU PEAK`` (as
waitpid has it; microseconds; KiB), ``gone``, ``failed ERRNO`` (the program could not be executed),
``broken WHAT`` (nor could anything else), ``data …`` (what a player keeps, see
`judge.process.sandbox.own_folder`; asked for after ``ended``), ``renewed`` (another game may begin,
in another fork, with another copy of the bot's files). A request is what `marshal` makes of four:
the variables that come to the environment of this move, by name; its arguments; the folders to be
made in its scratch folder, which is then its working folder, or None; and the name and the size of
the data that are put there, or None.

A program that lives for a match is one move that lasts as long: it has no argument, and gets a
stdin besides. It is always executed.
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

_LONGEST = 2**18  # bytes of a message about a player's data

NEW_GAME, PAUSE, RESUME = b"n", b"s", b"c"
_LONGEST_NUMBER = 16  # bytes

# Limits that the fork server does not have: it uses more time, and starts the moves of a bot that
# has taken all processes that it may have.
_OF_A_MOVE = (resource.RLIMIT_CPU, resource.RLIMIT_NPROC)

_BYTE = bytearray(1)
_PIPES = (1, 2, 0)  # the places of the descriptors that come with a request, in this order

_ANOTHER_GAME = 3  # an exit status, of the process of a game
_NOT_EXECUTED = 127
_UNCHANGEABLE = 1 | 2 | 4 | 8  # seals: no more seals, no shrinking, no growing, no writing


def main(plan: dict[str, Any]) -> ForkServer:
    """Keep a bot until there are no more requests; returns in the process of each game.

    ``plan`` has the descriptors ``requests``, to be read in turn, and ``answers``; ``command``,
    ``folder``, ``environment`` and ``limits`` of each move; ``scratch``, the size of its /tmp in
    bytes, or None if this is not inside bubblewrap; ``is_filtered``, if what a move could do to
    queues and networks has no effect on others; ``is_forked``, if the last word of the command is a
    Python program that is to be forked rather than executed; and ``compiling``, what that may take
    beforehand: ``seconds``, and bytes of ``memory`` and of what is made, its ``size``; ``user``,
    who the fork server becomes, or None; ``learner``, for the
    `judge.process.sandbox.own_folder.OwnFolder` of each move, or None; and ``places``, ``content``
    and ``copy``, for the `judge.process.sandbox.game_copy.Copy` of each game.
    """
    answers, *requests = (_socket.socket(fileno=fd) for fd in (plan["answers"], *plan["requests"]))
    below = 2
    for fd in sorted((plan["answers"], plan["content"], *plan["requests"])):
        os.closerange(below + 1, fd)  # bubblewrap leaves its own open
        os.set_inheritable(fd, False)
        below = fd
    os.closerange(below + 1, 2**31 - 1)
    server = ForkServer(plan, answers, requests)
    server.attempt(server.keep)
    return server


class ForkServer:
    """The facts that all moves share."""

    def __init__(
        self, plan: dict[str, Any], answers: _socket.socket, requests: list[_socket.socket]
    ) -> None:
        self.plan = plan
        self.answers = answers
        self.requests = requests  # the one of the next move first
        self.is_inside = plan["scratch"] is not None
        self.program: Ready | None = None  # if it is to be forked
        self.namespaces = namespaces_of_a_move(is_filtered=plan["is_filtered"])
        self.copy = Copy(plan["places"], plan["content"], plan["copy"])
        self.own = OwnFolder(plan["learner"]) if plan["learner"] else None
        self.home: list[int] = []  # this process's own namespaces, inside bubblewrap
        self.games = 1  # games that have begun
        self.limits_of_a_move: list[tuple[int, tuple[int, int]]] = []
        self.last_number: LastNumber | None = None  # inside bubblewrap
        # In the process of a game:
        self.children: Children | None = None
        self.waiting: list[MoveProcesses] = []  # what is ready for moves, and the one under way

    def attempt(self, work: Callable[[], Any]) -> Any:
        """Do some work; if the machine does not allow it, say so and end this process."""
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
        """Have one game after another begin; returns in the process of each."""
        if self.is_inside:
            end_with_parent(0)  # its parent, bubblewrap's other half, lies outside
        if self.plan["user"] is not None:
            become(self.plan["user"])
        for name in ("LD_BIND_NOW", "PWD"):  # descriptors that only the fork server needs
            environ.pop(name, None)
        for what, most in self.plan["limits"]:
            if what in _OF_A_MOVE:
                self.limits_of_a_move.append((what, (allowed := at_most(what, most), allowed)))
            else:
                limit(what, most)  # here, to be inherited
        if not self.answers.recv(1):  # leave to begin
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
        """Begin a game in a process of its own, with which all that it has started ends. Returns
        there the number of the bot's process, and None here when another game follows.

        It is the first process of a namespace, and a fork of this one, which no move has changed.
        """
        last_number.begin_anew()
        enter_new(OF_A_GAME)
        game = os.fork()
        if not game:
            self.home = own_namespaces()
            # Read here: the server's memory would show a game the numbers of earlier games.
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
        """Have one more move ready, once the first of those that are has ended and left nothing;
        False in the process that is to be the bot."""
        assert self.children, "a game has begun"
        if len(self.waiting) == len(self.requests):
            self._see_out(self.children, self.waiting[0])
            del self.waiting[0]
        if started := self.children.start():
            self.waiting.append(started)
            self.requests.append(self.requests.pop(0))
        return started is not None

    def _see_out(self, children: Children, move: MoveProcesses) -> None:
        """Wait until a move has ended, and clear away what it leaves. Ends this process where
        another game begins, or nobody asks any more."""
        if self._wait_for_its_end(children, move) == NEW_GAME:
            os._exit(_ANOTHER_GAME if self.is_inside else 0)
        children.kill_init(move)
        if not self._tell_its_end(*children.reap(move.bot)):
            os._exit(0)
        children.reap_init(move)
        if not (self._hand_over(move) and _tell(self.answers, "gone")):
            os._exit(0)

    def _hand_over(self, move: MoveProcesses) -> bool:
        """Copy what a player keeps into the file that the judge passes for that; False if there is
        no judge any more."""
        if move.folder is None or self.own is None:
            return True
        passed: list[tuple[int, int, bytes]] = []
        while not passed:  # what else the judge has said was for a bot that had ended by itself
            said, passed, _, _ = self.answers.recvmsg(
                _LONGEST, _socket.CMSG_SPACE(4), _socket.MSG_CMSG_CLOEXEC
            )
            if not said:
                return False
        (into,) = memoryview(passed[0][2]).cast("i")
        brought, made = loads(said)  # noqa: S302 - it is the judge's
        try:
            told = self.own.collect(move.folder, brought, made, into)
        except OSError as error:
            told = f"data refused-{error.errno} 0 - -"
        close(into)
        close(move.folder)
        return _tell(self.answers, told)

    def _rooms(self) -> Rooms | None:
        """The things of each move's own in this process's namespaces."""
        if not self.last_number:
            return None
        furniture = Furniture(self.plan["scratch"], self.plan["environment"]["TMPDIR"])
        return Rooms(self.namespaces, furniture, self.last_number, self.home, self.own)

    def _tell_its_end(self, status: int, usage: resource.struct_rusage) -> bool:
        micros = (usage.ru_utime + usage.ru_stime) * 1e6
        return _tell(self.answers, f"ended {status} {micros:.0f} {usage.ru_maxrss}")

    def _prepare(self) -> None:
        """Have the program compiled, and import the part of the standard library that it wants."""
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
        """Have a process of its own compile a program, and return that process's report.

        The compiled program is sealed by the kernel: no move can change it for the next.
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
        except OSError:  # nothing has been said, or what could change it is still there
            return b""
        if status or not said:
            return b""
        program.code, program.size = code, os.fstat(code).st_size
        return said

    def _be_compiler(self, path: str, code: int, report: int, server: int) -> NoReturn:
        """Give up everything but these two descriptors, and compile a program."""
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
        """Wait until the bot has exited, or is to be ended: the judge says so in a byte, which is
        returned. With another one it says that a new game begins.

        Without a namespace to end, it is the judge who says when its process group is ended. Its
        leader is not reaped yet, so that its number cannot have gone to anyone else.
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
        """Wait until the bot exits, which is true, or the judge says something."""
        exited = os.pidfd_open(bot)
        poll = select.poll()
        for fd in (exited, self.answers.fileno()):
            poll.register(fd, select.POLLIN)
        ready = [fd for fd, _ in poll.poll()]
        close(exited)
        return exited in ready

    def become(self) -> Ready:
        """Give up everything, wait to be asked, and become the bot; returns only what is forked."""
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
            channel.detach()  # it is closed, and its number is the program's
        return self.program

    def _give_up(self) -> int | None:
        """Become a process of the bot: in its folder, and without privileges.

        Returns the descriptor of this process's oom_score_adj, if it is held to any limits.
        """
        if self.is_inside:
            setpgid(
                0, 0
            )  # in the fork server's session, since each session has a share of the processors
        else:
            os.setsid()
        chdir(self.plan["folder"])
        set_dumpable(True)  # it also lets a user write to its own files in /proc
        score = None
        if self.plan["limits"]:
            score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        if self.is_inside:
            show_own_processes()
            drop_privileges()
        stdin, nobody = pipe()  # a pipe at its end, not a file that a bot could change
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
    """The request for this move, once it has said that it is ready; its pipes take the place of the
    fork server's. Data to be put into its working folder are a name, a size, and the file that
    comes after the pipes.

    From now on it is the first that the kernel ends where memory is short: before the fork server,
    and before the move that is ready after this one.
    """
    requests.send(b"%d" % game)
    # Room for the longest would be mapped, and unmapped again.
    length = requests.recv_into(_BYTE, 1, _socket.MSG_PEEK | _socket.MSG_TRUNC)
    size = _socket.CMSG_SPACE(4 * (len(_PIPES) + 1))
    request, passed, _, _ = requests.recvmsg(length, size, _socket.MSG_CMSG_CLOEXEC)
    if not passed:
        os._exit(1)  # the judge is done
    _go_first(score)
    fds = memoryview(passed[0][2]).cast("i").tolist()
    for place, fd in zip(_PIPES, fds):  # noqa: B905 - or but two
        dup2(fd, place)
    variables, arguments, workplace, data = loads(request)  # noqa: S302 - it is the judge's
    return variables, arguments, workplace, data and (*data, fds[len(_PIPES)])


def _go_first(score: int | None) -> None:
    """Have the kernel end this process first where memory is short."""
    if score is not None:
        write_to(score, b"1000")


def _tell(answers: _socket.socket, message: str) -> bool:
    """False if there is nobody to be told."""
    try:
        answers.send(message.encode("ascii", "backslashreplace"))
    except OSError:
        return False
    return True
