"""What commands share in writing to a terminal, a pipe or a program."""

import contextlib
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

PIPE_WIDTH = 160  # where no terminal says how wide it is, lines need not be folded at 80


def console(stderr: bool = False) -> "Console":
    """Where to print: in colour on a terminal, plain and wide in a pipe or a file."""
    from rich.console import Console

    screen = Console(stderr=stderr, highlight=False)
    if not screen.is_terminal and "COLUMNS" not in os.environ:
        screen.width = PIPE_WIDTH
    return screen


def plain(text: str) -> "Text":
    """Text of others as it is: no markup, and nothing that steers a terminal.

    >>> str(plain("a[bold]b\\x1b[31mc"))
    'a[bold]b\\\\x1b[31mc'
    """
    from rich.text import Text

    shown = (
        c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text
    )
    return Text("".join(shown))


@contextlib.contextmanager
def only_json() -> Iterator[None]:
    """What anybody prints goes to stderr, compiled code included; stdout is for `print_json`."""
    shown = sys.stdout
    try:
        real = shown.fileno() == 1
    except (OSError, ValueError):  # a stream of a test, or of a notebook
        real = False
    with contextlib.ExitStack() as stack:
        if real:
            shown.flush()
            kept = os.dup(1)
            os.dup2(2, 1)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, 1)
            _outlets.append(lambda text: _write(kept, text.encode()))
        else:
            _outlets.append(shown.write)
        stack.callback(_outlets.pop)
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        yield


_outlets: list[Callable[[str], Any]] = []  # where the JSON of the command under way goes


def _write(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]


def print_json(value: Any) -> None:
    """One JSON object on stdout, and nothing else."""
    _outlets[-1](json.dumps(_plain(value), allow_nan=False) + "\n")


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


def scaled(number: float) -> str:
    """A count with about two digits.

    >>> scaled(950), scaled(12_345), scaled(1.5e6), scaled(2.25e9)
    ('950', '12 k', '1.5 M', '2.2 G')
    """
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            digits = 1 if number < 10 * unit else 0
            return f"{number / unit:.{digits}f} {name}"
    return f"{number:.0f}"


def duration(seconds: float) -> str:
    """A time in words, in its two largest units.

    >>> duration(4.2), duration(95), duration(3 * 3600 + 120), duration(200_000)
    ('4 s', '1 min 35 s', '3 h 2 min', '2 d 7 h')
    """
    whole = round(seconds)
    for unit, name, smaller, below in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if whole >= unit:
            rest = whole % unit // smaller
            return f"{whole // unit} {name}" + (f" {rest} {below}" if rest else "")
    return f"{whole} s"
