"""The catalogue: every bandit, learner, policy, choice and actor, from the registry."""

import json
from typing import Any

import words

import armwise

TITLES = {
    "bandits": ("Bandits", "What decides which theta each arm has in each trial."),
    "learners": ("Learners", "What turns outcomes into beliefs."),
    "policies": ("Policies", "What gives every arm a score, from the belief about it."),
    "choices": ("Choices", "What turns scores into an arm."),
    "actors": ("Actors", "Agents that are not made of policy, learner and choice."),
}
HEAD = [
    "| parameter | default | admissible | typical of people | meaning |",
    "|---|---|---|---|---|",
]


def places() -> dict[str, str]:
    """Where each component is described, by the name of its class."""
    found = {
        each["class"]: f"reference/{kind}.md#{each['class']}"
        for kind, entries in _listed().items()
        for each in entries
        if hasattr(armwise, each["class"])
    }
    return found | {"PROBLEMS": "reference/bandits.md#PROBLEMS"}


def pages() -> dict[str, str]:
    """A page for each kind."""
    found = {f"reference/{kind}.md": _page(kind, entries) for kind, entries in _listed().items()}
    found["reference/bandits.md"] += _problems()
    return found


def _listed() -> dict[str, list[dict[str, Any]]]:
    everything = armwise.catalogue()
    return {kind: everything[kind] for kind in TITLES}


def _page(kind: str, entries: list[dict[str, Any]]) -> str:
    title, about = TITLES[kind]
    rows = [
        f"| [{each['label']}](#{each['class']}) | `{each['name']}` | {each['summary']} |"
        for each in entries
    ]
    head = [f"# {title}", "", about, "", "| label | name | in short |", "|---|---|---|", *rows, ""]
    return "\n".join([*head, *(_entry(each) for each in entries)])


def _entry(each: dict[str, Any]) -> str:
    cls = getattr(armwise, each["class"])
    heading = f"## {each['label']}: {each['class']} {{ #{each['class']} }}\n"
    facts = [
        f"- on the command line and in files: `{each['name']}`",
        f"- reference: {each['reference']}",
        *([f"- terms of its score: {', '.join(each['terms'])}"] if each.get("terms") else []),
    ]
    return "\n".join(
        [
            heading,
            _call(each),
            words.document(cls),
            _equation(each),
            "\n".join(facts),
            "",
            _table(each),
        ]
    )


def _equation(each: dict[str, Any]) -> str:
    return f"```text\n{each['equation']}\n```\n" if each["equation"] else ""


def _call(each: dict[str, Any]) -> str:
    """How it is made, with every default."""
    values = ", ".join(
        each["name"] + ("" if each["default"] is None else f"={each['default']!r}")
        for each in each["parameters"]
    )
    return f"```python\narmwise.{each['class']}({values})\n```\n"


def _table(each: dict[str, Any]) -> str:
    if not each["parameters"]:
        return "It has no parameters.\n"
    return "\n".join([*HEAD, *(_row(one) for one in each["parameters"]), ""])


def _row(one: dict[str, Any]) -> str:
    start = "" if one["default"] is None else json.dumps(one["default"])
    low_high = " to ".join(f"{value:g}" for value in one["typical"] or ())
    return f"| `{one['name']}` | {start} | {one['range']} | {low_high} | {one['meaning']} |"


def _problems() -> str:
    rows = [f"| `{name}` | `{text}` |" for name, text in armwise.catalogue()["problems"].items()]
    head = "\n## Problems of the literature: PROBLEMS { #PROBLEMS }\n"
    about = "`armwise.PROBLEMS` holds them by name; on the command line the name is enough."
    return "\n".join([head, about, "", "| name | bandit |", "|---|---|", *rows, ""])
