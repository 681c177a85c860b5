// Explore: one agent in one bandit, trial by trial.

import { asked, Controls, sheet } from "./controls.js";
import { download, make } from "./dom.js";
import { Model } from "./model.js";
import { csv } from "./numbers.js";
import { picture, standing } from "./pictures.js";
import { saveNetcdf, sharing } from "./share.js";
import { TraceView } from "./traceview.js";

export class Explore {
  constructor(lab) {
    this.lab = lab;
    const { settings, catalogue, problems } = lab;
    this.model = new Model({ trial: settings.values.trial });
    this.controls = new Controls({ catalogue, problems, settings, who: ["agent"], runs: ["horizon", "seed", "number"] });
    this.picture = make("section", { class: "picture", "aria-label": "One agent in one bandit" });
    this.engine = make("p", { class: "quiet", role: "status" });
    this.el = make("div", { class: "room two" }, sheet("Bandit and agent", this.controls.el), this.picture);
    this.view = new TraceView(this.model, this.picture);
    this.picture.append(this.engine, sharing(() => this.words(), this.saves()));
    lab.wire.news.ready = () => (this.engine.textContent = "");
    this.model.on("change:trial", () => settings.set({ trial: this.model.get("trial") }, "trial"));
  }

  show() {
    this.leave = [
      this.lab.settings.on((kind) => this.changed(kind)),
      this.lab.wire.onOpen(() => this.ask()),
    ];
    this.model.set("trial", this.lab.settings.values.trial);
    this.controls.show();
    this.view.paint();
  }

  hide() {
    for (const leave of this.leave ?? []) leave();
    this.view.time.toggle(false);
  }

  changed(kind) {
    if (kind === "trial") return;
    if (kind === "all") this.model.set("trial", this.lab.settings.values.trial);
    this.controls.show();
    this.ask();
  }

  question() {
    const { bandit, agent, horizon, seed, number } = asked(this.lab.catalogue, this.lab.settings.values);
    return { bandit, agent, horizon, seed, number };
  }

  ask() {
    const began = performance.now();
    this.lab.wire.latest("a", { do: "trace", slot: "a", ...this.question() }, (header, arrays) => {
      if (header.problem) return this.model.set("problem", header.problem);
      this.model.set("problem", "");
      this.model.set("trace", { header, arrays });
      this.engine.textContent = header.engine === "interpreted" ? "Kernels for this agent are being compiled; the numbers are the same." : "";
      this.lab.noted("explore", performance.now() - began);
      this.lab.traced("explore", [this.view.trace]);
      return undefined;
    });
  }

  /** A command plays copies from the first on, so the one shown is the last of them. */
  async words() {
    const { agent, number, ...rest } = this.question();
    const found = await this.lab.wire.once({ do: "words", ...rest, agents: [agent], number, copies: number + 1 });
    return number ? { ...found, command: `${found.command}  # the copy shown is the last of these` } : found;
  }

  saves() {
    return [
      ["Save numbers", [
        ["CSV", () => this.view.trace && download("trace.csv", csv(this.view.trace), "text/csv")],
        ["netCDF", () => saveNetcdf(this.lab, "trace.nc", this.question())],
      ]],
      ["Save pictures", [
        ...picture("beliefs", "beliefs", () => this.view.raster.svg()),
        ...picture("lines", "lines", () => this.view.suspicion.svg()),
        ...picture("arms", "arms", () => standing(this.view.arms.svg)),
      ]],
    ];
  }

  jump(trial) {
    this.view.time.go(trial);
  }

  key(event) {
    return this.view.time.key(event);
  }
}
