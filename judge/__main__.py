"""The judge as a program.

``python -m judge`` puts the current folder first in ``sys.path``, and that folder may be a
stranger's. So nothing is imported before it is taken out, not even ``__future__``: only ``os`` and
``sys``, which Python itself has loaded by then.
"""

import os
import sys


def leave_the_current_folder() -> None:
    """Take the folder that ``python -m`` looks into first out of ``sys.path``.

    In a checkout it is the folder that the judge was imported from. It then goes to the end, for
    worker processes to find the judge there after everything else.
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
    """Run what was typed."""
    import signal

    # Until the judge listens itself, an interrupt ends it without a word: Python would show where
    # in its imports it was.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # numpy would share the fit of a few hundred bots out to all cores. They wait for each other
    # longer than they compute: on a busy machine, twenty times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from judge import cli

    cli.main()


if __name__ == "__main__":
    leave_the_current_folder()
    main()
