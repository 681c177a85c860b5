"""armwise's sampler of the group beside nutpie, on the same stand-in for the group's density.

nutpie is no dependency: `pip install nutpie "armwise[all]"` somewhere, and run this with that
Python. nutpie calls the compiled density through Python, once per gradient.

    OTHER/bin/python benchmarks/nutpie_group.py --people 30 --draws 1000
"""

import argparse
import time

import numpy as np

import armwise as aw
from armwise.fitting.design import design_of
from armwise.fitting.diagnostics import ess_bulk
from armwise.fitting.gather import gathered
from armwise.fitting.kept import Kept
from armwise.fitting.parameters import free_parameters
from armwise.fitting.problem import Problem
from armwise.fitting.sampling import begun
from armwise.fitting.standin import stand_in

CHAINS, TUNE = 4, 400  # of nutpie's warm-up, which is its default
AGENT = aw.Agent(aw.MeanOutcome(), aw.RescorlaWagner(), aw.HabitualSoftmax())
FREE = ["rate", "precision", "stick"]


def main() -> None:
    """Sample with both in turns, and print effective draws per gradient and per CPU second."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--people", type=int, default=30)
    asked.add_argument("--draws", type=int, default=1000)
    asked.add_argument("--turns", type=int, default=3)
    given = asked.parse_args()
    data = aw.example("reversal")
    data = data.only(data.subjects[: given.people])
    free, design = free_parameters(AGENT, FREE), design_of(data, None, ())
    problem = Problem(AGENT, data, free)
    known, peak, groups, _ = gathered(problem, design, Kept(None, problem), 0)
    target, layout = stand_in(known, groups), known.layout
    print(f"{given.people} people, {layout.length} numbers of the group, a gradient takes ", end="")
    print(f"{of_gradient(target, peak.mode):.1f} us from Python")
    samplers = {
        "armwise": lambda turn: by_armwise(target, peak, layout, given.draws, turn),
        "nutpie": lambda turn: by_nutpie(target, peak, given.draws, turn, low_rank=False),
        "nutpie, low rank": lambda turn: by_nutpie(target, peak, given.draws, turn, low_rank=True),
    }
    for turn in range(given.turns + 1):  # the first compiles
        for name, sampler in samplers.items():
            begin = time.process_time()
            psi, gradients = sampler(turn)
            seconds = time.process_time() - begin
            least = float(ess_bulk(layout.upright(psi)).min())
            if turn:
                print(
                    f"{name:17} {seconds:6.2f} s, least ESS {least:6.0f}, {least / seconds:7.0f}"
                    f" per second, {1000 * least / gradients:6.1f} per 1000 gradients, mean and sd"
                    f" of the first {psi[..., 0].mean():.3f} {psi[..., 0].std():.3f}"
                )


def of_gradient(target, place, count=2000):
    """Microseconds of a gradient."""
    room, begin = np.zeros(len(place)), time.process_time()
    for _ in range(count):
        target.height(target.data, place, room)
    return 1e6 * (time.process_time() - begin) / count


def by_armwise(target, peak, layout, draws, seed):
    """Draws [chain, draw, number], and the gradients that they took after the warm-up."""
    found, gradients = [], 0
    for chain in range(CHAINS):
        walk = begun(target, peak, layout, np.random.default_rng([seed, chain]))
        moves = [(walk.move(), walk.place.copy()) for _ in range(draws)]
        gradients += sum(move.steps for move, _ in moves)
        found.append([place for _, place in moves])
    return np.array(found), gradients


def by_nutpie(target, peak, draws, seed, low_rank):
    """The same by nutpie, one chain at a time."""
    import nutpie
    from nutpie.compiled_pyfunc import from_pyfunc

    size = len(peak.mode)

    def density():
        def value(place):
            gradient = np.zeros(size)
            return float(target.height(target.data, np.array(place), gradient)), gradient

        return value

    model = from_pyfunc(
        size,
        density,
        lambda *_: lambda place: {"psi": np.array(place)},
        [np.dtype("float64")],
        [(size,)],
        ["psi"],
        make_initial_point_fn=lambda _: peak.mode.copy(),
    )
    found = nutpie.sample(
        model,
        draws=draws,
        tune=TUNE,
        chains=CHAINS,
        cores=1,
        seed=seed + 1,
        progress_bar=False,
        save_warmup=False,
        low_rank_modified_mass_matrix=low_rank,
    )
    return found.posterior["psi"].values, int(found.sample_stats["n_steps"].sum())


if __name__ == "__main__":
    main()
