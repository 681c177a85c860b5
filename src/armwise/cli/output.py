"""What commands share in writing to a terminal, a pipe or a program."""

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

PIPE_WIDTH = 160  # where no terminal says how wide it is, lines need not be folded at 80


def console(stderr: bool = False) -> "Console":
    """Where to print: in colour on a terminal, plain and wide in a pipe or a file."""
    from rich.console import Console

    screen = Console(stderr=stderr, highlight=False)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = PIPE_WIDTH
    return screen


def print_json(value: Any) -> None:
    """One JSON object on stdout, and nothing else."""
    sys.stdout.write(json.dumps(_plain(value), allow_nan=False) + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    """The same with plain numbers; JSON has no NaN or infinity, so those become null."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
