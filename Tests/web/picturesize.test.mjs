import test from 'node:test';
import assert from 'node:assert/strict';
import { isCutOff, pictureSize } from '../../web/grid/picturesize.js';

const bytes = (...parts) => Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)));
const png = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 2, 128], [0, 0, 1, 224], [8, 2, 0, 0, 0]);
const gif = bytes('GIF89a', [64, 1], [200, 0], [0, 0, 0]);
const jpeg = bytes([0xff, 0xd8, 0xff, 0xe0, 0, 6], 'JFIF', [0xff, 0xff, 0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 11, 8, 1, 0x2c, 2, 0x58, 3]);
const webp = (kind, ...data) => bytes('RIFF', [0, 0, 0, 0], 'WEBP', kind, [0, 0, 0, 0], ...data);

test('reads the size of every image format', () => {
  assert.deepEqual(pictureSize(png), { width: 640, height: 480 });
  assert.deepEqual(pictureSize(gif), { width: 320, height: 200 });
  assert.deepEqual(pictureSize(jpeg), { width: 600, height: 300 });
  assert.deepEqual(pictureSize(webp('VP8X', [0, 0, 0, 0], [0xff, 3, 0], [0x2b, 1, 0])), { width: 1024, height: 300 });
  assert.deepEqual(pictureSize(webp('VP8L', [0x2f], [0x7f, 0x02, 0x32, 0x00])), { width: 640, height: 201 });
  assert.deepEqual(pictureSize(webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a], [0x80, 0x02], [0xe0, 0x01])), { width: 640, height: 480 });
});

test('truncated, empty and unknown data has no size', () => {
  for (const whole of [png.subarray(0, 24), gif.subarray(0, 10), jpeg.subarray(0, 26)]) {
    for (let length = 0; length < whole.length; length += 1) assert.equal(pictureSize(whole.slice(0, length)), null, `${length} bytes`);
  }
  for (const text of ['', '<svg xmlns="">', '<script>', 'BM', 'RIFF....WAVEfmt ', 'GIF']) assert.equal(pictureSize(bytes(text)), null);
  assert.equal(pictureSize(bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 0, 0], [0, 0, 0, 9])), null, 'of no width');
});

test('detects truncation at every byte', () => {
  const chunk = (kind, ...data) => bytes([0, 0, 0, data.length], kind, data, [1, 2, 3, 4]);
  const whole = {
    png: bytes('\x89PNG\r\n\x1a\n', [...chunk('IHDR', 0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0)], [...chunk('IDAT', 7, 7, 7)], [...chunk('IEND')]),
    jpeg: bytes([...jpeg], [0xff, 0xda, 0, 2, 9, 9, 0xff, 0, 9, 0xff, 0xd9]),
    webp: bytes('RIFF', [8, 0, 0, 0], 'WEBP', 'VP8 '),
  };
  for (const [kind, all] of Object.entries(whole)) {
    assert.equal(isCutOff(all), false, kind);
    assert.equal(isCutOff(bytes([...all], [0, 0, 0])), false, `${kind}, and something after it`);
    for (let length = 1; length < all.length; length += 1) assert.equal(isCutOff(all.slice(0, length)), true, `${length} bytes of ${kind}`);
  }
  assert.equal(isCutOff(gif), false, 'a GIF shows what there is');
  assert.equal(isCutOff(bytes('\x89PNG\r\n\x1a\n', [0xff, 0xff, 0xff, 0xff], 'IDAT', new Array(100).fill(0))), true, 'a chunk that leads beyond it');
});

test('stops at broken JPEG segments', () => {
  assert.equal(pictureSize(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 0], new Array(4_000).fill(0))), null);
  assert.equal(pictureSize(bytes([0xff, 0xd8], new Array(4_000).fill(0xff))), null);
  assert.equal(pictureSize(bytes([0xff, 0xd8, 0xff, 0xda, 0, 2])), null);
});
