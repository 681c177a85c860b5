// A room that follows what other programs write, as the lab tells of it. It reads only.

import { make } from "./dom.js";

export class Following {
  /** `room` is the question that is asked; `empty` is what to say and what to type where there is nothing. */
  constructor(lab, { room, title, empty }) {
    Object.assign(this, { lab, room, empty });
    this.problem = make("p", { class: "problem", role: "alert", hidden: true });
    this.stage = make("div");
    this.el = make("div", { class: "room narrow" }, make("h2", { text: title }), this.problem, this.stage);
  }

  show() {
    if (!this.lab.facts.rooms?.[this.room]) {
      this.stage.replaceChildren(nothing(...this.empty));
      return;
    }
    this.leave = this.lab.wire.onOpen(() => {
      this.run = this.lab.wire.ask({ do: this.room }, (header, arrays) => this.answered(header, arrays));
    });
  }

  hide() {
    this.leave?.();
    if (this.run === undefined) return;
    this.lab.wire.forget(this.run);
    this.lab.wire.tell({ do: "unwatch", id: this.run });
  }

  answered(header, arrays) {
    if (header.lost) return;
    this.problem.hidden = !header.problem;
    this.problem.textContent = header.problem ?? "";
    this.stage.classList.toggle("stale", Boolean(header.problem));
    if (header.problem) return;
    this.renew(() => this.paint(header, arrays));
    this.lab.noted(this.room, 1);
  }

  /** Draws anew; whoever was at a button or a list with the keyboard stays there. */
  renew(paint) {
    const held = document.activeElement, name = (each) => each.getAttribute("aria-label") ?? each.textContent;
    const inside = this.stage.contains(held);
    paint();
    if (inside && !held.isConnected) [...this.stage.querySelectorAll(held.tagName)].find((each) => name(each) === name(held))?.focus({ preventScroll: true });
  }
}

/** What an empty room says, with what to type. */
function nothing(words, ...code) {
  return make("div", {}, make("p", { text: words }), make("pre", { tabindex: 0, "aria-label": "What to type", text: code.join("\n") }));
}
