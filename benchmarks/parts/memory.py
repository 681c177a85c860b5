"""Peak memory of large simulations of which only the last trial is kept."""

from parts.fresh import told
from parts.table import Options, Table, number

GOAL = 1024  # MiB
RUN = """
import resource, sys, time
import armwise as aw
agent = aw.Agent(aw.ApproximateActiveInference(lam=0.1), aw.Smile())
aw.simulate(aw.StationaryBandit(), agent, 1, 2)  # compiles
started = time.perf_counter()
aw.simulate(aw.StationaryBandit(), agent, {trials}, {agents}, checkpoints=[{trials}], threads=2)
took = time.perf_counter() - started
unit = 2**20 if sys.platform == "darwin" else 2**10
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit)
"""
QUICK = [(2, 100), (100_000, 100)]
USUAL = [(2, 100), (1_000_000, 100), (100_000, 10_000)]
FULL = [*USUAL, (1_000_000, 10_000)]


def measure(options: Options) -> list[Table]:
    rows = []
    for agents, trials in QUICK if options.quick else FULL if options.full else USUAL:
        options.say(f"memory: {agents} agents by {trials} trials")
        took, peak = (float(w) for w in told(RUN.format(agents=agents, trials=trials))[1].split())
        verdict = "met" if peak < GOAL else "missed"
        rows.append([f"{agents:,}", f"{trials:,}", number(took), number(peak), verdict])
    columns = [">agents", ">trials", ">seconds", ">peak, MiB", f"below {GOAL} MiB"]
    note = (
        "A-AI in a stationary bandit of ten arms, two threads, regret kept at the last trial. The "
        "goal is to stay below 1 GiB; the row with two agents is what Python and the libraries use."
    )
    return [Table("Peak memory", columns, rows, [note])]
