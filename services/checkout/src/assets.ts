import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const FILES = [
  { name: 'checkout.css', type: 'text/css; charset=utf-8' },
  { name: 'checkout.js', type: 'text/javascript; charset=utf-8' },
  { name: 'card-form.js', type: 'text/javascript; charset=utf-8' },
  { name: 'icon.svg', type: 'image/svg+xml' },
] as const;

export type AssetName = (typeof FILES)[number]['name'];
export type Asset = { type: string; bytes: Buffer };

/** The files that pages load, all of them our own. */
export type Assets = {
  /** Where a file is, with a hash of its content in its name, so that browsers may keep it for ever. */
  url(name: AssetName): string;
  /** What a page says of it, so that a browser loads nothing else in its place (subresource integrity). */
  integrity(name: AssetName): string;
  find(hashedName: string): Asset | undefined;
};

/** Reads them once, when the service starts. */
export function readAssets(): Assets {
  const urls = new Map<string, string>();
  const integrities = new Map<string, string>();
  const assets = new Map<string, Asset>();
  for (const { name, type } of FILES) {
    const bytes = readFileSync(path.join(import.meta.dirname, 'assets', name));
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
    const hashed = name.replace('.', `.${hash}.`);
    urls.set(name, `/assets/${hashed}`);
    integrities.set(name, `sha384-${createHash('sha384').update(bytes).digest('base64')}`);
    assets.set(hashed, { type, bytes });
  }
  const of = (names: Map<string, string>, name: AssetName) => {
    const found = names.get(name);
    if (found === undefined) throw new Error(`there is no asset ${name}`);
    return found;
  };
  return {
    url: (name) => of(urls, name),
    integrity: (name) => of(integrities, name),
    find: (hashedName) => assets.get(hashedName),
  };
}
