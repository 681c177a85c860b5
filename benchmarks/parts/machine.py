"""Where and with what something was measured."""

import importlib.metadata
import os
import platform
import sys
from pathlib import Path

from rivals import c_program

PACKAGES = ("armwise", "numba", "jax", "numpy", "scipy", "pymab", "mabwiser")


def lines() -> list[str]:
    """Machine and versions, one line each."""
    versions = [f"{name} {version(name)}" for name in PACKAGES]
    return [
        f"- machine: {processor()}, {cores()} cores, {platform.system()}",
        f"- versions: Python {platform.python_version()}, {', '.join(versions)}",
        f"- C compiler: {c_program.compiler() or 'none'}",
    ]


def version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "absent"


def cores() -> int:
    """Those this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    told = Path("/proc/cpuinfo")
    if sys.platform == "linux" and told.exists():
        for line in told.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
