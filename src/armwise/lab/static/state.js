// The state of the page is its address, so a copied address is the same page: `#room=…&q={…}`.

export const TEACHING = {
  v: 1,
  bandit: { name: "switching", arms: 5, epsilon: 0.45, rho: 0.015, p: 0.3 },
  agent: { policy: { name: "g-ai", lam: 0.5 }, learner: { name: "smile", rho: 0.015 }, choice: { name: "argmax" } },
  other: { policy: { name: "o-ts" }, learner: { name: "smile", rho: 0.015 }, choice: { name: "argmax" } },
  given: true,
  horizon: 500,
  seed: 1,
  number: 0,
  trial: 1,
  copies: 1000,
  long: 1000,
};
const WHOLE = ["horizon", "seed", "number", "trial", "copies", "long"];

const isRecord = (x) => x !== null && typeof x === "object" && !Array.isArray(x);
const isComponent = (x) => isRecord(x) && typeof x.name === "string";
const isAgent = (x) => isRecord(x) && isComponent(x.policy);

/** What is understood of some given settings; the rest is passed over. */
export function admitted(given) {
  const found = structuredClone(TEACHING);
  if (!isRecord(given)) return found;
  if (isComponent(given.bandit)) found.bandit = given.bandit;
  for (const who of ["agent", "other"]) {
    if (isAgent(given[who])) found[who] = { learner: { name: "smile" }, choice: { name: "argmax" }, ...given[who] };
  }
  if (typeof given.given === "boolean") found.given = given.given;
  for (const name of WHOLE) if (Number.isFinite(given[name])) found[name] = given[name];
  return found;
}

export function parsed(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  let settings = null;
  try {
    settings = JSON.parse(given.get("q"));
  } catch { /* a link that is none is passed over */ }
  return { room: given.get("room") || "", lesson: given.get("lesson") || "", settings: admitted(settings), known: isRecord(settings) };
}

/** Settings, with those who want to know of changes. Writes the address, not more than 5 times a second. */
export class Settings {
  constructor() {
    this.listeners = new Set();
    this.timer = null;
    this.read();
  }

  read() {
    const { room, lesson, settings, known } = parsed(location.hash);
    this.stated = known; // whether the address has settings
    this.room = room;
    this.lesson = lesson;
    this.values = settings;
  }

  /** `change` goes into the settings; `kind` says what listeners need to do again. */
  set(change, kind = "all") {
    Object.assign(this.values, structuredClone(change));
    this.write();
    for (const act of [...this.listeners]) act(kind, change);
  }

  go(room, lesson = "") {
    this.room = room;
    this.lesson = lesson;
    this.write();
  }

  on(act) {
    this.listeners.add(act);
    return () => this.listeners.delete(act);
  }

  address() {
    const words = new URLSearchParams({ room: this.room || "explore" });
    if (this.lesson) words.set("lesson", this.lesson);
    words.set("q", JSON.stringify(this.values));
    return `#${words}`;
  }

  write() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), 200);
  }

  flush() {
    clearTimeout(this.timer);
    if (location.hash !== this.address()) history.replaceState(null, "", this.address());
  }
}
