// Formulas. KaTeX is loaded only where there are any.

const vendor = new URL("vendor/", document.currentScript.src);
const formulas = [...document.querySelectorAll(".arithmatex")];

function draw() {
  for (const place of formulas) {
    const text = place.textContent.trim();
    const displayMode = text.startsWith("\\[");
    katex.render(text.slice(2, -2), place, { displayMode, throwOnError: false });
  }
  document.documentElement.dataset.formulas = "drawn";
}

if (formulas.length) {
  const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL("katex.min.css", vendor) });
  const script = Object.assign(document.createElement("script"), { src: new URL("katex.min.js", vendor), onload: draw });
  document.head.append(style, script);
}
