import fs from 'node:fs';
import path from 'node:path';

const ASK_EVERY_MS = 250;

/**
 * Lets one command install at a time; others wait for it. Returns how to let go. The lock of a process that is gone counts for
 * nothing.
 */
export async function takeInstallLock(toolsFolder) {
  fs.mkdirSync(toolsFolder, { recursive: true });
  const file = path.join(toolsFolder, '.lock');
  let told = false;
  for (;;) {
    if (takes(file)) return () => fs.rmSync(file, { force: true });
    const holder = holderOf(file);
    if (holder === undefined) {
      removeStale(file);
      continue;
    }
    if (!told) process.stderr.write(`  … waiting for process ${holder}, which is installing\n`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

/** Linked into place with its content, so no process ever reads half a lock. */
function takes(file) {
  const own = `${file}-${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  try {
    fs.linkSync(own, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    fs.rmSync(own);
  }
}

/** Moved aside before it is deleted: if meanwhile somebody else has taken it over, theirs is put back. */
function removeStale(file) {
  const aside = `${file}-stale-${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (holderOf(aside) !== undefined) fs.linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

/** The process that holds the lock; undefined when it is gone. */
function holderOf(file) {
  try {
    const pid = Number(fs.readFileSync(file, 'utf8'));
    if (!Number.isInteger(pid) || pid <= 0) return undefined;
    process.kill(pid, 0);
    return pid;
  } catch (error) {
    return error.code === 'EPERM' ? 'of another user' : undefined;
  }
}
