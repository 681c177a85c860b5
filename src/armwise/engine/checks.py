"""What can be said of a component's methods before they run: a sentence for every usual mistake."""

import ast
import inspect
import textwrap
from typing import Any

from armwise.errors import InputError
from armwise.model.component import Component


def check_method(component: Component, name: str, expected: Any, given: Any) -> None:
    """Raise InputError where a method cannot take the place of the one that a role expects."""
    where = f"{component.label}.{name}"
    wanted = list(inspect.signature(expected).parameters)
    if not inspect.isfunction(given) or given.__code__.co_argcount != len(wanted):
        raise InputError(f"{where} must take ({', '.join(wanted)}).")
    if given.__module__.split(".")[0] == "armwise":
        return
    tree = source_tree(given)
    if tree is None:
        return
    own = given.__code__.co_varnames[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == own:
                _check_attribute(component, where, node.attr)
            elif node.attr == "random" and _is_numpy(given, node.value.id):
                raise InputError(
                    f"{where} draws from {node.value.id}.random: draw from `rng` instead, as in "
                    "armwise.draws.uniform(rng, 0), so that results can be repeated."
                )


def _check_attribute(component: Component, where: str, attribute: str) -> None:
    if inspect.isfunction(getattr(type(component), attribute, None)):
        raise InputError(
            f"{where} calls self.{attribute}: write it as a function of the module, since compiled "
            "code knows the parameters of self only."
        )
    known = [*component.parameters(), *type(component).tables]
    if attribute not in known:
        raise InputError(
            f"{where} reads self.{attribute}, which is no parameter of {component.label}. Known: "
            f"{', '.join(known) or 'none'}."
        )


def _is_numpy(function: Any, name: str) -> bool:
    return getattr(function.__globals__.get(name), "__name__", "") == "numpy"


def source_tree(function: Any) -> ast.AST | None:
    """The syntax tree of a function, or None where its source is not at hand."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
