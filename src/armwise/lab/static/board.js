// The board on which a person chooses: a pad per arm, by click, touch or key. It shows what the lab
// answers and knows nothing else; the lab decides outcomes.

import { make } from "./dom.js";

export class Board {
  /** `ended(place)` is called when a block or the run is over; who is `hasty` may cut feedback short. */
  constructor(wire, ended, { hasty = false } = {}) {
    Object.assign(this, { wire, ended, hasty, pads: [], open: false, paused: false, timer: null, rest: 0 });
    this.head = make("p", { class: "centre", role: "status" });
    this.progress = make("progress", { max: 1, value: 0, "aria-label": "trials played" });
    this.row = make("div", { class: "pads", role: "group", "aria-label": "Arms" });
    this.feedback = make("p", { class: "feedback", role: "status" });
    this.hint = make("p", { class: "quiet centre" });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.el = make("section", { class: "board", tabindex: -1, "aria-label": "The board" }, this.problem, this.head,
      make("p", { class: "centre" }, this.progress), this.row, this.feedback, this.hint);
  }

  /** Shows a place that the lab gave, and waits for a choice. */
  show(place) {
    this.place = place;
    if (this.row.childElementCount !== place.arms || this.shown !== String(place.labels)) this.layout();
    const practice = place.practice ? "Practice · " : "", block = place.blocks > 1 ? `block ${place.block} of ${place.blocks} · ` : "";
    this.head.textContent = `${practice}${block}trial ${Math.min(place.trial, place.trials)} of ${place.trials} · points ${place.points}`;
    this.progress.value = (place.trial - 1) / place.trials;
    for (const pad of this.pads) {
      pad.classList.remove("taken");
      pad.setAttribute("aria-disabled", "false");
    }
    this.open = !this.paused;
    this.began = performance.now();
    this.wait();
  }

  layout() {
    const { labels, keys, arms } = this.place;
    this.shown = String(labels);
    this.pads = Array.from({ length: arms }, (_, arm) => {
      const key = keys[arm]?.toUpperCase() ?? "", small = key && key !== labels[arm] ? [make("small", { text: key })] : [];
      const pad = make("button", { type: "button", class: "pad" }, labels[arm] ?? `arm ${arm}`, ...small);
      pad.addEventListener("click", () => this.choose(arm));
      return pad;
    });
    this.row.replaceChildren(...this.pads);
    this.hint.textContent = `Click, touch, or use the keys ${keys.map((key) => key.toUpperCase()).join(" ")}, or ${this.digits[0]} to ${this.digits.at(-1)}. Esc pauses.`;
  }

  /** The digits that choose an arm: those on the pads, if pads have digits; else their places from 1. */
  get digits() {
    const { labels, arms } = this.place, shown = labels.filter((label) => /^\d$/.test(label));
    return shown.length ? shown : Array.from({ length: Math.min(9, arms) }, (_, arm) => String(arm + 1));
  }

  armOf(digit) {
    const { labels } = this.place;
    return labels.includes(digit) ? labels.indexOf(digit) : this.digits.includes(digit) ? Number(digit) - 1 : -1;
  }

  /** The time for a choice, if it is limited. */
  wait() {
    clearTimeout(this.timer);
    if (this.open && this.place.timeout_ms) this.timer = setTimeout(() => this.choose(-1), this.place.timeout_ms);
  }

  async choose(arm) {
    if (!this.open) {
      if (this.hasty) this.skip?.();
      return;
    }
    this.open = false;
    clearTimeout(this.timer);
    const { run, block, trial } = this.place, rt = Math.round(performance.now() - this.began);
    if (arm >= 0) this.pads[arm].classList.add("taken");
    for (const pad of this.pads) pad.setAttribute("aria-disabled", "true");
    await this.send({ do: "choose", run, block, trial, arm, rt_ms: rt });
  }

  /** A choice that got lost is sent again: the lab answers the same choice twice in the same way. */
  async send(message) {
    try {
      const answer = await this.wire.once(message);
      this.problem.hidden = true;
      this.tell(answer);
      await new Promise((resolve) => {
        this.skip = resolve;
        setTimeout(resolve, this.place.feedback_ms);
      });
      this.skip = null;
      this.feedback.textContent = "";
      if (this.rest) await new Promise((resolve) => setTimeout(resolve, this.rest));
      this.next(answer.place);
    } catch (problem) {
      this.problem.textContent = problem.message;
      this.problem.hidden = false;
      if (!this.wire.ready) setTimeout(() => this.send(message), 1000);
      else this.open = true;
    }
  }

  tell({ outcome, arm }) {
    this.last = outcome;
    this.feedback.textContent = arm < 0 ? "Too slow." : outcome ? "✓ +1" : "✗ 0";
  }

  next(place) {
    if (place.over || place.block !== this.place.block) this.ended(place);
    else this.show(place);
  }

  pause() {
    this.paused = !this.paused;
    this.open = !this.paused;
    this.feedback.textContent = this.paused ? "Paused. Esc goes on." : "";
    this.began = performance.now();
    this.wait();
    if (this.paused) clearTimeout(this.timer);
  }

  key({ key }) {
    if (!this.place) return false;
    if (key === "Escape") {
      if (this.open || this.paused) this.pause();
      return true;
    }
    const named = this.place.keys.findIndex((each) => each.toLowerCase() === key.toLowerCase());
    const arm = named >= 0 ? named : this.armOf(key);
    if (arm < 0) return false;
    this.choose(arm);
    return true;
  }
}
