"""The files of the page: what is vendored is what it says it is, and nothing asks another host."""

import hashlib
import json
import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "src" / "armwise" / "lab" / "static"
OWN = sorted(path for path in STATIC.iterdir() if path.is_file())
MODULES = [path for path in OWN if path.suffix == ".js"]
VENDOR = STATIC / "vendor"
PAGE_MAX = 250_000  # bytes


def test_vendored_files_have_their_stated_hashes():
    stated = json.loads((VENDOR / "vendor.json").read_text())
    files = {name: digest for each in stated.values() for name, digest in each["files"].items()}
    assert files == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in VENDOR.iterdir()
        if path.name != "vendor.json"
    }
    for name, each in stated.items():
        assert each["licence"]
        assert each["source"].startswith("https://registry.npmjs.org/")
        assert f"{name}.LICENSE" in files
        if (script := VENDOR / f"{name}.iife.min.js").exists():
            assert f"(v{each['version']})" in script.read_text()[:200]


def test_the_page_is_small():
    assert sum(path.stat().st_size for path in STATIC.rglob("*") if path.is_file()) <= PAGE_MAX


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_no_file_asks_another_host(path):
    found = re.findall(r"https?://[^\s\"'`)]+", path.read_text())
    assert set(found) <= {"http://www.w3.org/2000/svg"}  # a name, not an address


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_a_module_makes_no_markup_of_text_and_decides_nothing_by_chance(path):
    code = path.read_text()
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert forbidden not in code
    for forbidden in ("Math.random", "Date.now", "new Date"):
        assert forbidden not in code
    assert len(code.splitlines()) <= 300


def test_the_page_has_no_inline_script_or_style():
    """The content security policy forbids both."""
    page = (STATIC / "index.html").read_text()
    assert re.findall(r"<script(?![^>]* src=)", page) == []
    assert "<style" not in page
    assert re.findall(r"\s(?:on\w+|style)=", page) == []


def test_every_module_imports_what_exists():
    for path in MODULES:
        for wanted in re.findall(r"""(?:from |import\()"(\./[^"]+)""", path.read_text()):
            assert (STATIC / wanted).exists(), (path.name, wanted)
