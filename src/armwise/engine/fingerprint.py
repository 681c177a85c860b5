"""The fingerprint of code: a hash of everything that a function can reach.

The name of a stored cell is made from source text, which is equal in every version of Python. The
name of a kernel is made from bytecode, because that is what is compiled.
"""

import ast
import hashlib
import types
from collections.abc import Callable
from typing import Any

from armwise.engine.binding import Slots
from armwise.engine.checks import source_tree
from armwise.engine.code import globals_of


def fingerprint(
    function: Any, slots: Slots, text: Callable[[types.FunctionType], str] | None = None
) -> str:
    """A hash of all code that `function` can reach; it changes if and only if that code does."""
    text = text or source_text
    digest = hashlib.sha256()
    seen = set()
    waiting = [function]
    while waiting:
        current = waiting.pop()
        current = slots.get(current, current)
        if current in seen:
            continue
        seen.add(current)
        digest.update(text(current).encode())
        values = list(globals_of(current))
        cells = current.__closure__ or ()
        values += zip(current.__code__.co_freevars, (c.cell_contents for c in cells), strict=True)
        for name, value in values:
            if isinstance(value, types.FunctionType):
                waiting.append(value)
            elif isinstance(value, (int, float, str, tuple)):
                digest.update(f"{name}={value!r}".encode())
            elif isinstance(value, type) and hasattr(value, "_fields"):
                digest.update(f"{name}={value.__name__}{value._fields}".encode())
    return digest.hexdigest()


def source_text(function: types.FunctionType) -> str:
    """The source without comments, annotations and docstrings; the bytecode if there is none."""
    tree = source_tree(function)
    if tree is None:
        return code_text(function)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            node.decorator_list = []
            for argument in node.args.args:
                argument.annotation = None
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def code_text(function: types.FunctionType) -> str:
    """The bytecode of a function as text, without line numbers and docstring."""
    return _code_text(function.__code__, function.__doc__)


def _code_text(code: types.CodeType, doc: str | None = None) -> str:
    constants = [
        _code_text(item) if isinstance(item, types.CodeType) else repr(item)
        for item in code.co_consts
        if item is None or item != doc
    ]
    return f"{code.co_code.hex()}{constants}{code.co_names}{code.co_varnames}{code.co_freevars}"
