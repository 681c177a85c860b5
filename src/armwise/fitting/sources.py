"""Tables of recorded choices from files, folders, frames and lists: read, not yet judged."""

import contextlib
import importlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from armwise.errors import InputError, brief

if TYPE_CHECKING:
    import pandas

PACKED = {".gz": "gzip", ".xz": "lzma", ".bz2": "bz2"}
MISSING = ["", "NA", "N/A", "n/a", "na", "NaN", "nan", "<NA>", "null", "None"]
FIRST_ROW = 2  # of the data in a file: the header is row 1, as in a spreadsheet
BIDS_NAME = re.compile(r"sub-(?P<subject>[^_]+)(?:_ses-(?P<session>[^_]+))?(?:_[^_]+)*_events")
BIDS_RUN = re.compile(r"_run-([^_]+)")
BIDS_NAMES = {"response": "choice", "reward": "outcome"}


class Table(NamedTuple):
    """Rows of one or more files. The index of the frame counts its rows from 0."""

    name: str
    frame: "pandas.DataFrame"
    files: tuple[str, ...]
    starts: tuple[int, ...]  # the first row of each file in the frame
    first: int  # what that row is called
    lacking: Mapping[str, str] = {}  # columns that others have, and the first file without them

    def origin(self, row: int) -> str:
        """A row as it is called in a message, such as "reversal.csv, row 1,204"."""
        file = int(np.searchsorted(self.starts, row, side="right")) - 1
        return f"{self.files[file]}, row {row - self.starts[file] + self.first:,}"


def table_of(source: Any) -> Table:
    """The table of a file, a folder in BIDS, a DataFrame, or a list of pairs per person."""
    import pandas

    if isinstance(source, pandas.DataFrame):
        return _of_frame(source)
    if isinstance(source, (str, Path)):
        return _of_path(Path(source))
    if hasattr(source, "to_pandas"):  # polars and others
        return _of_frame(source.to_pandas())
    if isinstance(source, Sequence):
        return _of_pairs(source)
    raise InputError(
        "Choices are read from a file, a folder, a DataFrame or a list of (arms, outcomes) per "
        f"person, not from {brief(source)}."
    )


def _of_frame(source: "pandas.DataFrame") -> Table:
    frame = source.reset_index(drop=True)
    frame.columns = [str(name) for name in frame.columns]
    _refuse_twice("the DataFrame", frame.columns)
    return Table("the DataFrame", frame, ("the DataFrame",), (0,), 0)


def _of_path(path: Path) -> Table:
    if path.is_dir():
        return _of_folder(path)
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.")
    return Table(path.name, _read(path), (path.name,), (0,), FIRST_ROW)


def _of_pairs(source: Sequence[Any]) -> Table:
    import pandas

    frames = []
    for number, pair in enumerate(source, 1):
        try:
            arms, outcomes = (list(values) for values in pair)
        except (TypeError, ValueError):
            raise InputError(
                f"Person {number} must be a pair of lists (arms, outcomes), not {brief(pair)}."
            ) from None
        if len(arms) != len(outcomes):
            raise InputError(
                f"Person {number} has {len(arms)} choices and {len(outcomes)} outcomes; they must "
                "be equally many."
            )
        missed = [arm is None or (isinstance(arm, (int, np.integer)) and arm == -1) for arm in arms]
        columns = {
            "subject": str(number),
            "trial": range(1, 1 + len(arms)),
            "choice": [None if gone else arm for gone, arm in zip(missed, arms, strict=True)],
            "outcome": [
                None if gone and not value else value
                for gone, value in zip(missed, outcomes, strict=True)
            ],
        }
        frames.append(pandas.DataFrame(columns, dtype=object))
    if not frames:
        raise InputError("The list has no people.")
    names = tuple(f"the list, person {number}" for number in range(1, 1 + len(frames)))
    return _joined("the list", frames, names, first=1)


def _of_folder(path: Path) -> Table:
    """A BIDS folder: subject, session and run come from the names of the files."""
    files = sorted(path.rglob("*_events.tsv"))
    if not files:
        raise InputError(f"'{path}' is no folder in BIDS: it has no file *_events.tsv.")
    frames = [_of_events(file) for file in files]
    names = tuple(str(file.relative_to(path)) for file in files)
    lacking = {
        column: next(name for name, each in zip(names, frames, strict=True) if column not in each)
        for column in set().union(*frames)
        if not all(column in each for each in frames)
    }
    return _joined(path.name, frames, names, FIRST_ROW)._replace(lacking=lacking)


def _of_events(file: Path) -> "pandas.DataFrame":
    named = BIDS_NAME.match(file.name)
    if named is None:
        raise InputError(f"{file.name}: the name must begin with sub-, such as sub-01_events.tsv.")
    frame = _read(file)
    for old, new in BIDS_NAMES.items():
        if old in frame.columns and new not in frame.columns:
            frame = frame.rename(columns={old: new})
    known = {"subject": named["subject"], "session": named["session"]}
    run = BIDS_RUN.search(file.name)
    known["block"] = run[1] if run else None
    for name, value in known.items():
        if value is not None and name not in frame.columns:
            frame[name] = value
    return frame


def _joined(
    name: str, frames: "list[pandas.DataFrame]", files: tuple[str, ...], first: int
) -> Table:
    import pandas

    starts = np.cumsum([0, *map(len, frames[:-1])]).tolist()
    frame = pandas.concat(frames, ignore_index=True)
    return Table(name, frame, files, tuple(starts), first)


def _read(path: Path) -> "pandas.DataFrame":
    """A file of separated values, all as text; empty lines keep their place."""
    import pandas

    with _reading(path):
        opened = importlib.import_module(PACKED.get(path.suffix.lower(), "io")).open
        with opened(path, "rt", encoding="utf-8-sig") as file:
            text = file.read()
        header = text.partition("\n")[0]
        if not header.strip():
            raise InputError(f"{path.name} is empty: its first row must name the columns.")
        separator = max("\t,;", key=header.count)
        frame = pandas.read_csv(
            io.StringIO(text),
            sep=separator,
            dtype=str,
            keep_default_na=False,
            na_values=MISSING,
            skip_blank_lines=False,
            index_col=False,
            header=None,
            on_bad_lines="error",
        )
        names = frame.iloc[0].fillna("").str.strip()
        _refuse_twice(path.name, [name for name in names if name])
        frame = frame.iloc[1:].reset_index(drop=True)
        frame.columns = [name or f"column {at}" for at, name in enumerate(names, 1)]
    return frame


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    import pandas

    try:
        yield
    except UnicodeDecodeError:
        raise InputError(f"{path.name} is not text in UTF-8; save it as CSV in UTF-8.") from None
    except pandas.errors.ParserError as problem:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(problem))
        where = f"row {found[2]} has {found[3]} values" if found else "rows differ in length"
        columns = f", and there are {found[1]} columns" if found else ""
        raise InputError(f"{path.name}: {where}{columns}.") from None
    except OSError as problem:
        reason = problem.strerror or problem
        raise InputError(f"{path.name} cannot be read ({reason}).") from None


def _refuse_twice(name: str, columns: Any) -> None:
    seen = list(columns)
    twice = [column for column in dict.fromkeys(seen) if seen.count(column) > 1]
    if twice:
        raise InputError(f"{name} has two columns '{twice[0]}'; every column needs its own name.")
