import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** An import that architecture §2 forbids. */
export type Violation = { file: string; imported: string; reason: string };

/** A file's text by its path from the repository's root. */
export type Sources = ReadonlyMap<string, string>;

const CORE = ['core'];
const LOWER = ['core', 'proto'];

/** Which of our packages each may import, or which entry point of one. The list goes one way, so packages can't form a cycle. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'packages/core': [],
  'packages/proto': [],
  'packages/embedded-mongo': [],
  'packages/fail-points': [],
  'packages/runtime': CORE,
  'packages/present': LOWER,
  'packages/rpc': [...LOWER, 'runtime'],
  'packages/keys': ['core', 'runtime'],
  'packages/store': [...LOWER, 'runtime'],
  'packages/rails': [...LOWER, 'runtime'],
  'packages/bus': [...LOWER, 'runtime', 'rpc', 'store'],
  'packages/neighbours': [...LOWER, 'runtime', 'rpc', 'bus/nats'],
  'packages/service': [...LOWER, 'runtime', 'rpc', 'keys', 'store', 'bus', 'neighbours'],
  'packages/reconciliation': [...LOWER, 'runtime', 'rpc', 'store', 'rails', 'service/operators'],
  'packages/testkit': [...LOWER, 'runtime', 'fail-points', 'embedded-mongo'],
  'services/edge': [...LOWER, 'runtime', 'rpc', 'present', 'neighbours', 'service'],
  services: [...LOWER, 'runtime', 'rpc', 'keys', 'store', 'bus', 'present', 'rails', 'neighbours', 'service', 'reconciliation'],
  launcher: [...LOWER, 'runtime', 'rpc', 'neighbours', 'bus/permissions', 'embedded-mongo'],
  test: [...LOWER, 'runtime', 'rpc', 'keys', 'store', 'bus', 'present', 'rails', 'neighbours', 'testkit', 'embedded-mongo'],
};

/** The name of one of our packages and of its entry point. */
const OURS = /^@gerbang\/([^/]+)(?:\/(.+))?$/;
/** A library that must not be loaded with a service, not even through a package: the edge stores nothing (architecture §2). */
const NOT_LOADED: Readonly<Record<string, string>> = { 'services/edge': 'mongodb' };

/** What test files may import in addition. */
const FOR_TESTS = ['testkit', 'fail-points', 'embedded-mongo', 'keys', 'rails', 'present', 'neighbours', 'bus/nats'];
/** Libraries that a pure package or a decider may use: no I/O in them. */
const PURE_LIBRARIES = new Set(['@bufbuild/protobuf', 'ulid', 'node:crypto', 'node:assert', 'node:buffer', 'node:util']);

/** One import: what is named, and whether it is only of types, which are gone when the program runs. */
export type Import = { name: string; types: boolean };

const STATEMENT = /(?:^|[;{}\n])\s*(?:import|export)\b(\s+type\b)?(?:[\w\s{},*$]*?\bfrom)?\s*(['"])([^'"\n]+)\2/g;
const CALL = /\bimport\s*\(\s*(['"])([^'"\n]+)\1/g;

/**
 * Every import, export-from and import() of a TypeScript or JavaScript text; comments are no imports. (TypeScript 7 has no parser
 * to call, and the parsers that Node can call know no types; an import statement is regular enough to be matched.)
 */
export function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [
    ...[...code.matchAll(STATEMENT)].map((match) => ({ name: match[3] ?? '', types: match[1] !== undefined })),
    ...[...code.matchAll(CALL)].map((match) => ({ name: match[2] ?? '', types: false })),
  ];
}

/**
 * Checks every file of `sources` against the rules of architecture §2 and style.md, and finds cycles of files, also where only
 * types are imported.
 */
export function findViolations(sources: Sources): Violation[] {
  const graph = new Map<string, string[]>();
  const violations: Violation[] = [];
  for (const [file, text] of sources) {
    const imports = importsOf(text);
    const targets = imports.map(({ name }) => resolveRelative(file, name) ?? entryOf(name, sources) ?? '');
    graph.set(
      file,
      targets.filter((target) => sources.has(target)),
    );
    const decider = isDecider(file, text);
    for (const { name } of imports) {
      const reason = refusal(file, name, decider);
      if (reason !== undefined) violations.push({ file, imported: name, reason });
    }
  }
  return [...violations, ...findCycles(graph), ...findLoaded(sources)];
}

/** What the check reads of a package.json. */
export type Manifest = { name: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> };

/** Finds cycles of our packages by what each says that it depends on, in tests too: pnpm can't order such packages. */
export function findPackageCycles(manifests: readonly Manifest[]): Violation[] {
  const names = new Set(manifests.map(({ name }) => name));
  const graph = manifests.map(({ name, dependencies, devDependencies }): [string, string[]] => {
    return [name, Object.keys({ ...dependencies, ...devDependencies }).filter((other) => names.has(other))];
  });
  return findCycles(new Map(graph));
}

/** The package.json of every package of the workspace. */
export function readManifests(root: string): Manifest[] {
  return globSync('{packages,services}/*/package.json', { cwd: root })
    .concat('launcher/package.json', 'test/package.json')
    .map((file): Manifest => JSON.parse(readFileSync(path.join(root, file), 'utf8')));
}

/** Every source file of the workspace but dependencies and generated code. */
export function readSources(root: string): Sources {
  const sources = new Map<string, string>();
  const walk = (folder: string) => {
    for (const entry of readdirSync(path.join(root, folder), { withFileTypes: true })) {
      const file = `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== 'node_modules' && file !== 'packages/proto/src') walk(file);
      if (entry.isFile() && /\.(ts|mjs)$/.test(entry.name)) sources.set(file, readFileSync(path.join(root, file), 'utf8'));
    }
  };
  for (const folder of ['packages', 'services', 'launcher', 'test']) walk(folder);
  return sources;
}

function refusal(file: string, imported: string, decider: boolean): string | undefined {
  const owner = ownerOf(file);
  const target = resolveRelative(file, imported);
  if (target !== undefined) return relativeRefusal(owner, target, decider);
  const [, ours, entry] = OURS.exec(imported) ?? [];
  if (ours === undefined) return libraryRefusal(file, owner, imported, decider);
  if (owner === `packages/${ours}`) return undefined;
  const rules = MAY_IMPORT[owner] ?? (owner.startsWith('services/') ? MAY_IMPORT.services : undefined);
  if (rules === undefined) return `there is no rule for ${owner}; add one to launcher/boundaries.ts`;
  const named = [ours, `${ours}/${entry}`];
  if (isTest(file) && named.some((name) => FOR_TESTS.includes(name))) return undefined;
  if (!named.some((name) => rules.includes(name))) return `${owner} must not import @gerbang/${ours}`;
  return decider && ours !== 'core' ? 'a decider imports only @gerbang/core' : undefined;
}

/** A decider may be split into several files, but reaches nothing that stores, calls or listens. */
function relativeRefusal(owner: string, target: string, decider: boolean): string | undefined {
  const other = ownerOf(target);
  // The tests of the whole system start it through the launcher.
  if (other !== owner && !(owner === 'test' && other === 'launcher'))
    return `a relative path leaves ${owner}; import packages by name`;
  if (!decider || !/(^|\/)(store|rpc|service|context|config|metrics|main)(\.ts$|\/)/.test(target)) return undefined;
  return 'a decider imports only @gerbang/core and pure files beside it';
}

function libraryRefusal(file: string, owner: string, imported: string, decider: boolean): string | undefined {
  if (isTest(file)) return undefined;
  if (owner === 'packages/core' && !PURE_LIBRARIES.has(imported)) return 'core does no I/O: it imports only small pure libraries';
  return decider ? 'a decider imports only @gerbang/core' : undefined;
}

/** The Decider pattern's own mark: a service's file that exports `decide`. */
function isDecider(file: string, text: string): boolean {
  return file.startsWith('services/') && !isTest(file) && /^export (?:const|function) decide\b/m.test(text);
}

function isTest(file: string): boolean {
  return file.startsWith('test/') || /\.test\.ts$/.test(file) || /^(launcher|packages\/[^/]+|services\/[^/]+)\/test\//.test(file);
}

function ownerOf(file: string): string {
  const [top = '', name = ''] = file.split('/');
  return top === 'packages' || top === 'services' ? `${top}/${name}` : top;
}

function resolveRelative(file: string, imported: string): string | undefined {
  return imported.startsWith('.') ? path.posix.normalize(path.posix.join(path.posix.dirname(file), imported)) : undefined;
}

/** Follows every import from a service's files, also through packages, to what must not be loaded with it. */
function findLoaded(sources: Sources): Violation[] {
  const violations: Violation[] = [];
  for (const [owner, forbidden] of Object.entries(NOT_LOADED)) {
    const reached = [...sources.keys()].filter((file) => ownerOf(file) === owner && !isTest(file));
    const seen = new Set(reached);
    for (let file = reached.pop(); file !== undefined; file = reached.pop()) {
      for (const { name, types } of importsOf(sources.get(file) ?? '')) {
        if (types) continue;
        if (name === forbidden) violations.push({ file, imported: name, reason: `${owner} would load it` });
        const target = resolveRelative(file, name) ?? entryOf(name, sources);
        if (target === undefined || seen.has(target) || !sources.has(target)) continue;
        seen.add(target);
        reached.push(target);
      }
    }
  }
  return violations;
}

/** The file behind an import of one of our packages: an entry is a file, or a folder with a list of its own. */
function entryOf(imported: string, sources: ReadonlyMap<string, string>): string | undefined {
  const [, ours, entry = 'index'] = OURS.exec(imported) ?? [];
  if (ours === undefined) return undefined;
  return [`packages/${ours}/src/${entry}.ts`, `packages/${ours}/src/${entry}/index.ts`].find((file) => sources.has(file));
}

/** Every cycle of a graph by the node that closes it, with its path. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): Violation[] {
  const done = new Set<string>();
  const violations: Violation[] = [];
  const visit = (file: string, trail: string[]) => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      violations.push({ file, imported: trail.at(-1) ?? file, reason: `a cycle: ${[...trail.slice(at), file].join(' → ')}` });
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return violations;
}
