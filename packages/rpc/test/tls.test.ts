import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { RefusalError, refuse } from '@gerbang/core';
import { LedgerService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { Health, HealthCheckResponse_ServingStatus } from '@gerbang/proto/grpc/health/v1/health';
import { createLogger, type Logger, Registry } from '@gerbang/runtime';
import { createAuthority, eventually } from '@gerbang/testkit';
import { status } from '@grpc/grpc-js';
import { afterAll, describe, expect, test } from 'vitest';
import type { RpcServer, TlsFiles } from '../src/index.ts';
import { Opened } from './harness.ts';
import { reflect } from './reflect.ts';
import { unaryCall } from './unary-call.ts';

const opened = new Opened();
afterAll(() => opened.close());

const certificate = createAuthority();
const ledgerTls = certificate('ledger');
const moneyOutTls = certificate('money-out');
const edgeTls = certificate('edge');

const serve = (tls = ledgerTls, log?: Logger, metrics?: Registry): Promise<RpcServer> =>
  opened.serve(
    { post: async (_request, { caller }) => ({ availableAfterSen: caller === 'money-out' ? 1n : 0n }) },
    { tls, callers: ['money-out'], ...(log !== undefined && { log }), ...(metrics !== undefined && { metrics }) },
  );

function open(port: number, tls: TlsFiles | undefined, address = `127.0.0.1:${port}`) {
  return opened.channel({ address, tls, timeoutMs: 1_000, lookup: async () => ['127.0.0.1'] });
}

test('only the listed callers may call, over lanes and by plain calls', async () => {
  const { port } = await serve();
  expect((await open(port, moneyOutTls).client(LedgerService).post({})).availableAfterSen).toBe(1n);
  await expect(open(port, edgeTls).client(LedgerService).post({})).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
  const post = LedgerService.method.post;
  expect((await unaryCall(port, post, {}, { tls: moneyOutTls })).availableAfterSen).toBe(1n);
  await expect(unaryCall(port, post, {}, { tls: edgeTls })).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
});

test('a caller that is not on the list is a security event, with its certificate and its address', async () => {
  const lines: string[] = [];
  const metrics = new Registry();
  const log = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
  const { port } = await serve(ledgerTls, log, metrics);
  await open(port, moneyOutTls).client(LedgerService).post({});
  expect(lines.filter((line) => line.includes('security_event'))).toEqual([]);
  await expect(open(port, edgeTls).client(LedgerService).post({})).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
  const events = lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === 'security_event');
  expect(events).toMatchObject([
    {
      listener: 'rpc',
      kind: 'forbidden',
      reason: 'caller_not_listed',
      route: '/gerbang.ledger.v1.LedgerService/Post',
      address: '127.0.0.1',
      client_id: 'edge',
      identity: 'authenticated',
    },
  ]);
  expect(await metrics.metrics()).toContain(
    'gerbang_security_events_total{listener="rpc",kind="forbidden",reason="caller_not_listed"} 1',
  );
});

test.each([
  ['unauthorized', 'unauthenticated'],
  ['forbidden', 'forbidden'],
] as const)('what a handler refuses as %s is a security event too', async (refused, kind) => {
  const lines: string[] = [];
  const log = createLogger({ service: 'test', level: 'info' }, { write: (line) => void lines.push(line) });
  const post = async () => {
    throw new RefusalError(refuse(refused));
  };
  const { port } = await opened.serve({ post }, { tls: ledgerTls, callers: ['money-out'], log, metrics: new Registry() });
  await expect(open(port, moneyOutTls).client(LedgerService).post({})).rejects.toMatchObject({ refusal: { refused } });
  const events = lines.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ msg }) => msg === 'security_event');
  expect(events).toMatchObject([{ listener: 'rpc', kind, reason: refused, client_id: 'money-out', address: '127.0.0.1' }]);
});

test('who has no certificate of the authority gets no lane', async () => {
  const { port } = await serve();
  const stranger = createAuthority()('money-out');
  for (const tls of [undefined, { ...stranger, ca: ledgerTls.ca }]) {
    await expect(open(port, tls).client(LedgerService).post({}, { timeoutMs: 500 })).rejects.toMatchObject({
      refusal: { refused: expect.stringMatching(/^(unavailable|timeout)$/) },
    });
  }
});

test('certificates that are renewed are used from the next lane on, and may be missing for a while', async () => {
  const { port } = await serve();
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-tls-'));
  const cert = path.join(folder, 'cert.pem');
  const renewed = open(port, { ...moneyOutTls, cert }).client(LedgerService);
  await expect(renewed.post({}, { retry: false })).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  const waiting = renewed.post({});
  copyFileSync(moneyOutTls.cert, cert);
  expect((await waiting).availableAfterSen).toBe(1n);
});

test('a server shows renewed certificates, of another authority too, from the next connection on; until all files fit together it goes on', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-tls-'));
  const files = { ca: path.join(folder, 'ca.pem'), cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  const { trustDomain } = ledgerTls;
  const write = ({ ca, cert, key }: TlsFiles) => {
    copyFileSync(ca, files.ca);
    copyFileSync(cert, files.cert);
    copyFileSync(key, files.key);
  };
  write(ledgerTls);
  const lines: string[] = [];
  const { port } = await serve(
    { ...files, trustDomain },
    createLogger({ service: 'test', level: 'info' }, { write: (line) => lines.push(line) }),
  );
  const before = open(port, moneyOutTls).client(LedgerService);
  await before.post({});

  const renewed = createAuthority();
  const [newLedgerTls, newMoneyOutTls] = [renewed('ledger'), renewed('money-out')];
  copyFileSync(newLedgerTls.cert, files.cert);
  rmSync(files.ca);
  await eventually('the half of it was found', () => lines.some((line) => line.includes('stay in use')));
  await open(port, moneyOutTls).client(LedgerService).post({});

  write(newLedgerTls);
  await eventually('all of it was found', () => lines.some((line) => line.includes('have been renewed')));
  expect((await open(port, newMoneyOutTls).client(LedgerService).post({})).availableAfterSen).toBe(1n);
  await expect(open(port, moneyOutTls).client(LedgerService).post({}, { timeoutMs: 500 })).rejects.toMatchObject({
    refusal: { refused: 'unavailable' },
  });
  // A lane that is open stays.
  await before.post({});
});

test('a server does not start with certificate and key that do not fit together', async () => {
  await expect(serve({ ...ledgerTls, key: edgeTls.key })).rejects.toThrow('key values mismatch');
});

const ours = (service: string, trustDomain = 'gerbang.internal') => `spiffe://${trustDomain}/gerbang/${service}`;

describe('the caller is the service that the only URI of its certificate names', () => {
  test.each([
    ['the common name says nothing', { uris: [] }],
    ['nor does the name of a host', { uris: [], hosts: 'DNS:money-out' }],
    ['nor another trust domain', { uris: [ours('money-out', 'elsewhere.test')] }],
    ['nor a URI of another kind', { uris: ['spiffe://gerbang.internal/money-out'] }],
    ['nor a longer path', { uris: [ours('money-out/canary')] }],
    ['nor two URIs of ours', { uris: [ours('money-out'), ours('edge')] }],
    ['nor one of ours with a foreign one', { uris: [ours('money-out'), 'https://money-out.test/'] }],
  ])('%s', async (_what, names) => {
    const { port } = await serve();
    const tls = certificate('money-out', names);
    await expect(open(port, tls).client(LedgerService).post({})).rejects.toMatchObject({ refusal: { refused: 'forbidden' } });
    await expect(unaryCall(port, LedgerService.method.post, {}, { tls })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });

  test('also with the right common name', async () => {
    const { port } = await serve();
    const tls = certificate('money-out', { commonName: 'edge' });
    expect((await open(port, tls).client(LedgerService).post({})).availableAfterSen).toBe(1n);
  });

  test('another trust domain can be configured', async () => {
    const trustDomain = 'pay.example';
    const as = (service: string) => ({ ...certificate(service, { uris: [ours(service, trustDomain)] }), trustDomain });
    const { port } = await serve(as('ledger'));
    expect((await open(port, as('money-out')).client(LedgerService).post({})).availableAfterSen).toBe(1n);
    await expect(unaryCall(port, LedgerService.method.post, {}, { tls: { ...moneyOutTls, trustDomain } })).rejects.toMatchObject({
      code: status.PERMISSION_DENIED,
    });
  });
});

describe('a server is believed only', () => {
  test.each([
    ['as one of our services', { uris: [] }],
    ['by the names of its hosts, not by its common name', { hosts: '', commonName: 'ledger.test' }],
  ])('%s', async (_what, names) => {
    const { port } = await serve(certificate('ledger', names));
    const named = open(port, moneyOutTls, `ledger.test:${port}`).client(LedgerService);
    await expect(named.post({}, { timeoutMs: 500 })).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
  });
});

test('a method that lists no callers does not start', async () => {
  await expect(opened.serve({}, { tls: ledgerTls, callers: [] })).rejects.toThrow(
    '/gerbang.ledger.v1.LedgerService/Post lists no',
  );
});

test('reflection tells only services what there is', async () => {
  const { port } = await serve();
  const questions = [{ messageRequest: { case: 'listServices' as const, value: '' } }];
  expect(await reflect(port, 'v1', questions, edgeTls)).toMatchObject([{ case: 'listServicesResponse' }]);
  const nameless = certificate('edge', { uris: [] });
  await expect(reflect(port, 'v1', questions, nameless)).rejects.toMatchObject({ code: status.PERMISSION_DENIED });
});

test('health is for every service', async () => {
  const { port } = await serve();
  const { status: serving } = await open(port, edgeTls).client(Health).check({});
  expect(serving).toBe(HealthCheckResponse_ServingStatus.SERVING);
});

test('replicas show the certificate of the name that they were looked up by', async () => {
  const { port } = await serve(certificate('ledger', { hosts: 'DNS:ledger.test' }));
  const named = open(port, moneyOutTls, `ledger.test:${port}`).client(LedgerService);
  expect((await named.post({})).availableAfterSen).toBe(1n);
  const other = open(port, moneyOutTls, `other.test:${port}`).client(LedgerService);
  await expect(other.post({}, { timeoutMs: 500 })).rejects.toMatchObject({ refusal: { refused: 'unavailable' } });
});
