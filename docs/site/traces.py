"""Live traces: what `armwise.trace` found, drawn by the modules of the lab without a server.

A page holds `<div class="live" data-trace="NAME">`, with a picture inside for readers elsewhere,
and its Python, or that of another page, gives NAME its value. So the text and the picture that
moves are about the same agent.
"""

import base64
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pages

from armwise.lab import notebook

_NAMES = re.compile(r'<div class="live" data-trace="(\w+)"')
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}")
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="view.css">
</head>
<body>
<main id="view" class="armwise-lab"></main>
<script>const TOLD = "{told}";</script>
<script src="view.js"></script>
</body>
</html>
"""


def write_all(folder: Path) -> None:
    """The traces that the pages ask for, and what draws them."""
    target = folder / "traces"
    target.mkdir()
    (target / "view.css").write_text(styles(), encoding="utf-8")
    (target / "view.js").write_text(script(), encoding="utf-8")
    wanted: set[str] = set()
    for path in sorted(pages.DOCS.rglob("*.md")):
        names = set(_NAMES.findall(path.read_text(encoding="utf-8")))
        wanted |= names
        for name, trace in defined_in(path, names).items():
            (target / f"{name}.html").write_text(page_of(trace), encoding="utf-8")
    if missing := sorted(name for name in wanted if not (target / f"{name}.html").exists()):
        raise LookupError(f"No page with a live trace defines {', '.join(missing)}.")


def defined_in(path: Path, names: set[str]) -> dict[str, Any]:
    """Those of the traces that the Python of a page defines itself."""
    text = path.read_text(encoding="utf-8")
    if not any(re.search(rf"^{name} = ", text, re.MULTILINE) for name in names):
        return {}
    with contextlib.chdir(scratch()):
        space = defined(text)
    return {name: space[name] for name in names if name in space}


def defined(text: str) -> dict[str, Any]:
    """The names that the Python of a page defines."""
    space: dict[str, Any] = {"__name__": "page"}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in _PYTHON.findall(text):
            exec(block, space)
    return space


def scratch() -> Path:
    """A folder for what the Python of a page writes."""
    folder = pages.ROOT / "build" / "scratch"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def page_of(trace: Any) -> str:
    """A page with one trace in it."""
    told = base64.b64encode(notebook.told_of(trace)).decode()
    return PAGE.format(title=trace.attrs.get("agent", "trace"), told=told)


def script() -> str:
    """The modules of the view and their host, as one script: files have no modules."""
    view = notebook.joined("notebook").rpartition("export default")[0]
    host = (pages.OWN / "host.js").read_text(encoding="utf-8")
    return f"(() => {{\n{view}\n{host}\n}})();\n"


def styles() -> str:
    """The lab's, but the scheme is that of the site, which has a switch."""
    own = notebook._text("lab.css")
    dark = _DARK.sub(r':root[data-scheme="dark"] {\1 color-scheme: dark; }', own)
    plain = dark.replace("color-scheme: light dark;", "color-scheme: light;")
    return notebook._text("vendor/uPlot.min.css") + plain
