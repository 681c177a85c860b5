"""The command `armwise`: whenever it is interrupted, it ends within two seconds, in a sentence.

It imports as little as it can before it listens, since nobody waits half a second to press Ctrl-C.
"""

import os
import signal
import sys

INTERRUPTED = 130
SENTENCE = b"Interrupted; nothing was saved.\n"
PATIENCE = 1.8  # seconds that compiled code has to come to an end
STUBBORN = b"Interrupted. A component did not come to an end; what was finished is kept.\n"


def main() -> None:
    """Load the command line, which takes some tenths of a second, and run it."""
    listening = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if listening:
        signal.signal(signal.SIGINT, _leave)
    from armwise.cli import main as run

    if listening:
        signal.signal(signal.SIGINT, _interrupt)
    try:
        run()
    except KeyboardInterrupt:  # between the command and the end of the program
        os.write(2, SENTENCE)
        sys.exit(INTERRUPTED)


def _leave(*_: object) -> None:
    """Nothing is under way yet, so there is nothing to clean up."""
    os.write(2, SENTENCE)
    os._exit(INTERRUPTED)


def _interrupt(*_: object) -> None:
    """End as Python does; by force if compiled code of a component never returns."""
    import threading

    watchdog = threading.Timer(PATIENCE, _leave_by_force)
    watchdog.daemon = True
    watchdog.start()
    raise KeyboardInterrupt


def _leave_by_force() -> None:
    """Files appear whole or not at all, so there is nothing to clean up."""
    os.write(2, STUBBORN)
    os._exit(INTERRUPTED)
