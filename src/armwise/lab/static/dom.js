// Elements of the page. Text is always set as text: nothing that comes from outside becomes markup.

const DRAWN = new Set(["svg", "g", "path", "rect", "line", "text", "circle", "defs", "pattern", "title", "image"]);
const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; `text` is its text, attributes that are false are left out. */
export function make(tag, attributes = {}, ...children) {
  const { text, ...rest } = attributes;
  const node = DRAWN.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(rest)) {
    if (value !== false && value !== undefined) node.setAttribute(name, value === true ? "" : value);
  }
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

export function button(text, act, { title, main, ...rest } = {}) {
  const made = make("button", { type: "button", title, class: main ? "main" : undefined, text, ...rest });
  made.addEventListener("click", act);
  return made;
}

/** A `select` of [value, words] pairs. */
export function choice(label, pairs, value, act) {
  const made = make("select", { "aria-label": label });
  for (const [name, words] of pairs) made.append(make("option", { value: name, text: words }));
  if (value !== undefined) made.value = value;
  made.addEventListener("change", () => act(made.value));
  return made;
}

export function table(caption, heads, rows) {
  const head = make("tr", {}, ...heads.map((text) => make("th", { scope: "col", text })));
  const body = rows.map((cells) =>
    make("tr", {}, ...cells.map((cell, i) => {
      const given = cell instanceof Node ? [cell] : [];
      const text = given.length ? undefined : String(cell);
      return i ? make("td", { text }, ...given) : make("th", { scope: "row", text }, ...given);
    })));
  const made = make("table", {}, make("thead", {}, head), make("tbody", {}, ...body));
  if (caption) made.prepend(make("caption", { text: caption }));
  return made;
}

/** What may be wider than a phone scrolls by itself, and can be reached with the keyboard. */
export function scrolling(label, ...children) {
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}

export function download(name, content, type) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
