import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { failure, run } from './step.mjs';
import { ensureTool } from './tools.mjs';

/** ensurepip is what venv lacks where a distribution has split it off (python3-venv of Debian). */
const SUITED = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 1)';
const COMMANDS = ['python3', 'python'];

/**
 * Path of a Python that has schemathesis at the versions of `requirements`, in a virtual environment in the tools folder,
 * installed once. Undefined where no Python 3.10 or newer with venv is on PATH.
 */
export async function ensureSchemathesis(toolsFolder, requirements) {
  const python = await findPython();
  if (python === undefined) return undefined;
  const text = fs.readFileSync(requirements, 'utf8');
  const version = /^schemathesis==(\S+)$/m.exec(text)?.[1];
  // Another list of versions or another Python is another installation.
  const content = createHash('sha256').update(`${python.version}\n${text}`).digest('hex').slice(0, 12);
  const folder = await ensureTool(
    toolsFolder,
    { tool: 'schemathesis', version: `${version}-${content}` },
    async (temporary, note) => {
      await must('python3 could not make a virtual environment', python.command, ['-m', 'venv', temporary], note);
      const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--requirement', requirements];
      await must(`pip could not install schemathesis ${version}`, binaryIn(temporary), pip, note);
    },
  );
  return binaryIn(folder);
}

async function findPython() {
  for (const command of COMMANDS) {
    const tried = await run(command, ['-c', SUITED]).catch(() => ({ code: 1 }));
    if (tried.code !== 0) continue;
    const { lines } = await run(command, ['-c', 'import platform; print(platform.python_version(), platform.machine())']);
    return { command, version: lines.at(-1) ?? '' };
  }
  return undefined;
}

async function must(what, command, args, note) {
  const { code, lines } = await run(command, args, { onLine: note });
  if (code === 0) return;
  throw failure(what, lines, [
    'connect to the network (behind a proxy: set https_proxy; for a mirror: PIP_INDEX_URL) and run the command again',
  ]);
}

function binaryIn(folder) {
  return path.join(folder, 'bin', 'python');
}
