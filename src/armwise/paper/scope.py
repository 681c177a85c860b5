"""The figures and claims of a run: all of them, or those that were asked for."""

import difflib
from collections.abc import Iterable
from typing import NamedTuple

from armwise.errors import InputError
from armwise.paper.claims import CLAIMS, Claim
from armwise.paper.experiments import bundled_names
from armwise.paper.figures import FIGURES, file_of

KNOWN = "figure-1 to figure-6, figure-s1 to figure-s3, table-1, and claim-1 to claim-45"


class Scope(NamedTuple):
    """The names asked for (none: the whole paper), with the figures and claims they stand for.

    >>> scope = scope_of(["table-1"])
    >>> scope.figures, [claim.number for claim in scope.claims], scope.sweeps, scope.timed
    (('table1',), [25, 26], (), True)
    """

    names: tuple[str, ...]
    figures: tuple[str, ...]
    claims: tuple[Claim, ...]

    @property
    def sweeps(self) -> tuple[str, ...]:
        """The sweeps that are needed, in the order in which they are computed."""
        needed = {FIGURES[figure].sweep for figure in self.figures}
        needed |= {sweep for claim in self.claims for sweep in claim.sweep}
        return tuple(name for name in bundled_names() if name in needed)

    @property
    def timed(self) -> bool:
        """Whether the policies must be timed."""
        return "table1" in self.figures or any("table1" in claim.figures for claim in self.claims)

    @property
    def prefix(self) -> str:
        """The prefix of the file names of parts; it is empty for the whole paper."""
        return "".join(f"{name}-" for name in self.names)


def scope_of(names: Iterable[str] = ()) -> Scope:
    """The scope for some names: a figure comes with its claims, a claim with its figure.

    A claim about several figures comes with all of them. `table-1` counts as a figure.

    >>> scope_of(["figure-s1"]).sweeps, [claim.number for claim in scope_of(["figure-s1"]).claims]
    (('figure-3',), [19, 20])
    >>> scope_of(["claim-27"]).figures
    ('4',)
    """
    asked = tuple(dict.fromkeys(_known(name) for name in names))
    if not asked:
        return Scope((), tuple(FIGURES), tuple(CLAIMS))
    drawn = {figure for name, figure in _figures().items() if name in asked}
    claims = tuple(
        claim
        for claim in CLAIMS
        if f"claim-{claim.number}" in asked or (claim.figures and set(claim.figures) <= drawn)
    )
    drawn |= {figure for claim in claims for figure in claim.figures if _shows(figure, claim)}
    return Scope(asked, tuple(figure for figure in FIGURES if figure in drawn), claims)


def _shows(figure: str, claim: Claim) -> bool:
    """Whether a figure shows the results that a claim is judged on."""
    return figure == "table1" or FIGURES[figure].sweep in claim.sweep


def _figures() -> dict[str, str]:
    return {file_of(figure).removesuffix(".png"): figure for figure in FIGURES}


def _known(name: str) -> str:
    found = name.strip().lower().replace(" ", "-")
    names = [*_figures(), *(f"claim-{claim.number}" for claim in CLAIMS)]
    if found in names:
        return found
    near = difflib.get_close_matches(found, names, n=1)
    hint = f"; did you mean '{near[0]}'?" if near else "."
    raise InputError(f"There is no figure, table or claim '{name}'{hint} Known: {KNOWN}.")
