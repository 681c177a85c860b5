"""The file of all measurements: a section per table, each with the command that renews it."""

import datetime
import textwrap
from collections.abc import Sequence

from parts.table import Table

HEAD = """# Benchmarks

Every section names its date and its command. A run of `benchmarks/bench.py` renews the sections
that it measures and keeps the others. A ratio is taken within one run.
"""


def renewed(text: str, tables: Sequence[Table], about: Sequence[str], command: str) -> str:
    """The file with these tables in place of those of the same title; new ones come last."""
    _, *sections = text.split("\n## ")
    kept = {"Machine": ""}
    kept |= {section.partition("\n")[0]: f"## {section.strip()}\n" for section in sections}
    measured = f"Measured on {datetime.date.today().isoformat()} by `python {command}`."
    for table in tables:
        kept[table.title] = f"{table.markdown()}\n{textwrap.fill(measured, 100)}\n"
    machine = "".join(textwrap.fill(line, 100, subsequent_indent="  ") + "\n" for line in about)
    kept["Machine"] = f"## Machine\n\nThat of the newest section.\n\n{machine}"
    return "\n".join([HEAD, *kept.values()])
