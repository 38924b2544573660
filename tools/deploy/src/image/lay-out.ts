import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';

const root = path.resolve(import.meta.dirname, '../../../..');
/** The user of the container, as distroless images have it. */
export const USER = 65_532;

/** What is in a package.json that matters here. */
type Manifest = { name: string; dependencies?: Record<string, string> };

/** The folders of an image, as layers: what changes rarely first. */
export const LAYERS = ['runtime', 'dependencies', 'application'] as const;

/**
 * Lays out the file system of an image in three folders of `out`, one for each layer: Node and the libraries that it needs, with
 * their licences; the packages that the service depends on; and its own code with ours that it uses, as sources, which Node
 * runs as they are. `service` is a folder of services/, or `cli` for operators' commands. Needs pnpm, and the repository
 * installed.
 */
export function layOut(service: string, out: string): void {
  rmSync(out, { recursive: true, force: true });
  for (const layer of LAYERS) mkdirSync(path.join(out, layer), { recursive: true });
  layOutRuntime(path.join(out, 'runtime'));
  layOutApplication(service, out);
}

function layOutRuntime(target: string): void {
  for (const folder of ['etc', 'tmp', 'run/gerbang', 'usr/bin', 'usr/share/doc/node', 'proc', 'dev', 'app'])
    mkdirSync(path.join(target, folder), { recursive: true });
  chmodSync(path.join(target, 'tmp'), 0o1777);
  writeFileSync(path.join(target, 'etc/passwd'), `gerbang:x:${USER}:${USER}:gerbang:/:/sbin/nologin\n`);
  writeFileSync(path.join(target, 'etc/group'), `gerbang:x:${USER}:\n`);
  writeFileSync(path.join(target, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  // prlimit forbids core files, which Kubernetes has no word for, and becomes Node: a service in production demands it.
  const programs = { 'usr/bin/node': realpathSync(process.execPath), 'usr/bin/prlimit': '/usr/bin/prlimit' };
  for (const [place, program] of Object.entries(programs)) cpSync(program, path.join(target, place));
  const libraries = new Set(Object.values(programs).flatMap(librariesOf));
  for (const library of libraries) {
    mkdirSync(path.join(target, path.dirname(library)), { recursive: true });
    cpSync(realpathSync(library), path.join(target, library));
  }
  copyLicences(target, ['/usr/bin/prlimit', ...libraries]);
}

/** The shared libraries of a program, by the paths at which the loader finds them. */
function librariesOf(program: string): string[] {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => /(?:=> )?(\/\S+) \(0x/.exec(line)?.[1] ?? []);
}

/** Licences of the distribution's packages, and Node's own. */
function copyLicences(target: string, files: readonly string[]): void {
  const packages = new Set(files.flatMap(packageOf));
  for (const name of packages) {
    const folder = path.join('usr/share/doc', name);
    mkdirSync(path.join(target, folder), { recursive: true });
    cpSync(path.join('/', folder, 'copyright'), path.join(target, folder, 'copyright'), { dereference: true });
  }
  const nodes = globSync('{LICENSE,share/doc/node/LICENSE}', { cwd: path.join(path.dirname(process.execPath), '..') });
  for (const file of nodes)
    cpSync(path.join(path.dirname(process.execPath), '..', file), path.join(target, 'usr/share/doc/node/LICENSE'));
}

/** The distribution's package of a file; dpkg knows some by the path that /lib linked to once. */
function packageOf(file: string): string[] {
  for (const name of [file, realpathSync(file), realpathSync(file).replace(/^\/usr\/lib/, '/lib')]) {
    try {
      return [(execFileSync('dpkg', ['-S', name], { encoding: 'utf8', stdio: 'pipe' }).split(':')[0] ?? '').trim()];
    } catch {
      // Not known by this name.
    }
  }
  throw new Error(`no package of the distribution has ${file}: its licence is not known`);
}

function layOutApplication(service: string, out: string): void {
  const folder = service === 'cli' ? 'launcher' : `services/${service}`;
  if (!existsSync(path.join(root, folder, 'package.json'))) throw new Error(`there is no service ${service}`);
  const app = path.join(out, 'application/app');
  const closure = closureOf(folder);
  // pnpm wants every package that the lockfile names; those that are not needed go again.
  const manifests = globSync(['package.json', '{packages,services,tools}/*/package.json', '{launcher,test}/package.json'], {
    cwd: root,
  });
  for (const file of [...manifests, 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
    mkdirSync(path.join(app, path.dirname(file)), { recursive: true });
    cpSync(path.join(root, file), path.join(app, file));
  }
  const filter = ['--filter-prod', `${nameOf(folder)}...`];
  execFileSync('pnpm', ['install', '--prod', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts', ...filter], {
    cwd: app,
    stdio: 'pipe',
  });
  for (const file of manifests.filter((name) => name !== 'package.json' && !closure.includes(path.dirname(name))))
    rmSync(path.join(app, path.dirname(file)), { recursive: true });
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) rmSync(path.join(app, file));
  for (const one of closure) copySources(one, app);
  mkdirSync(path.join(out, 'dependencies/app'), { recursive: true });
  execFileSync('mv', [path.join(app, 'node_modules'), path.join(out, 'dependencies/app/node_modules')]);
  cpSync(path.join(root, 'deploy/image/private-files.mjs'), path.join(app, 'private-files.mjs'));
  symlinkSync(service === 'cli' ? 'launcher/cli/main.ts' : `${folder}/src/main.ts`, path.join(app, 'main.ts'));
  writeDocuments(path.join(out, 'application/usr/share/doc/gerbang'), nameOf(folder));
}

/** Everything but tests: sources, and what they read beside them. */
function copySources(folder: string, app: string): void {
  cpSync(path.join(root, folder), path.join(app, folder), {
    recursive: true,
    filter: (file) => !/\/(node_modules|test|\.turbo)(\/|$)|\.test\.ts$/.test(file.slice(root.length + folder.length + 1)),
  });
}

/** Our licence, and the bill of materials of what the service depends on. */
function writeDocuments(target: string, name: string): void {
  mkdirSync(target, { recursive: true });
  cpSync(path.join(root, 'LICENSE'), path.join(target, 'LICENSE'));
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application', '--prod'];
  const sbom = execFileSync('pnpm', ['--filter-prod', name, 'sbom', ...format], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 50_000_000,
  });
  writeFileSync(path.join(target, 'sbom.cdx.json'), sbom);
}

/** A folder of the workspace, and those of all our packages that it depends on. */
function closureOf(folder: string): string[] {
  const folders = globSync('packages/*', { cwd: root }).filter((name) => existsSync(path.join(root, name, 'package.json')));
  const byName = new Map(folders.map((name) => [nameOf(name), name]));
  const found = new Set([folder]);
  for (const one of found)
    for (const dependency of Object.keys(manifestOf(one).dependencies ?? {})) {
      const other = byName.get(dependency);
      if (other !== undefined) found.add(other);
    }
  return [...found];
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
}

function nameOf(folder: string): string {
  return manifestOf(folder).name;
}

/** `node lay-out.ts <service> <folder>`: for the Dockerfile, which copies the three folders into layers. */
if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [service, out] = positionals;
  if (service === undefined || out === undefined) throw new Error('usage: lay-out.ts <service> <folder>');
  layOut(service, path.resolve(out));
}
