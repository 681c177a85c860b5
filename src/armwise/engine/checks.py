"""Checks of a component's methods before they run: a clear message for every usual mistake."""

import ast
import inspect
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

from armwise.engine.reach import found_by, uncompiled
from armwise.engine.source import is_own, source_tree
from armwise.errors import InputError
from armwise.model.component import Component

_RANDOM = ("random", "numpy.random")  # modules


def check_method(component: Component, name: str, expected: Any, given: Any) -> None:
    """Raise InputError if a method cannot stand in for the one that a role expects."""
    where = f"{component.label}.{name}"
    wanted = list(inspect.signature(expected).parameters)
    code = given.__code__ if inspect.isfunction(given) else None
    if code is None or (code.co_argcount, code.co_kwonlyargcount) != (len(wanted), 0):
        raise InputError(f"{where} must take ({', '.join(wanted)}).")
    if is_own(given):
        return
    if "__class__" in given.__code__.co_freevars:
        raise InputError(
            f"{where} uses super(), which compiled code does not know: write what is shared as a "
            "function of the module."
        )
    tree = source_tree(given)
    if tree is not None:
        _check_self(component, where, tree, given.__code__.co_varnames[0])
    for function in reachable(given):
        _check_draws(where, function)


def _check_self(component: Component, where: str, tree: ast.AST, own: str) -> None:
    """Everything that a method reads from `self` must be a parameter or a table."""
    known = [*component.parameters(), *type(component).tables]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or getattr(node.value, "id", None) != own:
            continue
        if inspect.isfunction(getattr(type(component), node.attr, None)):
            raise InputError(
                f"{where} calls self.{node.attr}: write it as a function of the module, because "
                "compiled code knows only the parameters of self."
            )
        if node.attr in known:
            continue
        if node.attr in vars(type(component)):
            raise InputError(
                f"{where} reads self.{node.attr}, which is not a parameter because it has no type: "
                f"write `{node.attr}: float = ...` in the class."
            )
        raise InputError(
            f"{where} reads self.{node.attr}, which is not a parameter of {component.label}. "
            f"Known: {', '.join(known) or 'none'}."
        )


def _check_draws(where: str, function: FunctionType) -> None:
    """Draws are addressed: neither NumPy's generators nor Python's may be used."""
    for name, value in found_by(function):
        if _is_random(value):
            raise InputError(
                f"{where} draws from {name}: draw from `rng`, as in "
                "armwise.draws.uniform(rng, 0), so that results can be repeated."
            )


def _is_random(value: Any) -> bool:
    """Whether a value is a generator of random numbers, a method of one, or a module of them."""
    owner = getattr(value, "__self__", None)
    value = value if owner is None else owner
    if isinstance(value, ModuleType):
        home = value.__name__
    else:
        home = str(getattr(value, "__module__", "")) or type(value).__module__
    return any(f"{home}.".startswith(f"{name}.") for name in _RANDOM)


def reachable(function: FunctionType) -> Iterator[FunctionType]:
    """A user's function and every other function of the user that it calls."""
    seen, waiting = set(), [function]
    while waiting:
        current = waiting.pop()
        if current in seen or is_own(current):
            continue
        seen.add(current)
        yield current
        values = [uncompiled(value) for _, value in found_by(current)]
        waiting += [value for value in values if isinstance(value, FunctionType)]
