import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PARENT_CHECK_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/**
 * Runs the launcher on its own Node with this process's terminal, and ends as it ends. Signals are passed on. The launcher holds
 * the other end of a pipe, so it notices when this process is killed; and this one notices when the npm that started it is.
 */
export async function handOver({ node, main, args, root, dataFolder, searchPath }) {
  const env = {
    ...process.env,
    PATH: searchPath,
    GERBANG_DATA: dataFolder,
    GERBANG_PARENT_FD: '3',
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(dataFolder, 'compile-cache'),
  };
  const child = spawn(node, [main, ...args], { cwd: root, env, stdio: ['inherit', 'inherit', 'inherit', 'pipe'] });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const watch = process.env.npm_lifecycle_event === undefined ? undefined : watchParent(() => child.kill('SIGTERM'));
  const status = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (os.constants.signals[signal] ?? 0)));
  });
  clearInterval(watch);
  process.exit(status);
}

/** npm runs a script through a shell, which may stay between the two; so both ends of that line are watched. */
function watchParent(gone) {
  const parent = process.ppid;
  const grandparent = parentOf(parent);
  return setInterval(() => {
    if (process.ppid !== parent || parentOf(parent) !== grandparent) gone();
  }, PARENT_CHECK_MS);
}

/** Undefined where there is no /proc. */
function parentOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  } catch {
    return undefined;
  }
}
