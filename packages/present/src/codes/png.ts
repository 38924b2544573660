import { crc32, deflateSync } from 'node:zlib';
import type { Bitmap } from './bitmap.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREYSCALE = 0;

/** A PNG (ISO/IEC 15948) of one bit a pixel: dark modules are black, each `scale` pixels wide and high. */
export function toPng(bitmap: Bitmap, scale: number): Buffer {
  const [width, height] = [(bitmap[0]?.length ?? 0) * scale, bitmap.length * scale];
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 1;
  header[9] = GREYSCALE;
  const rows = bitmap.flatMap((row) => Array<Buffer>(scale).fill(toScanline(row, scale)));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND')]);
}

/** One row of pixels after its filter byte (none), eight to a byte, 1 = white. */
function toScanline(row: readonly boolean[], scale: number): Buffer {
  const line = Buffer.alloc(1 + Math.ceil((row.length * scale) / 8));
  for (let x = 0; x < row.length * scale; x++) {
    const at = 1 + (x >> 3);
    if (!row[Math.floor(x / scale)]) line.writeUInt8(line.readUInt8(at) | (0x80 >> (x & 7)), at);
  }
  return line;
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
