"""How long it takes until a player is there: in memory, from a JSON file, from a shared file."""

import contextlib
import os
import sqlite3
import statistics
import tempfile

from parts.fresh import told
from parts.table import Options, Table, spread

ROUNDS, QUICK_ROUNDS = 5, 3
GOAL = 50.0  # milliseconds, for a start and for a load
AGENTS = {
    "A-AI": "aw.Agent(aw.ApproximateActiveInference())",
    "TS": "aw.Agent(aw.ThompsonSampling())",
    "H-EFE": "aw.Agent(aw.HorizonActiveInference(), aw.Smile(prior=(0.02, 50)))",
    "universal": "aw.Universal()",
}
MAKE = """
import armwise as aw
agent = {agent}
for name in ("closed.db", "killed.db"):
    with agent.open({folder!r} + "/" + name, range(10), durable="batch") as player:
        for trial in range(240):
            player.observe(player.choose(), trial % 2)
        player.save({folder!r} + "/state.json")
"""
DO = {
    "start": "player = agent.start(range(10), seed=1)",
    "load": "player = aw.load_player({folder!r} + '/state.json')",
    "open": "player = aw.open_player({folder!r} + '/closed.db'); player.open",
    "open after kill -9": "player = aw.open_player({folder!r} + '/killed.db'); player.open",
}
CODE = """
import time, armwise as aw
agent = {agent}
started, used = time.perf_counter(), time.process_time()
{do}
print(1e3 * (time.perf_counter() - started), 1e3 * (time.process_time() - used))
"""


def measure(options: Options) -> list[Table]:
    rounds = QUICK_ROUNDS if options.quick else ROUNDS
    rows = []
    with tempfile.TemporaryDirectory() as root:
        warm = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{root}/bytecode"}
        for label, agent in AGENTS.items():
            folder = f"{root}/{label}"
            os.mkdir(folder)
            told(MAKE.format(agent=agent, folder=folder), **warm)
            forget_snapshots(f"{folder}/killed.db")
            for what, do in DO.items():
                options.say(f"player: {label}, {what}")
                code = CODE.format(agent=agent, do=do.format(folder=folder))
                found = [told(code, **warm)[1].split() for _ in range(rounds + 1)][1:]
                rows.append(row(label, what, [[float(each) for each in two] for two in found]))
    note = (
        f"Milliseconds in a new process, after `import armwise`, median of {rounds} rounds after "
        "one that is not counted: Python's bytecode and armwise's tables are there. A start and a "
        "load are players in memory; a file is opened after 480 events, closed properly, or with "
        "all of them to be repeated, as after a crash. 10 arms."
    )
    columns = ["agent", "what", ">milliseconds [min–max]", ">of a processor", ">goal", ""]
    return [Table("Until a player is there", columns, rows, [note])]


def forget_snapshots(path: str) -> None:
    """Leave the file as one whose process died: all events have to be repeated."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM snapshot WHERE event > 0")


def row(label: str, what: str, found: list[list[float]]) -> list[str]:
    wall, used = ([each[place] for each in found] for place in (0, 1))
    cells = [label, what, spread(wall), spread(used)]
    if what not in ("start", "load"):
        return [*cells, "", ""]
    return [*cells, f"{GOAL:g}", "met" if statistics.median(wall) <= GOAL else "missed"]
