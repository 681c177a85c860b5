"""The results of many cells, read chunk by chunk: exports and figures of stores of any size.

Everything comes from the files themselves, which describe their cells, so no code of a user's
component is run. A damaged file is left out and named; the others are read.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.sweeps.store import Damaged, Held, Store
from armwise.sweeps.table import MEASURES, condition_of, measured

if TYPE_CHECKING:
    import pandas

CHUNK = 1 << 20  # numbers of regret that are held at a time
CELLS_AT_ONCE = 1_000
TEXT, TRUTH, WHOLE, NUMBER = "text", "truth", "whole", "number"


class Chunk(NamedTuple):
    """Some cells: their conditions, one list each in the order of the columns, and their rows."""

    conditions: list[list[Any]]
    rows: int  # of every cell
    measures: dict[str, np.ndarray]


class Extract:
    """The sound files among some names, with what they have in common, from a first reading."""

    def __init__(self, store: Store, names: Iterable[str]) -> None:
        self.store = store
        self.names: list[str] = []
        self.damaged: dict[str, str] = {}  # a sentence each
        self.kinds: dict[str, str] = {}  # of the conditions, in order of appearance
        self.agents, self.trials = 0, set[int]()
        counts: dict[str, int] = {}
        for name, held in self._read(names):
            self.names.append(name)
            self.agents = max(self.agents, len(held.agents))
            self.trials.update(held.trials.tolist())
            for key, value in condition_of(held.description).items():
                counts[key] = counts.get(key, 0) + 1
                self.kinds[key] = _wider(self.kinds.get(key), _kind(value))
        for key, count in counts.items():
            if count < len(self.names) and self.kinds[key] in (TRUTH, WHOLE):
                self.kinds[key] = NUMBER  # with NaN where a cell has none

    @property
    def measures(self) -> list[str]:
        """The columns behind the conditions."""
        return [name for name in MEASURES if name != "stuck" or "epsilon" in self.kinds]

    def held(self) -> Iterator[tuple[Held, list[Any]]]:
        """Every file with its conditions, in the order of the columns."""
        for _, held in self._read(self.names):
            known = condition_of(held.description)
            yield held, [_converted(known.get(key), kind) for key, kind in self.kinds.items()]

    def chunks(self) -> Iterator[Chunk]:
        """The same as rows: cells of one shape together, up to a number of them."""
        gathered: list[tuple[Held, list[Any]]] = []
        for held, conditions in self.held():
            shape = held.regret.shape
            full = len(gathered) * held.regret.size >= CHUNK or len(gathered) >= CELLS_AT_ONCE
            if gathered and (full or gathered[0][0].regret.shape != shape):
                yield self._chunk(gathered)
                gathered = []
            gathered.append((held, conditions))
        if gathered:
            yield self._chunk(gathered)

    def frame(self) -> "pandas.DataFrame":
        """All rows as a table."""
        import pandas

        frames = [pandas.DataFrame(self.columns(chunk)) for chunk in self.chunks()]
        return pandas.concat(frames, ignore_index=True)

    def columns(self, chunk: Chunk) -> dict[str, Any]:
        """A chunk by columns."""
        found: dict[str, Any] = {}
        for key, values in zip(self.kinds, zip(*chunk.conditions, strict=True), strict=True):
            found[key] = [value for value in values for _ in range(chunk.rows)]
        return found | {name: chunk.measures[name] for name in self.measures}

    def _chunk(self, gathered: list[tuple[Held, list[Any]]]) -> Chunk:
        regret = np.concatenate([held.regret for held, _ in gathered], axis=1)
        trials = np.concatenate([held.trials for held, _ in gathered])
        rows = gathered[0][0].regret.shape[1]
        conditions = [known for _, known in gathered]
        epsilon = np.full(len(gathered), np.nan)
        if "epsilon" in self.kinds:
            place = list(self.kinds).index("epsilon")
            epsilon = np.array([known[place] for known in conditions], dtype=float)
        return Chunk(conditions, rows, measured(regret, trials, np.repeat(epsilon, rows)))

    def _read(self, names: Iterable[str]) -> Iterator[tuple[str, Held]]:
        for name in names:
            try:
                yield name, self.store.held(name)
            except Damaged as problem:
                self.damaged[name] = str(problem)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, int | float):
        return WHOLE if isinstance(value, int) else NUMBER
    return TEXT


def _wider(known: str | None, found: str) -> str:
    """The kind of a column that has values of two kinds."""
    if known is None or known == found:
        return found
    return TEXT if TEXT in (known, found) else NUMBER


def _converted(value: Any, kind: str) -> Any:
    if kind == TEXT:
        return None if value is None else str(value)
    if kind == NUMBER:
        return float("nan") if value is None else float(value)
    return value
