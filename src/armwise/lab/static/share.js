// From the page to a paper: copy as a command, as Python, as a citation; save numbers and pictures.

import { ink } from "./colours.js";
import { button, download, make } from "./dom.js";

/** `words()` gives {command, python, citation}; `saves` are groups: [words, [[text, () => …], …]]. */
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
    ...saves.map(([what, each]) => make("p", {}, `${what} `, ...each.map(([text, act]) => button(text, async () => {
      said.value = "";
      try {
        await act();
      } catch (problem) {
        said.value = problem.message;
      }
    })))), shown);
}

/** A file that the lab makes: netCDF, in full precision. */
export async function saveNetcdf(lab, name, message) {
  const { arrays } = await lab.wire.once({ do: "file", ...message });
  download(name, arrays.file, "application/x-netcdf");
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

const el = (tag, attributes, text) => make(tag, { ...attributes, text });
const own = (style, ...given) => (typeof style === "function" ? style(...given) : style);

/** Lines that uPlot drew, as an SVG with the same scales, ticks and colours. */
export function saveLines(name, chart) {
  const { width, height, data, bbox } = chart, ratio = devicePixelRatio || 1;
  const [left, top, wide, high] = [bbox.left, bbox.top, bbox.width, bbox.height].map((v) => v / ratio);
  const x = (v) => left + chart.valToPos(v, "x"), y = (v, scale) => top + chart.valToPos(v, scale);
  const along = (row, scale) => Array.from(row, (v, i) => [x(data[0][i]), y(v, scale)]).filter(([, at]) => Number.isFinite(at)).map((at) => at.map((v) => v.toFixed(1)).join(","));
  const svg = make("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "sans-serif", "font-size": 12 });
  svg.append(el("rect", { width, height, fill: ink("--paper") }), ...chart.axes.flatMap((axis) => ticks(chart, axis, { left, top, wide, high, x, y })));
  for (const { series: [one, two], fill } of chart.bands ?? []) {
    const scale = chart.series[one].scale, points = [...along(data[one], scale), ...along(data[two], scale).reverse()];
    svg.append(el("path", { d: `M${points.join("L")}Z`, fill: own(fill, chart, one), stroke: "none" }));
  }
  chart.series.forEach(({ scale, stroke, width: thick, dash }, i) => {
    if (i) svg.append(el("path", { d: `M${along(data[i], scale).join("L")}`, fill: "none", stroke: own(stroke, chart, i), "stroke-width": thick, "stroke-dasharray": dash?.length ? dash.join(" ") : false }));
  });
  download(name, new XMLSerializer().serializeToString(svg), "image/svg+xml");
}

/** An axis: its grid, the words of its ticks and its label. */
function ticks(chart, { scale, side, label, _splits: splits, _values: words }, { left, top, wide, high, x, y }) {
  const down = side === 2, fill = ink("--ink"), grid = { stroke: ink("--line") };
  const nodes = (splits ?? []).flatMap((v, i) => {
    const at = (down ? x(v) : y(v, scale)).toFixed(1);
    if (!words[i]) return [];
    if (down) return [el("line", { x1: at, x2: at, y1: top, y2: top + high, ...grid }), el("text", { x: at, y: top + high + 16, fill, "text-anchor": "middle" }, words[i])];
    const tick = el("text", { x: side === 1 ? left + wide + 6 : left - 6, y: Number(at) + 4, fill, "text-anchor": side === 1 ? "start" : "end" }, words[i]);
    return side === 1 ? [tick] : [el("line", { x1: left, x2: left + wide, y1: at, y2: at, ...grid }), tick];
  });
  if (!label) return nodes;
  const turned = (at) => ({ transform: `translate(${at},${top + high / 2}) rotate(-90)` });
  const place = down ? { x: left + wide / 2, y: top + high + 30 } : turned(side === 1 ? chart.width - 4 : 12);
  return [...nodes, el("text", { ...place, fill, "text-anchor": "middle", "font-weight": 600 }, label)];
}
