"""Python programs in which a fork might show: each must look the same in both ways of launching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent


@dataclass(frozen=True)
class Odd:
    """A program, and what lies beside it in its folder.

    ``stderr`` is False where the last line of that is an accident of the interpreter.
    """

    source: str | bytes
    beside: Mapping[str, str] = field(default_factory=dict)
    stderr: bool = True

    def write(self, folder: Path) -> Path:
        """Its file, in that folder, with its neighbours."""
        for name, text in self.beside.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(dedent(text))
        path = folder / "bot.py"
        source = self.source
        path.write_bytes(dedent(source).encode() if isinstance(source, str) else source)
        return path


def exits(code: str, *, stderr: bool = True) -> Odd:
    return Odd(f"import sys\nprint('said')\nsys.exit({code})\n", stderr=stderr)


ODD: dict[str, Odd] = {
    "would import what exits": Odd(
        """
        import sys
        def never():
            import unittest.__main__, idlelib.idle, lib2to3.__main__, tkinter.__main__, venv.__main__
        print(sorted(name for name in sys.modules if name.endswith("__main__")))
        """
    ),
    # How it ends.
    "does nothing": Odd(""),
    "exits with None": exits("None"),
    "exits with 3": exits("3"),
    "exits with True": exits("True"),
    "exits with 256": exits("256"),
    "exits with -1": exits("-1"),
    "exits with a big number": exits("2**40 + 5"),
    "exits with a huge number": exits("2**70", stderr=False),
    "exits with a text": exits("'no moves left'"),
    "exits with bytes": exits("b'no'"),
    "exits with a float": exits("1.0"),
    "exits with an empty text": exits("''"),
    "exits with what cannot be told": exits(
        "type('X', (), {'__str__': lambda self: 1 / 0})()", stderr=False
    ),
    "exits by raise": Odd("raise SystemExit"),
    "exits by an own kind of exit": Odd(
        "class Done(SystemExit):\n    code = 4\nraise Done('five')\n"
    ),
    "exits in a thread": Odd(
        """
        import sys, threading
        thread = threading.Thread(target=sys.exit, args=(3,))
        thread.start()
        thread.join()
        print("went on")
        """
    ),
    "exits under everything": Odd("import os\nprint('lost')\nos._exit(9)\n"),
    "exits under everything, flushed": Odd("import os\nprint('kept', flush=True)\nos._exit(9)\n"),
    "aborts": Odd("import os\nprint('lost')\nos.abort()\n"),
    "kills itself": Odd("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"),
    "terminates itself": Odd("import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n"),
    "interrupts itself": Odd("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"),
    "raises an interrupt": Odd("print('said')\nraise KeyboardInterrupt('by hand')\n"),
    "raises an own kind of interrupt": Odd(
        "class Mine(KeyboardInterrupt): ...\nraise Mine('by hand')\n"
    ),
    "handles a signal": Odd(
        """
        import os, signal
        signal.signal(signal.SIGTERM, lambda *_: print("heard"))
        os.kill(os.getpid(), signal.SIGTERM)
        """
    ),
    "shows its signals": Odd(
        """
        import signal
        for number in sorted(signal.valid_signals()):
            print(number, signal.getsignal(number))
        print(signal.pthread_sigmask(signal.SIG_BLOCK, []))
        """
    ),
    # Exceptions.
    "raises": Odd("def deeper():\n    1 / 0\nprint('said')\ndeeper()\n"),
    "raises from": Odd(
        """
        try:
            {}["x"]
        except KeyError as error:
            raise ValueError("ü, two\\nlines") from error
        """
    ),
    "raises while it handles": Odd("try:\n    1 / 0\nexcept ArithmeticError:\n    undefined\n"),
    "raises a group": Odd("raise ExceptionGroup('many', [ValueError(1), TypeError(2)])\n"),
    "raises with a note": Odd("error = ValueError(1)\nerror.add_note('note')\nraise error\n"),
    "raises in an own hook": Odd(
        "import sys\nsys.excepthook = lambda *_: undefined\nraise ValueError(1)\n"
    ),
    "exits in an own hook": Odd(
        "import sys\nsys.excepthook = lambda *_: sys.exit(5)\nraise ValueError(1)\n"
    ),
    "has an own hook": Odd(
        """
        import sys
        def hook(kind, error, trace):
            print(kind.__name__, error, trace.tb_frame.f_code.co_name, trace.tb_next)
        sys.excepthook = hook
        raise ValueError(1)
        """
    ),
    "raises in a thread": Odd(
        "import threading\nthreading.Thread(target=lambda: 1 / 0, name='t').start()\n"
    ),
    "cannot be printed": Odd("raise type('X', (Exception,), {'__str__': lambda self: 1 / 0})\n"),
    "tells its traceback": Odd(
        """
        import traceback
        try:
            1 / 0
        except ArithmeticError:
            print(traceback.format_exc())
        """
    ),
    "recurses for ever": Odd("def f(): f()\nf()\n"),
    "recurses as deep as it can": Odd(
        """
        def down(depth):
            global deepest
            deepest = depth
            down(depth + 1)
        try:
            down(1)
        except RecursionError as error:
            print(deepest, error)
        """
    ),
    # What does not compile.
    "has a syntax error": Odd("print('never')\nif True\n    pass\n"),
    "is badly indented": Odd("if True:\npass\n"),
    "returns outside": Odd("print('never')\nreturn 1\n"),
    "has a null byte": Odd(b"print(1)\0\n"),
    "is not UTF-8": Odd(b"print('caf\xe9')\n"),
    "is Latin-1": Odd(b"# coding: latin-1\nprint(ascii('caf\xe9'))\n"),
    "has an unknown coding": Odd(b"# coding: klingon\nprint(1)\n"),
    "begins with a byte order mark": Odd(b"\xef\xbb\xbfprint(ascii('\xc3\xa9'))\n"),
    "has Windows line ends": Odd(b"if 1:\r\n    print('a')\r\n"),
    "is nested too deep": Odd("x = " + "(" * 300 + ")" * 300 + "\n"),
    "is warned of": Odd("import warnings\nprint(1 is 1)\nwarnings.warn('mine')\n"),
    "is no text": Odd(bytes(range(256))),
    "has annotations of the future": Odd(
        "from __future__ import annotations\ndef f(x: undefined): ...\nprint(f.__annotations__)\n"
    ),
    # The end of the interpreter.
    "has exit functions": Odd(
        """
        import atexit
        atexit.register(print, "first")
        atexit.register(print, "second")
        print("body")
        """
    ),
    "has an exit function that fails": Odd("import atexit\natexit.register(lambda: 1 / 0)\n"),
    "has an exit function that exits": Odd(
        "import atexit, sys\natexit.register(sys.exit, 7)\nprint('said')\n"
    ),
    "has exit functions after an exception": Odd(
        "import atexit\natexit.register(print, 'still')\n1 / 0\n"
    ),
    "leaves a thread at work": Odd(
        """
        import threading, time
        def work():
            time.sleep(0.05)
            print("done")
        threading.Thread(target=work).start()
        """
    ),
    "leaves a daemon thread": Odd(
        """
        import threading, time
        threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
        print("said")
        """
    ),
    "leaves a pool": Odd(
        """
        from concurrent.futures import ThreadPoolExecutor
        pool = ThreadPoolExecutor(2)
        pool.submit(print, "in the pool")
        """
    ),
    "leaves a file unflushed": Odd("out = open(1, 'w', closefd=False)\nout.write('late')\n"),
    "leaves a file unflushed in a function": Odd(
        """
        def shout(words, out=open(1, "w", closefd=False)):
            out.write(words)
        shout("late")
        """
    ),
    "leaves a file unflushed in a neighbour": Odd(
        "import helper\nhelper.out.write('late')\n",
        {"helper.py": "out = open(1, 'w', closefd=False)\n"},
    ),
    "has a finalizer": Odd(
        """
        class Thing:
            def __init__(self, name):
                self.name = name
            def __del__(self):
                print("gone", self.name)
        a = Thing("a")
        _b = Thing("b")
        cycle = Thing("c")
        cycle.itself = cycle
        def uses():
            return a
        """
    ),
    "has weak finalizers": Odd(
        """
        import weakref
        class Thing: ...
        thing = Thing()
        weakref.finalize(thing, print, "finalized")
        """
    ),
    # Its streams.
    "prints without a newline": Odd("import sys\nsys.stdout.write('{}')\n"),
    "prints bytes": Odd("import sys\nsys.stdout.buffer.write(b'\\xff\\x00\\n')\n"),
    "prints odd text": Odd("print('é \\U0001f600')\nprint('\\udc80')\n"),
    "prints what cannot be encoded": Odd("print('said')\nprint('\\ud800')\n"),
    "complains of odd text": Odd("import sys\nprint('\\ud800 é', file=sys.stderr)\n"),
    "mixes its streams": Odd(
        """
        import os, sys
        print("out")
        print("err", end="", file=sys.stderr)
        os.write(1, b"at once\\n")
        sys.stderr.write("\\nlast")
        """
    ),
    "prints much": Odd("for _ in range(2000): print('0123456789')\n"),
    "closes stdout": Odd("import sys\nprint('said')\nsys.stdout.close()\n"),
    "closes stdout and prints": Odd("import sys\nsys.stdout.close()\nprint('said')\n"),
    "closes the descriptor of stdout": Odd("import os\nprint('lost')\nos.close(1)\n"),
    "closes the descriptor of stdout and exits": Odd(
        "import os, sys\nprint('lost')\nos.close(1)\nsys.exit(3)\n"
    ),
    "closes the descriptor of stderr": Odd(
        "import os, sys\nprint('said')\nos.close(2)\nprint('lost', file=sys.stderr)\n"
    ),
    "has no stdout": Odd("import sys\nsys.stdout = None\nprint('lost')\n"),
    "has no streams": Odd("import sys\ndel sys.stdout, sys.stderr, sys.stdin\n1 / 0\n"),
    "replaces stdout": Odd(
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'utf-16')\nprint('x')\n"
    ),
    "detaches stdout": Odd("import sys\nprint('said')\nsys.stdout.detach().write(b'raw')\n"),
    "has a stdout that cannot be flushed": Odd(
        """
        import sys
        class Broken:
            def write(self, text): ...
            def flush(self):
                raise ValueError("no")
        sys.stdout = Broken()
        """
    ),
    "writes to a broken pipe": Odd(
        """
        import os
        end, start = os.pipe()
        os.close(end)
        os.dup2(start, 1)
        print("lost")
        """
    ),
    "writes much to a broken pipe": Odd(
        """
        import os
        end, start = os.pipe()
        os.close(end)
        os.dup2(start, 1)
        for _ in range(10000):
            print("lost")
        """
    ),
    "reads": Odd("import sys\nprint(repr(sys.stdin.read()))\n"),
    "asks": Odd("input('move? ')\n"),
    "shows its streams": Odd(
        """
        import os, sys
        for stream in (sys.stdin, sys.stdout, sys.stderr):
            print(stream, stream.fileno(), stream.errors, stream.line_buffering,
                  stream.write_through, stream.newlines, stream.seekable(), stream.isatty(),
                  type(stream.buffer), stream.buffer.raw, stream is stream and stream.mode)
        print(sorted(os.listdir("/proc/self/fd"))[:-1])
        """
    ),
    # What it finds.
    "shows its names": Odd(
        """
        '''A docstring.'''
        for name in list(globals()):
            print(name, type(globals()[name]), str(globals()[name])[:40])
        print(__name__, __file__, __spec__, __package__, __doc__)
        """
    ),
    "shows its arguments": Odd(
        """
        import os, sys
        print(sys.argv, sys.orig_argv, sys.executable, sys.flags, sys.warnoptions, sys._xoptions)
        print(sys.path, os.getcwd(), os.umask(0))
        print(sys.dont_write_bytecode, sys.getswitchinterval(), sys.getdefaultencoding())
        """
    ),
    "shows its environment": Odd("import os\nprint(sorted(os.environ))\n"),
    "shows its modules": Odd(
        """
        import json, random, sys
        print(sorted(name for name in sys.modules if name != "warnings"))
        """
    ),
    "is imported as main": Odd(
        """
        import __main__, sys
        print(__main__ is sys.modules[__name__], vars(__main__) is globals())
        """
    ),
    "pickles": Odd(
        """
        import pickle
        class Thing:
            size = 3
        print(pickle.loads(pickle.dumps(Thing())).size, pickle.dumps(Thing()))
        """
    ),
    "looks at itself": Odd(
        """
        import inspect
        def thing():
            return 1
        print(inspect.getsource(thing), inspect.getfile(thing))
        """
    ),
    "prints its file": Odd("print(open(__file__).read())\n"),
    "imports neighbours": Odd(
        """
        import helper, package.inner
        from package import value
        print(helper.count, package.inner.where, value, helper.__file__)
        helper.count += 1
        """,
        {
            "helper.py": "count = 0\nprint('imported')\n",
            "package/__init__.py": "value = 5\n",
            "package/inner.py": "where = __name__\n",
        },
    ),
    "imports a neighbour called like a standard module": Odd(
        "import json, random\nprint(json.loads('[1]'), random.__file__)\n",
        {"random.py": "def randint(low, high):\n    return 4\n"},
    ),
    "imports a neighbour called like one that a standard module imports": Odd(
        "import json\nprint(json.loads('[1]'))\n",
        {"re.py": "raise RuntimeError('mine')\n"},
    ),
    "imports a neighbour that lies deeper": Odd(
        "import sys\nsys.path.insert(0, 'lib')\nimport helper\nprint(helper.x, sys.path[:2])\n",
        {"lib/helper.py": "x = 1\n"},
    ),
    "imports a folder called like a standard module": Odd(
        "import json\nprint(json.loads('[1]'))\n", {"json/data.txt": ""}
    ),
    "imports what is installed": Odd("import click, site\nprint(click, site.ENABLE_USER_SITE)\n"),
    "shows what site has done": Odd(
        """
        import builtins, site, sys
        print(site.ENABLE_USER_SITE, site.PREFIXES, sys.prefix, sys.base_prefix)
        print(hasattr(sys, "__interactivehook__"), hasattr(builtins, "exit"), sys.path)
        """
    ),
    "imports itself": Odd("import bot\nprint(__name__)\n"),
    "imports what is not there": Odd("import nothing_of_that_name\n"),
    "imports something deprecated": Odd("import sys\nfrom collections import Mapping\n"),
    "imports this": Odd("import this\n"),
    "relatively imports": Odd("from . import helper\n", {"helper.py": ""}),
    "changes what it has imported": Odd(
        """
        import builtins, json, random, sys
        assert json.dumps(1) == "1" and print.__self__ is builtins
        print(json.dumps([1]), random.Random(1).random())
        json.dumps = lambda value: "changed"
        random.random = lambda: 4
        builtins.print = None
        sys.path[:] = []
        """
    ),
    # More processes, more threads.
    "forks": Odd(
        """
        import os, sys
        print("before", flush=True)
        if os.fork() == 0:
            print("child")
            sys.exit(3)
        print(os.waitstatus_to_exitcode(os.wait()[1]))
        """
    ),
    "forks, unflushed": Odd("import os\nprint('twice')\nif os.fork():\n    os.wait()\n"),
    "runs a program": Odd(
        "import subprocess\nprint(subprocess.run(['echo', 'hello'], capture_output=True))\n"
    ),
    "runs itself": Odd(
        """
        import subprocess, sys
        if sys.argv[1] != "again":
            print(subprocess.check_output([*sys.orig_argv[:-1], "again"]))
        print(sys.argv[1][:5])
        """
    ),
    "becomes another program": Odd(
        "import os\nprint('lost')\nos.execvp('echo', ['echo', 'hello'])\n"
    ),
    "is main to multiprocessing, too": Odd(
        """
        import multiprocessing, sys
        print(sys.modules["__mp_main__"] is sys.modules["__main__"])
        """
    ),
    "uses processes that fork": Odd(
        """
        import multiprocessing
        def double(x):
            return 2 * x
        if __name__ == "__main__":
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(double, range(5)))
        """
    ),
    "uses processes that spawn": Odd(
        """
        import multiprocessing
        def double(x):
            return 2 * x
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(double, range(5)))
        """
    ),
    "uses threads": Odd(
        """
        import threading
        print(threading.main_thread() is threading.current_thread(), threading.active_count())
        print(threading.current_thread().name, threading.get_ident() == threading.main_thread().ident)
        """
    ),
    "runs a loop": Odd(
        """
        import asyncio
        async def main():
            await asyncio.sleep(0.01)
            print("slept")
        asyncio.run(main())
        """
    ),
    "sets an alarm": Odd(
        """
        import signal, time
        def ring(*_):
            print("rung")
            raise TimeoutError
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            time.sleep(60)
        except TimeoutError:
            print("stopped thinking")
        """
    ),
}
