"""Make the figures of the pages again: `python docs/site/figures.py docs/gallery.md`.

Runs the Python of a page in a folder of its own, and puts every picture that it saves where the
page shows one of that name.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

import traces

_PICTURE = re.compile(r"!\[[^\]]*\]\(([^)]+\.png)\)")


def remade(page: Path) -> list[Path]:
    """The pictures of a page that its own code makes, made again."""
    shown = {Path(name).name: page.parent / name for name in _PICTURE.findall(page.read_text())}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        traces.defined(page.read_text())
        made = [path for path in sorted(Path().glob("*.png")) if path.name in shown]
        for path in made:
            shown[path.name].parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, shown[path.name])
    return [shown[path.name] for path in made]


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    for argument in sys.argv[1:]:
        print(*remade(Path(argument).resolve()), sep="\n")
