"""The command line: one file per command, gathered in `commands`. It parses, calls and shows."""

import sys
import warnings
from typing import Any

from armwise.errors import InputError, require

__all__ = ["app", "main"]


def main() -> None:
    """The entry point of `armwise`; without the libraries of a command line, a sentence."""
    try:
        require("typer", "rich", "pydantic")
    except InputError as problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
    from armwise.cli.commands import app

    warnings.showwarning = _say
    app(prog_name="armwise")


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'armwise.cli' has no attribute '{name}'")
    from armwise.cli.commands import app

    return app


def _say(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning as a sentence, without its category and its line of code."""
    print(message, file=sys.stderr)
