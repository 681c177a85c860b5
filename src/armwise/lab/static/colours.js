// Colours. Beliefs are cividis; agents are Okabe and Ito's, each with a line style of its own; the
// rest are variables of lab.css, so that canvases follow the light or the dark scheme.

const STOPS = [[0, 34, 78], [0, 52, 110], [59, 73, 108], [90, 95, 109], [119, 118, 120],
  [149, 143, 120], [182, 169, 110], [219, 198, 85], [254, 232, 56]];

/** 256 colours from dark (0) to bright (1). */
export const CIVIDIS = Array.from({ length: 256 }, (_, i) => {
  const x = (i / 255) * (STOPS.length - 1), k = Math.min(Math.floor(x), STOPS.length - 2);
  return STOPS[k].map((v, c) => Math.round(v + (x - k) * (STOPS[k + 1][c] - v)));
});

/** How the lines of agents look: colour (a variable) and dashes. */
export const LOOKS = [
  { colour: "--first", dash: [], words: "solid" },
  { colour: "--second", dash: [8, 4], words: "dashed" },
  { colour: "--third", dash: [2, 4], words: "dotted" },
  { colour: "--fourth", dash: [10, 3, 2, 3], words: "dash-dotted" },
  { colour: "--fifth", dash: [14, 4], words: "long-dashed" },
  { colour: "--sixth", dash: [4, 2], words: "short-dashed" },
];

/** The value of a CSS variable now. */
export const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Calls `act` when the scheme or the motion that the reader prefers changes. */
export function onScheme(act) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act);
}
