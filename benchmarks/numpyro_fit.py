"""The posterior of `fits` by NumPyro's NUTS, beside that of armwise: effective draws per second.

NumPyro and JAX are no dependencies: `pip install numpyro` somewhere, and name that Python with
`--python`. The model is written directly in JAX, with people's values not centered; one chain.

    .venv/bin/python benchmarks/numpyro_fit.py --python OTHER/bin/python --warm-up 300 --draws 300
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MODEL = """
import sys, time
import numpy as np
import jax, jax.numpy as jnp, numpyro, numpyro.distributions as dist
from numpyro.infer import MCMC, NUTS
jax.config.update("jax_enable_x64", True)
given = np.load(sys.argv[1])
choices, outcomes = jnp.array(given["choices"]), jnp.array(given["outcomes"], float)
center, width, arms = jnp.array(given["center"]), jnp.array(given["width"]), int(given["arms"])
def likelihood(x, chosen, outcome):
    lam, rho, precision = jnp.exp(x[0]), jax.nn.sigmoid(x[1]), jnp.exp(x[2])
    def step(belief, trial):
        alpha, beta = belief
        nu, one = alpha + beta, jax.nn.one_hot(trial[0], arms)
        said = jax.nn.log_softmax(precision * (2 * lam * alpha + 0.5) / nu)[trial[0]]
        chance = jnp.sum(one * jnp.where(trial[1] > 0, alpha, beta) / nu)
        gamma = rho * 0.5 / (rho * 0.5 + (1 - rho) * chance)
        keep = (1 - gamma) * alpha + gamma, (1 - gamma) * beta + gamma
        return (keep[0] + one * trial[1], keep[1] + one * (1 - trial[1])), said
    return jax.lax.scan(step, (jnp.ones(arms), jnp.ones(arms)), (chosen, outcome))[1].sum()
people = jax.vmap(likelihood)
def model():
    mean = numpyro.sample("mean", dist.Normal(center, width).to_event(1))
    sd = numpyro.sample("sd", dist.HalfNormal(jnp.ones(3)).to_event(1))
    root = numpyro.sample("root", dist.LKJCholesky(3, 2.0))
    z = numpyro.sample("z", dist.Normal(0, 1).expand([len(choices), 3]).to_event(2))
    x = numpyro.deterministic("x", mean + z @ (sd[:, None] * root).T)
    numpyro.factor("choices", people(x, choices, outcomes).sum())
at = jnp.array(given["at"])
print(float(people(at, choices, outcomes).sum()), flush=True)
begun = time.process_time()
sampler = MCMC(NUTS(model), num_warmup=int(sys.argv[3]), num_samples=int(sys.argv[4]),
               num_chains=1, progress_bar=False)
sampler.run(jax.random.PRNGKey(1))
found = sampler.get_samples()
root = np.array(found["root"])
matrix = root @ np.swapaxes(root, 1, 2)
np.savez(sys.argv[2], mean=found["mean"], sd=found["sd"], x=found["x"],
         correlation=matrix[:, [1, 2, 2], [0, 0, 1]], seconds=time.process_time() - begun)
"""


def main() -> None:
    import armwise as aw
    from armwise.fitting.diagnostics import ess_bulk
    from parts.fits import FREE, PERSON, simulated

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    for name in ("people", "trials", "warm-up", "draws"):
        parser.add_argument(
            f"--{name}", type=int, default={"people": 50, "trials": 500}.get(name, 300)
        )
    asked = parser.parse_args()
    data = simulated(asked.people, asked.trials)
    aw.fit(PERSON, data, FREE, seed=1, draws=20, chains=1)  # compiles
    begun = time.process_time()
    fit = aw.fit(PERSON, data, FREE, seed=1)
    seconds = time.process_time() - begun
    own = draws_of(fit.answer)
    with tempfile.TemporaryDirectory() as folder:
        given, found = Path(folder, "given.npz"), Path(folder, "found.npz")
        sequences, free = data.sequences, fit.free
        shape = asked.people, asked.trials
        parts = {"choices": sequences.choices.reshape(shape), "center": free.center}
        parts |= {"outcomes": sequences.outcomes.reshape(shape), "width": free.width}
        np.savez(given, **parts, arms=sequences.arms, at=fit.answer.x)
        sizes = str(asked.warm_up), str(asked.draws)
        command = [asked.python, "-c", MODEL, str(given), str(found), *sizes]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        expected = float(fit.answer.problem(fit.answer.x[:, None]).sum())
        assert abs(float(told.split()[0]) - expected) < 1e-6 * abs(expected), (told, expected)
        with np.load(found) as other:
            print(json.dumps(compared(own, seconds, dict(other), ess_bulk), indent=1))


def draws_of(answer) -> dict:
    """Means, sds, correlations and people of every draw, [chain, draw, ...]."""
    psi, x = answer.draws.psi, answer.draws.x
    root = answer.layout.root(psi)
    matrix = root @ np.swapaxes(root, -1, -2)
    mean, _, sd, _ = answer.layout.split(psi)
    return {"mean": mean, "sd": sd, "correlation": matrix[..., [1, 2, 2], [0, 0, 1]], "x": x}


def compared(own: dict, seconds: float, other: dict, ess_bulk) -> dict:
    """Effective draws per second of both, and by how much they differ."""
    one = {name: other[name][None] for name in own}
    least = [min(float(ess_bulk(each[name]).min()) for name in own) for each in (own, one)]
    spent = float(other["seconds"])
    told = {"armwise": {"seconds": seconds, "least_ess": least[0], "per_s": least[0] / seconds}}
    told["numpyro"] = {"seconds": spent, "least_ess": least[1], "per_s": least[1] / spent}
    told["ratio"] = told["armwise"]["per_s"] / told["numpyro"]["per_s"]
    for name in own:
        a, b = (each[name].reshape(-1, *each[name].shape[2:]) for each in (own, one))
        away = (a.mean(0) - b.mean(0)) / b.std(0)
        ess = ess_bulk(one[name])
        told[name] = {
            "away_rms": float(np.sqrt((away**2).mean())),
            "expected_rms": float(np.sqrt((1 / ess).mean())),
        }
        told[name]["sd_ratio"] = float(np.median(a.std(0) / b.std(0)))
        if name != "x":
            told[name] |= {
                "away": away.round(3).tolist(),
                "sd_ratios": (a.std(0) / b.std(0)).round(3).tolist(),
            }
            told[name]["ess"] = ess.round().tolist()
    return told


if __name__ == "__main__":
    main()
