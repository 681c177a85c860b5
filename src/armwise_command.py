"""The command `armwise`: interrupted while it loads, it ends as it does later, in a sentence."""

import os
import signal
import sys
from typing import Any

INTERRUPTED = 130
SENTENCE = b"Interrupted; nothing was saved.\n"


def main() -> None:
    """Load the command line, which takes some tenths of a second, and run it."""
    listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listening:
        signal.signal(signal.SIGINT, _leave)
    from armwise.cli import main as run

    if listening:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        run()
    except KeyboardInterrupt:  # between the command and the end of the program
        os.write(2, SENTENCE)
        sys.exit(INTERRUPTED)


def _leave(*_: Any) -> None:
    """Nothing is under way yet, so there is nothing to clean up."""
    os.write(2, SENTENCE)
    os._exit(INTERRUPTED)
