// What is wider than the page scrolls by itself; so it must be reached with the keyboard.

addEventListener("load", () => {
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap, div.arithmatex")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  }
});
