import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Implementation } from '@gerbang/rpc';
import { beforeAll, describe, expect, test } from 'vitest';
import { SERVICES } from '../services.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Who has a certificate: the services, and the operators' commands. */
const KNOWN = new Set<string>([...SERVICES.map(({ name }) => name), 'cli']);
/** The name of a gRPC service, without its package → method → who may call it. */
const lists = new Map<string, Map<string, readonly string[]>>();

beforeAll(async () => {
  for (const { name } of SERVICES) {
    const file = path.join(root, 'services', name, 'src/rpc.ts');
    if (!existsSync(file)) continue;
    const { implementations } = await import(file);
    // Handlers take the context only when they are called.
    const served: Implementation[] = implementations({});
    for (const { desc, callers } of served) {
      lists.set(desc.name, new Map(desc.methods.map(({ localName }) => [localName, callers(localName) ?? []])));
    }
  }
});

const sourcesOf = (service: string) =>
  globSync(`services/${service}/src/**/*.ts`, { cwd: root, exclude: ['**/*.test.ts'] }).map((file) =>
    readFileSync(path.join(root, file), 'utf8'),
  );

test('every method lists who may call it, by names that certificates have', () => {
  expect(lists.size).toBeGreaterThan(20);
  for (const [service, methods] of lists)
    for (const [method, callers] of methods) {
      expect(callers.length, `${service}.${method}`).toBeGreaterThan(0);
      expect(
        callers.filter((caller) => !KNOWN.has(caller)),
        `${service}.${method}`,
      ).toEqual([]);
    }
});

test('every service that operators command may ask the gate for them', () => {
  const asking = SERVICES.map(({ name }) => name).filter(
    (name) => name !== 'merchant' && sourcesOf(name).some((text) => text.includes('openOperatorGate(')),
  );
  const owners = SERVICES.flatMap((row) => ('aggregates' in row && row.name !== 'merchant' ? [row.name] : []));
  expect(asking).toEqual(expect.arrayContaining([...owners, 'notifier', 'ledger']));
  for (const method of ['begin', 'finish'])
    expect(lists.get('OperatorGateService')?.get(method)?.toSorted(), method).toEqual(asking.toSorted());
});

describe('who has a client of a service is on its lists', () => {
  test.each(SERVICES.map(({ name }) => name))('%s', (caller) => {
    const texts = sourcesOf(caller);
    const called = texts.flatMap((text) => [...text.matchAll(/\.client\((\w+)\)/g)].map((match) => match[1] ?? ''));
    for (const service of called.filter((name) => lists.has(name))) {
      const allowed = [...(lists.get(service)?.values() ?? [])].some((callers) => callers.includes(caller));
      expect(allowed, `${caller} may call something of ${service}`).toBe(true);
    }
    if (!texts.some((text) => /\bopen(Merchants|Directory)\(/.test(text))) return;
    for (const method of ['getProfile', 'getAccount', 'checkVersions'])
      expect(lists.get('MerchantService')?.get(method), method).toContain(caller);
  });
});
