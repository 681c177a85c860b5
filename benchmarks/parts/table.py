"""A table that can be shown in a terminal and written as Markdown."""

import statistics
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import rich.table


class Options(NamedTuple):
    quick: bool
    full: bool
    say: Callable[[str], None]  # what is being measured now
    against: Path | None = None  # another checkout of armwise


class Table(NamedTuple):
    title: str
    columns: Sequence[str]  # those whose names begin with ">" hold numbers
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()

    def rich(self) -> rich.table.Table:
        found = rich.table.Table(title=self.title, title_justify="left")
        for column in self.columns:
            found.add_column(column.lstrip(">"), justify=_side(column))
        for row in self.rows:
            found.add_row(*row)
        return found

    def markdown(self) -> str:
        ruler = ["---:" if column.startswith(">") else "---" for column in self.columns]
        heads = [column.lstrip(">") for column in self.columns]
        lines = ["| " + " | ".join(row) + " |" for row in (heads, ruler, *self.rows)]
        notes = [f"\n{textwrap.fill(note, 100)}" for note in self.notes]
        return "\n".join([f"## {self.title}\n", *lines, *notes]) + "\n"


def _side(column: str) -> str:
    return "right" if column.startswith(">") else "left"


def number(value: float) -> str:
    """Three digits, or all of them where there are more before the point.

    >>> number(0.1234), number(12.34), number(1234.5)
    ('0.123', '12.3', '1,234')
    """
    if value == 0 or value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def spread(values: Sequence[float]) -> str:
    """The median, and in brackets the least and the most."""
    low, high = number(min(values)), number(max(values))
    return f"{number(statistics.median(values))} [{low}–{high}]"
