import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ensureSecrets } from '../../../launcher/secrets.ts';
import { SERVICES } from '../../../launcher/services.ts';
import { writeComposeSecrets } from '../src/sandbox-secrets.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string) => load(readFileSync(path.join(root, 'deploy', file), 'utf8'));
const compose = z
  .object({
    services: z.record(
      z.string(),
      z.object({
        environment: z.record(z.string(), z.string()).default({}),
        env_file: z.array(z.string()).default([]),
        build: z.object({ args: z.object({ SERVICE: z.string() }) }).optional(),
      }),
    ),
  })
  .parse(read('compose/compose.yaml'));
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-compose-'));
const readers = new Map<string, (environment: Record<string, string>) => object>();

beforeAll(async () => {
  writeComposeSecrets(ensureSecrets(folder), folder);
  for (const { name } of SERVICES)
    readers.set(name, (await import(path.join(root, 'services', name, 'src/config.ts'))).readConfig);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('every service is in it, built with its own name', () => {
  const built = Object.entries(compose.services).flatMap(([name, { build }]) =>
    build === undefined ? [] : [[name, build.args.SERVICE]],
  );
  expect(built.toSorted()).toEqual(SERVICES.map(({ name }) => [name, name]).toSorted());
});

describe('every service accepts its variables', () => {
  test.each(SERVICES.map(({ name }) => name))('%s', (name) => {
    const { environment, env_file: files } = compose.services[name] ?? { environment: {}, env_file: [] };
    const texts = files.map((file) => readFileSync(path.join(folder, path.basename(file)), 'utf8'));
    const all = { ...Object.assign({}, ...texts.map(parseEnv)), ...environment };
    if ('RAIL_PARTNERS' in all) all.RAIL_PARTNERS = path.join(folder, 'private/rail-partners.json');
    expect(() => readers.get(name)?.(all)).not.toThrow();
    // Nothing looks for another service on its own machine; customers' pages and merchants are on the user's.
    const local = Object.entries<string>(all).filter(([, value]) => value.includes('127.0.0.1'));
    expect(
      local.map(([variable]) => variable).filter((variable) => !/^(PAY_URL|BILLER_URL|SIMULATOR_PUBLIC_URL)$/.test(variable)),
    ).toEqual([]);
  });
});

test('the secrets are for their owner only', () => {
  for (const { name } of SERVICES) expect(statSync(path.join(folder, `${name}.env`)).mode & 0o077, name).toBe(0);
});

test('Prometheus scrapes every service, and has every file of rules', () => {
  const { scrape_configs: scrapes, rule_files: rules } = z
    .object({
      scrape_configs: z.array(z.object({ static_configs: z.array(z.object({ targets: z.array(z.string()) })) })),
      rule_files: z.array(z.string()),
    })
    .parse(read('compose/prometheus.yaml'));
  const targets = scrapes.flatMap((scrape) => scrape.static_configs.flatMap((found) => found.targets));
  expect(targets.toSorted()).toEqual(SERVICES.map(({ name, adminPort }) => `${name}:${adminPort}`).toSorted());
  const files = readdirSync(path.join(root, 'deploy/observability/rules')).filter((file) => !file.endsWith('.test.yaml'));
  expect(rules.map((file) => path.basename(file))).toEqual(files.toSorted());
});

test('every alert has a test in which it fires, and one in which it does not', () => {
  const rules = path.join(root, 'deploy/observability/rules');
  const group = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string().optional() })) })) });
  const cases = z.object({
    tests: z.array(
      z.object({ alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()).default([]) })) }),
    ),
  });
  for (const file of readdirSync(rules).filter((name) => !name.endsWith('.test.yaml'))) {
    const alerts = group
      .parse(read(`observability/rules/${file}`))
      .groups.flatMap((one) => one.rules.flatMap(({ alert }) => alert ?? []));
    const { tests } = cases.parse(read(`observability/rules/${file.replace('.yaml', '.test.yaml')}`));
    const tested = tests.flatMap((one) => one.alert_rule_test);
    for (const alert of alerts) {
      const own = tested.filter(({ alertname }) => alertname === alert);
      expect(
        own.some(({ exp_alerts: fired }) => fired.length > 0),
        `${alert} fires`,
      ).toBe(true);
      expect(
        own.some(({ exp_alerts: fired }) => fired.length === 0),
        `${alert} does not fire`,
      ).toBe(true);
    }
  }
});
