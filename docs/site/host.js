// The host of a trace without a server. The page around it says the scheme and the first trial, and
// hears how high the picture is.

const bytes = Uint8Array.from(atob(TOLD), (letter) => letter.charCodeAt(0));
const values = { told: new DataView(bytes.buffer), trial: Number(new URLSearchParams(location.search).get("trial") ?? 1) };
const waiting = new Map();
const root = document.documentElement;
const el = document.getElementById("view");

const model = {
  get: (name) => values[name],
  set: (name, value) => (values[name] = value),
  save_changes: () => {},
  on: (event, act) => waiting.set(event, act),
  off: (event) => waiting.delete(event),
};

function schemed(dark) {
  root.dataset.scheme = dark ? "dark" : "light";
  waiting.get("change:told")?.(); // colours of canvases are read when they are drawn
}

const system = matchMedia("(prefers-color-scheme: dark)");
schemed(location.hash ? location.hash === "#dark" : system.matches);
module_notebook.render({ model, el });
addEventListener("message", ({ source, data }) => {
  if (source === parent && data?.armwise === "scheme") schemed(data.dark);
});
if (parent === window) system.addEventListener("change", () => schemed(system.matches));
else new ResizeObserver(() => parent.postMessage({ armwise: "height", height: root.scrollHeight }, "*")).observe(el);
