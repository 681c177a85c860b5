"""The paper's 45 claims, each a check with a verdict; `decide` has the rules."""

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
from armwise.paper.claims.claim import Claim, Verdict
from armwise.paper.claims.evidence import Evidence

__all__ = ["CLAIMS", "Claim", "Evidence", "Verdict", "run_claims", "to_json"]


def _stated(module: ModuleType) -> list[Claim]:
    return [item for item in vars(module).values() if isinstance(item, Claim)]


_MODULES = (preferences, analytic, longrun, remedies, practice, switching, varying)
CLAIMS: list[Claim] = sorted(
    (item for module in _MODULES for item in _stated(module)), key=lambda item: item.number
)


def run_claims(evidence: Evidence) -> list[Verdict]:
    """The verdict on every claim, in the order of their numbers."""
    return [item.check(evidence) for item in CLAIMS]


def to_json(verdicts: list[Verdict]) -> str:
    """The verdicts as JSON: finite numbers only, so that every reader takes it."""
    return json.dumps([dataclasses.asdict(one) for one in verdicts], indent=1, allow_nan=False)
