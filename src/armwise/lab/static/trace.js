// What a trace says beyond its numbers: the best arm, the changes, one sentence for every trial.

import { listed, short } from "./format.js";

/** The parts that a score is the sum of, with their signs; only those that the policy names. */
const SPLITS = [
  { name: "value", words: "extrinsic + intrinsic value", parts: [["extrinsic", 1], ["intrinsic", 1]] },
  { name: "cost", words: "− risk − ambiguity", parts: [["risk", -1], ["ambiguity", -1]] },
  { name: "teach", words: "epistemic − risk", parts: [["risk", -1], ["epistemic", 1]] },
  { name: "bonus", words: "mean + bonus", parts: [["mean", 1], ["bonus", 1]] },
];

/** A trace of the wire with what the pictures need. */
export function prepared(header, arrays) {
  const { arms: K, horizon: T } = header, { theta, chosen, alpha, beta } = arrays;
  const best = new Uint16Array(T), changes = [];
  for (let t = 0; t < T; t++) {
    for (let k = 1; k < K; k++) if (theta[t * K + k] > theta[t * K + best[t]]) best[t] = k;
    if (t && arrays.theta.subarray((t - 1) * K, t * K).some((v, k) => v !== theta[t * K + k])) changes.push(t + 1);
  }
  const found = { ...header, ...arrays, K, T, best, changes, trials: Float64Array.from({ length: T }, (_, t) => t + 1) };
  if (alpha) found.mean = alpha.map((a, i) => a / (a + beta[i]));
  found.gaps = Float32Array.from(chosen, (arm, t) => theta[t * K + best[t]] - theta[t * K + arm]);
  found.splits = SPLITS.filter(({ parts }) => parts.every(([name]) => found[name]) && sums(found, parts));
  return found;
}

/** Whether the parts make the score, in nearly all trials (the first ones may have rules of their own). */
function sums({ score, T, K, ...rest }, parts) {
  let wrong = 0;
  for (let i = 0; i < T * K; i++) {
    const sum = parts.reduce((all, [name, sign]) => all + sign * rest[name][i], 0);
    if (!(Math.abs(sum - score[i]) <= 1e-4 * (1 + Math.abs(score[i])))) wrong++;
  }
  return wrong <= 0.1 * T * K;
}

const argmax = (values, from, K) => {
  let best = 0;
  for (let k = 1; k < K; k++) if (values[from + k] > values[from + best]) best = k;
  return best;
};

/** Why this arm: because of what it promised, of what it could teach, or of a drawn choice. */
function because(trace, trial) {
  const { K, score, chosen, splits } = trace, from = (trial - 1) * K, arm = chosen[trial - 1];
  if (!score) return "";
  const top = argmax(score, from, K), drawn = trace.probability?.[from + arm];
  if (score[from + arm] < score[from + top]) {
    return drawn === undefined ? "" : ` The choice is random: it had probability ${short(drawn, 2)}, arm ${top} had more.`;
  }
  if (!splits.some(({ name }) => name === "value")) return "";
  const equal = score.subarray(from, from + K).every((v) => Math.abs(v - score[from + arm]) < 1e-6);
  if (equal) return " All arms had the same score.";
  const promising = argmax(trace.extrinsic, from, K);
  if (trace.extrinsic[from + promising] <= trace.extrinsic[from + arm]) return " It promised most.";
  return ` Arm ${promising} promised more, but this one could teach more.`;
}

/** One trial in words. */
export function sentence(trace, trial) {
  const t = trial - 1, arm = trace.chosen[t], i = t * trace.K + arm, best = trace.best[t];
  const belief = trace.mean ? `believed ${short(trace.mean[i], 2)}, ` : "";
  const paid = trace.outcome[t] ? "it paid" : "it did not pay";
  const which = trace.gaps[t] === 0 ? "The best arm." : `Arm ${best} was best.`;
  const last = trace.changes.findLast((change) => change <= trial);
  const change = last ? ` Last change: trial ${last}.` : "";
  return `Trial ${trial}: arm ${arm}, ${belief}true ${short(trace.theta[i], 2)}; ${paid}. ${which}${because(trace, trial)}${change}`;
}

export function changesInWords({ changes }) {
  if (!changes.length) return "The bandit changed in no trial.";
  const shown = changes.slice(0, 12).map(String);
  return `The bandit changed in trial ${changes.length > 12 ? `${shown.join(", ")} and later` : listed(shown)}.`;
}

/** The first trial after `trial` (or before, if step is −1) in which the bandit changed. */
export const changeFrom = ({ changes }, trial, step) =>
  step > 0 ? changes.find((t) => t > trial) : changes.findLast((t) => t < trial);

/** The first later trial in which two traces choose other arms. */
export function differenceFrom(one, two, trial) {
  for (let t = trial; t < Math.min(one.T, two.T); t++) if (one.chosen[t] !== two.chosen[t]) return t + 1;
  return undefined;
}
