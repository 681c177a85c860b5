"""What all tests share."""

import os
import signal

# A process that was started in the background ignores Ctrl-C, and so would all that it starts; the
# tests that interrupt a program need it to listen.
signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.pop("COLUMNS", None)  # tables are then as wide as in a pipe
os.unsetenv("COLUMNS")  # readline may have set it behind Python's back
