// Rich text as the lab sends it: strings, and [tag, attributes, ...nodes] of a few known tags.

import { make } from "./dom.js";

const TAGS = new Set(["p", "h1", "h2", "h3", "h4", "ul", "ol", "li", "strong", "em", "code", "pre", "blockquote", "br", "hr", "a"]);
const LOWER = { h1: "h2", h2: "h3", h3: "h4", h4: "h5" }; // the page has its own h1

export function rich(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return document.createTextNode(node);
    const [tag, attributes, ...inner] = node;
    if (!TAGS.has(tag)) return document.createTextNode("");
    const address = tag === "a" && /^(https?:|mailto:)/.test(attributes?.href ?? "") ? { href: attributes.href, rel: "noreferrer", target: "_blank" } : {};
    return make(LOWER[tag] ?? tag, address, ...rich(inner));
  });
}
