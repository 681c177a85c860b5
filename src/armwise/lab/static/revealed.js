// After playing: the truth, your regret beside every agent's, and whose choices were like yours.

import { onScheme } from "./colours.js";
import { button, choice, make, scrolling, table } from "./dom.js";
import { short, signed } from "./format.js";
import { Likeness } from "./likeness.js";
import { Curves, keyOf } from "./lines.js";
import { pictureButtons } from "./pictures.js";
import { Raster } from "./raster.js";
import { prepared } from "./trace.js";

export class Revealed {
  constructor(lab, header, arrays, run, bandit) {
    Object.assign(this, { lab, header, arrays, run, bandit });
    this.trace = { ...prepared({ ...header, terms: [] }, arrays), mean: arrays.theta };
    this.raster = new Raster(() => {});
    this.surprise = new Curves(160, "surprise, nats");
    this.key = make("div");
    this.likeness = new Likeness(lab, run);
    const quiet = (text) => make("p", { class: "quiet", text });
    const csv = make("a", { href: `/api/played/${run}.csv`, download: "choices.csv", text: "Save the choices (CSV), for armwise fit" });
    this.el = make("div", {}, make("h2", { text: "What was hidden" }), make("p", { role: "status", text: this.sum() }), this.raster.el,
      quiet("Colour: the probability that an arm paid (dark 0, bright 1). White line: the best arm. Ticks: your choices, tall if they paid. Triangles: the bandit changed."),
      make("h2", { text: "In your place" }), scrolling("You and the agents", this.numbers()), quiet(this.caution()),
      make("h2", { text: "Who plays like you?" }), this.likeness.el,
      make("h2", { text: "Trial by trial" }), quiet("Surprise is minus the logarithm of the probability that an agent gave to your choice: high where the agent would not have done what you did."),
      this.choose(), this.key, this.surprise.el,
      make("p", { class: "line" }, "Save pictures ", ...pictureButtons("your game", "game", () => this.raster.svg()),
        ...(this.shown === undefined ? [] : pictureButtons("surprise", "surprise", () => this.surprise.svg()))),
      make("p", { class: "line" }, csv, button("Open in Explore", () => this.explore())));
    new ResizeObserver(() => this.el.isConnected && this.paint()).observe(this.surprise.el); // pictures follow the width
    onScheme(() => this.el.isConnected && this.paint());
    this.likeness.begin();
  }

  get rows() {
    return this.header.rows;
  }

  get comparable() {
    return this.rows.filter(({ log_likelihood: found }, i) => i && found !== null && found !== undefined);
  }

  sum() {
    const [you, ...others] = this.rows, paid = this.trace.outcome.reduce((all, o) => all + (o > 0), 0);
    const better = others.filter(({ regret }) => regret < you.regret).length;
    return `${this.trace.T} trials, ${paid} points. Your regret is ${short(you.regret, 1)}: ${better} of ${others.length} agents had less in the same bandit with the same luck.`;
  }

  /** Never more than the data say: always the number of trials and the difference in nats. */
  caution() {
    if (this.comparable.length < 2) return `${this.trace.T} trials. None of these agents gives probabilities to choices, so none can be compared.`;
    return `${this.trace.T} trials. The log-likelihood is that of your choices under the agent as it is written here, without what it has by default; an agent that always takes the best score has a softmax instead, with the precision that fits best.`;
  }

  numbers() {
    const best = this.comparable.reduce((a, b) => (a && a.log_likelihood >= b.log_likelihood ? a : b), null);
    const made = table("", ["who", "regret", "log-likelihood", "per trial", "to the best, nats", "agent"], this.rows.map((row, i) => {
      const known = i > 0 && this.comparable.includes(row), gap = row === best ? "0" : signed(row.difference, 2);
      const numbers = known ? [short(row.log_likelihood, 2), short(row.per_trial, 3), gap] : ["–", "–", "–"];
      return [row.label, short(row.regret, 1), ...numbers, row.why ?? brief(row.in_short ?? "")];
    }));
    made.querySelector("tbody tr")?.classList.add("own");
    for (const cell of made.querySelectorAll("tr > :last-child")) cell.classList.add("words");
    return made;
  }

  choose() {
    const names = this.rows.map((row, i) => [String(i), row.label]).filter(([i]) => this.comparable.includes(this.rows[i]));
    this.shown = names[0]?.[0];
    const made = choice("Whose surprise", names, this.shown, (value) => {
      this.shown = value;
      this.paint();
    });
    return make("p", {}, make("label", {}, "agent ", made));
  }

  paint() {
    this.raster.show(this.trace, "Your game. ", "The truth about");
    this.raster.at();
    const { T } = this.trace, row = (i) => this.arrays.surprise.slice(i * T, (i + 1) * T);
    if (this.shown === undefined) return;
    const curves = [{ label: this.rows[this.shown].label, values: row(Number(this.shown)) }, { label: "random choice", values: row(0) }];
    this.key.replaceChildren(keyOf(curves.map(({ label }) => label)));
    this.surprise.show(this.trace.trials, curves, { log: false });
  }

  explore() {
    const { seed, number, horizon } = this.header;
    this.lab.settings.set({ bandit: this.header.bandit_given ?? this.bandit, seed, number, horizon, trial: 1 }, "all");
    this.lab.enter("explore");
  }
}

/** An agent as on the command line, with fewer digits. */
const brief = (agent) => agent.replace(/\d+\.\d{4,}/g, (digits) => Number(digits).toPrecision(4));
