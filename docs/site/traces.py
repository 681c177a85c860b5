"""Live traces: what `armwise.trace` found, drawn by the modules of the lab without a server.

A page holds `<div class="live" data-trace="NAME">`, with a picture inside for readers elsewhere,
and its Python, or that of another page, gives NAME its value. So the text and the picture that
moves are about the same agent.
"""

import base64
import contextlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pages

from armwise.lab import notebook, wire

_NAMES = re.compile(r'<div class="live" data-trace="(\w+)"')
_PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LIGHT = re.compile(r"^:root \{([^}]*)\}", re.MULTILINE)
_DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*:root \{([^}]*)\}\s*\}")


def write_all(folder: Path) -> None:
    """The traces that the pages ask for, and what draws them."""
    target = folder / "traces"
    target.mkdir()
    (folder / "assets" / "colours.css").write_text(colours(), encoding="utf-8")
    (target / "view.js").write_text(script(), encoding="utf-8")
    wanted: set[str] = set()
    for path in sorted(pages.DOCS.rglob("*.md")):
        names = set(_NAMES.findall(path.read_text(encoding="utf-8")))
        wanted |= names
        for name, trace in defined_in(path, names).items():
            (target / f"{name}.js").write_text(told(name, trace), encoding="utf-8")
    if missing := sorted(name for name in wanted if not (target / f"{name}.js").exists()):
        raise LookupError(f"No page with a live trace defines {', '.join(missing)}.")


def defined_in(path: Path, names: set[str]) -> dict[str, Any]:
    """Those of the traces that the Python of a page defines itself."""
    text = path.read_text(encoding="utf-8")
    if not any(re.search(rf"^(?:\w+, )*{name}(?:, \w+)* = ", text, re.MULTILINE) for name in names):
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


def told(name: str, trace: Any) -> str:
    """A trace as a script, because a page that is a file may read nothing else."""
    terms = [str(each) for each in trace.data_vars if each not in notebook.NOT_TERMS]
    header = {"arms": trace.sizes["arm"], "horizon": trace.sizes["trial"], "terms": terms}
    arrays = {str(each): trace[each].values for each in trace.data_vars}
    text = base64.b64encode(wire.packed(header, arrays)).decode()
    return f'armwise.traces.{name} = "{text}";\n'


def script() -> str:
    """The modules of the view, its styles and its host, as one script: files have no modules."""
    view = notebook.joined("notebook").rpartition("export default")[0]
    host = (pages.OWN / "host.js").read_text(encoding="utf-8")
    return f"(() => {{\n{view}\nconst STYLES = {json.dumps(styles())};\n{host}\n}})();\n"


def styles() -> str:
    """The lab's rules for one view. The site has another size of letters, so rem become pixels."""
    rules = _LIGHT.sub("", _DARK.sub("", _text("lab.css")))
    rules = re.sub(r"(?<![\w-])body(?![\w-])", ":host", rules)
    pixels = re.sub(r"([\d.]+)rem", lambda found: f"{16 * float(found[1]):g}px", rules)
    return _text("vendor/uPlot.min.css") + pixels


def _text(name: str) -> str:
    return (notebook.STATIC / name).read_text(encoding="utf-8")


def colours() -> str:
    """The lab's colours, light and dark as the switch of the site says."""
    css = _text("lab.css")
    [dark], [light] = _DARK.findall(css), _LIGHT.findall(_DARK.sub("", css))
    light = re.sub(r"color-scheme:[^;]*;", "", light)
    slate = ':root:has(body[data-md-color-scheme="slate"])'
    return f":root {{{light}}}\n{slate} {{{dark}}}\n"
