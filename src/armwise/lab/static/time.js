// Time under the reader's control: play, pause, step, scrub, and the keys for it.

import { button, choice, make } from "./dom.js";

const SPEEDS = [2, 5, 20, 60]; // trials a second

export class Time {
  /** `moved(trial)` is called at every new trial; `jumps` are [words of a button or "", key, (trial) => trial or none]. */
  constructor(moved, jumps = []) {
    Object.assign(this, { moved, jumps, trial: 1, horizon: 1, timer: null });
    this.speed = 20;
    this.play = button("▶ Play", () => this.toggle(), { main: true, title: "Play or pause (space)", "aria-pressed": "false" });
    this.scrub = make("input", { type: "range", min: 1, max: 1, value: 1, step: 1, "aria-label": "trial" });
    this.scrub.addEventListener("input", () => this.go(Number(this.scrub.value)));
    this.where = make("span", { class: "where" });
    const leaps = jumps.filter(([words]) => words).map(([words, key, find]) => button(words, () => this.jump(find), { title: `${words} (${key})` }));
    this.el = make("div", { class: "transport", role: "group", "aria-label": "Time" }, this.play,
      button("−1", () => this.go(this.trial - 1), { title: "−1 trial (left arrow)" }),
      button("+1", () => this.go(this.trial + 1), { title: "+1 trial (right arrow)" }),
      ...leaps, this.scrub, this.where,
      choice("trials per second", SPEEDS.map((s) => [s, `${s} / s`]), this.speed, (value) => this.hurry(Number(value))));
  }

  get playing() {
    return this.timer !== null;
  }

  /** Another horizon; the trial stays if it can. */
  reach(horizon) {
    this.horizon = horizon;
    this.scrub.max = horizon;
    this.trial = Math.min(this.trial, horizon);
    this.tell();
  }

  go(trial) {
    const next = Math.max(1, Math.min(this.horizon, Math.round(trial)));
    if (next === this.trial) return;
    this.trial = next;
    this.tell();
    this.moved(next);
  }

  tell() {
    this.scrub.value = this.trial;
    this.scrub.setAttribute("aria-valuetext", `trial ${this.trial} of ${this.horizon}`);
    this.where.textContent = `trial ${this.trial} / ${this.horizon}`;
  }

  jump(find) {
    const next = find(this.trial);
    if (next) this.go(next);
  }

  hurry(speed) {
    this.speed = speed;
    if (this.playing) this.toggle(true);
  }

  toggle(force) {
    const on = force ?? !this.playing;
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      if (this.trial >= this.horizon) this.go(1);
      this.timer = setInterval(() => this.tick(), 1000 / this.speed);
    }
    this.play.textContent = this.playing ? "❚❚ Pause" : "▶ Play";
    this.play.setAttribute("aria-pressed", String(this.playing));
    if (!this.playing) this.moved(this.trial); // what is silent while playing is said now
  }

  tick() {
    if (this.trial >= this.horizon) this.toggle(false);
    else this.go(this.trial + 1);
  }

  /** The keys of time; true if the key was one. */
  key({ key, shiftKey }) {
    const leap = shiftKey ? 10 : 1;
    const found = this.jumps.find(([, name]) => name === key);
    const acts = {
      " ": () => this.toggle(),
      ArrowLeft: () => this.go(this.trial - leap),
      ArrowRight: () => this.go(this.trial + leap),
      Home: () => this.go(1),
      End: () => this.go(this.horizon),
    };
    const act = acts[key] ?? (found && (() => this.jump(found[2])));
    act?.();
    return Boolean(act);
  }
}
