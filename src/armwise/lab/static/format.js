// Numbers as words. A true minus sign, and as many digits as the number can bear.

export function short(x, digits = 3) {
  if (x === undefined || x === null || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "−∞";
  return (Math.abs(x) >= 100 ? x.toFixed(1) : x.toFixed(digits)).replace("-", "−");
}

export const signed = (x, digits = 1) => (x > 0 ? "+" : "") + short(x, digits);

/** A parameter as armwise writes it: 0.015, 5, 0.2/0.8. */
export function written(value) {
  return Array.isArray(value) ? value.map(written).join("/") : String(value);
}

export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

export const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
