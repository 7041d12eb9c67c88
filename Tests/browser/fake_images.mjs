// Images of the stand-in server, generated from their key. Some keys name a defect to produce.

import { deflateSync } from 'node:zlib';

/** The number of requests by key, and the number of requests that clients cancelled. */
export const requested = { counts: new Map(), cancelled: 0 };

/** Answers `GET /image?table=...&key=...` as docs/protocol.md specifies. */
export function answerImage(url, request, response) {
  const key = url.searchParams.get('key') ?? '';
  requested.counts.set(key, (requested.counts.get(key) ?? 0) + 1);
  const [kind, number] = key.split('-');
  const send = (status, type, body) => response.writeHead(status, {
    'content-type': type, 'cache-control': status === 200 ? 'private, max-age=604800, immutable' : 'no-store', 'content-length': body.length,
  }).end(body);
  const refuse = (status, reason) => send(status, 'text/plain; charset=utf-8', Buffer.from(`${reason}\n`));
  response.on('close', () => { if (!response.writableFinished) requested.cancelled += 1; });
  switch (kind) {
    case 'good': return send(200, 'image/png', png(120, 80, Number(number)));
    case 'slow': return; // never answered: only a cancel ends it
    case 'late': return void setTimeout(() => send(200, 'image/png', png(40, 40, Number(number))), 1_500);
    case 'gone': return refuse(404, 'there is no such image');
    case 'down': return requested.counts.get(key) < 2 ? refuse(503, 'the source does not run') : send(200, 'image/png', png(60, 60, 3));
    case 'text': return send(200, 'image/png', Buffer.from('<script>window.hacked = 1</script>'));
    case 'svg': return send(200, 'image/png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"/>'));
    case 'large': return send(200, 'image/png', Buffer.concat([png(8, 8, 1), Buffer.alloc(600_000)]));
    case 'vast': return send(200, 'image/png', png(60_000, 60_000, 1, true));
    case 'cut': return send(200, 'image/png', png(120, 80, 1).subarray(0, 60));
    default: return refuse(404, 'there is no such image');
  }
}

/**
 * Returns a PNG in one color. With `isOnlyAnnounced` its header declares more pixels than it has.
 */
export function png(width, height, number, isOnlyAnnounced = false) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(checksum(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const line = Buffer.alloc(1 + width * 3);
  for (let at = 0; at < width; at += 1) line.set([(number * 53) % 256, (number * 97 + at) % 256, 180], 1 + at * 3);
  const pixels = isOnlyAnnounced ? Buffer.alloc(10) : Buffer.concat(Array.from({ length: height }, () => line));
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), chunk('IHDR', head), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]);
}

function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return (sum ^ 0xffffffff) >>> 0;
}
