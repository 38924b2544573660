import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { load } from 'js-yaml';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { audit } from '../supply-chain/audit.ts';
import { isAllowed, licenceFaults } from '../supply-chain/licences.ts';
import { billOfMaterials, type Component } from '../supply-chain/sbom.ts';

const root = path.resolve(import.meta.dirname, '../..');
const TODAY = '2026-11-22';

const dependencies = z.record(z.string(), z.object({ version: z.string() })).default({});
const versions = z.record(z.string(), z.string()).default({});
const lockfile = z.object({
  importers: z.record(z.string(), z.object({ dependencies, optionalDependencies: dependencies })),
  snapshots: z.record(z.string(), z.object({ dependencies: versions, optionalDependencies: versions })),
  packages: z.record(z.string(), z.object({ os: z.array(z.string()).optional(), cpu: z.array(z.string()).optional() })),
});

/** Every package, as name@version, that a package of the workspace depends on to run. */
function productionPackages({ importers, snapshots, packages }: z.output<typeof lockfile>): Set<string> {
  const seen = new Set<string>();
  const visit = (name: string, version: string) => {
    if (version.startsWith('link:')) return;
    // An alias has the name of the package in its version.
    const key = /^@?[^@(]+@/.test(version) ? version : `${name}@${version}`;
    if (seen.has(key)) return;
    seen.add(key);
    const snapshot = snapshots[key];
    for (const [next, of] of Object.entries({ ...snapshot?.dependencies, ...snapshot?.optionalDependencies })) visit(next, of);
  };
  for (const importer of Object.values(importers)) {
    const direct = { ...importer.dependencies, ...importer.optionalDependencies };
    for (const [name, { version }] of Object.entries(direct)) visit(name, version);
  }
  const plain = [...seen].map((key) => key.replace(/\(.*$/s, ''));
  // What is for another system is not installed, and so not part of the bill.
  return new Set(plain.filter((key) => packages[key]?.os === undefined && packages[key]?.cpu === undefined));
}

test('the bill of materials names every production dependency of the lockfile', async () => {
  const { bomFormat, specVersion, components } = await billOfMaterials(root, { prod: true });
  expect({ bomFormat, specVersion }).toEqual({ bomFormat: 'CycloneDX', specVersion: '1.6' });
  const named = new Set(components.map(({ purl }) => decodeURIComponent(purl.replace('pkg:npm/', ''))));
  const needed = productionPackages(lockfile.parse(load(readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8'))));
  expect(needed.size).toBeGreaterThan(100);
  expect([...needed].filter((key) => !named.has(key))).toEqual([]);
});

test('every dependency has an allowed licence, or an exception that holds', async () => {
  const { components } = await billOfMaterials(root, { prod: false });
  expect(components.length).toBeGreaterThan(200);
  expect(licenceFaults(components, TODAY)).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['GPL-3.0-only OR MIT', true],
  ['(Apache-2.0 AND BSD-3-Clause)', true],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT AND (GPL-3.0-only OR ISC))', true],
  ['AGPL-3.0-only', false],
  ['SEE LICENSE IN LICENSE', false],
  ['Apache-2.0 WITH LLVM-exception', false],
  ['', false],
])('the licence %j is allowed: %s', (expression, allowed) => {
  expect(isAllowed(expression)).toBe(allowed);
});

test('another licence, none, an exception that has ended and one that is not needed are faults', () => {
  const of = (name: string, id?: string): Component => {
    return { name, version: '1.0.0', purl: `pkg:npm/${name}@1.0.0`, licenses: id === undefined ? [] : [{ license: { id } }] };
  };
  const exempt = [of('axe-core', 'MPL-2.0'), of('lightningcss-linux-x64-gnu', 'MPL-2.0')];
  expect(licenceFaults([of('a', 'MIT'), ...exempt], TODAY)).toEqual([]);
  expect(licenceFaults([of('b', 'AGPL-3.0-only'), of('c'), ...exempt], TODAY)).toEqual([
    'b@1.0.0 has the licence AGPL-3.0-only, which is not allowed',
    'c@1.0.0 names no licence',
  ]);
  expect(licenceFaults(exempt, '2099-01-01')).toEqual([
    expect.stringMatching(/^the exception for axe-core .* has ended/),
    expect.stringMatching(/^the exception for lightningcss-linux-x64-gnu .* has ended/),
  ]);
  expect(licenceFaults([of('axe-core', 'MPL-2.0')], TODAY)).toEqual([expect.stringContaining('is not needed any more')]);
});

/** A registry that knows these advisories, or none where it answers with another status. */
async function registry(status: number, advisories: object): Promise<string> {
  const server = createServer((request, response) => {
    const isAudit = request.url?.endsWith('/advisories/bulk') === true;
    response.writeHead(isAudit ? status : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAudit ? advisories : {}));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP address');
  return `http://127.0.0.1:${address.port}`;
}

test('any advisory of what services run on fails, and only a bad one of what builds and tests', async () => {
  const advisory = (id: number, severity: string) => {
    const url = `https://github.com/advisories/GHSA-0000-0000-000${id}`;
    return [
      { id, url, title: 'a fault', severity, vulnerable_versions: '<9999.0.0', cwe: [], cvss: { score: 1, vectorString: '' } },
    ];
  };
  const url = await registry(200, {
    fastify: advisory(1, 'low'),
    vitest: advisory(2, 'moderate'),
    typescript: advisory(3, 'critical'),
  });
  expect(await audit(root, TODAY, url)).toEqual({
    faults: [
      expect.stringMatching(/^fastify@\S+ \(production\): low, GHSA-0000-0000-0001 a fault/),
      expect.stringMatching(/^typescript@.+ \(development\): critical, GHSA-0000-0000-0003/),
    ],
  });
});

test('no advisory is no fault; a registry that does not answer the question is said to be so', async () => {
  expect(await audit(root, TODAY, await registry(200, {}))).toEqual({ faults: [] });
  expect(await audit(root, TODAY, await registry(405, {}))).toEqual({ unreachable: expect.stringContaining('405') });
  expect(await audit(root, TODAY, 'http://127.0.0.1:9')).toEqual({ unreachable: expect.stringContaining('127.0.0.1:9') });
});
