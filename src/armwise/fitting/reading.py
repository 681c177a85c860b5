"""Check a table of recorded choices column by column, and put it in order."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import InputError, brief, unknown
from armwise.fitting import columns
from armwise.fitting.labels import StrayLabel, arms_among, coded, natural, shown, text_of
from armwise.fitting.offers import SHOWN, available_of, offered
from armwise.fitting.sources import Table

if TYPE_CHECKING:
    import pandas

_YES_NO = "an outcome must be 0 or 1, not {}."
YES_NO = {"0": 0, "1": 1, "true": 1, "false": 0}


class Reading:
    """A table on its way to `Choices`: each step checks some columns and puts them in shape."""

    def __init__(self, table: Table, names: Mapping[str, str], where: Mapping[str, Any]) -> None:
        self.table, self.notes = table, list[str]()
        self.given = table.frame
        self.frame = columns.renamed(table, names).dropna(how="all")
        for column, value in where.items():
            self._keep(column, value)
        if self.frame.empty:
            raise InputError(f"{table.name} has no rows" + (" like that." if where else "."))

    def order(self) -> None:
        """Sort by subject, session, block and trial; refuse what stands twice."""
        frame = self.frame
        keys = [self._level(name) for name in ("subject", "session", "block") if name in frame]
        if "block" not in frame:
            frame["block"] = 1
        keys.append(self._trials(keys))
        order = np.lexsort(keys[::-1])
        if (np.diff(order) != 1).any():
            self.notes.append("Rows were sorted by subject, block and trial.")
        sorted_keys = np.array(keys)[:, order]
        same = (np.diff(sorted_keys, axis=1) == 0).all(axis=0)
        self.frame = frame.iloc[order]
        if same.any():
            at = int(np.flatnonzero(same)[0])
            first, second = sorted(self.frame.index[[at, at + 1]])
            other = self.table.origin(first).rpartition(", ")[2]
            raise self.trouble(second, f"this trial is in {other} already; a trial is one row.")

    def choose(self, arms: Any, ignore: Sequence[str]) -> tuple[str, ...]:
        """Make choices a category of all arms; -1 are those that are missed or ignored."""
        import pandas

        codes, found = coded(self.frame["choice"])
        passed = np.isin(codes, [at for at, label in enumerate(found) if label in ignore])
        self._count(passed, "choice", f"of {shown(list(ignore))} passed over")
        missed = codes == -1
        self._count(missed, "missed trial", "passed over")
        among = [label for label in found if label not in ignore]
        among += [label for label in self._offered() if label not in among]
        try:
            labels, notes = arms_among(among, columns.categories(self.frame["choice"], arms))
        except StrayLabel as problem:
            raise self.trouble(self._row_of(problem.label), str(problem)) from None
        except InputError as problem:
            raise InputError(f"{self.table.name}: {problem}") from None
        self.notes += notes
        places = {label: place for place, label in enumerate(labels)}
        arm = np.array([places.get(label, -2) for label in found] + [-1])[codes]
        arm[passed] = -1
        if (arm == -2).any():
            at = int(np.flatnonzero(arm == -2)[0])
            wrong = unknown("arm", found[codes[at]], labels)
            raise self.trouble(self.frame.index[at], str(wrong))
        strange = [label for label in self._offered() if label not in labels]
        if strange:
            wrong = unknown("arm", strange[0], labels)
            raise self.trouble(self._row_of(strange[0]), f"available: {wrong}")
        self.frame["choice"] = pandas.Categorical.from_codes(arm, labels)
        if passed.any():
            self.frame["ignored"] = np.where(
                passed, np.array([*found, ""], dtype=object)[codes], None
            )
        return labels

    def _offered(self) -> list[str]:
        """The labels in the column of arms that could be chosen."""
        if "available" not in self.frame:
            return []
        _, found = coded(self.frame["available"])
        return list(dict.fromkeys(label for text in found for label in offered(text)))

    def _row_of(self, label: str) -> int:
        """The first row that names an arm so, by a choice or else among those available."""
        for column, names in (("choice", lambda text: [text]), ("available", offered)):
            if column in self.frame:
                codes, found = coded(self.frame[column])
                there = np.array([label in names(text) for text in found] + [False])[codes]
                if there.any():
                    return int(self.frame.index[int(np.flatnonzero(there)[0])])
        raise LookupError(label)

    def outcomes(self, real: bool = False) -> None:
        """Make outcomes 0, 1 or none; refuse one without a choice and a choice without one.

        Those that are real may be any finite number.
        """
        values = self._finite() if real else self._yes_no("outcome", _YES_NO)
        none = np.isnan(values) if real else values < 0
        chosen = self.frame["choice"].notna().to_numpy()
        ignored = self.frame["ignored"].notna().to_numpy() if "ignored" in self.frame else False
        self._refuse_at(
            ~none & ~chosen & ~np.asarray(ignored),
            "there is an outcome without a choice; a missed trial has neither.",
        )
        self._refuse_at(none & chosen, "a choice needs an outcome; a missed trial has neither.")
        if real:
            self.frame["outcome"] = np.where(chosen, values, np.nan)
        else:
            self._store("outcome", np.where(chosen, values, -1))
        if "forced" in self.frame:
            forced = self._yes_no("forced", "forced must be 0 or 1, not {}.")
            self._store("forced", np.maximum(forced, 0))
            self._count((forced == 1) & chosen, "forced choice", "learned from, and not scored")

    def offers(self, labels: tuple[str, ...], real: bool = False) -> None:
        """Check which arms could be chosen, and what others would have paid."""
        chosen = self.frame["choice"].cat.codes.to_numpy()
        available = available_of(self.frame, labels)
        if available is not None:
            allowed = available[np.arange(len(chosen)), chosen]
            self._refuse_at(
                (chosen >= 0) & ~allowed, "the arm that was chosen is not among those available."
            )
        for place, label in enumerate(labels):
            name = f"{SHOWN}{label}"
            if name not in self.frame:
                continue
            if real:
                raise InputError(
                    f"{self.table.name}: outcomes of arms that were not chosen can be shown only "
                    f"where they are 0 or 1: leave out the column {name}."
                )
            values = self._yes_no(name, f"{name} must be 0 or 1, or empty, not {{}}.")
            own = (chosen == place) & (values >= 0)
            self._refuse_at(
                own & (self.frame["outcome"].to_numpy(float, na_value=-1) != values),
                f"outcome and {name} of the chosen arm differ.",
            )
            self._store(name, values)

    def finished(self) -> "pandas.DataFrame":
        """The rows of everybody who made a choice, with further columns in their own type."""
        frame = self.frame
        free = frame["choice"].notna()
        if "forced" in frame:
            free &= frame["forced"] != 1
        counts = free.groupby(frame["subject"], sort=False).sum()
        without = [str(label) for label in counts.index[counts == 0]]
        if without:
            people = "Subject" if len(without) == 1 else f"{len(without)} subjects,"
            verb = "has" if len(without) == 1 else "have"
            self.notes.append(
                f"{people} {shown(without)} {verb} no choice of their own, and "
                f"{'is' if len(without) == 1 else 'are'} left out."
            )
            frame = frame[~frame["subject"].isin(without)]
        if frame.empty:
            raise InputError(f"{self.table.name}: nobody made a choice.")
        first = ["subject", "session", "block", "trial", "choice", "outcome"]
        first = [name for name in first if name in frame.columns]
        frame = frame[[*first, *(name for name in frame.columns if name not in first)]]
        frame = frame.reset_index(drop=True)
        for name in frame.columns.difference([*first, "forced", "available"]):
            frame[name] = columns.typed(frame[name])
        frame["block"] = columns.typed(frame["block"])
        return frame

    def trouble(self, row: int, sentence: str) -> InputError:
        """An error that names the file, the row, the subject and the trial."""
        named = [
            f"{name} {text_of(self.frame.loc[row, name])}"
            for name in ("subject", "session", "block", "trial")
            if name in self.frame and (name in ("subject", "trial") or self._several(name))
        ]
        return InputError(f"{self.table.origin(row)} ({', '.join(named)}): {sentence}")

    def _several(self, name: str) -> bool:
        return self.frame[name].nunique() > 1

    def _keep(self, column: str, value: Any) -> None:
        if column not in self.frame:
            raise unknown("column", column, self.given.columns, where=f" in {self.table.name}")
        wanted = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else value
        texts = {text_of(each) for each in wanted}
        codes, found = coded(self.frame[column])
        kept = np.array([label in texts for label in found] + [False])[codes]
        self.frame = self.frame[kept]
        self.notes.append(
            f"{int(kept.sum()):,} of {len(kept):,} rows have {column} {brief(value)}."
        )

    def _level(self, name: str) -> np.ndarray:
        """The rank of every row's label, which becomes text."""
        codes, found = coded(self.frame[name])
        if (codes < 0).any():
            row = self.frame.index[int(np.flatnonzero(codes < 0)[0])]
            raise InputError(f"{self.table.origin(row)}: there is no {name}.")
        rank = np.empty(len(found), dtype=np.int64)
        rank[natural(found)] = np.arange(len(found))
        self.frame[name] = np.array(found, dtype=object)[codes]
        return rank[codes]

    def _trials(self, keys: list[np.ndarray]) -> np.ndarray:
        """The numbers of the trials; without such a column, the order of the rows."""
        import pandas

        if "trial" not in self.frame:
            self.notes.append("There is no column of trials: rows are taken in their order.")
            groups = pandas.DataFrame(dict(enumerate(keys)))
            numbers = groups.groupby(list(groups.columns)).cumcount().to_numpy() + 1
            self.frame["trial"] = numbers
            return numbers
        numbers = pandas.to_numeric(self.frame["trial"], errors="coerce").to_numpy(np.float64)
        wrong = ~np.isfinite(numbers)
        if wrong.any():
            row = self.frame.index[int(np.flatnonzero(wrong)[0])]
            value = self.frame.loc[row, "trial"]
            raise self.trouble(row, f"a trial must be a number, not {brief(value)}.")
        whole = (numbers == np.floor(numbers)).all()
        self.frame["trial"] = numbers.astype(np.int64) if whole else numbers
        return numbers

    def _yes_no(self, name: str, sentence: str) -> np.ndarray:
        codes, found = coded(self.frame[name])
        values = np.array([YES_NO.get(label.lower(), -2) for label in found] + [-1])[codes]
        if (values == -2).any():
            at = int(np.flatnonzero(values == -2)[0])
            raise self.trouble(self.frame.index[at], sentence.format(found[codes[at]]))
        return values

    def _finite(self) -> np.ndarray:
        """Real outcomes; NaN where there is none."""
        codes, found = coded(self.frame["outcome"])
        numbers = [_number(label) for label in found]
        for code, number in enumerate(numbers):
            if not np.isfinite(number):
                at = int(np.flatnonzero(codes == code)[0])
                raise self.trouble(
                    self.frame.index[at], f"an outcome must be a finite number, not {found[code]}."
                )
        return np.array([*numbers, np.nan])[codes]

    def _store(self, name: str, values: np.ndarray) -> None:
        import pandas

        self.frame[name] = pandas.array(np.where(values < 0, np.nan, values), dtype="Int64")

    def _refuse_at(self, wrong: np.ndarray, sentence: str) -> None:
        if wrong.any():
            raise self.trouble(self.frame.index[int(np.flatnonzero(wrong)[0])], sentence)

    def _count(self, rows: np.ndarray, what: str, fate: str) -> None:
        count = int(np.sum(rows))
        if count:
            plural, verb = ("s", "are") if count > 1 else ("", "is")
            self.notes.append(f"{count:,} {what}{plural} {verb} {fate}.")


def _number(text: str) -> float:
    """The number that a label is; NaN if it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
