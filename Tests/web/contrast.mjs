// Contrast as in WCAG 2, computed from the color tokens of the style sheet.

import { readFileSync } from 'node:fs';

export const css = readFileSync(new URL('../../web/style.css', import.meta.url), 'utf8');

/** Returns the tokens of a theme (`light` or `dark`) as [red, green, blue, alpha], each 0 to 1. */
export function tokens(theme) {
  const found = {};
  for (const [, name, light, dark] of css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\);/g)) {
    const text = theme === 'light' ? light : dark;
    const parts = text.slice(1).match(/../g).map((part) => Number.parseInt(part, 16) / 255);
    found[name] = [...parts.slice(0, 3), parts[3] ?? 1];
  }
  return found;
}

/** Blends a color over another. `share` is multiplied with its own alpha. */
export function over(front, back, share = 1) {
  const alpha = (front[3] ?? 1) * share;
  return [0, 1, 2].map((at) => front[at] * alpha + back[at] * (1 - alpha)).concat(1);
}

function luminance(colour) {
  const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colors, from 1 to 21. */
export function contrast(one, other) {
  const [bright, dim] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}
