// Guided lessons: a state of Explore or Compare, a few sentences, and a question that a slider answers.

import { make, button } from "./dom.js";
import { written } from "./format.js";
import { LESSONS } from "./lessontexts.js";
import { admitted } from "./state.js";

const at = (values, path) => path.split(".").reduce((part, name) => part?.[name], values);

/** The change of the settings that puts `value` at a path, such as agent.policy.lam. */
function changed(values, path, value) {
  const [first, ...rest] = path.split(".");
  if (!rest.length) return { [first]: value };
  const copy = structuredClone(values[first]);
  let part = copy;
  for (const name of rest.slice(0, -1)) part = part[name];
  part[rest.at(-1)] = value;
  return { [first]: copy };
}

export class Lessons {
  constructor(lab) {
    this.lab = lab;
    this.solved = new Set();
    this.list = make("ul", { class: "cards" });
    this.panel = make("section", { class: "lesson", "aria-label": "Lesson", hidden: true });
    this.slot = make("div");
    this.el = make("div", { class: "lessons" }, this.panel, this.slot, make("nav", { "aria-label": "Lessons" }, make("h2", { text: "Lessons" }),
      make("p", { class: "quiet", text: "A lesson takes a minute or two: read, and move its slider until the question is answered. The first five lead to why A-AI gets stuck." }), this.list));
  }

  async show() {
    this.leave = this.lab.settings.on((kind) => this.follow(kind));
    this.lab.heard = (room, traces) => this.check(traces);
    this.cards();
    const found = LESSONS.find(({ id }) => id === this.lab.settings.lesson);
    if (found) await this.open(found, !this.lab.settings.stated);
    else {
      this.panel.hidden = true;
      this.el.classList.remove("open");
      this.slot.replaceChildren();
    }
  }

  hide() {
    this.leave?.();
    this.lab.heard = null;
    this.inner?.hide();
    this.inner = null;
    this.lab.settings.lesson = "";
  }

  cards() {
    this.list.replaceChildren(...LESSONS.map((lesson, i) => {
      const link = make("a", { href: `#room=lessons&lesson=${lesson.id}`, "aria-current": lesson.id === this.lesson?.id ? "true" : false },
        make("b", { text: `${i + 1}. ${lesson.title}${this.solved.has(lesson.id) ? " ✓" : ""}` }), lesson.about);
      link.addEventListener("click", (event) => {
        event.preventDefault();
        this.open(lesson, true);
      });
      return make("li", {}, link);
    }));
  }

  /** Opens a lesson, at its own state (`fresh`) or at that of the address. */
  async open(lesson, fresh) {
    this.lesson = lesson;
    this.traces = null;
    this.inner?.hide();
    this.lab.settings.go("lessons", lesson.id);
    this.lab.settings.stated = true;
    if (fresh) this.lab.settings.set(admitted(lesson.settings), "all");
    this.compose();
    this.inner = await this.lab.room(lesson.room);
    this.slot.replaceChildren(this.inner.el);
    this.inner.show();
    this.cards();
    this.panel.querySelector("h2").focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }

  compose() {
    const { lesson } = this, { low, high, step, words } = lesson.slider;
    const i = LESSONS.indexOf(lesson), next = LESSONS[i + 1];
    this.slider = make("input", { type: "range", id: "lesson-slider", min: low, max: high, step });
    this.value = make("output", { for: "lesson-slider" });
    this.slider.addEventListener("input", () => this.move(Number(this.slider.value)));
    this.answer = make("p", { role: "status", class: "answer" });
    this.panel.replaceChildren(
      make("h2", { tabindex: -1, text: `${i + 1}. ${lesson.title}` }),
      ...lesson.words.map((text) => make("p", { text })),
      make("p", {}, make("strong", { text: `Question: ${lesson.question}` })),
      make("div", { class: "field" }, make("label", { for: "lesson-slider" }, words, this.value), this.slider),
      this.answer,
      make("p", { class: "line" }, button("Begin again", () => this.open(lesson, true)), ...(next ? [button("Next lesson", () => this.open(next, true))] : [])));
    this.panel.hidden = false;
    this.el.classList.add("open");
    this.answer.textContent = this.solved.has(lesson.id) ? lesson.answer : "Move the slider.";
    this.follow();
  }

  move(value) {
    const { values } = this.lab.settings, { path } = this.lesson.slider;
    if (path === "trial") this.inner?.jump(value);
    else this.lab.settings.set(changed(values, path, value), path.startsWith("bandit") ? "bandit" : "agent");
  }

  follow(kind) {
    if (!this.lesson || !this.slider) return;
    const value = at(this.lab.settings.values, this.lesson.slider.path);
    this.slider.value = value;
    this.value.value = written(value);
    if (kind === "trial") this.check(this.traces);
  }

  /** Whether the question is answered, now that these traces are drawn. */
  check(traces) {
    if (!traces || !this.lesson) return;
    this.traces = traces;
    const { lesson } = this, right = lesson.solved(this.lab.settings.values, ...traces);
    if (right) this.solved.add(lesson.id);
    const found = lesson.slider.path === "trial" && this.solved.has(lesson.id); // who looks around in time keeps the answer
    this.answer.textContent = right ? `Yes. ${lesson.answer}` : found ? lesson.answer : lesson.hint(this.lab.settings.values, ...traces);
    this.panel.dataset.solved = String(right);
    this.lab.noted("lesson", right);
    if (right) this.cards();
  }

  key(event) {
    return this.inner?.key(event);
  }
}
