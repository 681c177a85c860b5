"""Build the documentation site into build/site: `make docs`.

The pages of docs/, the reference that is made of the code, and live traces are put together in
build/docs; Zensical makes HTML of them, and stops at a link that leads nowhere. Nothing is asked of
another host, neither here nor by a reader's browser.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

import commands
import components
import pages
import reference
import traces

SHIM = "https://unpkg.com/iframe-worker/shim"  # the theme's own, for searching without a server
STAGE, SITE = Path("build/docs"), Path("build/site")


def main() -> int:
    """Stage the pages and build them; the exit code."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--only-stage", action="store_true", help="write build/docs, and no HTML")
    asked = asked.parse_args()
    stage(pages.ROOT / STAGE)
    return 0 if asked.only_stage else build(pages.ROOT)


def stage(folder: Path) -> None:
    """Everything that the site is made of, in one folder of Markdown."""
    shutil.rmtree(folder, ignore_errors=True)
    pages.staged(folder, reference.places() | components.places())
    for name, text in {**reference.pages(), **components.pages(), **commands.pages()}.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    shutil.copytree(pages.OWN / "assets", folder / "assets")
    shutil.copytree(pages.OWN / "vendor", folder / "assets" / "vendor")
    traces.write_all(folder)


def build(root: Path) -> int:
    """Markdown to HTML, from the staged pages under a root; strict: a warning is a failure."""
    if root != pages.ROOT:
        shutil.copyfile(pages.ROOT / "mkdocs.yml", root / "mkdocs.yml")
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout, done.stderr, sep="\n", file=sys.stderr)
        return 1
    for path in (root / SITE).rglob("*.html"):
        own_shim(path, root / SITE)
    print(f"{SITE}/index.html")
    return 0


def own_shim(path: Path, site: Path) -> None:
    """The script that lets a page search from a file comes from the site itself."""
    text = path.read_text(encoding="utf-8")
    if SHIM in text:
        up = "../" * len(path.relative_to(site).parts[1:])
        own = f"{up}assets/vendor/iframe-worker.shim.js"
        path.write_text(text.replace(SHIM, own), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
