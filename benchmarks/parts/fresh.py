"""Code in a fresh Python process."""

import os
import subprocess
import sys
import time


def told(code: str, **environment: str) -> tuple[float, str]:
    """Seconds from start to end of the process, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return time.perf_counter() - started, done.stdout


def seconds(code: str, **environment: str) -> float:
    return told(code, **environment)[0]
