"""The picture in a notebook: the page's own modules as one text, and the numbers of the trace."""

import shutil
import subprocess

import numpy as np
import pytest

import armwise as aw
from armwise.lab.notebook import STATIC, joined, scoped
from armwise.lab.wire import unpacked

FOUND = aw.trace(
    aw.SwitchingBandit(arms=3),
    aw.Agent(aw.ExactActiveInference(), aw.Smile(rho=0.01)),
    20,
    seed=1,
    device="python",
)


@pytest.mark.parametrize("show", [aw.show, lambda trace: trace.armwise.show()])
def test_a_widget_has_the_numbers_of_the_trace(show):
    header, arrays = unpacked(show(FOUND).packed)
    assert (header["arms"], header["horizon"]) == (3, 20)
    assert header["terms"] == ["risk", "ambiguity", "extrinsic", "intrinsic"]
    for name, values in FOUND.data_vars.items():
        np.testing.assert_array_equal(arrays[name], values.values.astype(np.float32))


@pytest.mark.parametrize("wrong", [None, 3, FOUND.isel(arm=0), FOUND[["alpha"]]])
def test_what_is_no_trace_is_refused(wrong):
    with pytest.raises(aw.InputError, match=r"show needs what armwise\.trace returns"):
        aw.show(wrong)


def test_the_module_needs_no_other():
    text = joined("notebook")
    assert "\nimport " not in text
    assert text.count("\nexport ") == 1
    for name in ("raster", "traceview", "notebook"):
        assert f"const module_{name} = " in text


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_module_is_javascript(tmp_path):
    (tmp_path / "widget.mjs").write_text(joined("notebook"))
    done = subprocess.run(["node", "--check", tmp_path / "widget.mjs"], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_rules_hold_in_the_widget_alone():
    told = scoped((STATIC / "lab.css").read_text())
    colours, _, rest = told.partition(".armwise-lab {")
    assert ":root" in colours
    assert ":root" not in rest
    assert "body {" not in rest
    assert told.count("{") == told.count("}")
