import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@gerbang/runtime';
import { createAuthority } from '@gerbang/testkit';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { writeRailPartners } from '../../../launcher/rail-partners.ts';
import { ensureSecrets } from '../../../launcher/secrets.ts';
import { INSTALLATIONS, readValues, secretVariables } from '../src/chart.ts';
import { arrowsInCode } from '../src/declarations.ts';
import { type Rendered, readManifests, render, type Variable } from '../src/manifests.ts';
import { kubernetesSecrets } from '../src/sandbox-secrets.ts';
import { findTool } from '../src/tools.ts';

const secretManifest = z.object({
  metadata: z.object({ name: z.string() }),
  stringData: z.record(z.string(), z.string().min(1)),
});
type Environment = Record<string, string>;

const root = path.resolve(import.meta.dirname, '../../..');
const helm = findTool('helm');
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-chart-'));
const secrets = ensureSecrets(folder);
const certificate = createAuthority();
afterAll(() => rmSync(folder, { recursive: true }));

let arrowsOfCode: string[] = [];
let checkProduction: (service: string, config: object, nowMs: number) => void;
/** How each service reads its configuration, and the environment that it has in an installation. */
const readers = new Map<string, (environment: Environment) => object>();
const environments = new Map<string, Environment>();

function read(service: string, environment: Environment = {}): object {
  const reader = readers.get(service);
  if (reader === undefined) throw new Error(`${service} has no configuration`);
  return reader(environment);
}

/** What the Secrets have, by the name of a variable. */
function secretOf(service: string, name: string): string {
  if (name === 'MONGODB_URI') return `mongodb://${service}:secret@db.internal:27017/?replicaSet=rs&tls=true`;
  if (name === 'CHAIN_KEYS') return secrets.chainKeys;
  if (name === 'GERBANG_KEKS') return secrets.keks;
  if (name === 'SIMULATOR_PUBLIC_KEY') return secrets.rail.publicKey;
  return name.endsWith('_PRIVATE_KEY') ? secrets.rail.privateKey : 'a secret of 32 characters or more';
}

/** The environment that a container has, with files that are here. */
function environmentOf(service: string, variables: readonly Variable[]): Environment {
  const tls = certificate(service);
  const files: Record<string, string> = {
    RPC_TLS_CA: tls.ca,
    RPC_TLS_CERT: tls.cert,
    RPC_TLS_KEY: tls.key,
    RAIL_PARTNERS: writeRailPartners(folder, secrets),
  };
  const own = variables.map(({ name, value, secret }) => {
    if (secret !== undefined) return [name, secretOf(service, secret.key)] as const;
    return [name, files[name] ?? value?.replace('$(POD_NAME)', `${service}-0`) ?? ''] as const;
  });
  return Object.fromEntries(own);
}

describe.skipIf(helm === undefined).each(Object.keys(INSTALLATIONS))('%s, as helm renders it', (installation) => {
  let rendered: Rendered;
  const values = readValues(INSTALLATIONS[installation]);
  const isSandbox = values.environment === 'sandbox';
  beforeAll(async () => {
    rendered = readManifests(render(helm ?? '', INSTALLATIONS[installation] ?? []));
    for (const service of rendered.workloads.keys())
      environments.set(`${installation} ${service}`, environmentOf(service, rendered.workloads.get(service) ?? []));
    arrowsOfCode = await arrowsInCode();
    ({ checkProduction } = await import(path.join(root, 'packages/service/src/production/check.ts')));
    for (const service of rendered.workloads.keys())
      readers.set(service, (await import(path.join(root, 'services', service, 'src/config.ts'))).readConfig);
  });

  test('has every service of this kind of system', () => {
    const rows = Object.entries(values.services).filter(([, { sandboxOnly }]) => isSandbox || !sandboxOnly);
    expect([...rendered.workloads.keys()].toSorted()).toEqual(rows.map(([name]) => name).toSorted());
  });

  test('every service accepts its variables, and production finds them safe', () => {
    for (const service of rendered.workloads.keys()) {
      const environment = environments.get(`${installation} ${service}`);
      expect(
        problemsOf(() => checkProduction(service, read(service, environment), Date.now())),
        service,
      ).toBe('');
    }
  });

  test('the Secrets have what the pods refer to', () => {
    const referred = [...rendered.workloads].map(([name, variables]) => {
      return [name, variables.flatMap(({ secret }) => (secret === undefined ? [] : [secret.key])).toSorted()] as const;
    });
    expect(secretVariables(values)).toEqual(new Map(referred.filter(([, keys]) => keys.length > 0)));
  });

  test('without one of them a service that requires it is refused', () => {
    const environment = { ...environments.get(`${installation} money-in`), LEDGER_RPC: '' };
    expect(problemsOf(() => read('money-in', environment))).toBe('LEDGER_RPC is not set; it is required');
  });

  test('no variable has a name that no service reads', () => {
    const documented = new Set(
      [...readFileSync(path.join(root, 'docs/configuration.md'), 'utf8').matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(
        ([, name]) => name,
      ),
    );
    const ofOthers = ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'POD_NAME', 'GERBANG_PRIVATE_FILES'];
    const unknown = [...rendered.workloads.values()].flat().filter(({ name }) => {
      const setting =
        /^RAIL_[A-Z_]+?_(URL|PROVIDER|CLIENT_KEY|CLIENT_SECRET|PRIVATE_KEY|PARTNER_ID|CHANNEL_ID|TLS_MIN|HISTORY_ACCOUNT)$/;
      return !documented.has(name) && !ofOthers.includes(name) && !setting.test(name);
    });
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test('pods may speak as the lists of callers say, and no service to another one', () => {
    const ports = Object.entries(values.services).map(([name, { rpcPort }]) => [name, rpcPort] as const);
    const arrows = arrowsOfCode.map((arrow) => `${arrow}:${new Map(ports).get(arrow.split(' → ')[1] ?? '')}`);
    const simulated = (arrow: string) => isSandbox && /simulator/.test(arrow);
    expect(rendered.egress.filter((arrow) => !simulated(arrow))).toEqual(arrows);
    // Pods of operators' commands are let in by policies of their own; all the same arrows.
    expect(rendered.ingress.filter((arrow) => !simulated(arrow))).toEqual(arrows);
  });

  test.runIf(isSandbox)('the sandbox has Secrets for all of them', () => {
    const documents = loadAll(kubernetesSecrets(secrets, folder)).map((document) => secretManifest.parse(document));
    const made = documents.map(({ metadata, stringData }) => [
      metadata.name.replace('gerbang-', ''),
      Object.keys(stringData).toSorted(),
    ]);
    const expected = [...secretVariables(values), ['rail-partners', ['rail-partners.json']] as const];
    expect(Object.fromEntries(made)).toEqual(Object.fromEntries(expected));
  });

  test.skipIf(isSandbox)('every certificate names its service, and the hosts at which it is called', () => {
    const called = [...rendered.workloads.values()]
      .flat()
      .flatMap(({ name, value = '' }) => (/_RPC$|^EVENT_SOURCES$|^LEDGER_ADDRESS$/.test(name) ? value.split(',') : []))
      .map((address) => address.replace(/^.*=/, '').replace(/:\d+$/, '').replace('$(POD_NAME)', '*'));
    for (const host of new Set(called)) {
      const service = host.replace('*.', '').split('.')[0] ?? '';
      const found = rendered.certificates.get(`gerbang-${service}`);
      expect(found?.dnsNames, host).toContain(host);
      expect(found?.uris).toEqual([`spiffe://gerbang.internal/gerbang/${service}`]);
    }
  });
});

describe.skipIf(helm === undefined)('values that a service would refuse are refused before', () => {
  test.each([
    ['NATS without TLS', 'nats.url=nats://nats:4222'],
    ['keys in the environment', 'keys.store=env:'],
    ['no certificates', 'certificates.enabled=false'],
    ['secrets in values', 'secrets.mode=values'],
    ['spans without TLS', 'telemetry.endpoint=http://collector:4318'],
    ['a rail without TLS', 'rails.QRIS.env.URL=http://bank.example'],
    ['a misspelt key', 'services.edge.replica=3'],
    ['one admin', 'setup.admins={ani=x}'],
  ])('%s', (_what, setting) => {
    expect(() => render(helm ?? '', INSTALLATIONS.production ?? [], [setting])).toThrow(/values don't meet the specifications/);
  });

  test('a rail that is missing is named', () => {
    expect(() => render(helm ?? '', [])).toThrow(/rails.BILLER is not set; biller needs it/);
  });

  test('a memory limit that leaves no heap', () => {
    expect(() => render(helm ?? '', INSTALLATIONS.production ?? [], ['services.edge.limitMib=256'])).toThrow(/leaves a heap of/);
  });
});

test.skipIf(helm === undefined)('helm is one that runs', () => {
  expect(execFileSync(helm ?? '', ['version', '--short'], { encoding: 'utf8' })).toMatch(/^v/);
});

/** What a configuration is refused for; empty where it is not. */
function problemsOf(read: () => unknown): string {
  try {
    read();
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}
