// From the page to a paper: copy as a command, as Python, as a citation; save numbers and pictures.

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
