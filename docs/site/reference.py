"""The reference of functions, classes and modules, from their docstrings."""

import inspect
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import components
import words

import armwise

# (page, title, what it is about, where its names are defined). The first that fits takes a name.
PAGES = [
    (
        "simulate",
        "Simulate and explain",
        "Agents that play, and why they choose what they choose.",
        ("simulate", "trace", "explain", "replay", "retrace", "show", "every", "log_spaced"),
        ("armwise.play.checkpoints", "armwise.lab", "armwise.errors"),
    ),
    (
        "agents",
        "Agents, and components of your own",
        "What an agent is made of, and the language in which its parts are written.",
        (
            "Agent",
            "Chooser",
            "catalogue",
            "parameter",
            "Bandit",
            "Learner",
            "Policy",
            "Choice",
            "Actor",
            "QuantilePolicy",
            "Assumed",
        ),
        ("armwise.model", "armwise.numerics", "armwise.play.catalogue", "armwise.testing"),
    ),
    (
        "people",
        "Fit people",
        "From recorded choices to parameters, and to a comparison of models.",
        ("load_choices", "example", "Choices", "fit", "Fit", "recover", "compare", "calibrate"),
        ("armwise.fitting", "armwise.engine"),
    ),
    (
        "players",
        "Decide online",
        "An agent in your program, and what its log says.",
        ("Player", "Ticket", "Expiry", "open_player", "load_player", "SharedPlayer", "offline"),
        ("armwise.play",),
    ),
    (
        "sweeps",
        "Sweeps and stores",
        "Many simulations as files.",
        ("Sweep", "run", "Store", "Results"),
        ("armwise.sweeps",),
    ),
    (
        "analysis",
        "Analysis",
        "What results say: regret, changes, bounds.",
        ("regret", "changes", "theory"),
        ("armwise.analysis",),
    ),
]


def grouped() -> dict[str, list[str]]:
    """Every exported name on its page, without the components."""
    found: dict[str, list[str]] = {page[0]: [] for page in PAGES}
    listed = components.places()
    for name in armwise.__all__:
        if name not in listed:
            found[_page_of(name)].append(name)
    for page, _, _, first, _ in PAGES:
        rank = {name: place for place, name in enumerate(first)}
        found[page].sort(key=lambda name: (rank.get(name, len(rank)), name))
    return found


def _page_of(name: str) -> str:
    """The page of a name: where it is asked for, or where what defines it belongs."""
    thing = getattr(armwise, name)
    home = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
    for page, _, _, first, _ in PAGES:
        if name in first:
            return page
    for page, _, _, _, homes in PAGES:
        if any(home == each or home.startswith(f"{each}.") for each in homes):
            return page
    raise LookupError(f"armwise.{name} is defined in {home}, which no page of the reference takes.")


def places() -> dict[str, str]:
    """Where each name is described, and each public name inside of it."""
    found = {}
    for page, names in grouped().items():
        for name in names:
            found[name] = f"reference/{page}.md#{name}"
            for each in _inside(getattr(armwise, name)):
                found[f"{name}.{each}"] = f"reference/{page}.md#{name}-{each}"
    return found


def _inside(thing: Any) -> list[str]:
    return _public(thing) if inspect.isclass(thing) or isinstance(thing, ModuleType) else []


def pages() -> dict[str, str]:
    """The pages by their names."""
    found = grouped()
    return {
        f"reference/{page}.md": _page(title, about, found[page]) for page, title, about, *_ in PAGES
    }


def _page(title: str, about: str, names: Iterable[str]) -> str:
    things = {name: getattr(armwise, name) for name in names}
    rows = [f"| [`{name}`](#{name}) | {words.summary(it)} |" for name, it in things.items()]
    table = ["| name | in short |", "|---|---|", *rows, ""]
    entries = [_entry(name, thing) for name, thing in things.items()]
    return "\n".join([f"# {title}", "", about, "", *table, *entries])


def _entry(name: str, thing: Any) -> str:
    heading = f"## {name} {{ #{name} }}\n"
    if isinstance(thing, ModuleType):
        return "\n".join([heading, words.document(thing), *_members(thing, name)])
    body = [heading, words.signature(f"armwise.{name}", thing), words.document(thing)]
    return "\n".join(body + _members(thing, name))


def _members(owner: Any, name: str) -> list[str]:
    """The public methods of a class, or the names of a module."""
    return [_member(owner, name, each) for each in _inside(owner)]


def _member(owner: Any, name: str, each: str) -> str:
    heading = f"### {name}.{each} {{ #{name}-{each} }}\n\n"
    thing = getattr(owner, each)
    if isinstance(thing, property):
        line = f"{name}.{each}{words.returned(thing.fget)}"
        return f"{heading}```python\n{line}\n```\n\n{words.document(thing)}"
    if not callable(thing):
        return f"{heading}```python\n{name}.{each} = {thing!r}\n```\n"
    return f"{heading}{words.signature(f'{name}.{each}', thing)}\n{words.document(thing)}"


def _public(owner: Any) -> list[str]:
    if isinstance(owner, ModuleType):
        return list(getattr(owner, "__all__", None) or _defined(owner))
    return [name for name in _own(owner) if inspect.getdoc(getattr(owner, name, None))]


def _defined(module: ModuleType) -> list[str]:
    """The public functions and classes that a module defines itself."""
    things = vars(module).items()
    home = module.__name__
    return [
        name
        for name, thing in things
        if not name.startswith("_")
        and callable(thing)
        and getattr(thing, "__module__", "").startswith(home)
        and inspect.getdoc(thing)
    ]


def _own(cls: type) -> list[str]:
    """The public methods and properties of a class and of its bases inside armwise."""
    ours = [base for base in reversed(cls.__mro__) if base.__module__.startswith("armwise")]
    names = dict.fromkeys(name for base in ours for name in vars(base) if not name.startswith("_"))
    kinds = (property, classmethod, staticmethod)
    return [
        name
        for name in names
        if inspect.isroutine(inspect.getattr_static(cls, name))
        or isinstance(inspect.getattr_static(cls, name), kinds)
    ]
