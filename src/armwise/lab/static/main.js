// The page: the catalogue, the wire, the rooms and their keys.

import { button, make, table } from "./dom.js";
import { Settings } from "./state.js";
import { Wire } from "./wire.js";

// A room is loaded when it is first entered.
const ROOMS = {
  explore: ["Explore", async () => (await import("./explore.js")).Explore],
  compare: ["Compare", async () => (await import("./compare.js")).Compare],
  play: ["Play", async () => (await import("./play.js")).Play],
  lessons: ["Lessons", async () => (await import("./lessons.js")).Lessons],
  task: ["Task", async () => (await import("./task.js")).Task],
  watch: ["Watch", async () => (await import("./watch.js")).Watch],
  results: ["Results", async () => (await import("./results.js")).Results],
};
const KEYS = [
  ["space", "play or pause"], ["← →", "one trial back or on; with shift ten"], ["Home End", "first or last trial"],
  ["n p", "next or previous change of the bandit"], ["d", "next difference, in Compare"], ["1 to 6", "the rooms"],
  ["Q W E R … or a digit", "an arm, in Play"], ["Esc", "pause, in Play"], ["?", "these keys"],
];
const $ = (id) => document.getElementById(id);

class Lab {
  constructor({ catalogue, ...facts }) {
    Object.assign(this, { catalogue, facts, made: {}, current: null, notes: {} });
    this.problems = Object.entries(catalogue.problems ?? {}).map(([name, bandit]) => ({ name, label: name, summary: bandit, parameters: [] }));
    this.settings = new Settings();
    this.wire = new Wire((connected) => this.linked(connected));
    this.names = Object.keys(ROOMS).filter((name) => name !== "task");
  }

  linked(connected) {
    $("link").textContent = connected ? "connected" : "The lab has stopped; trying again. Settings are in the address.";
    $("link").classList.toggle("lost", !connected);
  }

  /** What tests and `benchmarks` read: how often and how fast a room was answered. */
  noted(name, milliseconds) {
    (this.notes[name] ??= []).push(milliseconds);
  }

  /** Tells who listens (a lesson) that a room has drawn traces. */
  traced(room, traces) {
    this.heard?.(room, traces);
    this.noted(`traced ${room}`, 1);
  }

  /** A room, made when it is first needed. */
  async room(name) {
    return (this.made[name] ??= new (await ROOMS[name][1]())(this));
  }

  async enter(name, lesson = this.settings.lesson) {
    const room = name in ROOMS ? name : "explore";
    this.settings.go(room, lesson);
    const entered = await this.room(room);
    if (this.settings.room !== room) return; // the reader went on meanwhile
    this.current?.hide();
    this.current = entered;
    $("stage").replaceChildren(this.current.el);
    document.title = `${ROOMS[room][0]} – armwise lab`;
    for (const link of document.querySelectorAll("#rooms a")) {
      if (link.dataset.room === room) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    await this.current.show();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
    const { tagName, type } = event.target;
    const typing = /^(SELECT|TEXTAREA)$/.test(tagName) || (tagName === "INPUT" && type !== "checkbox");
    if (typing || (/^(BUTTON|SUMMARY|A|INPUT)$/.test(tagName) && [" ", "Enter"].includes(event.key))) return;
    if (event.key === "?") this.help();
    else if (this.current?.key?.(event)) event.preventDefault();
    else if (/^[1-6]$/.test(event.key) && !this.current?.alone) this.enter(this.names[event.key - 1]);
  }

  help() {
    const dialog = $("keys");
    const close = button("Close", () => dialog.close());
    dialog.replaceChildren(make("h2", { id: "keys-title", text: "Keys" }), table("", ["key", "what it does"], KEYS), close);
    dialog.showModal();
  }
}

function links(lab) {
  $("rooms").replaceChildren(...lab.names.map((name) => {
    const link = make("a", { href: `#room=${name}`, "data-room": name, text: ROOMS[name][0] });
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      lab.enter(name);
    });
    return make("li", {}, link);
  }));
}

async function start() {
  const answer = await fetch("/api/catalogue");
  if (!answer.ok) throw new Error(await answer.text());
  const lab = (window.lab = new Lab(await answer.json()));
  links(lab);
  $("help").addEventListener("click", () => lab.help());
  $("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is the state
    $("stage").focus();
  });
  document.addEventListener("keydown", (event) => lab.key(event));
  addEventListener("hashchange", () => {
    lab.settings.read();
    for (const act of lab.settings.listeners) act("all", {});
    lab.enter(lab.settings.room);
  });
  addEventListener("pagehide", () => lab.settings.flush());
  const { rooms = {} } = lab.facts;
  const first = rooms.task ? "task" : rooms.watch ? "watch" : rooms.results ? "results" : "explore";
  await lab.enter(lab.settings.room || first);
}

start().catch((problem) => {
  $("stage").replaceChildren(make("p", { class: "problem", role: "alert", text: problem.message }));
});
