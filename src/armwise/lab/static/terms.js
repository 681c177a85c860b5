// The parts of a score as bars. What all arms have in common decides nothing, so that every part
// starts at the arm that has least of it.

/** For every arm its bars [{name, from, to}] in 0…1 of the width, given the trial's first index. */
export function bars(trace, split, from) {
  const { K } = trace, parts = split ? split.parts : trace.score ? [["score", 1]] : [];
  const value = (name, sign, k) => (Number.isFinite(trace[name][from + k]) ? sign * trace[name][from + k] : NaN);
  const least = parts.map(([name, sign]) => {
    const finite = Array.from({ length: K }, (_, k) => value(name, sign, k)).filter((v) => !Number.isNaN(v));
    return finite.length ? Math.min(...finite) : 0;
  });
  const rows = Array.from({ length: K }, (_, k) => {
    let at = 0;
    return parts.map(([name, sign], j) => {
      const own = value(name, sign, k), start = at;
      at += Number.isNaN(own) ? 0 : own - least[j];
      return { name, from: start, to: at };
    });
  });
  const most = Math.max(1e-9, ...rows.flatMap((row) => row.map(({ to }) => to)));
  return rows.map((row) => row.map((bar) => ({ ...bar, from: bar.from / most, to: bar.to / most })));
}

/** The colour of a part, a variable of lab.css; parts without a colour of their own are grey. */
export const colourOf = (name) =>
  ({ extrinsic: "--extrinsic", intrinsic: "--intrinsic", risk: "--risk", ambiguity: "--ambiguity", mean: "--extrinsic", bonus: "--intrinsic", epistemic: "--intrinsic" })[name] ?? "--grey";
