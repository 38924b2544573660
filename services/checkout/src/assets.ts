import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const FILES = [
  { name: 'checkout.css', type: 'text/css; charset=utf-8' },
  { name: 'checkout.js', type: 'text/javascript; charset=utf-8' },
  { name: 'icon.svg', type: 'image/svg+xml' },
] as const;

type AssetName = (typeof FILES)[number]['name'];
export type Asset = { type: string; bytes: Buffer };

/** The files that pages load, all of them our own. */
export type Assets = {
  /** Where a file is, with a hash of its content in its name, so that browsers may keep it for ever. */
  url(name: AssetName): string;
  find(hashedName: string): Asset | undefined;
};

/** Reads them once, when the service starts. */
export function readAssets(): Assets {
  const urls = new Map<string, string>();
  const assets = new Map<string, Asset>();
  for (const { name, type } of FILES) {
    const bytes = readFileSync(path.join(import.meta.dirname, 'assets', name));
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const hashed = name.replace('.', `.${hash}.`);
    urls.set(name, `/assets/${hashed}`);
    assets.set(hashed, { type, bytes });
  }
  return {
    url(name) {
      const url = urls.get(name);
      if (url === undefined) throw new Error(`there is no asset ${name}`);
      return url;
    },
    find: (hashedName) => assets.get(hashedName),
  };
}
