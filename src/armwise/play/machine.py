"""The machine and the versions of the libraries, in words."""

import platform
from importlib import metadata
from pathlib import Path

from armwise.version import VERSION


def machine() -> str:
    """The machine in words: processor, system, Python."""
    system = f"{platform.system()} {platform.machine()}"
    return f"{_processor()}, {system}, Python {platform.python_version()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:  # not Linux
        return platform.processor() or "unknown processor"
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown processor"


def versions() -> dict[str, str]:
    """The versions of armwise, Python and the libraries that results depend on, by name."""
    names = ("numpy", "numba", "xarray", "h5netcdf", "matplotlib")
    found = {"armwise": VERSION, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in names}
