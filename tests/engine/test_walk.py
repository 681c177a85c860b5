"""The walk through one call of `simulate` is the one that docs/design.md shows."""

import re
import sys
from pathlib import Path

import armwise as aw

SOURCE = Path(aw.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "design.md"


def stations():
    """The files of the table, in order; the engine of the cpu stands for that of the device."""
    rows = re.findall(r"^\| \d \| `([\w/]+\.py)`", PAGE.read_text(), flags=re.MULTILINE)
    return [row.replace("engine/cpu.py", "engine/python.py") for row in rows]


def test_simulate_enters_the_seven_stations_in_their_order():
    entered: dict[str, None] = {}

    def watch(frame, event, _):
        if event == "call" and frame.f_code.co_filename.startswith(str(SOURCE)):
            entered[Path(frame.f_code.co_filename).relative_to(SOURCE).as_posix()] = None

    agent = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.01))
    aw.simulate(aw.SwitchingBandit(), agent, 3, 1, device="python")  # imports are no part of it
    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        aw.simulate(aw.SwitchingBandit(), agent, 3, 1, device="python")
    finally:
        sys.setprofile(before)
    walk = [file for file in entered if file in stations()]
    assert len(stations()) == 7
    assert walk == stations()


def test_the_engine_of_the_cpu_asks_the_ways_before_it_binds(monkeypatch):
    from armwise.engine import cpu
    from armwise.play.simulate import plan_of

    asked = []
    for name in ("way_of", "slots_of_agent"):
        function = getattr(cpu, name)
        monkeypatch.setattr(cpu, name, lambda *a, f=function, n=name: asked.append(n) or f(*a))
    agent = aw.Agent(aw.ApproximateActiveInference(), aw.Smile(rho=0.01))
    monkeypatch.setattr(cpu, "_kernels", {})
    cpu.prepare(plan_of(aw.SwitchingBandit(), agent, 3, 1, 1))
    assert asked == ["way_of", "slots_of_agent"]
