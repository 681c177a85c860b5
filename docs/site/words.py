"""How docstrings and signatures are written in the reference."""

import inspect
import re
from collections.abc import Callable
from typing import Any

WIDTH = 88
_MODULES = re.compile(
    r"\b(?:armwise|collections|typing|pathlib|numpy|dataclasses)(?:\.\w+)*\.(?=\w)"
)
_EXAMPLE = re.compile(r"(^[ ]*>>> .*?)(?=\n[ ]*\n(?![ ]*>>>)|\Z)", re.MULTILINE | re.DOTALL)
_PAGE = re.compile(r"\bdocs/([\w/-]+)\.md\b")


def document(thing: Any) -> str:
    """A docstring as Markdown: examples in fences, names of pages as links."""
    text = inspect.getdoc(thing) or ""
    parts = _EXAMPLE.split(text)
    return "\n\n".join(filter(None, (_part(part) for part in parts))) + "\n"


def _part(text: str) -> str:
    if text.lstrip().startswith(">>> "):
        return f"```pycon\n{inspect.cleandoc(text).rstrip()}\n```"
    return _PAGE.sub(r"[\1](../\1.md)", text.strip())


def summary(thing: Any) -> str:
    """The first sentence of a docstring, for a table."""
    first = (inspect.getdoc(thing) or "").split("\n\n")[0].replace("\n", " ")
    return _PAGE.sub(r"[\1](../\1.md)", first.replace("|", "\\|"))


def signature(name: str, thing: Callable) -> str:
    """How a function or a class is called, in a fence."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return ""
    parts = _parts([each for each in parameters if each.name not in ("self", "cls")])
    result = returned(thing)
    line = f"{name}({', '.join(parts)}){result}"
    if len(line) > WIDTH:
        line = f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){result}"
    return f"```python\n{line}\n```\n"


def _parts(parameters: list[inspect.Parameter]) -> list[str]:
    """The parameters, with the star before those that need their names."""
    parts, starred = [], False
    for each in parameters:
        starred |= each.kind is each.VAR_POSITIONAL
        if each.kind is each.KEYWORD_ONLY and not starred:
            parts, starred = [*parts, "*"], True
        parts.append(_parameter(each))
    return parts


def _parameter(each: inspect.Parameter) -> str:
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    typed = "" if each.annotation is each.empty else f": {annotation(each.annotation)}"
    if each.default is each.empty:
        return f"{stars}{each.name}{typed}"
    return f"{each.name}{typed}{' = ' if typed else '='}{default(each.default)}"


def annotation(kind: Any) -> str:
    """A type without the modules that it comes from."""
    text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
    return _MODULES.sub("", text.replace("InitVar", "")).replace("'", "").replace('"', "")


def default(value: Any) -> str:
    """A default as a reader would write it."""
    if callable(value):
        return getattr(value, "__name__", "...")
    return "..." if re.search(r"<.*>|\bobject at\b", repr(value)) else repr(value)


def returned(thing: Callable) -> str:
    """The type of what a function returns, with its arrow."""
    if inspect.isclass(thing):
        return ""
    kind = inspect.signature(thing).return_annotation
    return "" if kind in (inspect.Signature.empty, None, "None") else f" -> {annotation(kind)}"
