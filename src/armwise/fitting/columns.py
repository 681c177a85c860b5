"""The columns of a table: found under the names that a user gives, and in types of their own."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from armwise.errors import InputError, unknown
from armwise.fitting.sources import MISSING, Table

if TYPE_CHECKING:
    import pandas

NEEDED = ("subject", "choice", "outcome")


def renamed(table: Table, names: Mapping[str, str]) -> "pandas.DataFrame":
    """A copy of the table whose columns have armwise's names; those that must be there are."""
    given = table.frame
    for name, wanted in names.items():
        if wanted not in given.columns and (wanted != name or name in NEEDED):
            raise _absent(table, name, wanted)
        if wanted in table.lacking and name in NEEDED:
            raise InputError(
                f"{table.lacking[wanted]} has no column '{wanted}', which other files of "
                f"{table.name} have."
            )
    new = {wanted: name for name, wanted in names.items() if wanted in given.columns}
    if len(new) < sum(wanted in given.columns for wanted in names.values()):
        raise InputError(f"{table.name}: each of the columns that are named must be another one.")
    others = [column for column in given.columns if column not in new]
    clashing = {column: f"{column} of the source" for column in others if column in names}
    return given.rename(columns=new | clashing)


def _absent(table: Table, name: str, wanted: str) -> InputError:
    problem = unknown("column", wanted, table.frame.columns, where=f" in {table.name}")
    return InputError(f"{problem} Say which it is with {name}=.")


def categories(column: "pandas.Series", arms: Any) -> Any:
    """The labels of all arms: as given, or those of a column that knows its categories."""
    if arms is None and str(column.dtype) == "category":
        return list(column.cat.categories)
    return arms


def typed(column: "pandas.Series") -> "pandas.Series":
    """A column of text as numbers, if all that is in it are numbers."""
    import pandas

    if not pandas.api.types.is_string_dtype(column):
        return column
    texts = column.map(lambda value: None if value in MISSING else value)
    numbers = pandas.to_numeric(texts, errors="coerce")
    if numbers.notna().sum() < texts.notna().sum():
        return column
    if numbers.isna().any() or (numbers % 1 != 0).any():
        return numbers.astype(float)
    return numbers.astype(int)
