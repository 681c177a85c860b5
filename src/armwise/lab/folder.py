"""The folder that a researcher named: every line is on the disk before it is answered."""

import json
import os
import re
from pathlib import Path
from typing import Any

from armwise.errors import InputError

NAME = re.compile(r"[A-Za-z0-9_-]{8,40}")


class Log:
    """A participant's file, to which lines are appended."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, data: dict[str, Any]) -> None:
        """Write a line; it is on the disk when this returns."""
        text = json.dumps(data, ensure_ascii=False) + "\n"
        try:
            with self.path.open("ab") as file:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise InputError(f"{self.path} cannot be written: {problem.strerror}.") from None

    def lines(self) -> list[dict[str, Any]]:
        """What was written; half a last line, of a machine that lost power, is cut off."""
        content = self.path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            with self.path.open("r+b") as file:
                file.truncate(len(whole))
        try:
            return [json.loads(line) for line in whole.splitlines()]
        except ValueError:
            raise InputError(f"{self.path} was edited or damaged: it is not JSON lines.") from None


class Folder:
    """Files of participants; their names are made by the server."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputError(f"{path} cannot be made: {problem.strerror}.") from None

    def log(self, name: str) -> Log:
        """The log of a participant."""
        if not NAME.fullmatch(name):
            raise InputError("There is no such run.")
        return Log(self.path / f"{name}.jsonl")

    def knows(self, name: str) -> bool:
        """Whether there is a log of this name."""
        return bool(NAME.fullmatch(name)) and self.log(name).path.exists()

    def gather(self, name: str) -> None:
        """Write the tables of all participants into one."""
        paths = sorted(path for path in self.path.glob("*.csv") if NAME.fullmatch(path.stem))
        tables = [path.read_text().splitlines(keepends=True) for path in paths]
        heads = [table[0] for table in tables[:1]]
        self.write(name, "".join([*heads, *(line for table in tables for line in table[1:])]))

    def write(self, name: str, text: str) -> None:
        """Write a whole file, or none."""
        part = self.path / f".{name}.part"
        try:
            part.write_text(text)
            part.replace(self.path / name)
        except OSError as problem:
            raise InputError(f"{self.path / name} cannot be written: {problem.strerror}.") from None
