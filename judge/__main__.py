"""The judge as a program."""

from __future__ import annotations

import signal


def main() -> None:
    """Run what was typed."""
    # Until the judge listens itself, an interrupt ends it without a word: Python would show where
    # in its imports it was.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from judge import cli

    cli.main()


if __name__ == "__main__":
    main()
