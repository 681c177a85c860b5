"""The verdicts at the sizes of the paper, kept in the package for comparison with smaller runs.

    python -m armwise.paper.paper_size docs/reproduction/claims.json

writes them again from the `claims.json` of a run with `--profile paper`.
"""

import functools
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from armwise.paper.claims.verdict import deciding

FILE = Path(__file__).parent / "paper_size.json"


@functools.cache
def paper_verdicts() -> dict[int, dict[str, Any]]:
    """The verdict and the deciding value of every claim, by number of the claim.

    >>> paper_verdicts()[27]
    {'number': 27, 'verdict': 'holds', 'deciding': '32 of 32 cases agree'}
    """
    return {kept["number"]: kept for kept in json.loads(FILE.read_text(encoding="utf-8"))}


def shortened(verdicts: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The part of verdicts that is kept."""
    return [
        {"number": one["number"], "verdict": one["verdict"], "deciding": deciding(one)}
        for one in verdicts
    ]


def main(source: str) -> None:
    """Write the verdicts in a `claims.json` into the package."""
    lines = [
        json.dumps(one) for one in shortened(json.loads(Path(source).read_text(encoding="utf-8")))
    ]
    FILE.write_text("[\n " + ",\n ".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
