"""A task for participants, from one TOML file: texts, blocks with their bandits, times."""

import hashlib
import tomllib
from pathlib import Path
from typing import Any, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from armwise.errors import InputError
from armwise.lab.parts import Shelf
from armwise.lab.richtext import rich
from armwise.lab.runs import TRIALS, Block

KEYS = "QWERTYUIOP"
NUMBERS = 1 << 31  # of bandits


class BlockSpec(BaseModel):
    """A block: a bandit, its seed, and how many trials."""

    model_config = ConfigDict(extra="forbid")

    bandit: dict[str, Any]
    trials: int = Field(ge=1, le=TRIALS)
    seed: int = Field(default=0, ge=0, lt=1 << 53)
    name: str = ""
    practice: bool = False
    keys: list[str] = []
    labels: list[str] = []
    same_for_all: bool = True  # whether all participants meet the same draws of the bandit

    def block(self, shelf: Shelf, number: int, order: int) -> Block:
        """The block that the participant of a number plays."""
        bandit = shelf.bandit(self.bandit)
        where = f"block {order}"
        keys = self.keys or _keys(bandit.arms)
        labels = self.labels or [str(arm + 1) for arm in range(bandit.arms)]
        for name, given in (("keys", keys), ("labels", labels)):
            if len(given) != bandit.arms or len(set(given)) < len(given):
                raise InputError(
                    f"{where}: {name} must be {bandit.arms} different texts, one per arm."
                )
        return Block(
            bandit,
            self.trials,
            self.seed,
            0 if self.same_for_all else number,
            self.name or ("Practice" if self.practice else f"Block {order}"),
            self.practice,
            tuple(keys),
            tuple(labels),
        )


class Texts(BaseModel):
    """The file of a task."""

    model_config = ConfigDict(extra="forbid")

    title: str = Field(min_length=1)
    consent: str = Field(min_length=1)
    instructions: list[str] = []
    thanks: str = "Thank you for taking part."
    feedback_ms: int = Field(default=600, ge=0, le=60_000)
    timeout_ms: int = Field(default=0, ge=0, le=600_000)  # 0: no limit
    pause_ms: int = Field(default=300, ge=0, le=60_000)
    code: str = ""  # the completion code; one per participant unless given
    block: list[BlockSpec] = Field(min_length=1)


class Task(NamedTuple):
    """A task that was read, with the checksum of its file."""

    texts: Texts
    shelf: Shelf
    digest: str

    @classmethod
    def read(cls, path: Path, shelf: Shelf) -> Self:
        """Read and check a file."""
        try:
            content = path.read_bytes()
            texts = Texts.model_validate(tomllib.loads(content.decode()))
        except OSError as problem:
            raise InputError(f"{path} cannot be read: {problem.strerror}.") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
            raise InputError(f"{path} is not TOML: {problem}.") from None
        except ValidationError as problem:
            raise InputError(f"{path}: {_in_words(problem)}.") from None
        task = cls(texts, shelf, hashlib.sha256(content).hexdigest())
        try:
            task.blocks(0)
            task.told()
        except InputError as problem:
            raise InputError(f"{path}: {problem}") from None
        return task

    def blocks(self, number: int) -> list[Block]:
        """The blocks of the participant of a number."""
        specs = enumerate(self.texts.block, start=1)
        return [spec.block(self.shelf, number, order) for order, spec in specs]

    def told(self) -> dict[str, Any]:
        """What a page is told of the task: nothing of bandits but their arms."""
        blocks = self.blocks(0)
        return {
            "kind": "task",
            "title": self.texts.title,
            "consent": rich(self.texts.consent),
            "instructions": [rich(text) for text in self.texts.instructions],
            "thanks": rich(self.texts.thanks),
            "keys": [list(block.keys) for block in blocks],
            "labels": [list(block.labels) for block in blocks],
            "blocks": [
                {
                    "name": block.name,
                    "trials": block.trials,
                    "arms": block.bandit.arms,
                    "practice": block.practice,
                }
                for block in blocks
            ],
            "feedback_ms": self.texts.feedback_ms,
            "timeout_ms": self.texts.timeout_ms,
            "pause_ms": self.texts.pause_ms,
        }

    def number_of(self, run: str) -> int:
        """The number of a participant's bandits, where they are not the same for all."""
        return int.from_bytes(hashlib.sha256(run.encode()).digest()[:8], "big") % NUMBERS

    def code_of(self, run: str) -> str:
        """The completion code of a participant."""
        return self.texts.code or hashlib.sha256(f"{self.digest} {run}".encode()).hexdigest()[:8]


def _keys(arms: int) -> list[str]:
    if arms <= len(KEYS):
        return list(KEYS[:arms])
    return [str(arm + 1) for arm in range(arms)]


def _in_words(problem: ValidationError) -> str:
    first = problem.errors()[0]
    place = " ".join(str(part + 1) if isinstance(part, int) else part for part in first["loc"])
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
