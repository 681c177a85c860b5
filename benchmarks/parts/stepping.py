"""Every machine instruction that a call runs in some code, one step at a time (Linux, x86-64).

A forked child makes the call; its parent lets it take single steps and notes where it is. This
counts exactly what a processor's counters count, and works where a virtual machine hides those.
"""

import ctypes
import os
import signal
from collections.abc import Callable
from typing import NamedTuple

TRACE_ME, PEEK_USER, SINGLE_STEP = 0, 3, 9
INSTRUCTION_POINTER = 16 * 8  # its place among the registers


class Code(NamedTuple):
    """Machine code in memory."""

    start: int
    size: int


def addresses(call: Callable[[], object], codes: list[Code]) -> list[list[int]]:
    """The offsets of all instructions that the call runs in each code, in order."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    child = os.fork()
    if child == 0:
        status = 1
        try:
            libc.ptrace(TRACE_ME, 0, None, None)
            os.kill(os.getpid(), signal.SIGSTOP)
            call()
            status = 0
        finally:
            os._exit(status)
    os.waitpid(child, 0)
    found: list[list[int]] = [[] for _ in codes]
    while True:
        libc.ptrace(SINGLE_STEP, child, None, None)
        _, status = os.waitpid(child, 0)
        if os.WIFEXITED(status) or os.WIFSIGNALED(status):
            assert status == 0, "the call failed"
            return found
        here = libc.ptrace(PEEK_USER, child, INSTRUCTION_POINTER, None)
        for code, offsets in zip(codes, found, strict=True):
            if code.start <= here < code.start + code.size:
                offsets.append(here - code.start)
