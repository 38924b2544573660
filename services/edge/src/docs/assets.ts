import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { readBrowserModules } from './browser-modules.ts';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const { resolve } = createRequire(import.meta.url);
const ENTRIES = ['reference.ts', 'workbench.ts'];
const FILES = [
  { name: 'swagger-ui/swagger-ui-bundle.js', type: SCRIPT, file: resolve('swagger-ui-dist/swagger-ui-bundle.js') },
  { name: 'swagger-ui/swagger-ui.css', type: STYLE, file: resolve('swagger-ui-dist/swagger-ui.css') },
  { name: 'docs.css', type: STYLE, file: path.join(import.meta.dirname, 'docs.css') },
  { name: 'icon.svg', type: 'image/svg+xml', file: path.join(import.meta.dirname, 'icon.svg') },
];

export type Asset = { type: string; bytes: Buffer };

/** What the pages load, all of it served by the edge. */
export type Assets = {
  /** Where a file is. One hash of all files is in the path, so browsers may keep them, and modules import their neighbours. */
  url(name: string): string;
  /** By the part of the path after /docs/assets/. */
  find(hashedName: string): Asset | undefined;
};

/** Reads the files when they are first asked for, since most edges are never asked; then keeps them (2 MB). */
export function lazyAssets(): () => Assets {
  let assets: Assets | undefined;
  return () => {
    assets ??= readAssets();
    return assets;
  };
}

function readAssets(): Assets {
  const assets = new Map<string, Asset>();
  for (const { name, type, file } of FILES) assets.set(name, { type, bytes: readFileSync(file) });
  for (const [name, text] of readBrowserModules(ENTRIES)) assets.set(name, { type: SCRIPT, bytes: Buffer.from(text) });
  const digest = createHash('sha256');
  for (const [name, { bytes }] of assets) digest.update(`${name} ${bytes.length}\n`).update(bytes);
  const hash = digest.digest('hex').slice(0, 16);
  return {
    url(name) {
      if (!assets.has(name)) throw new Error(`there is no asset ${name}`);
      return `/docs/assets/${hash}/${name}`;
    },
    find: (hashedName) => (hashedName.startsWith(`${hash}/`) ? assets.get(hashedName.slice(hash.length + 1)) : undefined),
  };
}
