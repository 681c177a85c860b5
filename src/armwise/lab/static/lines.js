// Lines over time by uPlot: gamma and regret of a trace; curves with bands.

import { ink, LOOKS } from "./colours.js";
import { make } from "./dom.js";
import { short } from "./format.js";
import { linesOf } from "./pictures.js";
import { LEFT, RIGHT } from "./raster.js";

const { uPlot } = globalThis;
const DECADES = [1e-4, 1e-3, 1e-2, 1e-1, 1]; // uPlot prints 1e-4 as "0", so ticks are named here
const FONT = "12px system-ui, sans-serif";

const axis = (rest) => ({ stroke: ink("--ink"), font: FONT, labelFont: `600 ${FONT}`, grid: { stroke: ink("--line"), width: 1 }, ticks: { stroke: ink("--line"), width: 1 }, ...rest });

/** A picture that uPlot draws anew when its shape changes and that keeps the width of its box. */
class Plot {
  constructor(height) {
    this.height = height;
    this.el = make("div", { role: "img", class: "plot" });
    this.chart = null;
    this.key = "";
  }

  draw(key, options, data) {
    const width = Math.max(200, this.el.clientWidth || 800);
    const whole = `${key}|${width}|${ink("--paper")}`;
    if (!this.chart || this.key !== whole) {
      this.chart?.destroy();
      const hooks = { draw: [() => this.mark()] }; // uPlot draws later, and until then it knows no scale
      this.chart = new uPlot({ width, height: this.height, legend: { show: false }, hooks, ...options() }, data, this.el);
      this.key = whole;
    } else this.chart.setData(data);
  }

  svg() {
    return linesOf(this.chart);
  }

  at(trial) {
    this.trial = trial;
    this.mark();
  }

  mark() {
    if (this.trial) this.chart?.setCursor({ left: this.chart.valToPos(this.trial, "x"), top: 10 }, false);
  }
}

const CURSOR = { drag: { x: false, y: false }, y: false, points: { size: 6 } };
const wholeRange = (u, low, high) => [low - 0.5, high + 0.5];

/** Gamma, logarithmic, on the left; regret on the right; what the agent takes rho to be as a line. */
export class Suspicion extends Plot {
  constructor() {
    super(140);
  }

  show(trace) {
    const rho = trace.assumed?.agent, line = rho > 0;
    const data = [trace.trials, trace.gamma.map((g) => Math.max(g, 1e-4)), trace.regret];
    if (line) data.push(trace.trials.map(() => Math.max(rho, 1e-4)));
    this.draw(`suspicion${line}`, () => ({
      cursor: CURSOR,
      scales: { x: { time: false, range: wholeRange }, gamma: { distr: 3, range: [1e-4, 1] }, regret: { range: (u, low, high) => [0, Math.max(1, high)] } },
      axes: [axis({ size: 28 }), gammaAxis(), axis({ scale: "regret", side: 1, size: RIGHT - 16, label: "regret", labelSize: 16, grid: { show: false } })],
      series: [{}, { scale: "gamma", stroke: ink("--risk"), width: 1.2, points: { show: false } },
        { scale: "regret", stroke: ink("--extrinsic"), dash: [6, 3], width: 1.5, points: { show: false } },
        ...(line ? [{ scale: "gamma", stroke: ink("--quiet"), dash: [2, 3], width: 1, points: { show: false } }] : [])],
    }), data);
    const last = short(trace.regret.at(-1), 1);
    this.el.setAttribute("aria-label", `Gamma (solid) and regret (dashed) over ${trace.T} trials. Regret at the end: ${last}.`);
  }
}

function gammaAxis() {
  const named = (u, ticks) => ticks.map((v) => (DECADES.some((d) => Math.abs(v / d - 1) < 1e-6) ? String(Number(v.toPrecision(1))) : ""));
  return axis({ scale: "gamma", size: LEFT - 16, label: "γ", labelSize: 16, splits: () => DECADES, values: named });
}

/** The probability of a recent change, as a live player believes it, choice by choice. */
export class Suspected extends Plot {
  constructor() {
    super(120);
  }

  show(numbers, suspicion, words) {
    const data = [numbers, suspicion, numbers.map(() => 0.5)];
    this.draw("suspected", () => ({
      cursor: CURSOR,
      padding: [null, RIGHT, null, null],
      scales: { x: { time: false, range: wholeRange }, y: { range: [0, 1] } },
      axes: [axis({ size: 28 }), axis({ size: LEFT - 16, label: "probability", labelSize: 16 })],
      series: [{}, { stroke: ink("--risk"), width: 1.5, points: { show: false } },
        { stroke: ink("--quiet"), dash: [2, 3], width: 1, points: { show: false } }],
    }), data);
    this.el.setAttribute("aria-label", words);
  }
}

/** The difference of two regrets over the trials of one copy. */
export class Difference extends Plot {
  constructor() {
    super(120);
  }

  show(one, two) {
    const data = [one.trials, Float32Array.from(one.regret, (r, t) => two.regret[t] - r)];
    this.draw("difference", () => ({
      cursor: CURSOR,
      padding: [null, RIGHT, null, null],
      scales: { x: { time: false, range: wholeRange } },
      axes: [axis({ size: 28 }), axis({ size: LEFT - 16, label: "B − A", labelSize: 16 })],
      series: [{}, { stroke: ink("--ink"), width: 1.5, points: { show: false } }],
    }), data);
    this.el.setAttribute("aria-label", `Regret of B minus regret of A in this copy. At the end: ${short(data[1].at(-1), 1)}.`);
  }
}

/** Curves with bands: `curves` are {label, values, low, high}. */
export class Curves extends Plot {
  constructor(height, words) {
    super(height);
    this.words = words;
  }

  show(trials, curves, { log = true } = {}) {
    const data = [Float64Array.from(trials)];
    for (const { values, low, high } of curves) data.push(values, low ?? values, high ?? values);
    const key = `${this.words}${log}${curves.map(({ label }) => label).join("|")}`;
    this.draw(key, () => ({
      cursor: CURSOR,
      scales: { x: { time: false, distr: log ? 3 : 1, range: (u, low, high) => [low, high] } },
      axes: [axis({ label: "trial", labelSize: 18, size: 30 }), axis({ label: this.words, size: 56, labelSize: 18 })],
      series: [{}, ...curves.flatMap((_, i) => looks(i))],
      bands: curves.map((_, i) => ({ series: [3 * i + 3, 3 * i + 2], fill: `${ink(LOOKS[i % LOOKS.length].colour)}33` })),
    }), data);
    const ends = curves.map(({ label, values }) => `${label} ${short(values.at(-1), 2)}`).join(", ");
    this.el.setAttribute("aria-label", `${this.words}, last values: ${ends}.`);
  }
}

function looks(i) {
  const { colour, dash } = LOOKS[i % LOOKS.length], thin = { stroke: `${ink(colour)}66`, width: 0.5, points: { show: false } };
  return [{ stroke: ink(colour), dash, width: 2, points: { show: false } }, thin, thin];
}

/** The key of curves: a drawn line, its label and its style in words. */
export function keyOf(labels) {
  return make("p", { class: "keys" }, ...labels.map((label, i) => {
    const { colour, dash, words } = LOOKS[i % LOOKS.length];
    const line = make("line", { x1: 0, x2: 28, y1: 5, y2: 5, "stroke-width": 3, "stroke-dasharray": dash.join(" ") || false });
    line.style.stroke = `var(${colour})`;
    return make("span", { class: "key" }, make("svg", { width: 28, height: 10, "aria-hidden": "true" }, line), `${label} (${words})`);
  }));
}
