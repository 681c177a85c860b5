"""The picture of a trace in a notebook: the modules of the page, joined into one, as a widget.

A notebook loads a widget's code as one text without a folder, so modules that import each other
are wrapped in functions, in the order in which they need each other.
"""

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from armwise.errors import InputError, brief, require
from armwise.lab.wire import packed

if TYPE_CHECKING:
    import xarray

STATIC = Path(__file__).parent / "static"
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=class|function|const)", re.MULTILINE)
_ROOT = re.compile(r"(?:@media [^{]*\{\s*)?:root \{[^}]*\}(?:\s*\})?")
SINGLE = ("chosen", "outcome", "gamma", "regret")  # one number per trial
NOT_TERMS = (*SINGLE, "theta", "alpha", "beta", "score", "probability")


def show(trace: "xarray.Dataset") -> Any:
    """Show what `armwise.trace` found, in a notebook: the view of the lab's room Explore.

    The trial that is shown is `widget.trial`, which code can read and set.

    >>> from armwise import *
    >>> agent = Agent(ApproximateActiveInference(lam=0.5), Smile(rho=0.01))
    >>> found = trace(SwitchingBandit(arms=3), agent, horizon=20, seed=1, device="python")
    >>> widget = show(found)
    >>> widget.trial
    1
    """
    require("anywidget", "traitlets")
    return _widget()(packed=packed_trace(trace))


def packed_trace(trace: Any) -> bytes:
    """A trace as the lab would send it."""
    names = getattr(trace, "data_vars", {})
    if not {*SINGLE, "theta"} <= set(names) or dict(trace.sizes).keys() != {"trial", "arm"}:
        raise InputError(f"show needs what armwise.trace returns, not {brief(trace)}.")
    if "variance" in names:
        raise InputError("show draws Beta beliefs about outcomes 0 and 1, and these are normal.")
    header = {
        "kind": "trace",
        "arms": trace.sizes["arm"],
        "horizon": trace.sizes["trial"],
        "agent": trace.attrs.get("agent", ""),
        "bandit": trace.attrs.get("bandit", ""),
        "label": str(trace.attrs.get("agent", "")).partition(":")[0],
        "terms": [str(name) for name in names if name not in NOT_TERMS],
        "assumed": {"agent": None, "bandit": None},
    }
    return packed(header, {str(name): np.asarray(trace[name].values) for name in names})


@functools.cache
def _widget() -> Any:
    import anywidget
    import traitlets

    class Trace(anywidget.AnyWidget):
        """The widget; its trial can be read and set."""

        _esm = joined("notebook")
        _css = _text("vendor/uPlot.min.css") + scoped(_text("lab.css"))
        packed = traitlets.Bytes().tag(sync=True)
        trial = traitlets.Int(1).tag(sync=True)
        problem = traitlets.Unicode("").tag(sync=True)

    return Trace


def _text(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def joined(entry: str) -> str:
    """A module and all that it imports, as one module without imports."""
    texts: dict[str, str] = {}

    def read(name: str) -> None:
        text = _text(f"{name}.js")
        for _, needed in _IMPORT.findall(text):
            if needed not in texts:
                read(needed)
        texts[name] = text  # after what it needs

    read(entry)
    wanted: dict[str, set[str]] = {name: set() for name in texts}
    for text in texts.values():
        for names, needed in _IMPORT.findall(text):
            wanted[needed] |= {name.split(" as ")[0].strip() for name in names.split(",")}
    wanted[entry] = {"render"}
    parts = [_text("vendor/uPlot.iife.min.js"), "globalThis.uPlot ??= uPlot;"]
    parts += [_wrapped(name, text, wanted[name]) for name, text in texts.items()]
    return "\n".join([*parts, f"export default {{ render: {_variable(entry)}.render }};\n"])


def _wrapped(name: str, text: str, wanted: set[str]) -> str:
    def taken(found: re.Match) -> str:
        names = found[1].replace(" as ", ": ")
        return f"const {{{names}}} = {_variable(found[2])};"

    body = _EXPORT.sub("", _IMPORT.sub(taken, text))
    body = re.sub(r"^export default .*$", "", body, flags=re.MULTILINE)
    found = ", ".join(sorted(wanted))
    return f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {found} }};\n}})();"


def _variable(name: str) -> str:
    return "module_" + name.replace("-", "_")


def scoped(css: str) -> str:
    """Rules that hold inside the widget alone; only the names of colours are known outside.

    >>> scoped(":root { --ink: black; } body { margin: 0; }")
    ':root { --ink: black; }\\n.armwise-lab {\\n & { margin: 0; }\\n}\\n'
    """
    colours = "\n".join(found[0] for found in _ROOT.finditer(css))
    rest = re.sub(r"(?<![\w-])body(?![\w-])", "&", _ROOT.sub("", css))
    return f"{colours}\n.armwise-lab {{\n{rest}\n}}\n"
