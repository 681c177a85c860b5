// Who plays like you: agents with the values that fit your choices, a row as soon as it is fitted.

import { button, make, scrolling, table } from "./dom.js";
import { plural, short, signed } from "./format.js";

const TOLD_APART = 3; // nats: a factor of twenty

export class Likeness {
  constructor(lab, run) {
    Object.assign(this, { lab, run, asked: null });
    this.said = make("p", { role: "status" });
    this.box = make("div");
    this.el = make("div", {}, make("p", { class: "quiet", text: "Each agent is fitted to your choices. What counts is how probable it makes them on average over the values that people typically have: so a parameter that explains nothing costs, and agents with many parameters have no advantage." }), this.said, this.box);
  }

  /** Begins to fit, unless it has begun. */
  begin() {
    if (this.asked !== null) return;
    this.asked = this.lab.wire.ask({ do: "fits", run: this.run }, (header) => this.answered(header));
  }

  answered(header) {
    if (header.lost || header.problem) {
      this.lab.wire.forget(this.asked);
      this.asked = null;
      this.said.textContent = header.problem ?? "The lab has stopped; trying again.";
      if (header.lost) this.box.replaceChildren(button("Fit again", () => this.begin()));
      return;
    }
    this.rows = header.rows;
    this.said.textContent = header.over ? verdict(header.rows) : `Fitting ${header.coming} …`;
    this.box.replaceChildren(scrolling("Agents fitted to your choices", numbers(header.rows)), ...notes(header.rows));
    if (!header.over) return;
    this.lab.wire.forget(this.asked);
    this.lab.noted("fitted", header.rows.length);
  }
}

/** Never more than the data say: always the number of trials and the difference in nats. */
function verdict([best, next]) {
  const gap = next.evidence - best.evidence, times = Math.exp(-gap);
  const weight = -gap < TOLD_APART ? "too little to tell them apart" : "evidence for the first, among these agents only";
  return `${plural(best.trials, "trial")}. Your choices are most probable under ${best.label}; next is ${next.label}, ${short(-gap, 1)} nats behind, a factor of ${times < 1000 ? short(times, 1) : "more than 1000"}: ${weight}.`;
}

const span = ({ name, value, low, high }) => `${name} ${brief(value)} (${brief(low)} to ${brief(high)})`;
const brief = (value) => String(Number(value.toPrecision(2)));

function numbers(rows) {
  const made = table("", ["agent", "evidence, nats", "per trial", "to the best", "fitted values (94 %)"], rows.map((row, i) => [
    row.label, short(row.evidence, 1), short(row.per_trial, 3), i ? signed(row.difference, 1) : "0", row.values.map(span).join(", ") || "nothing to fit"]));
  for (const cell of made.querySelectorAll("tr > :last-child")) cell.classList.add("words");
  return made;
}

function notes(rows) {
  const found = rows.flatMap((row) => row.notes.map((note) => make("li", {}, make("strong", { text: `${row.label}: ` }), note)));
  return found.length ? [make("details", {}, make("summary", { text: "What the fits say of themselves" }), make("ul", {}, ...found))] : [];
}
