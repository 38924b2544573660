import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { SERVICES } from '../../../launcher/services.ts';
import { arrowsOf, CHART, INSTALLATIONS, readValues, requestsOf } from '../src/chart.ts';
import { arrowsInCode, configurationOf } from '../src/declarations.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const values = readValues();
const rows = Object.entries(values.services);
let inCode: string[] = [];
beforeAll(async () => {
  inCode = await arrowsInCode();
});

describe("the chart's table of services is what the code says", () => {
  test('a row for each service', () => {
    expect(rows.map(([name]) => name).toSorted()).toEqual(SERVICES.map(({ name }) => name).toSorted());
  });

  test('the arrows between services are the lists of callers', () => {
    const ours = rows.flatMap(([name, { operators }]) => (operators ? [`cli → ${name}`] : []));
    expect(inCode.length).toBeGreaterThan(20);
    expect([...arrowsOf(values), ...ours].toSorted()).toEqual(inCode);
  });

  test.each(SERVICES.map((row) => [row.name, row] as const))('%s: listeners, and what it needs', (name, code) => {
    const row = values.services[name];
    const config = configurationOf(name);
    const listens = 'listens' in code ? Object.entries(code.listens).map(([variable, { standard }]) => [variable, standard]) : [];
    expect(row).toMatchObject({
      adminPort: code.adminPort,
      listens: Object.fromEntries(listens),
      hasInstances: 'hasInstances' in code,
      database: config.uses('storeShape'),
      keys: config.uses('keysShape'),
    });
    expect(row?.rpcPort).toBe('rpcPort' in code ? code.rpcPort : undefined);
    expect(row?.rails.toSorted()).toEqual(config.rails);
    expect(row?.optionalRails.toSorted()).toEqual(config.optionalRails);
    expect(row?.outside.includes('rails')).toBe(config.rails.length + config.optionalRails.length > 0);
    expect(row?.events !== undefined).toBe(config.uses('busShape'));
    expect(row?.events === 'publish').toBe('aggregates' in code);
    expect(row?.sandboxOnly).toBe(name === 'simulator');
  });
});

test('a pod has the time that a service takes to drain', () => {
  const drainMs = /^const DRAIN_MS = ([\d_]+);/m.exec(
    readFileSync(path.join(root, 'packages/runtime/src/run-service.ts'), 'utf8'),
  )?.[1];
  expect(values.drain.drainSeconds * 1_000).toBe(Number(drainMs?.replaceAll('_', '')));
});

test('every values file of the chart belongs to an installation, or is for another chart', () => {
  const others = ['mongodb.yaml', 'mongodb-laptop.yaml', 'nats.yaml', 'nats-laptop.yaml', 'prometheus-adapter.yaml'];
  const used = Object.values(INSTALLATIONS).flat();
  expect(readdirSync(path.join(CHART, 'values')).toSorted()).toEqual(
    [...others, ...new Set(used.map((file) => path.basename(file)))].toSorted(),
  );
});

test.each(Object.entries(INSTALLATIONS))('%s requests what deploy/README.md says', (name, files) => {
  const { milliCpu, memoryMib } = requestsOf(readValues(files));
  const readme = readFileSync(path.join(root, 'deploy/README.md'), 'utf8');
  const line = readme.split('\n').find((text) => text.startsWith(`| \`${name}\` `));
  expect(line?.split('|').map((cell) => cell.trim())).toEqual(
    expect.arrayContaining([`${milliCpu / 1_000}`, `${(memoryMib / 1_024).toFixed(1)}`]),
  );
});
