// A model as anywidget has it, for hosts that are a page.

export class Model {
  constructor(values = {}) {
    this.values = values;
    this.listeners = new Map();
  }

  get(name) {
    return this.values[name];
  }

  set(name, value) {
    this.values[name] = value;
    for (const act of this.listeners.get(`change:${name}`) ?? []) act();
  }

  save_changes() {} // a notebook would send them to Python

  on(event, act) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), act]);
  }

  off(event, act) {
    this.listeners.set(event, (this.listeners.get(event) ?? []).filter((each) => each !== act));
  }
}
