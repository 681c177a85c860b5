"""From the Markdown of the repository to that of the site.

Pages keep their text. Links to files outside docs/ lead to copies of these files, and the names of
armwise in code lead to the reference. So the same pages can be read in the repository.
"""

import os
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OWN = DOCS / "site"  # what makes the site is no part of it
TEXTS = {".py": "python", ".toml": "toml"}
PICTURES = (".svg", ".png")
_LINK = re.compile(r"(\]\()([^)#\s]*)(#[^)\s]*)?(\))")
_FILE = re.compile(r"\A```(\w+) (\S+)$", re.MULTILINE)
_CODE = re.compile(r"(?<![`\[])`((?:aw\.|armwise\.)?)(\w+)((?:\.\w+)*)(\([^`]*\))?`(?!\])")


def staged(folder: Path, links: Mapping[str, str]) -> None:
    """Copy docs/, and what it links to, into a folder; `links` says where names are described."""
    outside: set[Path] = set()
    for path in sorted(DOCS.rglob("*")):
        if path.is_file() and OWN not in path.parents:
            write(folder, path, links, outside)
    done: set[Path] = set()
    while waiting := sorted(outside - done):
        for path in waiting:
            write(folder, path, links, outside)
        done |= set(waiting)


def write(folder: Path, path: Path, links: Mapping[str, str], outside: set[Path]) -> None:
    """Copy one file, or the list of a folder's files."""
    target = folder / place_of(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        target.write_text(listing(path), encoding="utf-8")
    elif path.suffix == ".md":
        text = path.read_text(encoding="utf-8")
        target.write_text(converted(text, path, links, outside), encoding="utf-8")
    elif path.suffix in TEXTS and DOCS not in path.parents:
        target.write_text(as_page(path), encoding="utf-8")
    else:
        shutil.copyfile(path, target)


def place_of(path: Path) -> PurePosixPath:
    """Where a file of the repository stands on the site."""
    inside = DOCS in path.parents
    place = PurePosixPath(path.relative_to(DOCS if inside else ROOT).as_posix())
    place = place if inside else "repository" / place
    if path.is_dir():
        return place / "index.md"
    if place.name == "README.md":
        return place.with_name("index.md")
    return place.with_name(f"{place.name}.md") if not inside and path.suffix in TEXTS else place


def converted(text: str, path: Path, links: Mapping[str, str], outside: set[Path]) -> str:
    """A page with the links of the site."""

    def moved(found: re.Match) -> str:
        before, target, anchor, after = found.groups()
        if not target or ":" in target:
            return found[0]
        leads = (path.parent / target).resolve()
        if DOCS not in leads.parents or leads.is_dir():
            outside.add(leads)
        return f"{before}{relative(place_of(leads), place_of(path))}{anchor or ''}{after}"

    def known(found: re.Match) -> str:
        prefix, name, rest, _ = found.groups()
        plain = not prefix and not rest and name.islower()  # a common word, such as `run`
        where = None if plain else links.get(name + rest, links.get(name))
        return f"[{found[0]}]({relative(where, place_of(path))})" if where else found[0]

    def prose(part: str) -> str:
        moved_links = _LINK.sub(moved, part)
        lines = moved_links.split("\n")
        return "\n".join(line if _left(line) else _CODE.sub(known, line) for line in lines)

    return outside_of_fences(text, prose)


def _left(line: str) -> bool:
    """Whether a line keeps its code as it is: headings, and lines with links of their own."""
    return line.startswith("#") or "](" in line


def outside_of_fences(text: str, act: Callable[[str], str]) -> str:
    """Apply a function to what is not a fenced block; give names of files to those that are."""
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(titled(part) if part.startswith("```") else act(part) for part in parts)


def titled(block: str) -> str:
    """A fenced block; the name of a file, if it is one, becomes its title."""
    return _FILE.sub(r'```\1 title="\2"', block)


def relative(target: PurePosixPath | str, page: PurePosixPath) -> str:
    """A link from a page to a place on the site."""
    where, _, anchor = str(target).partition("#")
    link = os.path.relpath(where, page.parent).replace(os.sep, "/")
    return f"{link}#{anchor}" if anchor else link


def as_page(path: Path) -> str:
    """A file of code as a page."""
    text = path.read_text(encoding="utf-8").rstrip()
    name = path.relative_to(ROOT).as_posix()
    return f"# {name}\n\n````{TEXTS[path.suffix]}\n{text}\n````\n"


def listing(folder: Path) -> str:
    """A page of the files of a folder; pictures are shown."""
    files = sorted(path for path in folder.iterdir() if path.suffix in (*TEXTS, *PICTURES))
    shown = {path.stem: path for path in sorted(files, key=lambda path: path.suffix == ".svg")}
    lines = [f"# {folder.relative_to(ROOT).name.capitalize()}", ""]
    for path in shown.values():
        if path.suffix in PICTURES:
            lines += [
                f"## {path.stem.replace('-', ' ').capitalize()}",
                "",
                f"![{path.stem}]({path.name})",
                "",
            ]
        else:
            lines += [f"- [{path.name}]({path.name}.md)"]
    return "\n".join(lines) + "\n"
