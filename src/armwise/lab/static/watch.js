// Watch: the player that lives in a file, while other programs play. It reads only.

import { make, scrolling, table } from "./dom.js";
import { Following } from "./follow.js";
import { plural, short } from "./format.js";

const EMPTY = ["Nothing to watch yet. Let your program's player live in a file, and name the file to the lab:",
  'player = agent.open("player.db", ["red", "green"])', "armwise lab --watch player.db"];

export class Watch extends Following {
  constructor(lab) {
    super(lab, { room: "watch", title: "Watch a player", empty: EMPTY });
  }

  paint(header) {
    const log = header.last?.length ? [make("h3", { text: "Last events" }), make("pre", { tabindex: 0, "aria-label": "Last events", text: header.last.map(line).join("\n") })] : [];
    this.stage.replaceChildren(facts(header), make("p", { role: "status", class: header.audit?.problems?.length ? "problem" : "" }, audit(header)),
      header.why ? make("p", { class: "quiet", text: header.why }) : "", scrolling("Arms", arms(header)), openTickets(header), ...log);
  }
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

function arms({ arms: known, choices }) {
  const rows = known.map((each) => [
    `${each.arm}${each.there === false ? " (gone)" : ""}`, each.chosen, choices ? short(each.chosen / choices, 2) : "–", each.outcomes, short(each.mean, 2),
    each.belief ? `Be(${each.belief.map((v) => short(v, 1)).join(", ")})` : "–",
    each.belief ? interval(each) : "–", each.belief ? `${short(each.low, 2)} to ${short(each.high, 2)}` : "–",
  ]);
  return table("Beliefs: the mark is the mean, the line holds 95 % of the belief", ["arm", "choices", "share", "outcomes", "paid", "belief", "from 0 to 1", "95 %"], rows);
}

function interval({ low, high, belief: [a, b] }) {
  const x = (v) => 4 + 136 * v;
  return make("svg", { class: "interval", viewBox: "0 0 144 20", "aria-hidden": "true" },
    make("line", { x1: x(low), x2: x(high), y1: 10, y2: 10 }), make("circle", { cx: x(a / (a + b)), cy: 10, r: 4 }));
}

function openTickets({ open }) {
  if (!open.length) return make("p", { text: "No ticket is open." });
  const shown = open.slice(0, 40).join(", ");
  return make("p", { text: `Open tickets, which wait for their outcomes: ${shown}${open.length > 40 ? " and more" : ""}.` });
}
