import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { verifyTransaction } from '@gerbang/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BankTransferRail, type BankTransferRequest, openSnapBankTransfer } from '../src/bank-transfer/index.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOKEN = 'the-access-token';
const SECRET = 'the-client-secret';

type Seen = { path: string; headers: IncomingMessage['headers']; body: string };

/** A bank that gives tokens properly and answers transactions as the test says: what the simulator, being proper, never does. */
let server: Server;
let rail: BankTransferRail;
let answerWith: (response: ServerResponse, seen: Seen) => void;
let seen: Seen[];
let tokensIssued = 0;
let answerToken = (response: ServerResponse) => {
  response.end(JSON.stringify({ responseCode: '2007300', accessToken: `${TOKEN}-${++tokensIssued}`, expiresIn: '900' }));
};

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      if (request.url?.endsWith('/access-token/b2b')) return answerToken(response);
      const call = { path: request.url ?? '', headers: request.headers, body };
      seen.push(call);
      return answerWith(response, call);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  rail = openSnapBankTransfer({
    url: `http://127.0.0.1:${address.port}/snap/`,
    clientKey: 'client',
    clientSecret: SECRET,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    partnerId: 'partner',
    channelId: '95221',
    sourceAccountNumber: '111',
  });
});

beforeEach(() => {
  seen = [];
});

afterAll(async () => {
  await rail?.close();
  server?.closeAllConnections();
  server?.close();
});

const request: BankTransferRequest = {
  partnerReference: '01KAB',
  externalId: '42',
  amountSen: '1000001',
  beneficiaryBankCode: '014',
  beneficiaryAccountNumber: '1234567890',
  beneficiaryAccountName: 'Budi / "B"',
  merchantReference: 'm-1',
  remark: 'gaji',
  createdAtMs: Date.UTC(2026, 10, 21, 8, 4, 5),
};
const soon = () => ({ signal: AbortSignal.timeout(5_000) });
const reply = (status: number, body: string) => (response: ServerResponse) => response.writeHead(status).end(body);
const done = JSON.stringify({ responseCode: '2001800', responseMessage: 'Successful', referenceNo: 'bank-1' });

describe('what is sent', () => {
  test('is the same body at every send, signed with the path as it is requested', async () => {
    answerWith = reply(200, done);
    await rail.transfer(request, soon());
    await rail.transfer(structuredClone(request), soon());
    const [first, second] = seen;
    if (first === undefined || second === undefined) throw new Error('nothing was sent');
    expect(second.body).toBe(first.body);
    expect(JSON.parse(first.body)).toEqual({
      partnerReferenceNo: '01KAB',
      amount: { value: '10000.01', currency: 'IDR' },
      beneficiaryAccountName: 'Budi / "B"',
      beneficiaryAccountNo: '1234567890',
      beneficiaryBankCode: '014',
      sourceAccountNo: '111',
      transactionDate: '2026-11-21T15:04:05+07:00',
      additionalInfo: { merchantReference: 'm-1', remark: 'gaji' },
    });
    expect(first.path).toBe('/snap/v1.0/transfer-interbank');
    expect(first.headers).toMatchObject({ 'x-external-id': '42', 'x-partner-id': 'partner', 'channel-id': '95221' });
    const timestamp = String(first.headers['x-timestamp']);
    expect(Math.abs(Date.parse(timestamp) - Date.now())).toBeLessThan(10_000);
    const accessToken = String(first.headers.authorization).replace('Bearer ', '');
    const signed = { method: 'POST', path: first.path, accessToken, body: first.body, timestamp };
    expect(verifyTransaction(signed, SECRET, String(first.headers['x-signature']))).toBe(true);
  });

  test('goes once more with a new token after 401, and no third time', async () => {
    answerWith = (response, call) =>
      seen.length === 1
        ? reply(401, '{"responseCode":"4011801","responseMessage":"Invalid Token"}')(response)
        : reply(200, call.body.length > 0 ? done : '')(response);
    expect(await rail.transfer(request, soon())).toEqual({ outcome: 'succeeded', railReference: 'bank-1' });
    const [first, second] = seen.map(({ headers }) => headers.authorization);
    expect(second).not.toBe(first);
    seen = [];
    answerWith = reply(401, '{"responseCode":"4011800","responseMessage":"Unauthorized"}');
    expect(await rail.transfer(request, soon())).toEqual({ outcome: 'unknown', reason: '4011800 Unauthorized' });
    expect(seen).toHaveLength(2);
  });
});

describe('answers that tell nothing are unknown', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['a proxy’s page', reply(502, '<html>Bad Gateway</html>')],
    ['success that is no JSON', reply(200, 'OK')],
    ['an empty answer', reply(200, '')],
    ['JSON that is no object', reply(200, '[]')],
    ['success without a responseCode', reply(200, '{"referenceNo":"bank-1"}')],
    ['a failure’s HTTP status with success inside', reply(404, done)],
    ['success with a failure inside', reply(200, '{"responseCode":"4041811","responseMessage":"Invalid Account"}')],
    ['the answer of another service', reply(200, '{"responseCode":"2003600","referenceNo":"bank-1"}')],
    ['a page instead of a rejection', reply(403, '<html>Forbidden</html>')],
    ['a redirect', (response) => response.writeHead(302, { location: '/elsewhere' }).end()],
    ['an answer without end', reply(200, `{"responseCode":"2001800","x":"${'x'.repeat(400_000)}"}`)],
    [
      'an answer cut in the middle',
      (response) => response.writeHead(200, { 'content-length': '500' }).write(done, () => response.destroy()),
    ],
    ['a cut connection', (response) => response.destroy()],
  ])('%s', async (_what, answer) => {
    answerWith = answer;
    const result = await rail.transfer(request, { ...soon(), firstSend: true });
    expect(result.outcome).toBe('unknown');
  });

  test('no answer in time', async () => {
    answerWith = () => {};
    const result = await rail.transfer(request, { signal: AbortSignal.timeout(50) });
    expect(result).toEqual({ outcome: 'unknown', reason: 'no answer in time' });
  });

  test('nothing that listens', async () => {
    const nobody = openSnapBankTransfer({
      url: 'http://127.0.0.1:1',
      clientKey: 'client',
      clientSecret: SECRET,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      partnerId: 'p',
      channelId: 'c',
    });
    const result = await nobody.transfer(request, soon());
    expect(result).toEqual({ outcome: 'unknown', reason: 'the connection to the bank failed: ECONNREFUSED' });
    expect((await nobody.inquireTransfer(request, soon())).outcome).toBe('unknown');
    expect((await nobody.inquireAccount({ bankCode: '014', accountNumber: '1', partnerReference: 'r' }, soon())).outcome).toBe(
      'unknown',
    );
    await nobody.close();
  });
});

test('a reason never quotes a token, a secret or an answer that could hold one', async () => {
  answerWith = reply(401, '{"responseCode":"4011801","responseMessage":"Invalid Token"}');
  const proper = answerToken;
  answerToken = (response) => response.end(`{"accessToken":"${TOKEN}-leak" and no JSON`);
  const reasons: string[] = [];
  for (let i = 0; i < 2; i++) {
    const result = await rail.transfer(request, soon());
    if (result.outcome === 'unknown') reasons.push(result.reason);
  }
  answerToken = proper;
  expect(reasons).toHaveLength(2);
  expect(reasons.join(' ')).not.toContain(TOKEN);
  expect(reasons.join(' ')).not.toContain(SECRET);
});

test('a private key that is none is refused at the start, without being quoted', () => {
  const open = () =>
    openSnapBankTransfer({
      url: 'http://bank',
      clientKey: 'c',
      clientSecret: 's',
      privateKey: 'hunter2',
      partnerId: 'p',
      channelId: 'c',
    });
  expect(open).toThrow('no private key in PEM');
  expect(open).not.toThrow('hunter2');
});
