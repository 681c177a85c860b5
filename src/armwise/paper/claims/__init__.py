"""The paper's 45 claims, each a check with a verdict.

`claims.toml` has the statements and `decide` the rules; the other modules check the claims.
"""

import dataclasses
import json
from types import ModuleType

from armwise.paper.claims import (
    analytic,
    longrun,
    practice,
    preferences,
    remedies,
    switching,
    varying,
)
from armwise.paper.claims.claim import Claim, stated
from armwise.paper.claims.evidence import Evidence
from armwise.paper.claims.verdict import Verdict

__all__ = ["CLAIMS", "Claim", "Evidence", "Verdict", "run_claims", "stated", "to_json"]


def _judged(module: ModuleType) -> list[Claim]:
    return [item for item in vars(module).values() if isinstance(item, Claim)]


_MODULES = (preferences, analytic, longrun, remedies, practice, switching, varying)
CLAIMS: list[Claim] = sorted(
    (item for module in _MODULES for item in _judged(module)), key=lambda item: item.number
)


def run_claims(evidence: Evidence) -> list[Verdict]:
    """The verdicts on all claims, ordered by number."""
    return [item.check(evidence) for item in CLAIMS]


def to_json(verdicts: list[Verdict]) -> str:
    """The verdicts as JSON, which must not contain NaN or infinities."""
    return json.dumps([dataclasses.asdict(one) for one in verdicts], indent=1, allow_nan=False)
