// Every picture as a file: an SVG that stands alone, and the PNG of that SVG.

import { ink } from "./colours.js";
import { button, download, make } from "./dom.js";

const SHARPNESS = 2; // dots of a PNG per pixel of the page, at least

/** [text, act] of the buttons that save a picture; `svg()` draws it. */
export const picture = (words, name, svg) => [
  [words ? `${words} (SVG)` : "SVG", () => download(`${name}.svg`, textOf(svg()), "image/svg+xml")],
  [words ? `${words} (PNG)` : "PNG", () => savePng(`${name}.png`, svg())],
];

/** These buttons by themselves. */
export const pictureButtons = (...given) => picture(...given).map(([text, act]) => button(text, act));

const textOf = (svg) => new XMLSerializer().serializeToString(svg);

async function savePng(name, svg) {
  const image = new Image(), whole = document.createElement("canvas"), ratio = Math.max(SHARPNESS, devicePixelRatio || 1);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(textOf(svg))}`;
  await image.decode();
  whole.width = svg.getAttribute("width") * ratio;
  whole.height = svg.getAttribute("height") * ratio;
  whole.getContext("2d").drawImage(image, 0, 0, whole.width, whole.height);
  whole.toBlob((blob) => download(name, blob, "image/png"));
}

const el = (tag, attributes, text) => make(tag, { ...attributes, text });
const own = (style, ...given) => (typeof style === "function" ? style(...given) : style);

/** An empty picture on the page's paper. */
function paper(width, height) {
  const svg = make("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${width} ${height}`, width, height, "font-family": "system-ui, sans-serif", "font-size": 12 });
  svg.append(el("rect", { width, height, fill: ink("--paper") }));
  return svg;
}

/** An SVG of the page with the styles that it has from the page written into it. */
export function standing(svg) {
  const [, , width, height] = svg.getAttribute("viewBox").split(" "), made = paper(width, height), copy = svg.cloneNode(true);
  const from = [...svg.querySelectorAll("*")], to = [...copy.querySelectorAll("*")];
  from.forEach((node, i) => {
    const style = getComputedStyle(node);
    for (const property of ["fill", "stroke", "stroke-width", "font", "font-weight"]) to[i].style.setProperty(property, style.getPropertyValue(property));
  });
  made.append(...copy.childNodes);
  return made;
}

/** What a raster uses of a canvas, written down as an SVG. */
export class Pen {
  constructor(width, height) {
    this.svg = paper(width, height);
    this.trail = { d: [] }; // shapes of one colour, which become one path
  }

  fillRect(x, y, width, height) {
    this.draw(`M${at(x)},${at(y)}h${at(width)}v${at(height)}h${at(-width)}z`);
  }

  beginPath() {
    this.path = "";
  }

  moveTo(x, y) {
    this.path += `M${at(x)},${at(y)}`;
  }

  lineTo(x, y) {
    this.path += `L${at(x)},${at(y)}`;
  }

  fill() {
    this.draw(`${this.path}z`);
  }

  draw(path) {
    if (this.trail.fill !== this.fillStyle) this.lift();
    this.trail.fill = this.fillStyle;
    this.trail.d.push(path);
  }

  lift() {
    const { fill, d } = this.trail;
    if (d.length) this.svg.append(el("path", { fill, d: d.join("") }));
    this.trail = { d: [] };
  }

  fillText(text, x, y) {
    this.lift();
    this.svg.append(el("text", { x, y: y + 4, fill: this.fillStyle, "text-anchor": "end" }, text));
  }

  drawImage(canvas, x, y, width, height) {
    this.lift();
    const image = el("image", { href: canvas.toDataURL(), x, y, width, height, preserveAspectRatio: "none" });
    image.style.imageRendering = "pixelated";
    this.svg.append(image);
  }

  done() {
    this.lift();
    return this.svg;
  }
}

const at = (v) => Number(v.toFixed(2));

/** Lines that uPlot drew, as an SVG with the same scales, ticks and colours. */
export function linesOf(chart) {
  const { width, height, data, bbox } = chart, ratio = devicePixelRatio || 1;
  const [left, top, wide, high] = [bbox.left, bbox.top, bbox.width, bbox.height].map((v) => v / ratio);
  const x = (v) => left + chart.valToPos(v, "x"), y = (v, scale) => top + chart.valToPos(v, scale);
  const along = (row, scale) => Array.from(row, (v, i) => [x(data[0][i]), y(v, scale)]).filter(([, at]) => Number.isFinite(at)).map((at) => at.map((v) => v.toFixed(1)).join(","));
  const svg = paper(width, height);
  svg.append(...chart.axes.flatMap((axis) => ticks(chart, axis, { left, top, wide, high, x, y })));
  for (const { series: [one, two], fill } of chart.bands ?? []) {
    const scale = chart.series[one].scale, points = [...along(data[one], scale), ...along(data[two], scale).reverse()];
    svg.append(el("path", { d: `M${points.join("L")}Z`, fill: own(fill, chart, one), stroke: "none" }));
  }
  chart.series.forEach(({ scale, stroke, width: thick, dash }, i) => {
    if (i) svg.append(el("path", { d: `M${along(data[i], scale).join("L")}`, fill: "none", stroke: own(stroke, chart, i), "stroke-width": thick, "stroke-dasharray": dash?.length ? dash.join(" ") : false }));
  });
  return svg;
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
