import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { comparable, operationName } from './comparable.ts';

/** A change that breaks clients: oasdiff's id of its kind, where, and what. */
export type BreakingChange = { id: string; operation: string; text: string };

const TOOL = path.join(import.meta.dirname, 'oasdiff');
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;
const output = z.array(z.object({ id: z.string(), operation: z.string(), path: z.string(), text: z.string() }));
const execute = promisify(execFile);

/** Whether there is a Go to run oasdiff with. */
export async function hasGo(): Promise<boolean> {
  try {
    await execute('go', ['version'], { cwd: TOOL });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** What breaks clients of the released document in the current one; both are JSON texts. */
export async function findBreakingChanges(released: string, current: string): Promise<BreakingChange[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-oasdiff-'));
  try {
    const files = Object.entries({ released, current }).map(([name, text]) => {
      const file = path.join(folder, `${name}.json`);
      writeFileSync(file, JSON.stringify(comparable(text)));
      return file;
    });
    const { stdout } = await execute('go', ['run', '.', ...files], { cwd: TOOL, maxBuffer: OUTPUT_BYTES_MAX });
    const changes = output.parse(JSON.parse(stdout));
    return changes.map(({ id, operation, path: at, text }) => ({ id, operation: operationName(operation, at), text }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
