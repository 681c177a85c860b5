// Puts a live trace where a page has a picture of one.

const base = new URL("../traces/", document.currentScript.src);
const isDark = () => document.body.dataset.mdColorScheme === "slate";

function alive(place) {
  const { trace, trial } = place.dataset;
  const frame = document.createElement("iframe");
  const address = new URL(`${trace}.html`, base);
  if (trial) address.searchParams.set("trial", trial);
  address.hash = isDark() ? "dark" : "light";
  frame.title = place.querySelector("img")?.alt ?? "A trace";
  frame.loading = "lazy";
  frame.src = address;
  place.replaceChildren(frame);
  return frame;
}

const frames = [...document.querySelectorAll("div.live")].map(alive);
addEventListener("message", ({ source, data }) => {
  const frame = frames.find((each) => each.contentWindow === source);
  if (frame && data?.armwise === "height") frame.style.height = `${Math.ceil(data.height)}px`;
});
new MutationObserver(() => {
  for (const frame of frames) frame.contentWindow?.postMessage({ armwise: "scheme", dark: isDark() }, "*");
}).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
