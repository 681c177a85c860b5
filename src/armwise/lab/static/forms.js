// Forms from the catalogue: a component's parameters become sliders, boxes and fields of text.

import { button, make } from "./dom.js";
import { written } from "./format.js";

const STEPS = 200; // of a slider
// What a learner or an actor may be given to know of the bandit; a policy's epsilon is another one.
const GIVEN = ["rho", "epsilon", "p", "changes"];
const HIDDEN = { arms: ["fixed"] }; // as many as thetas

let names = 0;

/** The components of a role, by name. */
export const component = (catalogue, role, name) => catalogue[role]?.find((each) => each.name === name);

/** Whether an agent has an actor in the place of its policy. */
export const isActor = (catalogue, agent) => Boolean(component(catalogue, "actors", agent.policy.name));

export const labelOf = (catalogue, agent) =>
  (component(catalogue, "policies", agent.policy.name) ?? component(catalogue, "actors", agent.policy.name))?.label ?? agent.policy.name;

/** An agent that is given the truth about the bandit: its parameters of the same name are the bandit's. */
export function withGiven(catalogue, bandit, agent) {
  const actor = isActor(catalogue, agent), found = structuredClone(agent);
  const who = actor ? found.policy : found.learner;
  const known = component(catalogue, actor ? "actors" : "learners", who.name);
  for (const { name } of known?.parameters ?? []) if (GIVEN.includes(name) && name in bandit) who[name] = bandit[name];
  return found;
}

export const canBeGiven = (catalogue, bandit, agent) => {
  const actor = isActor(catalogue, agent);
  const known = component(catalogue, actor ? "actors" : "learners", actor ? agent.policy.name : agent.learner?.name);
  return (known?.parameters ?? []).filter(({ name }) => GIVEN.includes(name) && name in bandit).map(({ name }) => name);
};

/** One component: a list to choose from and its parameters. `changed(value)` gets {name, …}. */
export class ComponentForm {
  constructor({ title, id, options, value, changed, given = () => ({}), link }) {
    Object.assign(this, { id, options, changed, given, link, value: structuredClone(value) });
    this.inputs = {};
    this.select = make("select", { id, "aria-label": title });
    for (const [group, members] of options) this.select.append(grouped(group, members));
    this.select.addEventListener("change", () => this.rename(this.select.value));
    this.about = make("p", { class: "quiet" });
    this.fields = make("div");
    this.el = make("fieldset", {}, make("legend", { text: title }), this.select, this.about, this.fields);
    this.fill();
  }

  get known() {
    return this.options.flatMap(([, members]) => members).find((each) => each.name === this.value.name);
  }

  /** Another component, with its defaults and whatever has the same name. */
  rename(name) {
    const old = this.value;
    this.value = { name };
    const parameters = this.known?.parameters ?? [];
    const whole = parameters.some(({ kind, default: usual }) => kind === "vector" && usual?.length); // its numbers belong together
    for (const { name: each } of whole ? [] : parameters) if (each in old) this.value[each] = old[each];
    this.fill();
    this.changed(this.value);
  }

  show(value) {
    const same = this.value.name === value.name;
    this.value = structuredClone(value);
    for (const { name, default: usual } of this.known?.parameters ?? []) this.value[name] ??= usual;
    if (!same) this.fill();
    else for (const input of Object.values(this.inputs)) input.show();
  }

  fill() {
    this.select.value = this.value.name;
    this.inputs = {};
    this.fields.replaceChildren();
    this.about.textContent = this.known?.summary ?? "";
    for (const parameter of this.known?.parameters ?? []) {
      if (HIDDEN[parameter.name]?.includes(this.value.name)) continue;
      this.value[parameter.name] ??= parameter.default;
      const field = fieldOf(this, parameter);
      this.inputs[parameter.name] = field;
      this.fields.append(field.el);
      field.show();
    }
  }

  take(name, number) {
    this.value[name] = number;
    this.changed(this.value);
  }
}

function grouped(group, members) {
  const options = members.map((each) => make("option", { value: each.name, text: each.label ?? each.name }));
  return group ? make("optgroup", { label: group }, ...options) : fragment(options);
}

function fragment(nodes) {
  const made = document.createDocumentFragment();
  made.append(...nodes);
  return made;
}

/** A field for a parameter: {el, show()}. */
function fieldOf(form, parameter) {
  const id = `${form.id}-${parameter.name}-${++names}`;
  if (parameter.kind === "bool") return boxed(form, parameter, id);
  const slider = parameter.kind !== "vector" && parameter.slider;
  const input = slider ? sliding(parameter, id) : make("input", { type: "text", id, spellcheck: "false", autocomplete: "off" });
  input.dataset.parameter = parameter.name;
  input.title = `${parameter.meaning} (${parameter.range})`;
  const shown = slider ? make("output", { for: id }) : "";
  const note = make("span", { class: "note" });
  const link = linked(form, parameter);
  const label = make("label", { for: id }, make("span", {}, parameter.name, note), shown);
  const el = make("div", { class: "field" }, label, make("div", { class: "control" }, input, ...(link ? [link.el] : [])));
  input.addEventListener(slider ? "input" : "change", () => {
    const number = slider ? valueAt(parameter, Number(input.value)) : typed(parameter, input.value);
    if (slider) shown.value = written(number);
    form.take(parameter.name, number);
  });
  const show = () => {
    const given = form.given()[parameter.name], value = given ?? form.value[parameter.name];
    input.disabled = given !== undefined;
    note.textContent = given === undefined ? "" : " (given)";
    if (slider) {
      input.value = placeOf(parameter, Number(value));
      shown.value = written(value);
      input.setAttribute("aria-valuetext", `${parameter.name} ${written(value)}`);
    } else if (document.activeElement !== input) input.value = written(value);
    link?.show();
  };
  return { el, show };
}

function boxed(form, parameter, id) {
  const input = make("input", { type: "checkbox", id, title: parameter.meaning });
  input.addEventListener("change", () => form.take(parameter.name, input.checked));
  const el = make("div", { class: "field box" }, input, make("label", { for: id, text: parameter.name }));
  return { el, show: () => (input.checked = Boolean(form.value[parameter.name])) };
}

/** The button that gives an agent the truth about a parameter, or lets it assume another value. */
function linked(form, parameter) {
  if (!form.link || !GIVEN.includes(parameter.name)) return null;
  const made = button("given", () => form.link.toggle(), { class: "link" });
  const show = () => {
    const possible = form.link.names().includes(parameter.name), on = parameter.name in form.given();
    made.hidden = !possible;
    made.setAttribute("aria-pressed", String(on));
    made.title = on ? "The agent is given the bandit's value; press to let it assume another" : "The agent assumes this value; press to give it the bandit's";
  };
  return { el: made, show };
}

// Sliders run over whole steps; where the range spans decades, over the logarithm.
function scaleOf({ kind, slider: [low, high] }) {
  return { low, high, log: kind !== "int" && low > 0 && high / low >= 1000, whole: kind === "int" };
}

function sliding(parameter, id) {
  const { low, high, log, whole } = scaleOf(parameter);
  const [min, max, step] = whole && high - low <= 10_000 ? [low, high, 1] : [0, STEPS, 1];
  const made = make("input", { type: "range", id, min, max, step });
  made.dataset.whole = String(whole && !log && high - low <= 10_000);
  return made;
}

function valueAt(parameter, place) {
  const { low, high, log, whole } = scaleOf(parameter);
  if (whole && high - low <= 10_000) return place;
  const at = place / STEPS;
  const value = log ? low * (high / low) ** at : low + (high - low) * at;
  return whole ? Math.round(value) : Number(value.toPrecision(3));
}

function placeOf(parameter, value) {
  const { low, high, log, whole } = scaleOf(parameter);
  if (whole && high - low <= 10_000) return value;
  const at = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.round(STEPS * Math.min(1, Math.max(0, at)));
}

/** What was typed, as a number or a vector; nonsense goes to armwise, which says what is wrong. */
function typed(parameter, text) {
  const number = (word) => (word.trim() === "" || Number.isNaN(Number(word)) ? word.trim() : Number(word));
  if (parameter.kind !== "vector") return number(text);
  return text.split(/[/,\s]+/).filter(Boolean).map(number);
}
