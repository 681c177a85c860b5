"""Compile a bound function with Numba and keep the machine code on disk.

Numba names a cached function by its file. A kernel therefore gets a file of its own, in a folder
named by the fingerprint of all the code it binds: the same combination is found again by later
processes, edited code has another name, and nothing is written when nothing is new.
"""

import functools
import hashlib
import os
import shutil
import time
from pathlib import Path
from types import FunctionType
from typing import Any

import platformdirs

from armwise.engine import binding
from armwise.engine.binding import Slots, fingerprint, rebind
from armwise.numerics import beta, gamma, normal, student

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
INNER: dict[str, Any] = {
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}  # called by compiled code only
FORGET_AFTER_DAYS = 60.0

# Special functions are long and called from several places; all else is put where it is called.
_SPECIAL = {
    item.__code__
    for module in (beta, gamma, normal, student)
    for item in vars(module).values()
    if isinstance(item, FunctionType)
}
_kernels: dict[str, Any] = {}


def cache_folder() -> Path:
    """Where compiled kernels are kept: ARMWISE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("ARMWISE_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("armwise"))


def compiled(function: Any, slots: Slots) -> Any:
    """The compiled twin of `function` with its names bound, from memory, disk or the compiler."""
    name = hashlib.sha256((fingerprint(function, slots) + _own_code()).encode()).hexdigest()[:24]
    if name not in _kernels:
        _kernels[name] = _compile(function, slots, name)
    return _kernels[name]


@functools.cache
def _own_code() -> str:
    # How code is bound and compiled determines a kernel too.
    return Path(__file__).read_text() + Path(binding.__file__).read_text()


def _compile(function: Any, slots: Slots, name: str) -> Any:
    from numba import njit  # slow to import: only where something is compiled

    outermost = slots.get(function, function)
    file = _file_of(name, function, slots)

    def compiler(twin: Any) -> Any:
        if twin.__code__ is not outermost.__code__:
            return njit(**INNER, **OPTIONS, forceinline=twin.__code__ not in _SPECIAL)(twin)
        if file is None:
            return njit(**OPTIONS)(twin)
        twin.__code__ = twin.__code__.replace(co_filename=str(file))
        return njit(cache=True, **OPTIONS)(twin)

    return rebind(function, slots, compiler)


def _file_of(name: str, function: Any, slots: Slots) -> Path | None:
    """The file that stands for a kernel, or None where nothing can be kept."""
    folder = cache_folder() / "kernels" / name
    file = folder / "kernel.py"
    try:
        if not file.exists():
            _forget_unused(folder.parent)
            folder.mkdir(parents=True, exist_ok=True)
            bound = sorted({getattr(value, "__qualname__", "") for value in slots.values()})
            text = f'"""armwise kernel {function.__name__}: safe to delete.\n\n' + "\n".join(bound)
            draft = folder / f"kernel.{os.getpid()}.tmp"
            draft.write_text(text + '\n"""\n')
            os.replace(draft, file)
        (folder / "used").touch()
    except OSError:
        return None
    return file


def _forget_unused(kernels: Path) -> None:
    for stamp in kernels.glob("*/used"):
        if time.time() - stamp.stat().st_mtime > FORGET_AFTER_DAYS * 86400.0:
            shutil.rmtree(stamp.parent, ignore_errors=True)
