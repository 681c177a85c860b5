// Play: you are the agent. Then the truth, your regret beside every agent's, and who plays like you.

import { Board } from "./board.js";
import { button, make } from "./dom.js";
import { ComponentForm } from "./forms.js";
import { Revealed } from "./revealed.js";

const KEPT = "armwise-play"; // the run of this tab, to go on after a reload

export class Play {
  constructor(lab) {
    this.lab = lab;
    this.alone = false; // whether digits are arms, not rooms
    this.board = new Board(lab.wire, () => this.reveal(), { hasty: true });
    this.bandit = { ...lab.settings.values.bandit };
    this.form = new ComponentForm({
      title: "Bandit", id: "play-bandit", options: [["", lab.catalogue.bandits], ...(lab.problems.length ? [["problems of the literature", lab.problems]] : [])],
      value: this.bandit, changed: (bandit) => (this.bandit = bandit),
    });
    this.trials = make("input", { type: "number", id: "play-trials", min: 1, max: 2000, value: 60 });
    this.seed = make("input", { type: "text", id: "play-seed", inputmode: "numeric", placeholder: "any" });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.stage = make("div");
    this.el = make("div", { class: "room narrow" }, this.stage);
  }

  async show() {
    const run = sessionStorage.getItem(KEPT);
    if (this.alone || this.stage.childElementCount) return;
    if (run && (await this.resume(run))) return;
    this.ask();
  }

  hide() {
    clearTimeout(this.board.timer);
  }

  /** What is to be played. */
  ask() {
    this.alone = false;
    const start = button("Start", () => this.start(), { main: true });
    this.form.show(this.bandit = { ...this.lab.settings.values.bandit });
    this.stage.replaceChildren(
      make("h2", { text: "You are the agent" }),
      make("p", { text: "Choose an arm in every trial; it pays or it does not. What an arm pays is hidden, and may change. Collect as many points as you can. Afterwards you see the truth, and how armwise's agents would have done in your place, with the very same luck." }),
      this.problem, this.form.el,
      make("p", { class: "line" }, make("label", { for: "play-trials" }, "trials ", this.trials), make("label", { for: "play-seed" }, "seed ", this.seed), start),
      make("p", { class: "quiet", text: "Nothing is kept unless you save it. The seed makes the same bandit again; leave it open for one that nobody knows." }));
  }

  complain(problem) {
    this.problem.textContent = problem.message;
    this.problem.hidden = false;
  }

  async start() {
    const seed = this.seed.value.trim() === "" ? null : Number.isNaN(Number(this.seed.value)) ? this.seed.value : Number(this.seed.value);
    try {
      const place = await this.lab.wire.once({ do: "play", bandit: this.bandit, horizon: Number(this.trials.value), seed, number: 0 });
      this.problem.hidden = true;
      this.begin(place);
    } catch (problem) {
      this.complain(problem);
    }
  }

  async resume(run) {
    try {
      const place = await new Promise((resolve) => this.lab.wire.onOpen(resolve)).then(() => this.lab.wire.once({ do: "begin", run }));
      this.run = run;
      if (place.over) await this.reveal();
      else this.begin(place);
      return true;
    } catch {
      sessionStorage.removeItem(KEPT);
      return false;
    }
  }

  begin(place) {
    this.run = place.run;
    this.alone = true;
    sessionStorage.setItem(KEPT, place.run);
    const end = button("End now", () => this.end());
    this.stage.replaceChildren(make("h2", { text: "Play" }), this.board.el, make("p", { class: "centre" }, end));
    this.board.paused = false;
    this.board.show(place);
    this.board.el.focus();
  }

  async end() {
    try {
      await this.lab.wire.once({ do: "end", run: this.run });
      await this.reveal();
    } catch (problem) {
      this.complain(problem);
    }
  }

  /** The end: everything that was hidden. */
  async reveal() {
    this.alone = false;
    this.board.open = false;
    clearTimeout(this.board.timer);
    this.stage.replaceChildren(make("p", { role: "status", text: "Letting the agents play in your place …" }));
    try {
      const { arrays, ...header } = await this.lab.wire.once({ do: "reveal", run: this.run });
      const found = new Revealed(this.lab, header, arrays, this.run, this.bandit);
      this.stage.replaceChildren(found.el, make("p", {}, button("Play again", () => this.again(), { main: true })));
      found.paint();
      this.lab.noted("revealed", 1);
    } catch (problem) {
      this.complain(problem);
      this.stage.replaceChildren(this.problem, button("Play again", () => this.again(), { main: true }));
    }
  }

  again() {
    sessionStorage.removeItem(KEPT);
    this.ask();
  }

  key(event) {
    return this.alone && this.board.key(event);
  }
}
