"""The source of a function, as a tree: only if it is the source of the code that runs.

A file may be edited after it was imported. Then its text says what another process would run.
"""

import __future__

import ast
import copy
import functools
import linecache
import os
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

OWN = str(Path(__file__).parents[1]) + os.sep  # the folder of armwise's own code
_FUTURE = __future__.annotations.compiler_flag  # the one that code of today may have


def is_own(thing: Any) -> bool:
    """Whether a component or a function comes with armwise."""
    module = thing.__module__ if isinstance(thing, FunctionType) else type(thing).__module__
    return str(module).partition(".")[0] == "armwise"


def source_tree(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, or None if the source is missing or has changed since."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    found = _definitions(code.co_filename, text, code.co_flags & _FUTURE)
    here = [each for each in found if each[0].name == code.co_name]
    here.sort(key=lambda each: abs(each[1].co_firstlineno - code.co_firstlineno))
    for tree, compiled in here:
        if plain_text(compiled) == plain_text(code):
            return copy.deepcopy(tree)
    return None


@functools.lru_cache(maxsize=256)
def _definitions(file: str, text: str, flags: int) -> tuple[tuple[ast.FunctionDef, CodeType], ...]:
    """Every function that a text defines, with its code."""
    try:
        tree = ast.parse(text, file)
        module = compile(tree, file, "exec", flags=flags, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    defined = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    trees = {(node.name, _first_line(node)): node for node in defined}
    codes = {(code.co_name, code.co_firstlineno): code for code in _codes_in(module)}
    return tuple((node, codes[place]) for place, node in trees.items() if place in codes)


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _codes_in(code: CodeType) -> list[CodeType]:
    inner = [item for item in code.co_consts if isinstance(item, CodeType)]
    return inner + [each for item in inner for each in _codes_in(item)]


@functools.cache
def plain_text(code: CodeType, doc: str | None = None) -> str:
    """Code in words, without places in a file and without its docstring."""
    constants = [
        plain_text(item) if isinstance(item, CodeType) else repr(item)
        for item in code.co_consts
        if item is None or item != doc
    ]
    return f"{code.co_code.hex()}{constants}{code.co_names}{code.co_varnames}{code.co_freevars}"
