"""How fast armwise is, beside the same simulation in JAX, NumPy, C and pymab.

    python benchmarks/bench.py                           all parts
    python benchmarks/bench.py --quick --only speed      a first look
    python benchmarks/bench.py --only start-up           renews this part of RESULTS.md
    python benchmarks/bench.py --full --only memory      10^6 agents by 10^4 trials as well
    python benchmarks/bench.py --against ../old          beside another checkout of armwise, too

What is not installed (jax, pymab, mabwiser, a C compiler) is left out, and a sentence says so.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

from parts import (
    before,
    calibration,
    decisions,
    fit_starts,
    fits,
    fitting,
    killed,
    lab,
    machine,
    memory,
    nested_calibration,
    own_policy,
    player,
    player_start,
    posterior,
    propensities,
    results,
    roofline,
    scaling,
    shared_player,
    speed,
    start_up,
    stores,
)
from parts.table import Options, Table

PARTS = {
    "speed": (speed.measure, decisions.measure),
    "before": (before.measure,),
    "roofline": (roofline.measure,),
    "own": (own_policy.measure,),
    "fitting": (fitting.measure, fits.measure, fit_starts.measure),
    "posterior": (posterior.measure,),
    "calibration": (calibration.measure, nested_calibration.measure),
    "scaling": (scaling.measure,),
    "start-up": (start_up.measure,),
    "memory": (memory.measure,),
    "stores": (stores.tables,),
    "player": (
        player.measure,
        player_start.measure,
        propensities.measure,
        killed.measure,
    ),
    "shared": (shared_player.measure,),
    "lab": (lab.measure,),
}


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"bench.py: {message.rstrip('.')}.\n")


def chosen(text: str) -> list[str]:
    """The parts named in a list with commas, in their own order."""
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in PARTS:
            raise argparse.ArgumentTypeError(
                f"there is no part '{name}'; the parts are {', '.join(PARTS)}"
            )
    return [name for name in PARTS if name in names]


def target(text: str) -> Path:
    """A file that can be written, known before anything is measured."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is not a file in a folder that exists")
    return path


def checkout(text: str) -> Path:
    """Another checkout of armwise, with its benchmarks."""
    path = Path(text)
    for needed in ("src/armwise", "benchmarks/rivals/armwise_program.py"):
        if not (path / needed).exists():
            raise argparse.ArgumentTypeError(f"'{text}' is no checkout of armwise: no {needed}")
    return path


def arguments() -> argparse.Namespace:
    parser = Parser("bench.py", description=__doc__.splitlines()[0], allow_abbrev=False)
    add: Any = parser.add_argument
    add("--quick", action="store_true", help="fewer rounds, arms and trials")
    add("--full", action="store_true", help="also what takes many minutes")
    add("--only", type=chosen, default=list(PARTS), metavar="PARTS", help=", ".join(PARTS))
    default = Path(__file__).with_name("RESULTS.md")
    add("--out", type=target, default=default, metavar="FILE.md", help="default: RESULTS.md here")
    add("--against", type=checkout, metavar="PATH", help="another checkout, for the part before")
    given = parser.parse_args()
    if "before" in given.only and len(given.only) == 1 and given.against is None:
        parser.error("--only before needs --against PATH")
    if given.quick and given.full:
        parser.error("--quick and --full exclude each other")
    return given


def main() -> None:
    given = arguments()
    console = Console(width=None if sys.stdout.isatty() else 130)
    tables: list[Table] = []
    started = time.perf_counter()
    with console.status("") as status:
        options = Options(given.quick, given.full, status.update, given.against)
        for part in given.only:
            for measure in PARTS[part]:
                for table in measure(options):
                    tables.append(table)
                    console.print(
                        table.rich(), *table.notes, "", sep="\n", highlight=False, markup=False
                    )
    minutes = (time.perf_counter() - started) / 60
    command = " ".join(["benchmarks/bench.py", *sys.argv[1:]])
    before = given.out.read_text(encoding="utf-8") if given.out.exists() else ""
    about = [*machine.lines(), f"- took {minutes:.1f} minutes"]
    given.out.write_text(results.renewed(before, tables, about, command), encoding="utf-8")
    console.print(f"Written to {given.out}.", highlight=False)


if __name__ == "__main__":
    main()
