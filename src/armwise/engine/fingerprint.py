"""The fingerprint of code: a hash of everything that a function can reach.

The name of a stored cell is made from source text, which is equal in every version of Python. The
name of a kernel is made from bytecode, because that is what is compiled. Values that code finds by
name are part of both, in words.
"""

import ast
import hashlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

from armwise.engine.binding import Slots, methods_of
from armwise.engine.reach import code_in, found_by
from armwise.engine.source import is_own, plain_text, source_tree
from armwise.engine.words import named, words_of
from armwise.model.component import Component


def fingerprint(
    function: Any,
    slots: Slots,
    text: Callable[[FunctionType], str] | None = None,
    words: Callable[[FunctionType, str, Any], str] | None = None,
) -> str:
    """A hash of everything that `function` can reach; it changes if and only if that does.

    `text` describes a function, `words` describes a value.
    """
    text, words = text or source_text, words or named
    digest = hashlib.sha256()
    seen = set()
    places: dict[Any, int] = {}  # of functions, in the order in which they are met
    waiting = [slots.get(function, function)]
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        digest.update(text(current).encode())
        for name, value in found_by(current):
            called = value if isinstance(value, FunctionType) else code_in(value)
            if called is not None:
                called = slots.get(called, called)
                waiting.append(called)
                if not (is_own(current) and is_own(called)):  # a user's name may be moved
                    place = places.setdefault(called, len(places))
                    digest.update(f"{name} is function {place};".encode())
            if not isinstance(value, FunctionType):
                digest.update(f"{name}={words(current, name, value)};".encode())
    return digest.hexdigest()


def stamp(component: Component) -> str:
    """A hash of the code of a user's component; empty for a component of armwise.

    As long as it is equal, kernels made from the component in this process are valid.
    """
    if is_own(component):
        return ""
    methods = methods_of(component)
    return "".join(fingerprint(method, {}, code_text, _shown) for method in methods)


def _shown(function: FunctionType, name: str, value: Any) -> str:
    return words_of(value) or repr(value)


def source_text(function: FunctionType) -> str:
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


def code_text(function: FunctionType) -> str:
    """The bytecode of a function as text, without line numbers and docstring."""
    return plain_text(function.__code__, function.__doc__)
