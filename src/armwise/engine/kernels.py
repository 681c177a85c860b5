"""Compiled kernels on disk: found again by later processes, never stale, never loaded damaged.

A kernel's file is named by all that determines it: the code it binds, armwise's own way to compile,
Numba's version, the processor, the types of its arguments. It holds a checksum, the kernel, and
nothing else; it appears whole or not at all. What goes wrong here costs a compilation, no result.
"""

import contextlib
import functools
import hashlib
import os
import pickle
import secrets
import shutil
import time
import warnings
from pathlib import Path
from typing import Any

import platformdirs

FORGET_AFTER_DAYS = 60.0
_CHECKSUM = 32  # bytes


def cache_folder() -> Path:
    """Where compiled kernels are kept: ARMWISE_CACHE_DIR, or the user's cache folder."""
    chosen = os.environ.get("ARMWISE_CACHE_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("armwise"))


@functools.cache
def own_code() -> str:
    """A hash of how code is bound and compiled, which determines a kernel too."""
    here = Path(__file__).parent
    names = ("binding.py", "compile.py", "lean.py", "records.py", "kernels.py")
    digest = hashlib.sha256()
    for name in names:
        digest.update((here / name).read_bytes())
    return digest.hexdigest()


def kernel_name(code: str, device: str = "cpu") -> str:
    """The name of a kernel, from the fingerprint of the code that it binds."""
    return hashlib.sha256(f"{code} {own_code()} {device}".encode()).hexdigest()[:32]


def _reduce(made: Any) -> Any:
    return made._reduce()


def _rebuild(target: Any, states: Any) -> Any:
    from numba.core.compiler import CompileResult

    target.refresh()
    return CompileResult._rebuild(target, *states)


class KernelCache:
    """The cache of one kernel, in the shape in which a Numba dispatcher asks for one.

    `reduce` makes of a compiled kernel what can be pickled, `rebuild` the kernel of that again.
    """

    def __init__(self, name: str, reduce: Any = _reduce, rebuild: Any = _rebuild) -> None:
        self.name = name
        self.reduce, self.rebuild = reduce, rebuild
        self.cache_path = str(cache_folder() / "kernels")
        self.target: Any = None

    def path(self, signature: Any, target: Any) -> Path:
        """The file of the kernel for arguments of these types, on this processor."""
        import llvmlite
        import numba

        versions = numba.__version__, llvmlite.__version__
        about = (self.name, signature, versions, target.codegen().magic_tuple())
        return Path(self.cache_path) / hashlib.sha256(repr(about).encode()).hexdigest()[:32]

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The kernel, if it was compiled before."""
        self.target = target
        path = self.path(signature, target)
        try:
            content = path.read_bytes()
            os.utime(path)
        except OSError:
            return None
        checksum, payload = content[:_CHECKSUM], content[_CHECKSUM:]
        if hashlib.sha256(payload).digest() != checksum:
            warnings.warn(f"{path} is damaged: the kernel is compiled again.", stacklevel=2)
            return None
        return self.rebuild(target, pickle.loads(payload))

    def save_overload(self, signature: Any, kernel: Any) -> None:
        """Keep a kernel, if that is possible."""
        path = self.path(signature, self.target)
        draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}.tmp")
        try:
            payload = pickle.dumps(self.reduce(kernel))
            _forget_unused(path.parent)
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft.write_bytes(hashlib.sha256(payload).digest() + payload)
            os.replace(draft, path)
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)

    def flush(self) -> None:
        """Part of what Numba asks for."""

    enable = disable = flush


def _forget_unused(kernels: Path) -> None:
    for path in kernels.glob("*"):
        if time.time() - path.stat().st_mtime > FORGET_AFTER_DAYS * 86400.0:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
