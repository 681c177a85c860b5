// Why this arm, now: a row per arm with its belief, the truth, and the parts of its score.

import { make } from "./dom.js";
import { short } from "./format.js";
import { hill } from "./hills.js";
import { bars, colourOf } from "./terms.js";

export class Arms {
  constructor() {
    this.el = make("div");
    this.split = make("select", { "aria-label": "Which parts of the score" });
    this.split.addEventListener("change", () => this.again?.());
    this.keys = make("span", { class: "keys" });
    this.none = make("span", { text: "This agent weighs hypotheses about the whole bandit: it has no belief about single arms, and no scores to show." });
    this.head = make("p", { class: "quiet" }, this.split, " ", this.keys, this.none);
  }

  /** Rows for a trace; called again when the width changes. */
  show(trace) {
    this.trace = trace;
    const names = trace.splits.map(({ name }) => name), kept = this.split.value;
    this.split.hidden = !trace.score;
    this.none.hidden = Boolean(trace.score || trace.alpha);
    const options = names.length ? trace.splits : [{ name: "score", words: "the score (no parts)" }];
    this.split.replaceChildren(...options.map(({ name, words }) => make("option", { value: name, text: words })));
    if (names.includes(kept)) this.split.value = kept;
    this.build();
  }

  build() {
    const { K } = this.trace, width = Math.max(280, Math.round(this.el.clientWidth || 900));
    this.high = Math.max(18, Math.min(34, Math.floor(320 / K)));
    this.places = { left: 78, right: Math.round(width * 0.48), from: Math.round(width * 0.53), to: width - 58, width };
    const { places, high } = this, base = K * high + 16, narrow = width < 600;
    this.svg = make("svg", { class: "arms", viewBox: `0 0 ${width} ${K * high + 22}`, height: K * high + 22, role: "img" });
    this.svg.append(hatching());
    this.rows = Array.from({ length: K }, (_, k) => this.row(k));
    const words = (x, text) => make("text", { x, y: base, text });
    const scored = this.trace.score ? (narrow ? "score" : "parts of the score, above the least arm") : "";
    this.svg.append(words(places.left, "0"), words(places.right - 7, "1"), words(places.left + 14, narrow ? "belief" : this.trace.alpha ? "belief; thick mark: truth" : "thick mark: truth"), words(places.from, scored));
    this.el.replaceChildren(this.svg);
  }

  row(k) {
    const y = k * this.high, { high, places } = this;
    const bar = (rest) => make("rect", { y: y + 3, height: high - 6, ...rest });
    const row = {
      wash: make("rect", { x: 0, y, width: places.width, height: high, class: "wash" }),
      name: make("text", { x: 4, y: y + high / 2 + 4 }),
      hill: make("path", { class: "hill" }),
      truth: make("line", { y1: y + 2, y2: y + high - 1, class: "truth" }),
      first: bar({}),
      second: bar({}),
      lines: bar({ fill: "url(#hatch)" }),
      score: make("text", { x: places.to + 8, y: y + high / 2 + 4 }),
    };
    this.svg.append(...Object.values(row));
    return row;
  }

  at(trial) {
    const { trace } = this, from = (trial - 1) * trace.K;
    const split = trace.splits.find(({ name }) => name === this.split.value), shown = bars(trace, split, from);
    this.again = () => this.at(trial);
    this.rows.forEach((row, k) => {
      this.paintName(row, k, trial);
      this.paintBelief(row, k, from + k);
      this.paintBars(row, shown[k]);
      row.score.textContent = trace.score ? short(trace.score[from + k]) : "";
    });
    this.svg.setAttribute("aria-label", this.words(trial));
    this.showKeys(split);
  }

  paintName(row, k, trial) {
    const { chosen, outcome } = this.trace, mine = k === chosen[trial - 1];
    row.wash.classList.toggle("mine", mine);
    row.name.textContent = `${mine ? "▸ " : ""}arm ${k}${mine ? (outcome[trial - 1] ? " ✓" : " ✗") : ""}`;
    row.name.setAttribute("class", mine ? "chosen" : "");
  }

  paintBelief(row, k, i) {
    const { alpha, beta, theta } = this.trace, { left, right } = this.places, base = (k + 1) * this.high - 1;
    row.hill.setAttribute("d", alpha ? hill(alpha[i], beta[i], left, right, base, this.high - 3) : "");
    const x = left + (right - left) * theta[i];
    row.truth.setAttribute("x1", x);
    row.truth.setAttribute("x2", x);
  }

  paintBars(row, shown) {
    const { from, to } = this.places, x = (v) => from + v * (to - from);
    [row.first, row.second].forEach((rect, j) => {
      const bar = shown[j] ?? { from: 0, to: 0, name: "" };
      for (const each of j ? [rect, row.lines] : [rect]) {
        each.setAttribute("x", x(bar.from));
        each.setAttribute("width", Math.max(0, x(bar.to) - x(bar.from)));
      }
      rect.style.fill = `var(${colourOf(bar.name)})`;
    });
  }

  showKeys(split) {
    const parts = split ? split.parts : [], words = parts.map(([name, sign]) => (sign < 0 ? `less ${name}` : name));
    if (this.keys.dataset.words === words.join()) return;
    this.keys.dataset.words = words.join();
    this.keys.replaceChildren(...parts.map(([name], j) => {
      const swatch = make("i", { class: j ? "hatched" : "" });
      swatch.style.background = `var(${colourOf(name)})`;
      return make("span", { class: "key" }, swatch, words[j]);
    }));
  }

  words(trial) {
    const { K, theta, mean, score, chosen } = this.trace, from = (trial - 1) * K;
    const rows = Array.from({ length: Math.min(K, 12) }, (_, k) => {
      const belief = mean ? ` believed ${short(mean[from + k], 2)},` : "";
      return `arm ${k}:${belief} true ${short(theta[from + k], 2)}${score ? `, score ${short(score[from + k])}` : ""}`;
    });
    return `Trial ${trial}, arm ${chosen[trial - 1]} was chosen. ${rows.join("; ")}.`;
  }
}

function hatching() {
  const lines = make("line", { x1: 0, y1: 0, x2: 0, y2: 6, stroke: "#0008", "stroke-width": 2 });
  const pattern = make("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, lines);
  return make("defs", {}, pattern);
}
