// Loaded before a service (node --import). A mounted Secret of Kubernetes belongs to root and can be read by the pod's group,
// which a service in production refuses: only its own user may read its private files. GERBANG_PRIVATE_FILES=<from>:<to> copies
// the files of a folder to another one, for this user only, and copies them again when they are renewed, as long as the process
// lives.
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** A renewed certificate is read by the service every 2 s. */
const LOOK_EVERY_MS = 2_000;
const { env } = process;
const [from, to] = (env.GERBANG_PRIVATE_FILES ?? '').split(':');

if (isMainThread && from && to) {
  copyChanged(from, to);
  setInterval(() => {
    try {
      copyChanged(from, to);
    } catch (error) {
      // A Secret that is just being replaced is whole at the next look; what was copied before stays in use.
      process.stderr.write(`private files: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }, LOOK_EVERY_MS).unref();
}

/** Copies each file that differs, whole or not at all. Names that begin with two dots are Kubernetes' own links. */
function copyChanged(source, target) {
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(source).filter((entry) => !entry.startsWith('..'))) {
    const [file, copy] = [path.join(source, name), path.join(target, name)];
    if (statSync(file).isDirectory()) {
      copyChanged(file, copy);
      continue;
    }
    const content = readFileSync(file);
    if (isSame(copy, content)) continue;
    writeFileSync(`${copy}.new`, content, { mode: 0o400 });
    renameSync(`${copy}.new`, copy);
  }
}

function isSame(file, content) {
  try {
    return readFileSync(file).equals(content);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}
