"""The command line, from the commands themselves."""

from typing import Any

import typer

from armwise.cli.commands import app


def pages() -> dict[str, str]:
    """One page of all commands."""
    return {"reference/command-line.md": "\n".join([_head(), *_entries(_root(), "armwise")])}


def _root() -> Any:
    return typer.main.get_command(app)


def _head() -> str:
    return f"# Command line\n\n{_root().help}\n\n`armwise COMMAND --help` says the same.\n"


def _entries(group: Any, path: str) -> list[str]:
    found = []
    for name, command in group.commands.items():
        own = f"{path} {name}"
        nested = hasattr(command, "commands")
        found += _entries(command, own) if nested else [_entry(command, own)]
    return found


def _entry(command: Any, path: str) -> str:
    context = command.context_class(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    rows = [_row(each, context) for each in command.get_params(context)]
    table = ["| argument or option | meaning |", "|---|---|", *filter(None, rows), ""]
    anchor = path.replace(" ", "-")
    text = (command.help or "").replace("\f", "").strip()
    return "\n".join([f"## {path} {{ #{anchor} }}\n", f"```\n{usage}\n```\n", text, "", *table])


def _row(parameter: Any, context: Any) -> str:
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    names, meaning = (" ".join(part.split()).replace("|", "\\|") for part in record)
    return f"| `{names}` | {meaning} |"
