import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The contracts' checks: style (buf lint), nothing that an older service could not read and no name lost (buf breaking), and
 * generated code that is up to date. They are compared with the commit before and with `proto/released.binpb`, the contracts that
 * every later version keeps: written anew at a release with `buf build -o proto/released.binpb --exclude-source-info`.
 */

const root = path.dirname(import.meta.dirname);
const GENERATED = 'packages/proto/src';
const BASE = 'HEAD~1';
const RELEASED = 'proto/released.binpb';
const temporary = mkdtempSync(path.join(tmpdir(), 'gerbang-proto-'));
try {
  process.exitCode = lint() && breaking() && generated() ? 0 : 1;
} finally {
  rmSync(temporary, { recursive: true, force: true });
}

function lint(): boolean {
  return run('buf', ['lint']).ok;
}

function breaking(): boolean {
  return run('buf', ['breaking', '--against', RELEASED]).ok && breakingSinceLast();
}

/** Against the commit before this one; a shallow clone or a repository's first commit has none. */
function breakingSinceLast(): boolean {
  const before = path.join(temporary, 'before');
  mkdirSync(before);
  const archive = path.join(temporary, 'before.tar');
  const known = run('git', ['cat-file', '-e', `${BASE}:proto`], { quiet: true }).ok;
  if (!known || !run('git', ['archive', '-o', archive, BASE, 'proto', 'buf.yaml'], { quiet: true }).ok) {
    process.stdout.write('buf breaking: skipped, there is no earlier commit here to compare with\n');
    return true;
  }
  return run('tar', ['-xf', archive, '-C', before]).ok && run('buf', ['breaking', '--against', before]).ok;
}

function generated(): boolean {
  if (!run('buf', ['generate', '-o', temporary]).ok) return false;
  const fresh = filesOf(path.join(temporary, GENERATED));
  const kept = filesOf(path.join(root, GENERATED));
  const stale = [...new Set([...fresh.keys(), ...kept.keys()])].filter((file) => fresh.get(file) !== kept.get(file));
  for (const file of stale) process.stderr.write(`${GENERATED}/${file} is not what buf generates; run: npm run generate\n`);
  return stale.length === 0;
}

function filesOf(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    entries.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file), readFileSync(file, 'utf8')];
    }),
  );
}

function run(command: string, args: string[], { quiet = false } = {}): { ok: boolean } {
  const env = { ...process.env, BUF_CACHE_DIR: path.join(temporary, 'cache') };
  const result = spawnSync(command, args, { cwd: root, env, encoding: 'utf8' });
  if (result.error !== undefined) process.stderr.write(`${command} can't be run: ${result.error.message}\n`);
  if (result.status === 0) return { ok: true };
  if (!quiet) process.stderr.write(`${command} ${args[0]} failed:\n${result.stdout}${result.stderr}`);
  return { ok: false };
}
