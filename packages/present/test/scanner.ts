import { readFileSync } from 'node:fs';
import { prepareZXingModule, type ReaderOptions, readBarcodes } from 'zxing-wasm/reader';

const WASM = new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));

/** Pixels of four bytes each: red, green, blue, opacity. */
export type Pixels = { data: Uint8ClampedArray; width: number; height: number };

/** What a scanner that shares no code with ours (ZXing-C++) reads from a picture, and of which kind it is. */
export async function scan(image: Buffer | Pixels, format: 'QRCode' | 'Code128'): Promise<string[]> {
  // Its own file: otherwise the library would fetch one from the network.
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(WASM)).buffer }, fireImmediately: true });
  const options: ReaderOptions = { formats: [format], tryHarder: true };
  const found = await readBarcodes(Buffer.isBuffer(image) ? new Uint8Array(image) : image, options);
  return found.map(({ text }) => text);
}

/** The pixels of an SVG of ours: a white ground, and a path of rectangles. */
export function rasterize(svg: string, scale: number): Pixels {
  const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
  const [, path = ''] = /<path fill="#000" d="([^"]*)"/.exec(svg) ?? [];
  const data = new Uint8ClampedArray(width * height * scale * scale * 4).fill(255);
  const rectangles = [...path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)].map((match) => match.slice(1).map(Number));
  for (const [x = 0, y = 0, w = 0, h = 0] of rectangles) {
    for (let row = y * scale; row < (y + h) * scale; row++) {
      for (let column = x * scale; column < (x + w) * scale; column++) {
        data.fill(0, (row * width * scale + column) * 4, (row * width * scale + column) * 4 + 3);
      }
    }
  }
  return { data, width: width * scale, height: height * scale };
}
