"""What people read is true: examples run, the README's Python runs, documents name what exists."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_is_short(example, tmp_path):
    assert len(example.read_text().splitlines()) < 60
    environment = os.environ | {"MPLBACKEND": "agg"}
    done = subprocess.run(
        [sys.executable, str(example)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert len(blocks) >= 3
    exec(compile("\n".join(blocks), "README.md", "exec"), {})
    assert (tmp_path / "state.json").is_file()


def test_links_of_the_documents_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_functions_named_in_the_equations_exist():
    import armwise
    from armwise import numerics as special
    from armwise import policies
    from armwise.analysis import regret
    from armwise.model import draws as random
    from armwise.policies import exact_active_inference

    text = (ROOT / "docs" / "equations.md").read_text()
    homes = [armwise, policies, random, regret, special, exact_active_inference, armwise.Bandit]
    for name in re.findall(
        r"`(?:armwise\.\w+\.|special\.|random\.)?([A-Za-z]\w+)(?:\.\w+)?`", text
    ):
        known = any(hasattr(home, name) for home in homes)
        label = re.search(rf"^\|[^|]*`{name}`", text, re.MULTILINE)  # an equation's label
        assert known or label or name in ("play", "pick", "regret"), name
