"""What all tests share."""

import signal

# A process that was started in the background ignores Ctrl-C, and so would all that it starts; the
# tests that interrupt a program need it to listen.
signal.signal(signal.SIGINT, signal.default_int_handler)
