// From the page to a paper: copy as a command, as Python, as a citation; save numbers and pictures.

import { button, download, make } from "./dom.js";

/** `words()` gives {command, python, citation}; `saves` are [text, () => …]. */
export function sharing(words, saves) {
  const said = make("output", { class: "copied" });
  const shown = make("pre", { tabindex: 0, "aria-label": "Text to copy", hidden: true });
  const copy = async (which) => {
    try {
      const text = (await words())[which];
      shown.textContent = text;
      shown.hidden = false;
      await navigator.clipboard?.writeText(text);
      said.value = "Copied.";
    } catch (problem) {
      said.value = problem.name === "NotAllowedError" ? "Select the text to copy it." : problem.message;
    }
  };
  const address = async () => {
    shown.textContent = location.href;
    shown.hidden = false;
    await navigator.clipboard?.writeText(location.href).then(() => (said.value = "Copied."), () => (said.value = "Select the text to copy it."));
  };
  const copies = [["command line", "command"], ["Python", "python"], ["citation", "citation"]];
  return make("section", { class: "share", "aria-label": "Copy and save" },
    make("p", {}, "Copy as ", ...copies.map(([text, which]) => button(text, () => copy(which))), button("address", address), said),
    make("p", {}, "Save ", ...saves.map(([text, act]) => button(text, act))), shown);
}

/** A canvas, over the page's paper, as a PNG. */
export function savePng(name, canvas) {
  const whole = document.createElement("canvas");
  whole.width = canvas.width;
  whole.height = canvas.height;
  const g = whole.getContext("2d");
  g.fillStyle = getComputedStyle(document.body).backgroundColor;
  g.fillRect(0, 0, whole.width, whole.height);
  g.drawImage(canvas, 0, 0);
  whole.toBlob((blob) => download(name, blob, "image/png"));
}

/** An SVG of the page with the styles that it has from the page written into it. */
export function saveSvg(name, svg) {
  const copy = svg.cloneNode(true), [, , width, height] = svg.getAttribute("viewBox").split(" ");
  const from = [svg, ...svg.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const property of ["fill", "stroke", "stroke-width", "font", "font-weight"]) to[i].style.setProperty(property, style.getPropertyValue(property));
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width);
  copy.setAttribute("height", height);
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  download(name, new XMLSerializer().serializeToString(copy), "image/svg+xml");
}
