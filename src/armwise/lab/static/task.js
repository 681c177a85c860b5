// A task for participants: consent, instructions, practice and blocks, and a completion code.

import { Board } from "./board.js";
import { button, make } from "./dom.js";
import { rich } from "./rich.js";

const KEPT = "armwise-task"; // the run of this tab, to go on after a reload

export class Task {
  constructor(lab) {
    this.lab = lab;
    this.alone = true;
    this.stage = make("div", { tabindex: -1 });
    this.el = make("div", { class: "room narrow" }, this.stage);
    this.board = new Board(lab.wire, (place) => this.between(place));
  }

  async show() {
    document.body.classList.add("kiosk");
    if (this.place) return;
    try {
      await new Promise((resolve) => this.lab.wire.onOpen(resolve));
      this.task = await this.lab.wire.once({ do: "task" });
      document.title = this.task.title;
      this.board.rest = this.task.pause_ms;
      const run = sessionStorage.getItem(KEPT);
      if (!run || !(await this.resume(run))) this.consent();
    } catch (problem) {
      this.stage.replaceChildren(make("p", { class: "problem", role: "alert", text: problem.message }));
    }
  }

  hide() {
    document.body.classList.remove("kiosk");
  }

  page(title, nodes, ...buttons) {
    this.playing = false;
    this.stage.replaceChildren(make("h2", { text: title }), ...nodes, make("p", { class: "line" }, ...buttons));
    this.stage.focus();
  }

  async resume(run) {
    try {
      const place = await this.lab.wire.once({ do: "begin", run });
      this.place = place;
      if (place.over) await this.finish();
      else this.page(this.task.title, [make("p", { text: `You go on in block ${place.block}, trial ${place.trial}.` })], button("Go on", () => this.play(place), { main: true }));
      return true;
    } catch {
      sessionStorage.removeItem(KEPT);
      return false;
    }
  }

  consent() {
    const box = make("input", { type: "checkbox", id: "consent" });
    const go = button("Begin", () => this.begin(), { main: true, disabled: true });
    box.addEventListener("change", () => (go.disabled = !box.checked));
    this.page(this.task.title, [...rich(this.task.consent), make("p", { class: "field box" }, box, make("label", { for: "consent", text: "I have read this, and I take part." }))], go);
  }

  async begin() {
    try {
      this.place = await this.lab.wire.once({ do: "begin", consent: true });
      sessionStorage.setItem(KEPT, this.place.run);
      this.instructions(0);
    } catch (problem) {
      this.stage.append(make("p", { class: "problem", role: "alert", text: problem.message }));
    }
  }

  instructions(i) {
    const pages = this.task.instructions;
    if (i >= pages.length) {
      this.between(this.place);
      return;
    }
    const back = i ? [button("Back", () => this.instructions(i - 1))] : [];
    this.page(`Instructions${pages.length > 1 ? `, ${i + 1} of ${pages.length}` : ""}`, rich(pages[i]), ...back, button("Go on", () => this.instructions(i + 1), { main: true }));
  }

  /** Before a block: what comes, and a rest as long as the participant wants. */
  between(place) {
    this.place = place;
    if (place.over) {
      this.finish();
      return;
    }
    const block = this.task.blocks[place.block - 1], practice = block.practice ? " for practice; these points do not count" : "";
    const words = `${block.trials} trials${practice}. Choose with a click, a touch, or the keys ${place.keys.map((key) => key.toUpperCase()).join(" ")}.`;
    this.page(block.name || `Block ${place.block}`, [make("p", { text: words })], button("Start the block", () => this.play(place), { main: true }));
  }

  play(place) {
    this.playing = true;
    this.place = place;
    this.stage.replaceChildren(this.board.el);
    this.board.show(place);
    this.board.el.focus();
  }

  async finish() {
    try {
      const { code, thanks } = await this.lab.wire.once({ do: "finish", run: this.place.run });
      this.page("Thank you", [...rich(thanks), make("p", {}, "Your completion code: ", make("strong", { id: "code", text: code }))]);
    } catch (problem) {
      this.page("The end", [make("p", { class: "problem", role: "alert", text: problem.message })]);
    }
  }

  key(event) {
    if (event.key === "?" || !this.playing) return false;
    return this.board.key(event);
  }
}
