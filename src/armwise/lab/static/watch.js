// Watch: the player that lives in a file, while other programs play. It reads only.

import { onScheme } from "./colours.js";
import { make, scrolling, table } from "./dom.js";
import { Following } from "./follow.js";
import { listed, plural, short } from "./format.js";
import { Suspected } from "./lines.js";
import { pictureButtons } from "./pictures.js";
import { Raster } from "./raster.js";

const EMPTY = ["Nothing to watch yet. Let your program's player live in a file, and name the file to the lab:",
  'player = agent.open("player.db", ["red", "green"])', "armwise lab --watch player.db"];

export class Watch extends Following {
  constructor(lab) {
    super(lab, { room: "watch", title: "Watch a player", empty: EMPTY });
    this.raster = new Raster(() => {});
    this.suspected = new Suspected();
    this.words = make("p", { class: "quiet" });
    this.suspicion = make("h3", {});
    this.saves = saving(this.suspected, "suspicion");
    this.picture = make("div", {}, make("h3", { text: "Choices and beliefs" }), this.raster.el, this.words, saving(this.raster, "choices"),
      this.suspicion, this.suspected.el, this.saves);
    new ResizeObserver(() => this.draw()).observe(this.picture); // pictures follow the width
    onScheme(() => this.draw());
  }

  paint(header, arrays) {
    Object.assign(this, { header, arrays });
    const log = header.last?.length ? [make("h3", { text: "Last events" }), make("pre", { tabindex: 0, "aria-label": "Last events", text: header.last.map(line).join("\n") })] : [];
    this.stage.replaceChildren(facts(header), make("p", { role: "status", class: header.audit?.problems?.length ? "problem" : "" }, audit(header)),
      header.why ? make("p", { class: "quiet", text: header.why }) : "", ...(arrays.chosen?.length ? [this.picture] : []),
      make("h3", { text: "Arms" }), scrolling("Arms", arms(header)), believes(header), openTickets(header), ...log);
    this.draw();
  }

  /** The last choices over time; a change that the agent suspects is marked. */
  draw() {
    const { header, arrays } = this;
    if (!arrays?.chosen?.length || !this.picture.isConnected) return;
    const { chosen, outcome, mean, suspicion } = arrays, T = chosen.length, names = header.arms.map(({ arm }) => String(arm));
    const places = header.suspected.map((ticket) => ticket - header.first + 1), found = suspectedInWords(header);
    this.raster.show({ K: names.length, T, names, chosen, outcome, mean, changes: places, said: found });
    this.raster.at();
    const colour = mean ? "Colour: the expected probability that an arm pays, before each choice (dark 0, bright 1). " : "";
    const mark = header.alarms ? "Triangles: alarms, after which the agent forgets and begins anew." : "Triangles: from then on the agent suspects a change.";
    const marks = header.alarms || header.suspicion_name || places.length ? `${mark} ${found}` : "This agent says of no choice that a change is likely just now.";
    this.words.textContent = `The last ${plural(T, "choice")}. ${colour}Ticks: choices, tall if they paid, a dot while the outcome is waited for. ${marks}`;
    const known = suspicion.some((each) => !Number.isNaN(each));
    this.suspicion.hidden = this.suspected.el.hidden = this.saves.hidden = !known;
    if (!known) return;
    this.suspicion.textContent = `Probability of a ${header.suspicion_name}`;
    const numbers = Float64Array.from({ length: T }, (_, t) => header.first + t), values = Array.from(suspicion, (each) => (Number.isNaN(each) ? null : each));
    this.suspected.show(numbers, values, `Probability of a ${header.suspicion_name}, over ${T} choices; now ${short(suspicion.at(-1), 2)}. ${found}`);
  }
}

const saving = (shown, name) => make("p", { class: "line" }, "Save the picture ", ...pictureButtons("", name, () => shown.svg()));

function suspectedInWords({ suspected }) {
  if (!suspected.length) return "It suspects no change here.";
  const shown = suspected.slice(-8).map(String), more = suspected.length > 8 ? `${plural(suspected.length - 8, "earlier one")}, and ` : "";
  return `It suspected a change at ${more}${shown.length > 1 ? "choices" : "choice"} ${listed(shown)}.`;
}

/** An event in words: `12 choose ticket 5 arm red`. */
function line({ number, kind, ticket, arm, outcome, note }) {
  const rest = Object.entries({ ticket, arm, outcome, note }).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return [number, kind, ...rest.map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)].join(" ");
}

function facts({ file, agent, choices, outcomes, open, forgotten, arms: known }) {
  const paid = known.reduce((sum, each) => sum + (each.mean ?? 0) * (each.outcomes ?? 0), 0);
  const rows = [["choices", choices], ["outcomes", outcomes],
    ["paid", outcomes ? short(paid / outcomes, 2) : "–"], ["open tickets", open.length], ["forgotten", forgotten]];
  const whose = make("p", { class: "line" }, make("code", { text: agent }), " in ", make("code", { text: file }));
  return make("div", {}, whose, make("dl", { class: "facts" }, ...rows.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: String(value ?? "–") })))));
}

function audit({ audit: found }) {
  if (!found) return "Audit: every choice is being asked of the agent again.";
  const checked = `Audit: ${plural(found.events, "event")}, ${plural(found.choices, "choice")} recomputed`;
  if (!found.problems.length) return `${checked}; each is the one that the agent makes.`;
  return `${checked}. ${found.problems.join(" ")}`;
}

/** A row per arm; the columns of a belief are there if the agent keeps one. */
function arms({ arms: known, choices }) {
  const has = (name) => known.some((each) => each[name] !== null && each[name] !== undefined);
  const beta = ["belief", (each) => (each.belief ? `Be(${each.belief.map((v) => short(v, 1)).join(", ")})` : "–")];
  const mean = ["expected", (each) => short(each.believed, 2)];
  const spread = [["from 0 to 1", (each) => (Number.isFinite(each.low) ? interval(each) : "–")],
    ["95 %", (each) => (Number.isFinite(each.low) ? `${short(each.low, 2)} to ${short(each.high, 2)}` : "–")]];
  const columns = [["choices", (each) => each.chosen], ["share", (each) => (choices ? short(each.chosen / choices, 2) : "–")],
    ["outcomes", (each) => each.outcomes], ["paid", (each) => short(each.mean, 2)],
    ...(has("belief") ? [beta] : []), ...(has("believed") ? [mean] : []), ...(has("low") ? spread : [])];
  const rows = known.map((each) => [`${each.arm}${each.there === false ? " (gone)" : ""}`, ...columns.map(([, value]) => value(each))]);
  const words = has("low") ? "The mark is the mean of the belief, the line holds 95 % of it" : "This agent keeps no belief about single arms";
  return table(words, ["arm", ...columns.map(([name]) => name)], rows);
}

function interval({ low, high, believed }) {
  const x = (v) => 4 + 136 * v;
  return make("svg", { class: "interval", viewBox: "0 0 144 20", "aria-hidden": "true" },
    make("line", { x1: x(0), x2: x(1), y1: 10, y2: 10, class: "whole" }), make("line", { x1: x(low), x2: x(high), y1: 10, y2: 10 }), make("circle", { cx: x(believed), cy: 10, r: 4 }));
}

/** What else the agent says of the bandit. */
function believes({ facts: found }) {
  const words = Object.entries(found).filter(([, value]) => !Array.isArray(value));
  if (!words.length) return "";
  return make("p", { text: `It believes: ${words.map(([name, value]) => (name === "believes" ? value : `${name} ${typeof value === "number" ? short(value, 3) : value}`)).join("; ")}.` });
}

function openTickets({ open }) {
  if (!open.length) return make("p", { text: "No ticket is open." });
  const shown = open.slice(0, 40).join(", ");
  return make("p", { text: `Open tickets, which wait for their outcomes: ${shown}${open.length > 40 ? " and more" : ""}.` });
}
