"""Compiled kernels on disk: found again by later processes, and never stale.

A kernel's file is named by a hash of everything that determines it: the code it binds, the code
that compiles it, the versions of Numba and LLVM, the processor, the types of its arguments.
"""

import functools
import hashlib
import pickle
import warnings
from pathlib import Path
from typing import Any

from armwise.model import cache

KIND = "kernels"


@functools.cache
def own_code() -> str:
    """A hash of the modules that bind and compile code, which determine a kernel too."""
    here = Path(__file__).parent
    names = ("binding.py", "compile.py", "lean.py", "records.py", "kernels.py", "cuda/compile.py")
    digest = hashlib.sha256()
    for name in names:
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


def kernel_name(code: str, device: str = "cpu") -> str:
    """The name of a kernel, from the fingerprint of the code it binds."""
    return hashlib.sha256(f"{code} {own_code()} {device}".encode()).hexdigest()[:32]


def _reduce(made: Any) -> Any:
    return made._reduce()


def _rebuild(target: Any, states: Any) -> Any:
    from numba.core.compiler import CompileResult

    target.refresh()
    return CompileResult._rebuild(target, *states)


def _warn(what: str, problem: Exception) -> None:
    reason = f"{type(problem).__name__}: {problem}"
    warnings.warn(f"A compiled kernel cannot be {what} ({reason}).", stacklevel=3)


class KernelCache:
    """The cache of one kernel, with the interface that a Numba dispatcher expects.

    `reduce` turns a compiled kernel into something that can be pickled; `rebuild` reverses it.
    """

    cache_path = ""  # part of Numba's interface

    def __init__(self, name: str, reduce: Any = _reduce, rebuild: Any = _rebuild) -> None:
        self.name = name
        self.reduce, self.rebuild = reduce, rebuild
        self.target: Any = None

    def file_name(self, signature: Any) -> str:
        """The file of the kernel for arguments of these types, on this processor."""
        import llvmlite
        import numba

        versions = numba.__version__, llvmlite.__version__
        about = (self.name, signature, versions, self.target.codegen().magic_tuple())
        return hashlib.sha256(repr(about).encode()).hexdigest()[:32]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The kernel if it was compiled before, else None."""
        self.target = target
        payload = cache.load(KIND, self.file_name(signature))
        try:
            return None if payload is None else self.rebuild(target, pickle.loads(payload))
        except Exception as problem:  # for any error, compile again
            _warn("loaded", problem)
            return None

    def save_overload(self, signature: Any, kernel: Any) -> None:
        """Write a kernel to disk, if possible; never one that holds addresses of this process."""
        if getattr(getattr(kernel, "library", None), "has_dynamic_globals", False):
            return  # a table that is long or not in one piece: compiled in every process
        try:
            cache.save(KIND, self.file_name(signature), pickle.dumps(self.reduce(kernel)))
        except Exception as problem:
            _warn("kept", problem)

    def flush(self) -> None:
        """Do nothing: part of Numba's interface."""

    enable = disable = flush
