"""The command line: one file per command, gathered in `commands`. It parses, calls and shows."""

import io
import sys
import warnings
from typing import Any

from armwise.errors import InputError, require

__all__ = ["app", "main"]


def main() -> None:
    """Run the command line; without the libraries that it needs, a sentence."""
    for stream in (sys.stdout, sys.stderr):  # whatever the locale, text is shown somehow
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
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
