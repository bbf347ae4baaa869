"""Runs the judge's command line, as ``python -m judge`` does.

``python -m judge`` puts the current folder first in ``sys.path``, and that folder may be a
stranger's. So this file takes the folder out before it imports anything but ``os`` and ``sys``,
which Python itself has loaded by then.
"""

import os
import sys


def leave_the_current_folder() -> None:
    """Remove the current folder from ``sys.path``, if ``python -m`` has put it first there.

    If the judge itself was imported from that folder, as in a checkout, the folder goes to the end
    of the path, where worker processes find the judge.
    """
    try:
        here = os.getcwd()  # noqa: PTH109 - pathlib is not loaded yet
    except FileNotFoundError:  # then Python has put nothing there either
        return
    if sys.flags.safe_path or sys.path[:1] != [here]:
        return
    del sys.path[0]
    if os.path.dirname(os.path.dirname(os.path.abspath(__file__))) == here:  # noqa: PTH100, PTH120
        sys.path.append(here)


def main() -> None:
    """Run the command line."""
    import signal

    # Until the judge handles signals itself, an interrupt ends it silently. Python's own handler
    # would print a traceback of the imports.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # numpy would spread the fit of a few hundred bots over all cores. The threads wait for each
    # other longer than they compute: on a busy machine, twenty times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from judge import cli

    cli.main()


if __name__ == "__main__":
    leave_the_current_folder()
    main()
