// Beliefs and choices of one agent: arms × trials, on a canvas.

import { CIVIDIS, ink } from "./colours.js";
import { make } from "./dom.js";
import { Pen } from "./pictures.js";
import { changesInWords } from "./trace.js";

export const LEFT = 62, RIGHT = 56; // gutters that all pictures over time share
const TOP = 12;
const NOTHING = [150, 150, 150]; // of an arm that is not there

export class Raster {
  constructor(pick) {
    this.el = make("canvas", { class: "raster", role: "img" });
    this.ground = document.createElement("canvas"); // the picture without its cursor
    const point = ({ clientX }) => {
      const box = this.el.getBoundingClientRect(), width = box.width - LEFT - RIGHT;
      if (this.trace) pick(1 + Math.floor(((clientX - box.left - LEFT) / width) * this.trace.T));
    };
    this.el.addEventListener("pointerdown", (event) => {
      this.el.setPointerCapture(event.pointerId);
      point(event);
    });
    this.el.addEventListener("pointermove", (event) => event.buttons && point(event));
  }

  /** Paints a trace; `who` and `what` go into the words for those who cannot see it. */
  show(trace, who = "", what = trace.mean ? "Beliefs about" : "Choices among") {
    this.trace = trace;
    const { K, T } = trace;
    this.row = Math.max(3, Math.min(28, Math.floor(280 / K)));
    this.whole = Math.max(200, this.el.clientWidth || 800);
    this.ratio = devicePixelRatio || 1;
    const height = TOP + K * this.row;
    this.el.style.height = `${height}px`;
    for (const canvas of [this.el, this.ground]) {
      canvas.width = this.whole * this.ratio;
      canvas.height = height * this.ratio;
    }
    const g = this.ground.getContext("2d");
    g.scale(this.ratio, this.ratio);
    this.paint(g);
    this.el.setAttribute("aria-label", `${who}${what} ${K} arms over ${T} trials. ${trace.said ?? changesInWords(trace)}`);
  }

  paint(g) {
    this.paintBeliefs(g);
    this.paintNames(g);
    this.paintBest(g);
    this.paintChoices(g);
    this.paintChanges(g);
  }

  /** The picture as an SVG, without the cursor. */
  svg() {
    const pen = new Pen(this.whole, TOP + this.trace.K * this.row);
    this.paint(pen);
    return pen.done();
  }

  get width() {
    return this.whole - LEFT - RIGHT;
  }

  x(trial) {
    return LEFT + ((trial - 0.5) / this.trace.T) * this.width;
  }

  paintBeliefs(g) {
    const { K, T, mean } = this.trace;
    const small = document.createElement("canvas");
    small.width = T;
    small.height = K;
    const pixels = small.getContext("2d").createImageData(T, K);
    for (let k = 0; k < K; k++) for (let t = 0; t < T; t++) {
      const at = mean ? Math.max(0, Math.min(255, Math.round(mean[t * K + k] * 255))) : 96;
      const [red, green, blue] = CIVIDIS[at] ?? NOTHING;
      pixels.data.set([red, green, blue, 255], 4 * (k * T + t));
    }
    small.getContext("2d").putImageData(pixels, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(small, LEFT, TOP, this.width, K * this.row);
  }

  paintNames(g) {
    g.fillStyle = ink("--ink");
    g.font = "12px system-ui, sans-serif";
    g.textAlign = "right";
    g.textBaseline = "middle";
    const step = Math.ceil(14 / this.row);
    const { K, names } = this.trace, name = (k) => (names ? cut(names[k]) : `arm ${k}`);
    for (let k = 0; k < K; k += step) g.fillText(name(k), LEFT - 8, TOP + (k + 0.5) * this.row, LEFT - 12);
  }

  paintBest(g) {
    const { T, best } = this.trace, wide = this.width / T + 0.5;
    if (!best) return; // nobody knows it
    g.fillStyle = "#fff";
    for (let t = 0; t < T; t++) g.fillRect(LEFT + (t / T) * this.width, TOP + best[t] * this.row, wide, 1.5);
  }

  paintChoices(g) {
    const { K, T, chosen, outcome, mean } = this.trace;
    const wide = Math.max(0.8, Math.min(4, (this.width / T) * 0.7));
    for (let t = 0; t < T; t++) {
      const tall = (outcome[t] < 0 ? 0.15 : outcome[t] ? 0.9 : 0.4) * this.row; // one that waits is a dot
      g.fillStyle = mean && mean[t * K + chosen[t]] > 0.45 ? "#000" : "#fff";
      g.fillRect(this.x(t + 1) - wide / 2, TOP + (chosen[t] + 1) * this.row - tall, wide, tall);
    }
  }

  paintChanges(g) {
    g.fillStyle = ink("--true");
    for (const trial of this.trace.changes) {
      const x = this.x(trial);
      g.beginPath();
      g.moveTo(x, TOP);
      g.lineTo(x - 4, 2);
      g.lineTo(x + 4, 2);
      g.fill();
    }
  }

  /** The cursor at a trial; without one the picture alone. */
  at(trial) {
    const g = this.el.getContext("2d"), { ratio } = this;
    g.clearRect(0, 0, this.el.width, this.el.height);
    g.drawImage(this.ground, 0, 0);
    if (trial === undefined) return;
    const x = this.x(trial) * ratio;
    g.fillStyle = "#fff";
    g.fillRect(x - 2 * ratio, 0, 4 * ratio, this.el.height);
    g.fillStyle = "#d55e00";
    g.fillRect(x - ratio, 0, 2 * ratio, this.el.height);
  }
}

const cut = (name) => (String(name).length > 9 ? `${String(name).slice(0, 8)}…` : String(name));

/** What is to be seen in a raster; an actor has no belief about single arms, and so no colour. */
export const rasterWords = ({ mean }) =>
  `Rows are arms, columns trials${mean ? "; colour is the believed probability that an arm pays (dark 0, bright 1)" : ""}. Ticks: choices, tall if they paid. White line: the best arm. Triangles: the bandit changed.`;
