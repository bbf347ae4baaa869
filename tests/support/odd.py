"""Python programs in which a fork might show: each must look the same in both ways of launching."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent


@dataclass(frozen=True)
class Odd:
    """A program, and what lies beside it in its folder."""

    source: str | bytes
    beside: Mapping[str, str] = field(default_factory=dict)

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


def exits(code: str) -> Odd:
    return Odd(f"import sys\nprint('said')\nsys.exit({code})\n")


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
    "exits with a huge number": exits("2**70"),
    "exits with a text": exits("'no moves left'"),
    "exits with bytes": exits("b'no'"),
    "exits with a float": exits("1.0"),
    "exits with an empty text": exits("''"),
    "exits with what cannot be told": exits("type('X', (), {'__str__': lambda self: 1 / 0})()"),
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
    "is told of an end": Odd(
        """
        import weakref
        class Thing: ...
        thing = Thing()
        reference = weakref.ref(thing, lambda _: print("gone"))
        """
    ),
    "is told of an end by a proxy": Odd(
        """
        import weakref
        class Thing: ...
        thing = Thing()
        proxy = weakref.proxy(thing, lambda _: print("gone"))
        """
    ),
    "has a finalizer of what is not collected": Odd(
        """
        class Thing:
            __slots__ = ()
            def __del__(self):
                print("gone")
        thing = Thing()
        """
    ),
    # What the judge might meet after the program's last line.
    "uses numpy": Odd("import numpy\nprint(numpy.arange(5).sum())\n"),
    "has modules that are no modules": Odd(
        """
        import arrays, sys
        class Fails:
            def __getattribute__(self, name):
                raise RuntimeError(name)
        sys.modules["slots"] = type("Slots", (), {"__slots__": ()})()
        sys.modules["number"] = 5
        sys.modules["nothing"] = None
        sys.modules["fails"] = Fails()
        sys.modules["lazy"] = type("Lazy", (type(sys),), {"__dict__": property(lambda self: 1 / 0)})("l")
        print(arrays.core.size)
        """,
        {
            "arrays.py": """
            import sys
            class core:  # a class in the place of a module, as typing.io was
                size = 3
            sys.modules["arrays.core"] = core
            sys.modules["arrays.flags"] = 7
            """
        },
    ),
    "has modules of odd names": Odd(
        """
        import sys
        class Name(str):
            def __hash__(self):
                return hash(str(self))
            def __eq__(self, other):
                return 1 / 0
        sys.modules[Name("odd")] = sys
        sys.modules[5] = sys
        print("said")
        """
    ),
    "has names that are no texts": Odd(
        "globals()[1] = 2\nglobals()[None] = 3\nout = open(1, 'w', closefd=False)\nout.write('late')\n"
    ),
    "has other modules": Odd(
        """
        import sys
        class Modules(dict):
            def __iter__(self):
                return 1 / 0
        sys.modules = Modules(sys.modules)
        print("said")
        """
    ),
    "has no modules": Odd("import sys\nprint('said')\nsys.modules.clear()\n"),
    "is not main any more": Odd("import sys\nsys.modules['__main__'] = 5\nprint('said')\n"),
    "is another main": Odd(
        """
        import sys
        class Thing:
            def __del__(self):
                print("gone")
        thing = Thing()
        sys.modules["__main__"] = type(sys)("__main__")
        print("said")
        """
    ),
    "has no names": Odd("print('said')\nglobals().clear()\n"),
    "has types of its own": Odd(
        """
        import typing
        class Board: ...
        Boards = typing.List[Board]
        out = open(1, "w", closefd=False)
        out.write("late")
        """
    ),
    "is known to what was loaded before": Odd(
        """
        import json
        class Thing:
            def __del__(self):
                print("gone")
        thing = Thing()
        out = open(1, "w", closefd=False)
        out.write("late")
        json.JSONEncoder.default = lambda self, value: thing
        """
    ),
    "has a finalizer in sys": Odd(
        """
        import builtins, sys
        class Thing:
            def __init__(self, name):
                self.name = name
            def __del__(self, write=__import__("os").write):
                write(1, self.name)
        sys.thing, builtins.thing = Thing(b"sys"), Thing(b"builtins")
        """
    ),
    "fails in a finalizer": Odd(
        """
        class Thing:
            def __del__(self):
                1 / 0
        thing = Thing()
        cycle = Thing()
        cycle.itself = cycle
        print("said")
        """
    ),
    "exits in a finalizer": Odd(
        """
        import sys
        class Thing:
            def __del__(self, exit=sys.exit):
                print("gone")
                exit(5)
        thing = Thing()
        """
    ),
    "exits under everything in a finalizer": Odd(
        """
        import os
        class Thing:
            def __del__(self, exit=os._exit):
                exit(5)
        thing = Thing()
        print("said")
        """
    ),
    "exits under everything in an exit function": Odd(
        "import atexit, os\natexit.register(os._exit, 5)\nprint('said')\n"
    ),
    "imports in a finalizer": Odd(
        """
        class Thing:
            def __del__(self):
                try:
                    import json, sys
                    print(json.__name__, sys.path, sys.meta_path)
                except ImportError as error:
                    print(error)
        thing = Thing()
        """
    ),
    "changes everything in a finalizer": Odd(
        """
        import gc, sys
        class Thing:
            def __del__(self, sys=sys, gc=gc):
                sys.settrace(print)
                sys.setprofile(print)
                gc.callbacks.append(1)
                sys.stdout.write("gone")
                sys.setrecursionlimit(10 ** 6)
                sys.stdout = sys.stderr = None
        thing = Thing()
        """,
    ),
    "names finalizers in an odd order": Odd(
        """
        class Thing:
            def __init__(self, name):
                self.name = name
            def __del__(self):
                print("gone", self.name, one is None)
        __two = Thing("two")
        one = Thing("one")
        _three = Thing("three")
        _ = Thing("four")
        """
    ),
    "leaves a generator": Odd(
        """
        def steps():
            try:
                yield 1
            finally:
                print("closed")
        left = steps()
        next(left)
        """
    ),
    "leaves a coroutine": Odd(
        "import asyncio\nasync def move(): ...\nleft = move()\nmove()\nprint('said')\n"
    ),
    "leaves a loop": Odd(
        "import asyncio\nloop = asyncio.new_event_loop()\nloop.create_task(asyncio.sleep(5))\n"
    ),
    "leaves a temporary folder": Odd(
        "import tempfile\nleft = tempfile.TemporaryDirectory(prefix='x')\nprint('said')\n"
    ),
    "leaves an open file, warned": Odd(
        "import warnings\nwarnings.simplefilter('always')\nleft = open(__file__)\n"
    ),
    "leaves a log": Odd(
        """
        import logging, sys
        class Late(logging.StreamHandler):
            def emit(self, record):
                self.record = record
            def flush(self):
                print(self.record.getMessage())
        logging.getLogger().addHandler(Late(sys.stdout))
        logging.warning("late")
        """
    ),
    "leaves a bare thread": Odd(
        "import _thread, time\n_thread.start_new_thread(time.sleep, (600,))\nprint('said')\n"
    ),
    "starts a thread in an exit function": Odd(
        """
        import atexit, threading
        atexit.register(lambda: threading.Thread(target=print, args=("late",)).start())
        """
    ),
    "forks in an exit function": Odd(
        """
        import atexit, os
        @atexit.register
        def late():
            if os.fork():
                os.wait()
            print("twice")
        """
    ),
    # What might change what the judge does then.
    "cannot recurse": Odd(
        """
        import sys
        def down():
            try:
                sys.setrecursionlimit(9)
            except RecursionError as error:
                print("too low")
        sys.setrecursionlimit(12)
        print("said")
        """
    ),
    "cannot recurse and fails": Odd("import sys\nsys.setrecursionlimit(12)\n1 / 0\n"),
    "is traced": Odd(
        """
        import atexit, sys
        def trace(frame, event, value, file=__file__):
            if frame.f_code.co_filename in (file, "<string>"):
                print(frame.f_code.co_name, event)
        def late(): ...
        class Thing:
            def __del__(self): ...
        thing = Thing()
        atexit.register(late)
        sys.settrace(trace)
        """
    ),
    "is traced and fails": Odd(
        """
        import sys
        def trace(frame, event, value, file=__file__):
            if frame.f_code.co_filename in (file, "<string>"):
                print(frame.f_code.co_name, event)
        sys.settrace(trace)
        1 / 0
        """
    ),
    "fails in its trace": Odd("import sys\nsys.settrace(lambda *_: 1 / 0)\n"),
    "is profiled": Odd(
        """
        import sys
        def profile(frame, event, value, file=__file__):
            # The frame below returns, too: that is documented.
            if frame.f_code.co_filename == file or (not frame.f_back and event != "return"):
                print(frame.f_code.co_name, event, value)
        sys.setprofile(profile)
        """
    ),
    "is profiled and fails": Odd(
        """
        import sys
        def profile(frame, event, value, file=__file__):
            # The frame below returns, too: that is documented.
            if frame.f_code.co_filename == file or (not frame.f_back and event != "return"):
                print(frame.f_code.co_name, event, value)
        sys.setprofile(profile)
        1 / 0
        """
    ),
    "is monitored": Odd(
        """
        import sys
        if sys.version_info >= (3, 12):
            monitoring = sys.monitoring
            monitoring.use_tool_id(3, "mine")
            monitoring.register_callback(3, monitoring.events.PY_START, lambda code, _: print(code))
            monitoring.set_events(3, monitoring.events.PY_START)
        """
    ),
    "is told of collections": Odd(
        """
        import gc
        def told(phase, info):
            raise ValueError(phase)
        gc.callbacks.append(told)
        print("said")
        """
    ),
    "never collects": Odd(
        """
        import gc
        gc.disable()
        class Thing:
            def __del__(self):
                print("gone")
        cycle = Thing()
        cycle.itself = cycle
        """
    ),
    "audits": Odd(
        """
        import sys
        def hook(event, values):
            if event.startswith(("signal.", "os.kill", "sys.set")):
                print(event)
        sys.addaudithook(hook)
        """
    ),
    "audits and fails": Odd(
        """
        import sys
        def hook(event, values):
            if event.startswith(("signal.", "os.kill", "sys.set", "sys.exc")):
                print(event)
        sys.addaudithook(hook)
        1 / 0
        """
    ),
    "hears a signal at the end": Odd(
        """
        import os, signal
        def heard(*_):
            raise TimeoutError
        signal.signal(signal.SIGALRM, heard)
        class Thing:
            def __del__(self, kill=os.kill, me=os.getpid(), alarm=signal.SIGALRM):
                kill(me, alarm)
                print("gone")
        thing = Thing()
        out = open(1, "w", closefd=False)
        out.write("late")
        """
    ),
    "has no builtins": Odd("import builtins\nprint('said')\nvars(builtins).clear()\n"),
    "has no exceptions": Odd(
        """
        import builtins, sys
        for name in ("BaseException", "Exception", "map", "iter", "vars", "exec", "__import__", "any"):
            setattr(builtins, name, None)
        del sys.exc_info, sys.gettrace, sys.getprofile
        1 / 0
        """
    ),
    "has another sys": Odd(
        """
        import sys
        class Sys(type(sys)):
            def __getattribute__(self, name):
                raise AttributeError(name)
        sys.__class__ = Sys
        print("said")
        """
    ),
    "has no sys": Odd("import sys\nprint('said')\nvars(sys).clear()\n"),
    "has no hook": Odd("import sys\ndel sys.excepthook\n1 / 0\n"),
    "has a hook that is none": Odd("import sys\nsys.excepthook = 5\n1 / 0\n"),
    "has an own hook for what is ignored": Odd(
        """
        import sys
        class Thing:
            def __del__(self):
                1 / 0
        thing = Thing()
        sys.unraisablehook = lambda ignored: print(ignored.exc_type)
        """
    ),
    "has streams that are none": Odd(
        "import sys\nprint('lost')\nsys.stdout, sys.stderr = 5, object()\n"
    ),
    "has a stdout that exits": Odd(
        """
        import os, sys
        class Exits:
            def __getattr__(self, name):
                os._exit(7)
        print("said", flush=True)
        sys.stdout = Exits()
        """
    ),
    "flushes in an own way": Odd(
        """
        import sys
        sys.stdout.flush = lambda: sys.stderr.write("flushed\\n")
        print("said")
        """
    ),
    "closes all descriptors": Odd("import os\nprint('lost')\nos.closerange(0, 256)\n"),
    "raises what lies": Odd(
        """
        class Lies(Exception):
            __traceback__ = property(lambda self: 1 / 0, lambda self, value: 1 / 0)
            __class__ = property(lambda self: SystemExit)
            def __setattr__(self, name, value):
                1 / 0
            def with_traceback(self, trace):
                1 / 0
        print("said")
        raise Lies("mine")
        """
    ),
    "raises again what was raised": Odd(
        """
        def deeper():
            1 / 0
        try:
            deeper()
        except ArithmeticError as error:
            raised = error
        raise raised.with_traceback(None)
        """
    ),
    "raises with finalizers": Odd(
        """
        class Thing:
            def __del__(self):
                print("gone")
        def deeper():
            here = Thing()
            1 / 0
        thing = Thing()
        out = open(1, "w", closefd=False)
        out.write("late")
        deeper()
        """
    ),
    "exits with finalizers": Odd(
        """
        import sys
        class Thing:
            def __del__(self):
                print("gone")
        thing = Thing()
        out = open(1, "w", closefd=False)
        out.write("late")
        sys.exit(3)
        """
    ),
    "exits with a code that fails": Odd(
        "class Done(SystemExit):\n    code = property(lambda self: 1 / 0)\nraise Done\n"
    ),
    "raises the end of a generator": Odd("raise GeneratorExit('mine')\n"),
    "says it by C": Odd("import ctypes\nctypes.CDLL(None).puts(b'said')\n"),
    "breaks its memory": Odd("import ctypes\nprint('lost')\nctypes.string_at(0)\n"),
    "ends its interpreter": Odd("import ctypes\nprint('said')\nctypes.pythonapi.Py_Exit(4)\n"),
    "is ended by a pipe": Odd(
        "import os, signal\nsignal.signal(13, signal.SIG_DFL)\nos.kill(os.getpid(), 13)\n"
    ),
    "interrupts itself, blocked": Odd(
        """
        import signal
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        raise KeyboardInterrupt
        """
    ),
    "uses a pool of processes": Odd(
        """
        import multiprocessing
        with multiprocessing.Pool(2) as pool:
            print(pool.map(abs, range(-3, 3)))
        """
    ),
    "leaves a process": Odd(
        """
        import multiprocessing, time
        context = multiprocessing.get_context("fork")
        context.Process(target=time.sleep, args=(600,), daemon=True).start()
        print("said")
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
