import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Grows when what is stored can no longer be read by older programs. */
const FORMAT = 1;
/** What `--fresh` keeps: nothing of it is data. */
const KEPT = new Set(['tools', 'compile-cache', 'launcher.lock']);

/** A folder that this process alone works in. */
export type DataFolder = { path: string; release(): void };

/**
 * Takes the data folder for this process. Throws, with what to do, when another launcher works in it or when its format is not this program's.
 * A lock that a dead launcher left is taken over.
 */
export function openDataFolder(folder: string, options: { fresh: boolean }): DataFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = path.join(folder, 'launcher.lock');
  takeLock(lock, folder);
  try {
    if (options.fresh)
      for (const name of readdirSync(folder))
        if (!KEPT.has(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
    checkFormat(folder);
    mkdirSync(path.join(folder, 'logs'), { recursive: true });
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
  return { path: folder, release: () => rmSync(lock, { force: true }) };
}

/** When a process was started, so that its id is not mistaken for a later one's; empty where that can't be told, undefined when it does not live. */
export function startedAt(pid: number): string | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return undefined;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

function takeLock(lock: string, folder: string): void {
  const mine = JSON.stringify({ pid: process.pid, started: startedAt(process.pid) ?? '' });
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(lock, mine, { flag: 'wx', mode: 0o600 });
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = readHolder(lock);
    if (holder !== undefined && startedAt(holder.pid) === holder.started) {
      throw new Error(
        `Gerbang is running already in ${folder} (process ${holder.pid}). Stop that one first, or set GERBANG_DATA and GERBANG_PORT_OFFSET for a second one.`,
      );
    }
    rmSync(lock, { force: true });
  }
  throw new Error(`could not take ${lock}; another start is under way`);
}

function readHolder(lock: string): { pid: number; started: string } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lock, 'utf8'));
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return undefined;
    return { pid: Number(value.pid), started: String(value.started) };
  } catch {
    return undefined;
  }
}

function checkFormat(folder: string): void {
  const file = path.join(folder, 'format');
  let found: string | undefined;
  try {
    found = readFileSync(file, 'utf8').trim();
  } catch {
    writeFileSync(file, `${FORMAT}\n`);
    return;
  }
  if (found === String(FORMAT)) return;
  throw new Error(
    `the data folder ${folder} has format ${found}, this program reads ${FORMAT}. Run the version that wrote it, set GERBANG_DATA to another folder, or start empty with: npm start -- --fresh`,
  );
}
