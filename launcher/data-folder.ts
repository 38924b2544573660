import { chmodSync, linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isIdentity, lives, type ProcessIdentity } from './process-identity.ts';

/** Grows when what is stored can no longer be read by older programs. */
const FORMAT = 1;
const LOCK = 'launcher.lock';
const PROCESSES = 'processes.json';
/** What `--fresh` keeps: nothing of it is data. */
const KEPT = new Set(['tools', 'compile-cache', LOCK]);
/** The bit of folders in which everyone may write. */
const STICKY = 0o1000;
/** How long the guard of a killed launcher, and then its processes, may take to end: the guard gives them 10 s. */
const LEFTOVERS_MS = 15_000;

/** A folder that only this process works in. */
export type DataFolder = {
  path: string;
  /**
   * Keeps what runs on the folder, the guard first, so that the next start can end it should this launcher and its guard be
   * killed.
   */
  record(processes: ProcessIdentity[]): void;
  release(): void;
};

type Holder = ProcessIdentity & { url: string };

/**
 * Takes the data folder for this process. Throws, with what to do, when another launcher works in it or when its format is not
 * this program's. A lock that a dead launcher left is taken over, once the processes that it left have ended. `url` is shown to
 * a second launcher.
 */
export async function openDataFolder(folder: string, options: { fresh: boolean; url: string }): Promise<DataFolder> {
  makePrivate(folder);
  const lock = path.join(folder, LOCK);
  takeLock(lock, folder, options.url);
  const release = () => rmSync(lock, { force: true });
  try {
    await endLeftovers(path.join(folder, PROCESSES));
    if (options.fresh) empty(folder);
    checkFormat(folder);
    makePrivate(path.join(folder, 'logs'));
  } catch (error) {
    release();
    throw error;
  }
  return { path: folder, record: (processes) => replaceFile(path.join(folder, PROCESSES), JSON.stringify(processes)), release };
}

/**
 * Makes a folder that only its owner may enter; one that is there already is tightened, since secrets, data and logs lie in it.
 * Throws where the folder is shared by everyone, as /tmp is: others need it as it is.
 */
function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode } = statSync(folder);
  if ((mode & STICKY) !== 0) throw new Error(`${folder} is shared by all users; set GERBANG_DATA to a folder of its own`);
  if ((mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
}

/** Writes a file as a whole: a reader finds the old content or the new. */
export function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function empty(folder: string): void {
  for (const name of readdirSync(folder)) if (!KEPT.has(name)) rmSync(path.join(folder, name), { recursive: true, force: true });
}

/** Linked into place with its content, so no process reads half a lock, and of two that come at once one fails. */
function takeLock(lock: string, folder: string, url: string): void {
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ ...identify(process.pid), url }), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        linkSync(own, lock);
        return;
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      }
      const holder = readHolder(lock);
      if (holder !== undefined && lives(holder)) throw new Error(alreadyRunning(holder, folder));
      removeStale(lock, own, holder);
    }
    throw new Error(`could not take ${lock}; another start is under way`);
  } finally {
    rmSync(own, { force: true });
  }
}

function alreadyRunning({ pid, url }: Holder, folder: string): string {
  return [
    `Gerbang is running already in ${folder}: process ${pid}, ${url}.`,
    'Stop that one first (Ctrl-C in its terminal), or run a second one beside it with GERBANG_DATA=<folder> and GERBANG_PORT_OFFSET=<number>.',
  ].join('\n  ');
}

/** Moved aside before it is deleted: if meanwhile somebody else has taken it over, theirs is put back. */
function removeStale(lock: string, own: string, stale: Holder | undefined): void {
  const aside = `${own}.stale`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  const moved = readHolder(aside);
  try {
    if (moved !== undefined && moved.pid !== stale?.pid && lives(moved)) linkSync(aside, lock);
  } finally {
    rmSync(aside, { force: true });
  }
}

function readHolder(lock: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(lock, 'utf8'));
    if (!isIdentity(value)) return undefined;
    return { pid: value.pid, started: value.started, url: 'url' in value ? String(value.url) : '' };
  } catch {
    return undefined;
  }
}

/** What a killed launcher left would write to the same data: its guard ends it; where that was killed too, it is ended here. */
async function endLeftovers(file: string): Promise<void> {
  const [guard, ...processes] = readProcesses(file);
  if (guard !== undefined) await waitUntilGone([guard], LEFTOVERS_MS);
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    for (const { pid } of processes.filter(lives)) process.kill(pid, signal);
    await waitUntilGone(processes, LEFTOVERS_MS);
  }
  rmSync(file, { force: true });
}

async function waitUntilGone(processes: ProcessIdentity[], timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (processes.some(lives) && Date.now() < deadline) await sleep(50);
}

function readProcesses(file: string): ProcessIdentity[] {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Array.isArray(value) ? value.filter(isIdentity) : [];
  } catch {
    return [];
  }
}

function checkFormat(folder: string): void {
  const file = path.join(folder, 'format');
  let found: string;
  try {
    found = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    replaceFile(file, `${FORMAT}\n`);
    return;
  }
  if (found === String(FORMAT)) return;
  throw new Error(
    [
      `the data folder ${folder} has format ${found}, and this program reads format ${FORMAT}.`,
      'Run the version that wrote it, or set GERBANG_DATA to another folder, or start empty with: npm start -- --fresh',
    ].join('\n  '),
  );
}
