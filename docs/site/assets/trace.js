// Puts a live trace where a page has a picture of one.

const traces = new URL("../traces/", document.currentScript.src);
const places = [...document.querySelectorAll("div.live")];

const loaded = (name) =>
  new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement("script"), { src: new URL(name, traces), onload: resolve, onerror: reject });
    document.head.append(script);
  });

async function alive() {
  await loaded("view.js");
  for (const place of places) {
    const { trace, trial } = place.dataset;
    await loaded(`${trace}.js`);
    armwise.show(place, armwise.traces[trace], Number(trial ?? 1));
  }
  new MutationObserver(() => armwise.repaint()).observe(document.body, { attributes: true, attributeFilter: ["data-md-color-scheme"] });
}

if (places.length) alive();
