// The form of a room: the bandit, one or two agents, and how long they play.

import { button, make } from "./dom.js";
import { canBeGiven, ComponentForm, isActor, withGiven } from "./forms.js";

/** Settings as the lab is asked: agents get what they are given to know. */
export function asked(catalogue, values) {
  const knowing = (agent) => (values.given ? withGiven(catalogue, values.bandit, agent) : agent);
  const { bandit, horizon, seed, number } = values;
  return { bandit, horizon, seed, number, agent: knowing(values.agent), other: knowing(values.other) };
}

export class Controls {
  /** `who` are the names of the agents in the settings: ["agent"], or ["agent", "other"]. */
  constructor({ catalogue, problems, settings, who, runs }) {
    Object.assign(this, { catalogue, settings, who });
    const bandits = [["", catalogue.bandits]];
    if (problems.length) bandits.push(["problems of the literature", problems]);
    this.bandit = new ComponentForm({
      title: "Bandit", id: "bandit", options: bandits, value: settings.values.bandit,
      changed: (bandit) => this.changed({ bandit }),
    });
    this.agents = Object.fromEntries(who.map((name, i) => [name, this.agentForm(name, who.length > 1 ? " AB"[i + 1] : "")]));
    this.run = runForm(settings, runs, (change) => this.changed(change));
    this.el = make("form", { class: "controls", "aria-label": "Bandit and agent", autocomplete: "off" },
      this.bandit.el, ...who.flatMap((name) => this.agents[name].els), this.run.el);
    this.el.addEventListener("submit", (event) => event.preventDefault());
    this.show();
  }

  agentForm(name, letter) {
    const { catalogue, settings } = this, suffix = letter ? ` ${letter}` : "";
    const agent = () => settings.values[name];
    const known = (role) => () => {
      if (!settings.values.given || (role === "policy") !== isActor(catalogue, agent())) return {};
      const names = canBeGiven(catalogue, settings.values.bandit, agent());
      return Object.fromEntries(names.map((each) => [each, settings.values.bandit[each]]));
    };
    const link = {
      names: () => canBeGiven(catalogue, settings.values.bandit, agent()),
      toggle: () => this.toggleGiven(),
    };
    const form = (role, title, options) => new ComponentForm({
      title: title + suffix, id: `${name}-${role}`, options, value: agent()[role] ?? { name: "" }, given: known(role),
      link: role === "choice" ? null : link,
      changed: (value) => this.changed({ [name]: { ...agent(), [role]: value } }),
    });
    const forms = {
      policy: form("policy", "Policy", [["policies", catalogue.policies], ["whole agents", catalogue.actors]]),
      learner: form("learner", "Learner", [["", catalogue.learners]]),
      choice: form("choice", "Choice", [["", catalogue.choices]]),
    };
    const given = make("p", { class: "given" });
    return { forms, given, els: [forms.policy.el, forms.learner.el, forms.choice.el, given] };
  }

  changed(change) {
    this.settings.set(change, "agent" in change || "other" in change ? "agent" : "bandit");
  }

  /** An agent that is no longer given the truth starts from what it was given. */
  toggleGiven() {
    const { values } = this.settings, change = { given: !values.given };
    if (values.given) for (const name of ["agent", "other"]) change[name] = withGiven(this.catalogue, values.bandit, values[name]);
    this.settings.set(change, "agent");
  }

  show() {
    const { values } = this.settings;
    this.bandit.show(values.bandit);
    for (const name of this.who) {
      const { forms, given } = this.agents[name], agent = values[name], actor = isActor(this.catalogue, agent);
      forms.policy.show(agent.policy);
      forms.learner.show(agent.learner ?? { name: "smile" });
      forms.choice.show(agent.choice ?? { name: "argmax" });
      forms.learner.el.hidden = forms.choice.el.hidden = actor;
      given.textContent = givenWords(this.catalogue, values, agent);
      given.hidden = !given.textContent;
    }
    this.run.show();
  }
}

/** The form beside the picture; on a phone a sheet below it, closed until it is wanted. */
export function sheet(words, form) {
  const narrow = matchMedia("(max-width: 860px)");
  const made = make("details", { class: "sheet", open: !narrow.matches }, make("summary", { text: words }), form);
  narrow.addEventListener("change", () => (made.open = !narrow.matches));
  return make("aside", { class: "side" }, made);
}

/** What an agent is given to know of the bandit, beside what is true. */
export function givenWords(catalogue, values, agent) {
  const names = canBeGiven(catalogue, values.bandit, agent);
  if (!names.length) return "The agent is given nothing to know of the bandit but its number of arms.";
  if (values.given) return `The agent is given ${names.map((name) => `${name} = ${values.bandit[name]}`).join(", ")}.`;
  const from = isActor(catalogue, agent) ? agent.policy : agent.learner;
  return names.map((name) => `The agent assumes ${name} = ${from[name]}, the bandit has ${values.bandit[name]}.`).join(" ");
}

const RUNS = {
  horizon: ["trials", 1, 5000],
  seed: ["seed", 0, 2 ** 31],
  number: ["copy", 0, 1e6],
};

function runForm(settings, names, changed) {
  const inputs = names.map((name) => {
    const [words, min, max] = RUNS[name];
    const input = make("input", { type: "number", id: `run-${name}`, min, max, step: 1 });
    input.addEventListener("change", () => changed({ [name]: Number(input.value) }));
    return { name, input, label: make("label", { for: input.id, class: "row" }, words, input) };
  });
  const another = button("Another copy", () => changed({ number: settings.values.number + 1 }), { title: "The same bandit with other luck" });
  const el = make("fieldset", {}, make("legend", { text: "Run" }), ...inputs.map(({ label }) => label), another);
  const show = () => { for (const { name, input } of inputs) input.value = settings.values[name]; };
  return { el, show };
}
