import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerOptions } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openSnapBankTransfer } from '../src/bank-transfer/index.ts';
import type { HistoryRow } from '../src/history/history.ts';
import { openSnapHistory } from '../src/history/snap-history.ts';
import type { SnapCredentials } from '../src/snap-client.ts';
import type { TlsVersion } from '../src/snap-http.ts';

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();
const trusted = getCACertificates('default');
let own: { key: Buffer; cert: Buffer };
let server: Server | undefined;

beforeAll(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gerbang-rail-tls-'));
  const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=bank', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, '-days', '1', ...subject], {
    stdio: 'pipe',
  });
  own = { key: readFileSync(key), cert: readFileSync(cert) };
  setDefaultCACertificates([...trusted, own.cert.toString()]);
});

afterEach(() => server?.close());

afterAll(() => setDefaultCACertificates(trusted));

/** A bank that speaks TLS so; gives how it is reached. */
async function startBank(bank: ServerOptions, tlsMin?: TlsVersion): Promise<SnapCredentials> {
  server = createServer({ ...own, ...bank }, (request, response) => {
    const token = { responseCode: '2007300', accessToken: 't', expiresIn: '900' };
    const account = { responseCode: '2001600', beneficiaryAccountName: 'BUDI' };
    const history = { responseCode: '2001200', detailData: [] };
    const answer = request.url?.endsWith('/b2b') ? token : request.url?.includes('history') ? history : account;
    response.end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `https://127.0.0.1:${address.port}`,
    ...{ clientKey: 'c', clientSecret: 's', privateKey, partnerId: 'p', channelId: '1' },
    ...(tlsMin !== undefined && { tlsMin }),
  };
}

/** Asks a bank that speaks TLS so; gives what the inquiry comes to. */
async function ask(bank: ServerOptions, tlsMin?: TlsVersion) {
  const rail = openSnapBankTransfer(await startBank(bank, tlsMin));
  const inquiry = { bankCode: '014', accountNumber: '1', partnerReference: 'r' };
  const found = await rail.inquireAccount(inquiry, { signal: AbortSignal.timeout(5_000) });
  server?.closeAllConnections();
  await rail.close();
  return found;
}

/** Asks it for an hour of our account's history. */
async function askHistory(bank: ServerOptions, tlsMin?: TlsVersion) {
  const credentials = await startBank(bank, tlsMin);
  const style = { style: 'transaction-history', account: '1', moves: 'in', pageTimeoutMs: 5_000 } as const;
  const history = openSnapHistory({ ...credentials, ...style });
  const rows: HistoryRow[] = [];
  try {
    const toMs = Date.now();
    for await (const row of history.list({ fromMs: toMs - 3_600_000, toMs }, { signal: AbortSignal.timeout(5_000) }))
      rows.push(row);
    return rows;
  } finally {
    server?.closeAllConnections();
    await history.close();
  }
}

const found = { outcome: 'found', accountName: 'BUDI' };
const noConnection = { outcome: 'unknown', reason: expect.stringMatching(/^the connection to the bank failed: E(RR|PROTO)/) };
const only12 = { maxVersion: 'TLSv1.2' } as const;

test.each<[string, ServerOptions, TlsVersion | undefined, object]>([
  ['a bank with TLS 1.3 is spoken to', {}, undefined, found],
  ['one that has no more than 1.2 is not', only12, undefined, noConnection],
  ['unless the rail allows it', only12, '1.2', found],
  ['which also speaks 1.3', { minVersion: 'TLSv1.3' }, '1.2', found],
  ['and no suite that ASPI does not allow', { ...only12, ciphers: 'ECDHE-RSA-AES256-SHA384' }, '1.2', noConnection],
])('%s', async (_what, bank, tlsMin, outcome) => expect(await ask(bank, tlsMin)).toEqual(outcome));

test('the history of an account is asked in the same way', async () => {
  expect(await askHistory({})).toEqual([]);
  await expect(askHistory(only12)).rejects.toThrow();
  expect(await askHistory(only12, '1.2')).toEqual([]);
});
