import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';

const { resolve } = createRequire(import.meta.url);

/** Where modules for browsers may come from, by the folder that they are served in. */
const FOLDERS: Readonly<Record<string, string>> = {
  browser: path.join(import.meta.dirname, 'browser'),
  core: path.dirname(resolve('@gerbang/core/canonical-json')),
  noble: path.dirname(resolve('@noble/hashes/sha2.js')),
};

/** An import or export of another module; an example within a comment does not begin its line. */
const IMPORT = /^((?:import|export)\b(?:[^'";]*?\bfrom)?\s*)(['"])([^'"\n]+)\2/gm;

/**
 * The modules that browsers need to run the entries (names within the folder browser), by the names that they are served under:
 * JavaScript whose imports are relative addresses. There is no build: types are stripped as Node does it. Throws where a module
 * imports one that browsers can't have, such as node:crypto.
 */
export function readBrowserModules(entries: readonly string[]): Map<string, string> {
  const modules = new Map<string, string>();
  const read = (file: string): string => {
    const name = servedName(file);
    if (modules.has(name)) return name;
    modules.set(name, '');
    const text = readFileSync(file, 'utf8');
    const script = file.endsWith('.ts') ? stripTypeScriptTypes(text) : text;
    const served = script.replace(IMPORT, (_, before: string, quote: string, imported: string) => {
      const target = read(createRequire(file).resolve(imported));
      return `${before}${quote}${relative(name, target)}${quote}`;
    });
    modules.set(name, served);
    return name;
  };
  for (const entry of entries) read(path.join(import.meta.dirname, 'browser', entry));
  return modules;
}

function servedName(file: string): string {
  for (const [folder, root] of Object.entries(FOLDERS)) {
    if (file.startsWith(root + path.sep)) return `${folder}/${path.relative(root, file).split(path.sep).join('/')}`;
  }
  throw new Error(`${file} is no module for browsers`);
}

function relative(from: string, to: string): string {
  const way = path.posix.relative(path.posix.dirname(from), to);
  return way.startsWith('.') ? way : `./${way}`;
}
