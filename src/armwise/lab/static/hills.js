// The hill of a belief Be(alpha, beta): the density between 0 and 1, scaled to its top.

const POINTS = 60;

/** The path of an SVG element from `left` to `right`, standing on `base`, `height` high. */
export function hill(alpha, beta, left, right, base, height) {
  const inner = (q) => Math.min(0.998, Math.max(0.002, q));
  const log = (q) => (alpha - 1) * Math.log(q) + (beta - 1) * Math.log(1 - q);
  const mode = alpha > 1 || beta > 1 ? inner((alpha - 1) / Math.max(alpha + beta - 2, 1e-9)) : 0.5;
  const top = Math.max(log(mode), alpha < 1 ? log(0.02) : -Infinity, beta < 1 ? log(0.98) : -Infinity);
  const x = (q) => (left + (right - left) * q).toFixed(1);
  let path = `M${left},${base}`;
  for (const q of places(alpha, beta, inner)) path += `L${x(q)},${(base - height * Math.min(1, Math.exp(log(q) - top))).toFixed(1)}`;
  return `${path}L${right},${base}Z`;
}

/** Even steps, and finer ones around the mean: a narrow hill must not fall between two points. */
function places(alpha, beta, inner) {
  const mean = alpha / (alpha + beta), sd = Math.sqrt((mean * (1 - mean)) / (alpha + beta + 1));
  const even = Array.from({ length: POINTS + 1 }, (_, i) => inner(i / POINTS));
  if (sd > 0.08) return even;
  const fine = Array.from({ length: 41 }, (_, i) => inner(mean + ((i - 20) / 5) * sd));
  return [...even, ...fine].sort((a, b) => a - b);
}
