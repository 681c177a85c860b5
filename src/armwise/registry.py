"""Components by name, from values or from text: `a-ai:lam=0.5`, `switching:arms=10,rho=0.01`.

Your own component is named by its file, and by its class if the file defines several: `mine.py`,
`mine.py:strength=2`, `mine.py:Mine`, `mine.py:Mine:strength=2`. The text after the file is a class
unless it contains an equals sign. A problem of the literature is a bandit without parameters:
`problem-1`.
"""

import contextlib
import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from armwise import actors, bandits, choices, learners, policies
from armwise.bandits.problems import PROBLEMS
from armwise.errors import InputError, brief, unknown
from armwise.model.component import Component, has_prior, kind_of, named, parameters_of
from armwise.model.roles import Actor, Bandit, Choice, Learner, Policy

PLAYING = "policy or actor"  # the role if either is accepted

_ROOMS: dict[str, tuple[ModuleType, ...]] = {
    "bandit": (bandits,),
    "learner": (learners,),
    "policy": (policies,),
    "choice": (choices,),
    "actor": (actors,),
    PLAYING: (policies, actors),
}
_ROLES: dict[str, tuple[type[Component], ...]] = {
    "bandit": (Bandit,),
    "learner": (Learner,),
    "policy": (Policy,),
    "choice": (Choice,),
    "actor": (Actor,),
    PLAYING: (Policy, Actor),
}
# A file ends at the last `.py` before a colon or the end, and may hold colons: `C:\mine.py`.
_FILE = re.compile(r"(?P<file>.*\.py)(?::(?P<cls>[^:=]+))?(?::(?P<tail>.*))?")


class Description(NamedTuple):
    """A component by its name, with the values given to its parameters."""

    name: str
    values: dict[str, Any]


def known(role: str) -> dict[str, type[Component]]:
    """Every component of a role by its name on the command line.

    >>> sorted(known("choice"))
    ['argmax', 'habitual', 'lapsing', 'softmax']
    """
    classes = [getattr(room, name) for room in _ROOMS[role] for name in room.__all__]
    return {cls.label.lower(): cls for cls in sorted(classes, key=lambda cls: cls.label.lower())}


def build(role: str, name: str, values: Mapping[str, Any], **defaults: Any) -> Any:
    """Build the component of a name with these values; `defaults` fill in missing parameters.

    A default for which the component has no parameter is ignored. A policy ignores all defaults,
    because the learner gets what an agent may know about its bandit.

    >>> build("policy", "a-ai", {"lam": 0.25})
    ApproximateActiveInference(lam=0.25)
    >>> build("learner", "smile", {}, rho=0.01, epsilon=0.1)
    Smile(rho=0.01, alpha0=1.0, beta0=1.0)
    """
    if _is_problem(role, name):
        if values:
            raise InputError(f"The problem {name} has no parameters to set, not {_listed(values)}.")
        return PROBLEMS[name.lower()]
    cls = class_of(role, name)
    fields = () if issubclass(cls, Policy) else parameters_of(cls)
    filled = {field.name: defaults[field.name] for field in fields if field.name in defaults}
    return named(cls, filled | dict(values))


def component(role: str, text: str, **defaults: Any) -> Any:
    """Build the component that `text` describes; `defaults` are those of `build`.

    >>> component("bandit", "switching:arms=5,rho=0.02").rho
    0.02
    """
    return build(role, *parsed(role, text), **defaults)


def policy_or_actor(text: str, **defaults: Any) -> Any:
    """Build the policy or actor that `text` describes; `defaults` are for an actor.

    >>> policy_or_actor("hmm", rho=0.02).role, policy_or_actor("a-ai", rho=0.02).role
    ('actor', 'policy')
    """
    return component(PLAYING, text, **defaults)


def parsed(role: str, text: str) -> Description:
    """The name and the values in a text, each value converted to the kind of its parameter.

    A value that cannot be converted stays text, which the component refuses.

    >>> parsed("bandit", "fixed:thetas=0.9/0.1")
    Description(name='fixed', values={'thetas': (0.9, 0.1)})
    """
    name, tail = _split(text.strip())
    items = [item.partition("=") for item in tail.split(",") if item.strip()]
    for key, equals, _ in items:
        if not equals:
            raise InputError(f"{brief(key)} in {brief(text)} must read name=value.")
    keys = [key.strip() for key, _, _ in items]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise InputError(f"'{twice}' is given twice in {brief(text)}.")
    kinds = _kinds(role, name)
    return Description(
        name,
        {key.strip(): _value(kinds.get(key.strip()), value.strip()) for key, _, value in items},
    )


def class_of(role: str, name: str) -> type[Component]:
    """The class of a name: a component of armwise, or one that a user's file defines.

    >>> class_of("learner", "smile").__name__
    'Smile'
    """
    file, cls = file_and_class(name)
    if file:
        return _class_in(Path(file), cls, role)
    classes = known(role)
    if name.lower() not in classes:
        raise unknown(role, name, [*classes, *(PROBLEMS if role == "bandit" else ())])
    return classes[name.lower()]


def file_and_class(name: str) -> tuple[str, str]:
    """The file in a name and the class in that file; '' if the name has none.

    >>> file_and_class("mine.py:Mine"), file_and_class("mine.py"), file_and_class("a-ai")
    (('mine.py', 'Mine'), ('mine.py', ''), ('', ''))
    """
    match = _FILE.fullmatch(name)
    if match is None:
        return "", ""
    if match["tail"]:
        raise InputError(f"'{name}' must be only a name: parameters are given separately.")
    return match["file"], match["cls"] or ""


def anchored(name: str) -> str:
    """The name, with a file replaced by its full path, so that it is valid in any folder.

    >>> anchored("a-ai"), anchored("/home/me/mine.py:Mine")
    ('a-ai', '/home/me/mine.py:Mine')
    """
    file, cls = file_and_class(name)
    return _joined(str(Path(file).resolve()), cls) if file else name


def load_file(path: Path) -> ModuleType:
    """Load a user's file as a module; load it again only if its text has changed."""
    path = path.resolve()
    try:
        content = path.read_bytes()
    except OSError as problem:
        reason = "There is no file" if not path.exists() else f"{problem.strerror}:"
        raise InputError(f"{reason} {path}.") from None
    except ValueError as problem:  # a name that this system cannot spell
        raise InputError(f"The file {brief(str(path))} cannot be read: {problem}.") from None
    digest = hashlib.sha256(content).hexdigest()
    if _loaded.get(path, ("", None))[0] != digest:
        _loaded[path] = digest, _module(path)
    return _loaded[path][1]


def defined(path: Path, role: str) -> dict[str, type[Component]]:
    """The components of a role that a user's file defines, by their names on the command line."""
    return {cls.label.lower(): cls for cls in _classes(load_file(path), role).values()}


_loaded: dict[Path, tuple[str, ModuleType]] = {}  # with the checksums of their texts


def _module(path: Path) -> ModuleType:
    place = hashlib.sha256(str(path).encode(errors="surrogateescape")).hexdigest()
    name = f"armwise_user_{path.stem}_{place[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        raise InputError(f"{path} cannot be loaded: {_reason(path, problem)}.") from problem
    return module


def _reason(path: Path, problem: BaseException) -> str:
    """An exception of a user's file in words, with the line in that file."""
    if isinstance(problem, SyntaxError):
        return f"{problem.msg} (line {problem.lineno})"
    steps = traceback.extract_tb(problem.__traceback__)
    lines = [step.lineno for step in steps if step.filename == str(path)]
    text = f"{problem}" if isinstance(problem, InputError) else brief(problem)
    return text.rstrip(".") + (f" (line {lines[-1]})" if lines else "")


def _class_in(path: Path, cls: str, role: str) -> type[Component]:
    """The component class of a role in a user's file: the one named `cls`, or the only one."""
    classes = _classes(load_file(path), role)
    if not classes:
        raise InputError(f"{path} defines no {role}.")
    if cls and cls not in classes:
        raise unknown(role, cls, classes, where=f" in {path}")
    if not cls and len(classes) > 1:
        first = _joined(path.name, next(iter(classes)))
        raise InputError(f"{path} defines {_listed(classes)}: name one of them, such as {first}.")
    return classes[cls or next(iter(classes))]


def _classes(module: ModuleType, role: str) -> dict[str, type[Component]]:
    return {
        name: value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and issubclass(value, _ROLES[role])
        and value.__module__ == module.__name__
        and value.__name__ == name
        and not name.startswith("_")
    }


def _is_problem(role: str, name: str) -> bool:
    return role == "bandit" and name.lower() in PROBLEMS


def _kinds(role: str, name: str) -> dict[str, str]:
    if _is_problem(role, name):
        return {}
    cls = class_of(role, name)
    kinds = {field.name: kind_of(field) for field in parameters_of(cls)}
    return kinds | ({"prior": "vector"} if has_prior(cls) else {})


def _split(text: str) -> tuple[str, str]:
    """The name in a text, and its parameters as text."""
    match = _FILE.fullmatch(text)
    if match is None:
        name, _, tail = text.partition(":")
        return name, tail
    return _joined(match["file"], match["cls"] or ""), match["tail"] or ""


def _joined(file: str, cls: str) -> str:
    return f"{file}:{cls}" if cls else file


def _value(kind: str | None, text: str) -> Any:
    if kind == "vector":
        return tuple(_number(item, float) for item in text.split("/"))
    if kind == "bool":
        return {"true": True, "false": False}.get(text.lower(), text)
    return _number(text, int if kind == "int" else float)


def _number(text: str, kind: type[int] | type[float]) -> int | float | str:
    """Convert text to a number, or return the text if it is not one; `1e3` is whole, too."""
    for read in (kind, float):
        with contextlib.suppress(ValueError):
            return read(text)
    return text


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
