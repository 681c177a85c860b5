"""How long `import armwise` takes, in fresh processes, and that it loads nothing heavy."""

import statistics
import subprocess
import sys
import time

HEAVY = ("numba", "xarray", "matplotlib", "pandas", "typer", "rich")


def seconds(code: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - started


def main() -> None:
    seconds("import armwise")  # warm the disk's cache
    rows = {
        name: statistics.median(seconds(code) for _ in range(9))
        for name, code in (
            ("python alone", "pass"),
            ("import numpy", "import numpy"),
            ("import armwise", "import armwise"),
        )
    }
    for name, value in rows.items():
        print(f"{name:>15}: {value:.3f} s")
    print(f"{'armwise itself':>15}: {rows['import armwise'] - rows['python alone']:.3f} s")
    code = f"import armwise, sys; print([m for m in {HEAVY} if m in sys.modules])"
    print("heavy modules loaded:", subprocess.check_output([sys.executable, "-c", code], text=True))


if __name__ == "__main__":
    main()
