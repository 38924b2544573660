import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from '@gerbang/runtime';
import { createAuthority, type TestCertificate } from '@gerbang/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { readPorts } from '../ports.ts';
import { ensureSecrets } from '../secrets.ts';
import { environmentOf, peersOf, SERVICES } from '../services.ts';

type Environment = Record<string, string>;
type Refusal = (config: object) => Promise<unknown>;

const root = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-production-'));
const certificate = createAuthority();
const secrets = ensureSecrets(folder);
const ports = readPorts({});
const services = SERVICES.filter(({ name }) => name !== 'simulator');
const tlsOf = new Map(SERVICES.map(({ name }) => [name, certificate(name)]));

/** The check by itself, and how each service reads its configuration and starts. */
let check: (service: string, config: object, nowMs: number) => void;
const readers = new Map<string, (environment: Environment) => object>();
const starts = new Map<string, Refusal>();

beforeAll(async () => {
  ({ checkProduction: check } = await import(path.join(root, 'packages/service/src/production/check.ts')));
  for (const { name } of services) {
    const { readConfig } = await import(path.join(root, 'services', name, 'src/config.ts'));
    const { startService } = await import(path.join(root, 'services', name, 'src/service.ts'));
    readers.set(name, readConfig);
    starts.set(name, startService);
  }
});

/** A private file of the test's own. */
function file(name: string, text: string, mode = 0o600): string {
  const where = path.join(folder, name);
  writeFileSync(where, text);
  chmodSync(where, mode);
  return where;
}

function tlsFiles({ ca, cert, key }: TestCertificate): Environment {
  return { RPC_TLS_CA: ca, RPC_TLS_CERT: cert, RPC_TLS_KEY: key };
}

/** What the service is configured by in a safe system: that of the sandbox's, and over it what production differs in. */
function production(service: string, over: Environment = {}): Environment {
  const row = SERVICES.find(({ name }) => name === service);
  const tls = tlsOf.get(row?.name ?? 'edge');
  if (row === undefined || tls === undefined) throw new Error(`there is no ${service}`);
  const peers = peersOf(ports);
  const sandbox = {
    ...Object.fromEntries(peers.map(({ variable, address }) => [variable, address])),
    EVENT_SOURCES: peers.map(({ service: peer, address }) => `${peer}=${address}`).join(','),
    ...environmentOf(row, { ports, secrets, dataFolder: folder }),
  };
  const https = Object.entries(sandbox).map(([name, value]) => [
    name,
    name.endsWith('_URL') ? value.replace(/^http:\/\/[^/]+/, 'https://bank.example') : value,
  ]);
  return {
    ...Object.fromEntries(https),
    GERBANG_ENV: 'production',
    ...tlsFiles(tls),
    MONGODB_URI: `mongodb://${service}:secret@db-1.internal:27017,db-2.internal:27017/?replicaSet=rs&tls=true`,
    NATS_URL: 'tls://nats.internal:4222',
    NATS_USER: service,
    NATS_PASSWORD: 'secret',
    VA_PREFIXES: 'BCA=12345/16',
    WEBHOOK_ALLOW_PRIVATE: 'false',
    GERBANG_KEKS: '',
    KEYS: 'file:/run/secrets/keys',
    ...over,
  };
}

function read(service: string, over: Environment = {}): object {
  const reader = readers.get(service);
  if (reader === undefined) throw new Error(`${service} has no configuration`);
  return reader(production(service, over));
}

/** The lines with which a service refuses to start. */
function refusals(service: string, over: Environment = {}, nowMs = Date.now()): string[] {
  try {
    check(service, read(service, over), nowMs);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
}

const readsDatabase = (service: string) => !['edge', 'checkout'].includes(service);
const readsNats = (service: string) => !['ledger', 'checkout'].includes(service);
const readsRails = (service: string) => ['money-out', 'money-in', 'direct-debit', 'biller', 'cards'].includes(service);

describe.each(services.map(({ name }) => name))('%s', (service) => {
  test('starts with everything safe', () => expect(refusals(service)).toEqual([]));

  test('is refused as the sandbox is configured, with every reason at once and no value', async () => {
    const over = { RPC_TLS_CA: '', RPC_TLS_CERT: '', RPC_TLS_KEY: '', NATS_USER: '', NATS_PASSWORD: '', LOG_LEVEL: 'debug' };
    const unsafe = {
      ...over,
      NATS_URL: 'nats://n0where:4222',
      MONGODB_URI: 'mongodb://n0where:27017/',
      SANDBOX_CLOCK_URL: 'http://n0where:8070/sandbox/clock',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://n0where:4318',
    };
    const start = starts.get(service);
    const refused: unknown = await start?.(read(service, unsafe)).catch((error: unknown) => error);
    if (!(refused instanceof ConfigError)) throw new Error(`${service} has started: ${String(refused)}`);
    expect(refused.message).not.toContain('n0where');
    const named = refused.message.split('\n').map((line) => line.split(' ')[0]);
    const always = ['RPC_TLS_CA', 'RPC_TLS_CERT', 'RPC_TLS_KEY', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'SANDBOX_CLOCK_URL', 'LOG_LEVEL'];
    expect(new Set(named)).toEqual(
      new Set([
        ...always,
        ...(readsNats(service) ? ['NATS_URL', 'NATS_USER'] : []),
        ...(readsDatabase(service) ? ['MONGODB_URI'] : []),
      ]),
    );
  });

  test("is refused with another service's certificate", () => {
    const other = service === 'edge' ? 'ledger' : 'edge';
    expect(refusals(service, tlsFiles(certificate(other)))).toEqual([expect.stringMatching(/^RPC_TLS_CERT .*gerbang\/[a-z-]+$/)]);
  });

  test.runIf(readsNats(service))("is refused with another service's user of NATS", () => {
    expect(refusals(service, { NATS_USER: 'other' })).toEqual([
      `NATS_USER is not safe: it must be the service's own, ${service}`,
    ]);
  });

  test.runIf(readsDatabase(service))("is refused with another service's user of MongoDB", () => {
    const [line, ...more] = refusals(service, { MONGODB_URI: 'mongodb+srv://other:secret@db.internal/' });
    expect(line).toBe(
      `MONGODB_URI is not safe: its user must be the service's own, ${service} or gerbang_${service.replaceAll('-', '_')}`,
    );
    expect(more).toEqual([]);
  });

  test.runIf(readsRails(service))('is refused with a rail without TLS, and with the simulator', () => {
    const rail = Object.keys(production(service)).find((name) => /^RAIL_.*_URL$/.test(name)) ?? '';
    expect(refusals(service, { [rail]: 'http://bank.example' })).toEqual([expect.stringMatching(`^${rail} .*https`)]);
    for (const host of ['127.0.0.1:8070', 'localhost', 'LOCALHOST.', '[::1]:8070', '[::ffff:127.0.0.1]', '0x7f.1'])
      expect(refusals(service, { [rail]: `https://${host}/` }), host).toEqual([expect.stringMatching(`^${rail} .*simulator`)]);
  });
});

describe('the certificate', () => {
  const { cert, key } = certificate('edge');
  test.each<[string, () => Environment, RegExp]>([
    ['that has no URI', () => tlsFiles(certificate('edge', { uris: [] })), /^RPC_TLS_CERT .* the only URI/],
    [
      'of another trust domain',
      () => tlsFiles(certificate('edge', { uris: ['spiffe://elsewhere.test/gerbang/edge'] })),
      /^RPC_TLS_CERT .* the only URI/,
    ],
    ['that is none', () => ({ RPC_TLS_CERT: file('text.pem', 'text') }), /^RPC_TLS_CERT .*expected a certificate/],
    ['of another key', () => ({ RPC_TLS_CERT: cert }), /^RPC_TLS_KEY .*the private key of RPC_TLS_CERT/],
    [
      'whose key the group may read',
      () => ({ RPC_TLS_CERT: cert, RPC_TLS_KEY: file('group.key', readFileSync(key, 'utf8'), 0o640) }),
      /^RPC_TLS_KEY .*mode 0600/,
    ],
    [
      'whose key others may read',
      () => ({ RPC_TLS_CERT: cert, RPC_TLS_KEY: file('other.key', readFileSync(key, 'utf8'), 0o604) }),
      /^RPC_TLS_KEY .*mode 0600/,
    ],
    ['with an authority that is none', () => ({ RPC_TLS_CA: file('ca.pem', 'text') }), /^RPC_TLS_CA .*expected certificates/],
  ])('%s is refused', (_what, over, line) => expect(refusals('edge', over())).toEqual([expect.stringMatching(line)]));

  test('is refused after its time, and before', () => {
    const day = 86_400_000;
    expect(refusals('edge', {}, Date.now() + 2 * day)).toEqual(['RPC_TLS_CERT is not valid: the certificate has expired']);
    expect(refusals('edge', {}, Date.now() - day)).toEqual(['RPC_TLS_CERT is not valid: the certificate is not valid yet']);
  });

  test('may be of another trust domain that is configured', () => {
    const uris = ['spiffe://pay.example/gerbang/edge'];
    expect(refusals('edge', { ...tlsFiles(certificate('edge', { uris })), RPC_TRUST_DOMAIN: 'pay.example' })).toEqual([]);
  });
});

describe('the database', () => {
  const uri = (user: string, query: string) => ({ MONGODB_URI: `mongodb://${user}db.internal/?${query}` });
  test.each<[string, Environment, RegExp]>([
    ['without TLS', uri('ledger:s@', ''), /TLS \(tls=true\)/],
    ['with TLS switched off', uri('ledger:s@', 'ssl=false'), /TLS \(tls=true\)/],
    ['with TLS that verifies nothing', uri('ledger:s@', 'tls=true&tlsInsecure=true'), /tlsInsecure/],
    ['with any certificate', uri('ledger:s@', 'tls=true&tlsallowinvalidcertificates=true'), /tlsAllowInvalidCertificates/],
    ['without a user', uri('', 'tls=true'), /requires the service's user/],
    ['without a password', uri('ledger@', 'tls=true'), /requires the service's user/],
    ['with srv and TLS switched off', { MONGODB_URI: 'mongodb+srv://ledger:s@db.internal/?tls=false' }, /TLS \(tls=true\)/],
    [
      'with a certificate of another service',
      uri('', `tls=true&authMechanism=MONGODB-X509&tlsCertificateKeyFile=${certificate('edge').cert}`),
      /common name must be the service's own/,
    ],
  ])('%s is refused', (_what, over, reason) => {
    const lines = refusals('ledger', over);
    expect(lines).toEqual([expect.stringMatching(reason)]);
    expect(lines[0]).toMatch(/^MONGODB_URI /);
  });

  test.each([
    ["the database's user", uri('gerbang_ledger:s%40@', 'ssl=true')],
    ['srv, which has TLS', { MONGODB_URI: 'mongodb+srv://ledger:s@db.internal/' }],
    [
      'a certificate',
      uri('', `tls=true&authMechanism=MONGODB-X509&tlsCertificateKeyFile=${encodeURIComponent(certificate('ledger').cert)}`),
    ],
  ])('is reached by %s', (_what, over) => expect(refusals('ledger', over)).toEqual([]));
});

describe('NATS', () => {
  const none = { NATS_USER: '', NATS_PASSWORD: '' };
  test.each<[string, Environment, RegExp]>([
    ['one server without TLS', { NATS_URL: 'tls://a:4222,nats://b:4222' }, /^NATS_URL .*tls:/],
    ['a user in the address', { NATS_URL: 'tls://edge:s@a:4222' }, /^NATS_URL .*NATS_USER/],
    ['no user', none, /^NATS_USER is not set/],
    ['credentials that others may read', { ...none, NATS_CREDS: file('open.creds', 'c', 0o644) }, /^NATS_CREDS .*0600/],
    ['a seed that is not there', { ...none, NATS_NKEY_SEED: '/nowhere/seed' }, /^NATS_NKEY_SEED .*cannot be read/],
    ['a key that others may read', { NATS_TLS_KEY: file('open.key', 'k', 0o644) }, /^NATS_TLS_KEY .*0600/],
  ])('with %s is refused', (_what, over, line) => expect(refusals('edge', over)).toEqual([expect.stringMatching(line)]));

  test('is reached with credentials or a seed too', () => {
    expect(refusals('edge', { ...none, NATS_CREDS: file('safe.creds', 'c') })).toEqual([]);
    expect(refusals('edge', { ...none, NATS_NKEY_SEED: file('seed', 's', 0o400) })).toEqual([]);
  });
});

describe("the acquirer's host for ISO 8583", () => {
  const host = {
    CARD_ACQUIRER: 'iso8583',
    CARD_ISO8583_HOST: 'acquirer.example',
    CARD_ISO8583_PORT: '8583',
    CARD_ISO8583_TERMINAL_ID: 'GERBANG1',
    CARD_ISO8583_MERCHANT_ID: 'GERBANG00000001',
  };
  test('is reached by TLS, and needs nothing of the other way', () => {
    expect(refusals('cards', { ...host, RAIL_CARD_URL: '', RAIL_CARD_HISTORY_URL: '', RAIL_CARD_CLIENT_SECRET: '' })).toEqual([]);
  });

  test.each<[string, Environment, RegExp]>([
    ['without TLS', { CARD_ISO8583_TLS: 'false' }, /^CARD_ISO8583_TLS .*TLS/],
    ['on this machine', { CARD_ISO8583_HOST: '127.1' }, /^CARD_ISO8583_HOST .*simulator/],
    ['with a key that others may read', { CARD_ISO8583_TLS_KEY: file('card.key', 'k', 0o644) }, /^CARD_ISO8583_TLS_KEY .*0600/],
    ['that is not named', { CARD_ISO8583_HOST: '' }, /^CARD_ISO8583_HOST is not set; CARD_ACQUIRER=iso8583 needs it/],
  ])('%s is refused', (_what, over, line) => {
    expect(refusals('cards', { ...host, ...over })).toEqual([expect.stringMatching(line)]);
  });
});

describe('what belongs to a sandbox is refused', () => {
  test.each<[string, Environment, RegExp]>([
    ['notifier', { WEBHOOK_ALLOW_PRIVATE: 'true' }, /^WEBHOOK_ALLOW_PRIVATE /],
    ['edge', { SANDBOX_CLOCK_URL: 'https://clock.example/' }, /^SANDBOX_CLOCK_URL /],
    ['edge', { LOG_LEVEL: 'debug' }, /^LOG_LEVEL /],
    ['edge', { LOG_LEVEL: 'silent' }, /^LOG_LEVEL /],
    ['money-in', { PAY_URL: 'http://pay.example' }, /^PAY_URL .*https/],
    ['edge', { BILLER_URL: 'http://biller.example' }, /^BILLER_URL .*https/],
    ['edge', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.internal:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT /],
    ['merchant', { CHAIN_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}` }, /^CHAIN_KEYS .*not random/],
    [
      'ledger',
      { CHAIN_KEYS: `k1:${Buffer.from('a key of 32 signs, as in a guide').toString('base64')}` },
      /^CHAIN_KEYS .*not random/,
    ],
    ['money-out', { KEYS: '' }, /^KEYS is not set/],
    ['money-out', { KEYS: 'env:' }, /^KEYS names env:/],
    ['notifier', { KEYS: 'vault:http://vault.internal' }, /^KEYS names Vault without https/],
    ['biller', { KEYS: 'somewhere' }, /^KEYS is not valid/],
    ['direct-debit', { GERBANG_KEKS: secrets.keks }, /^GERBANG_KEKS is set/],
  ])('%s with %j', (service, over, line) => {
    expect(refusals(service, over)).toEqual([expect.stringMatching(line)]);
  });

  test('one key for two purposes', () => {
    const { keys } = Object(read('merchant')).CHAIN_KEYS;
    const config = { GERBANG_ENV: 'production', CHAIN_KEYS: { keys }, OTHER_KEYS: { keys } };
    expect(() => check('merchant', config, Date.now())).toThrow(/OTHER_KEYS .*a key of CHAIN_KEYS/);
  });

  test('spans may go to a collector on the same host', () => {
    expect(refusals('edge', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' })).toEqual([]);
  });
});

test('production has no reference pages, and no callbacks by http', () => {
  expect(read('edge')).toMatchObject({ showsDocs: false });
  expect(read('edge', { API_DOCS: 'on' })).toMatchObject({ showsDocs: true });
  expect(read('merchant')).toMatchObject({ httpAllowed: false });
});

test('a configuration that says nothing of where it runs is checked too', () => {
  expect(() => check('edge', { tls: undefined }, Date.now())).toThrow('RPC_TLS_CA is not set; production requires it');
});
