// picturesize.js: reads an image's size from its header and detects truncated files. No DOM.

/**
 * Returns the width and height in pixels of a PNG, GIF, JPEG or WebP, or null for other bytes.
 *
 * Callers check the size before decoding, because a decoded image may not fit into memory.
 *
 * @param {Uint8Array} bytes
 */
export function pictureSize(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const starts = (...values) => bytes.length >= values.length && values.every((value, at) => value === null || value === bytes[at]);
  try {
    if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return sized(view.getUint32(16), view.getUint32(20));
    if (starts(0x47, 0x49, 0x46, 0x38)) return sized(view.getUint16(6, true), view.getUint16(8, true));
    if (starts(0xff, 0xd8, 0xff)) return jpegSize(view);
    if (starts(0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50)) return webpSize(view, bytes);
  } catch { /* it ends before it says so */ }
  return null;
}

/**
 * Returns whether a PNG, JPEG or WebP is truncated. Some browsers show a part of such a file.
 *
 * Truncated GIFs are not detected.
 *
 * @param {Uint8Array} bytes
 */
export function isCutOff(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    if (bytes[0] === 0x89) return !endsPng(view);
    if (bytes[0] === 0xff) return !bytes.some((value, at) => value === 0xff && bytes[at + 1] === 0xd9);
    return bytes[0] === 0x52 && view.getUint32(4, true) + 8 > bytes.length;
  } catch {
    return true;
  }
}

// Returns whether the chunks include a complete IEND, the last one.
function endsPng(view) {
  for (let at = 8; ;) {
    const next = at + 12 + view.getUint32(at);
    if (view.getUint32(at + 4) === 0x49454e44) return next <= view.byteLength;
    at = next;
  }
}

function sized(width, height) {
  return width > 0 && height > 0 ? { width, height } : null;
}

// Skips segments up to the start of a frame, which contains the size.
function jpegSize(view) {
  for (let at = 2; ;) {
    if (view.getUint8(at) !== 0xff) return null;
    const kind = view.getUint8(at + 1);
    if (kind === 0xff) {
      at += 1;  // padding
      continue;
    }
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
    if (isFrame) return sized(view.getUint16(at + 7), view.getUint16(at + 5));
    if (kind === 0xd9 || kind === 0xda) return null;
    at += 2 + Math.max(2, view.getUint16(at + 2));
  }
}

function webpSize(view, bytes) {
  const kind = String.fromCharCode(...bytes.subarray(12, 16));
  const three = (at) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16);
  if (kind === 'VP8X') return sized(three(24) + 1, three(27) + 1);
  if (kind === 'VP8L') {
    const bits = view.getUint32(21, true);
    return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  return kind === 'VP8 ' ? sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff) : null;
}
