import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');
/** Where the tools of `npm run check:deploy` are kept. */
export const TOOLS = path.resolve(
  root,
  process.env.GERBANG_TOOLS || path.join(process.env.GERBANG_DATA || '.gerbang', 'tools'),
  'deploy',
);

/** A tool that `npm run check:deploy` has obtained, or one on PATH; undefined where there is none. */
export function findTool(name: string): string | undefined {
  const folders = [path.join(TOOLS, 'bin'), ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
