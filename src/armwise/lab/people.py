"""Play and the task of a researcher: which runs there are, and what a page may ask of them."""

import asyncio
import math
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any, ClassVar

import numpy as np

from armwise.errors import InputError, whole_number
from armwise.lab.fitting import CANDIDATES, random_row
from armwise.lab.folder import Folder
from armwise.lab.parts import SEEDS, horizon_of, numbers_of
from armwise.lab.reveal import Played
from armwise.lab.runs import TRIALS, Block, Line, Run, csv_of, drawn_seed
from armwise.lab.task import KEYS, Task
from armwise.lab.wire import packed
from armwise.lab.workers import Workers
from armwise.version import VERSION

MOST = 500  # runs of Play that are kept in memory
PERSON = "you"
EVERYBODY = "choices.csv"  # too short for the code of a participant


class Runs:
    """All runs of this lab."""

    ACTS: ClassVar[frozenset[str]] = frozenset(
        {"play", "task", "begin", "choose", "end", "finish", "reveal"}
    )

    def __init__(self, workers: Workers, task: Task | None, folder: Folder | None) -> None:
        self.workers, self.task, self.folder = workers, task, folder
        self._runs: dict[str, Run] = {}
        self._asked: dict[str, dict[str, Any]] = {}  # the bandits of runs of Play
        self._turn = asyncio.Lock()

    async def answer(self, asked: dict[str, Any]) -> dict[str, Any] | bytes:
        """The answer to one of `ACTS`."""
        do = str(asked["do"])
        if do == "reveal":
            return await self._reveal(asked)
        acts: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "play": self._play,
            "task": lambda _: self._the_task().told(),
            "begin": self._begin,
            "choose": lambda _: self._run(asked).choose(asked),
            "end": self._end,
            "finish": self._finish,
        }
        async with self._turn:
            return await asyncio.to_thread(acts[do], asked)

    def csv(self, name: str) -> str:
        """The choices of a run of Play that has ended."""
        run = self._runs.get(name)
        if run is None or name not in self._asked or not run.over:
            raise InputError("There is no such run, or it is not over.")
        return csv_of(run)

    def _play(self, asked: dict[str, Any]) -> dict[str, Any]:
        bandit = self.workers.shelf.bandit(asked.get("bandit"))
        trials = min(horizon_of(asked, bandit.arms), TRIALS)
        whole_number("horizon", asked.get("horizon"), 1, TRIALS + 1)
        seed = drawn_seed() if asked.get("seed") is None else asked["seed"]
        seed, number = numbers_of(asked | {"seed": whole_number("seed", seed, 0, SEEDS)})
        keys = tuple(KEYS[: bandit.arms]) if bandit.arms <= len(KEYS) else ()
        labels = tuple(str(arm) for arm in range(bandit.arms))
        block = Block(bandit, trials, seed, number, "", False, keys, labels)
        run = Run(secrets.token_urlsafe(12), [block], feedback_ms=300)
        if self.folder is not None:
            run.log = self.folder.log(f"play-{run.name}")
            run.log.append({"run": run.name, "bandit": str(bandit), "armwise": VERSION})
        self._keep(run)
        self._asked[run.name] = asked["bandit"]
        return run.place()

    def _keep(self, run: Run) -> None:
        self._runs[run.name] = run
        while len(self._runs) > MOST:
            oldest = next(iter(self._runs))
            self._runs.pop(oldest)
            self._asked.pop(oldest, None)

    def _the_task(self) -> Task:
        if self.task is None:
            raise InputError("This lab has no task: start it with armwise lab task.toml.")
        return self.task

    def _begin(self, asked: dict[str, Any]) -> dict[str, Any]:
        name = asked.get("run")
        if name is not None:
            return self._run(asked).place()
        task = self._the_task()
        if asked.get("consent") is not True:
            raise InputError("A task begins with consent.")
        run = self._made(task, secrets.token_urlsafe(12))
        if run.log is not None:
            about = {"subject": run.name, "consent": True, "task": task.digest}
            run.log.append(about | {"title": task.texts.title, "armwise": VERSION})
        self._keep(run)
        return run.place()

    def _made(self, task: Task, name: str) -> Run:
        texts = task.texts
        log = None if self.folder is None else self.folder.log(name)
        blocks = task.blocks(task.number_of(name))
        return Run(name, blocks, texts.feedback_ms, texts.timeout_ms, log)

    def _run(self, asked: dict[str, Any]) -> Run:
        """The run that a page names; one of a task is read again from its file."""
        name = asked.get("run")
        if isinstance(name, str) and name in self._runs:
            return self._runs[name]
        known = isinstance(name, str) and self.folder is not None and self.folder.knows(name)
        if not known or self.task is None or self.folder is None or not isinstance(name, str):
            raise InputError("There is no such run.")
        run = self._made(self.task, name)
        head, *lines = run.log.lines() or [{}]
        if head.get("task") != self.task.digest:
            raise InputError("This run began with another version of the task.")
        fields = set(Line._fields)
        run.lines = [Line(**line) for line in lines if line.keys() == fields]
        self._keep(run)
        return run

    def _end(self, asked: dict[str, Any]) -> dict[str, Any]:
        run = self._run(asked)
        if run.name not in self._asked:
            raise InputError("Only a run of Play can be ended early.")
        run.end()
        return run.place()

    def _finish(self, asked: dict[str, Any]) -> dict[str, Any]:
        task, run = self._the_task(), self._run(asked)
        if run.name in self._asked or not run.over:
            raise InputError("The task is not over.")
        code = task.code_of(run.name)
        if self.folder is not None:
            self.folder.write(f"{run.name}.csv", csv_of(run))
            self.folder.gather(EVERYBODY)
            run.log.append({"finished": True, "code": code})
        return {"kind": "finished", "code": code, "thanks": task.told()["thanks"]}

    async def fits(self, asked: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Agents fitted to a run of Play that is over: whenever there is another row, all rows."""
        run = self._ended(asked)
        arms, played = run.blocks[0].bandit.arms, self._played(run)
        rows = [random_row(arms, sum(arm >= 0 for arm in played.choices))]
        for place, label in enumerate(CANDIDATES, start=1):
            yield _fits(rows, label)
            rows.append(await self.workers.fitted(label, played, arms))
            if place == len(CANDIDATES):
                yield _fits(rows, None)

    def _ended(self, asked: dict[str, Any]) -> Run:
        """The run of Play that a page names, once it is over."""
        run = self._run(asked)
        if run.name not in self._asked:
            raise InputError("Only a run of Play is revealed.")
        if not run.over:
            raise InputError("The run is not over: theta is shown at its end.")
        return run

    def _played(self, run: Run) -> Played:
        block = run.blocks[0]
        heard = [max(line.outcome, 0) for line in run.lines]
        choices = [line.arm for line in run.lines]
        return Played(self._asked[run.name], block.seed, block.number, choices, heard)

    async def _reveal(self, asked: dict[str, Any]) -> bytes:
        run = self._ended(asked)
        block, played = run.blocks[0], self._played(run)
        choices, outcomes = played.choices, [line.outcome for line in run.lines]
        (best, _), *rows = await self.workers.revealed(asked, played)
        thetas = (await asyncio.to_thread(run.thetas, 1))[: block.trials]
        regret = np.cumsum(
            [
                each.max() - (each[k] if k >= 0 else 0.0)
                for each, k in zip(thetas, choices, strict=True)
            ]
        )
        chosen = sum(arm >= 0 for arm in choices)
        rate = -math.log(block.bandit.arms)
        person = {"label": PERSON, "agent": "", "regret": regret[-1], "why": None}
        person |= {"log_likelihood": rate * chosen, "per_trial": rate, "precision": None}
        person["difference"] = rate * chosen - best
        nothing = np.full(len(choices), np.nan)
        own = np.where(np.array(choices) >= 0, -rate, np.nan)
        header = {
            "id": asked.get("id"),
            "kind": "reveal",
            "run": run.name,
            "seed": block.seed,
            "number": block.number,
            "horizon": block.trials,
            "arms": block.bandit.arms,
            "rows": [person, *(row for row, _ in rows)],
        }
        surprise = [own, *(nothing if each is None else each for _, each in rows)]
        arrays = {"theta": thetas, "chosen": choices, "outcome": outcomes, "regret": regret}
        return packed(header, {**arrays, "surprise": np.stack(surprise)})


def _fits(rows: list[dict[str, Any]], coming: str | None) -> dict[str, Any]:
    """All rows with their distance to the best, the best first, and what is fitted next."""
    best = max(row["evidence"] for row in rows)
    known = [row | {"difference": row["evidence"] - best} for row in rows]
    known.sort(key=lambda row: -row["evidence"])
    return {"kind": "fits", "rows": known, "coming": coming, "over": coming is None}
