import { connect } from 'node:net';
import type { TransferRequest } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';
import type { FakeMerchant } from './fake-services.ts';

const TRANSFER = '/api/v2.0/disbursement/transfer';
const CHECK = '/api/v2.0/disbursement/check-beneficiary';
const BALANCE = '/api/v1.0/balance-inquiry';

let edge: Edge;
const ordered: TransferRequest[] = [];
beforeAll(async () => {
  edge = await startEdge();
  edge.fakes.disbursement.transfer = async (request) => {
    ordered.push(request);
    return { transfer: transferOf() };
  };
});
afterAll(() => edge.close());

const money = (value: unknown, currency: unknown = 'IDR') => ({ value, currency });
const operator = { $gt: '' };

describe('v2 transfer: each field, each way to be wrong', () => {
  test.each<[string, unknown]>([
    ...['account_id', 'reference_number', 'bank_code', 'bank_account_number', 'amount'].flatMap((field): [string, unknown][] =>
      [undefined, null, operator, ['x'], true].map((value) => [field, value]),
    ),
    ['account_id', 5],
    ['reference_number', ''],
    ['reference_number', 'x'.repeat(65)],
    ['reference_number', 'tab\t'],
    ['reference_number', 'line\n'],
    ['reference_number', 'é'],
    ['reference_number', 12345],
    ['bank_code', '14'],
    ['bank_code', 14],
    ['bank_code', '0140'],
    ['bank_code', '٠١٤'],
    ['bank_code', 'cenaidja'],
    ['bank_code', 'CENAIDJAXXX'],
    ['bank_account_number', '12345'],
    ['bank_account_number', '1'.repeat(31)],
    ['bank_account_number', '12345678x0'],
    ['bank_account_number', '１２３４５６'],
    ['bank_account_number', 1234567890],
    ['bank_account_name', 5],
    ['bank_account_name', operator],
    ['bank_account_name', 'x'.repeat(101)],
    ['description', 'x'.repeat(101)],
    ['description', operator],
    ['description', '\ud800'],
    ['amount', 10_000],
    ['amount', '10000'],
    ['amount', {}],
    ['amount', money('10000', 'USD')],
    ['amount', { value: '10000' }],
    ['amount', money(10_000)],
    ['amount', money(operator)],
    ...[
      '',
      '0',
      '0.00',
      '-5',
      '+5',
      '1e3',
      '10.001',
      '1,000',
      ' 1',
      '1 ',
      '.5',
      '5.',
      '0x10',
      'NaN',
      'Infinity',
      '１２',
      '1000000000000',
      `1${'0'.repeat(400)}`,
    ].map((value): [string, unknown] => ['amount', money(value)]),
  ])('%s: %j', async (field, value) => {
    const merchant = edge.merchant();
    const before = ordered.length;
    const reply = await edge.sendSigned(merchant, 'POST', TRANSFER, { ...orderOf(merchant), [field]: value });
    expect([reply.http, reply.json.response_code]).toEqual([422, 'SP018']);
    expect(reply.json.data).toMatchObject({
      message: expect.stringContaining(`${field}: `),
      errors: { [field]: expect.arrayContaining([expect.any(String)]) },
    });
    expect(ordered.length).toBe(before);
  });
});

describe('v1 transfer: the amount is a number', () => {
  const raw = async (merchant: FakeMerchant, amount: string) => {
    const order = { ...orderOf(merchant), amount: 0 };
    const text = JSON.stringify(order).replace('"amount":0', `"amount":${amount}`);
    return edge.sendSigned(merchant, 'POST', '/api/v1.0/disbursement/transfer', JSON.parse(text));
  };
  test.each([
    '0',
    '-0',
    '-5',
    '10.001',
    '1e12',
    '1e400',
    `1${'0'.repeat(399)}`,
    '"10000"',
    'null',
    'true',
    '{"value":"10000","currency":"IDR"}',
    '[1]',
    '5e-324',
  ])('%s is none', async (amount) => {
    const reply = await raw(edge.merchant(), amount);
    expect(reply.http).toBe(422);
    expect(reply.json).toMatchObject({ error: { code: 422, errors: { amount: [expect.any(String)] } } });
    expect(reply.json.data).toEqual({ errors: Reflect.get(Object(reply.json.error), 'errors') });
  });
  test.each([
    ['25000', 2_500_000n],
    ['1e4', 1_000_000n],
    ['0.1', 10n],
    ['12345.67', 1_234_567n],
    ['999999999999.99', 99_999_999_999_999n],
  ])('%s is %s sen', async (amount, sen) => {
    expect((await raw(edge.merchant(), amount)).http).toBe(200);
    expect(ordered.at(-1)?.amountSen).toBe(sen);
  });
});

test('what is right arrives as it is meant; unknown fields are ignored', async () => {
  const merchant = edge.merchant();
  const order = {
    ...orderOf(merchant),
    reference_number: ' !~"$gt{}',
    bank_code: 'CENAIDJA',
    bank_account_name: 'Ibu Sri',
    description: '💸'.repeat(100),
    amount: { value: '150000.5', currency: 'IDR', extra: 1 },
    unknown: operator,
    constructor: 'x',
    merchant_id: 'another',
  };
  const text = JSON.stringify(order).replace('"unknown"', '"__proto__"');
  const reply = await edge.sendSigned(merchant, 'POST', TRANSFER, JSON.parse(text));
  expect(reply.http).toBe(200);
  expect(ordered.at(-1)).toMatchObject({
    merchantId: merchant.merchantId,
    accountId: merchant.accountIds[0],
    referenceNumber: ' !~"$gt{}',
    bankCode: 'CENAIDJA',
    bankAccountName: 'Ibu Sri',
    description: '💸'.repeat(100),
    amountSen: 15_000_050n,
  });
  expect(ordered.at(-1)?.idempotencyKey).toBeUndefined();
});

test('an account id is no validation error, whatever its text is', async () => {
  const merchant = edge.merchant();
  expect((await edge.sendSigned(merchant, 'POST', TRANSFER, { ...orderOf(merchant), account_id: 'not-a-ulid' })).http).toBe(200);
  expect(ordered.at(-1)?.accountId).toBe('not-a-ulid');
});

test('null is no body left out, where every field may be left out', async () => {
  const headers = edge.signedIn(edge.merchant());
  const reply = await edge.send('PUT', '/api/v1.0/callback-settings', { headers, raw: 'null' });
  expect(reply.http).toBe(422);
  expect(reply.json.error).toMatchObject({ errors: { body: ['must be a JSON object'] } });
});

test.each(['x', '1e3', '-1', '1000000000000000'])('a filter by a numeric id refuses %s', async (id) => {
  const merchant = edge.merchant();
  const path = `/api/v1.0/payment-link-histories/${merchant.accountIds[0]}?payment_link_id=${id}`;
  const reply = await edge.send('GET', path, { headers: edge.signedIn(merchant) });
  expect(reply.http).toBe(422);
  expect(reply.json.error).toMatchObject({ errors: { payment_link_id: [expect.stringContaining('whole number')] } });
});

describe('bodies', () => {
  const check = async (raw: string | Uint8Array, headers: Record<string, string> = {}) => {
    const reply = await edge.send('POST', CHECK, { headers: { ...edge.signedIn(edge.merchant()), ...headers }, raw });
    return [reply.http, reply.json.response_code];
  };
  const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;

  test.each<[string, string | Uint8Array, [number, string]]>([
    ['unfinished', '{"a":', [400, 'SP012']],
    ['two values', '{} {}', [400, 'SP012']],
    ['white space', '  ', [400, 'SP012']],
    ['NaN', '{"a":NaN}', [400, 'SP012']],
    ['a comment', '{}//', [400, 'SP012']],
    ['a byte order mark', '\ufeff{}', [400, 'SP012']],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]), [400, 'SP012']],
    ['half a character', Buffer.from('{"a":"é"}').subarray(0, 7), [400, 'SP012']],
    ['a lone surrogate in CESU', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), [400, 'SP012']],
    ['UTF-16', Buffer.from('{}', 'utf16le'), [400, 'SP012']],
    ['the same key twice', '{"bank_code":"014","bank_code":"008"}', [400, 'SP012']],
    ['the same key twice, once escaped', '{"bank_code":"014","b\\u0061nk_code":"008"}', [400, 'SP012']],
    ['the same key twice further down', '{"a":[{"b":{"c":1,"d":"}{","c":2}}]}', [400, 'SP012']],
    ['65 levels', nested(65), [400, 'SP012']],
    ['very deep arrays', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, [400, 'SP012']],
    ['one byte too large', `{"a":"${'x'.repeat(256 * 1024 - 7)}"}`, [413, 'SP012']],
    ['a megabyte', 'x'.repeat(1_000_000), [413, 'SP012']],
    ['12 megabytes', 'x'.repeat(12_000_000), [413, 'SP012']],
    ['64 levels', nested(64), [422, 'SP018']],
    ['just not too large', `{"a":"${'x'.repeat(256 * 1024 - 8)}"}`, [422, 'SP018']],
    ['the same key in two objects', '{"a":{"x":1},"b":{"x":1},"c":["x","x"],"d":"\\"x\\",\\"x"}', [422, 'SP018']],
    ['an array', '[]', [422, 'SP018']],
    ['a string', '"x"', [422, 'SP018']],
    ['a number', '1e400', [422, 'SP018']],
    ['null', 'null', [422, 'SP018']],
  ])('%s', async (_what, raw, expected) => {
    expect(await check(raw)).toEqual(expected);
  });

  test.each([
    ['text/plain', 400],
    ['application/x-www-form-urlencoded', 400],
    ['multipart/form-data; boundary=x', 400],
    ['no media type', 400],
    ['application/jsonx', 400],
    ['application/json; charset=utf-8', 422],
    ['Application/JSON', 422],
    ['application/problem+json', 422],
  ])('Content-Type %s', async (type, http) => {
    expect(await check('{}', { 'content-type': type })).toEqual([http, http === 400 ? 'SP012' : 'SP018']);
  });

  test('none at all names what is missing', async () => {
    const reply = await edge.send('POST', CHECK, { headers: edge.signedIn(edge.merchant()) });
    expect(reply.json.data).toMatchObject({ errors: { bank_code: ['is required'], bank_account_number: ['is required'] } });
  });

  test('JSON without a Content-Type is JSON', async () => {
    const headers = edge.signedIn(edge.merchant());
    const reply = await edge.send('POST', CHECK, { headers, raw: new TextEncoder().encode('{}'), untyped: true });
    expect(reply.json).toMatchObject({ response_code: 'SP018', data: { errors: { bank_code: ['is required'] } } });
  });
});

test('errors echo what identifies the request, and nothing that is long or no text', async () => {
  const merchant = edge.merchant();
  const order = {
    ...orderOf(merchant),
    amount: null,
    bank_account_number: 'x'.repeat(100),
    bank_code: operator,
    description: 'secret',
  };
  const { data } = (await edge.sendSigned(merchant, 'POST', TRANSFER, order)).json;
  expect(Object.keys(Object(data)).sort()).toEqual(['account_id', 'errors', 'message', 'reference_number']);
});

describe('what is no HTTP', () => {
  const talk = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(new URL(edge.url).port), '127.0.0.1', () => socket.write(bytes));
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text)).on('error', reject);
    });

  /** Status, headers by lower-case name, and the JSON of what was answered. */
  const read = (answer: string) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const [line = '', ...fields] = head.split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => [field.split(': ', 1)[0] ?? '', field.replace(/^[^:]*: /, '')]),
    );
    return { status: Number(line.split(' ')[1]), headers, json: JSON.parse(body) };
  };
  const HUGE = 'x'.repeat(40_000);
  const V2_PATH = '/api/v2.0/payment-link-manage/A/1';
  const v1Of = (status: number) => ({ status, success: false, error: { code: status } });
  const v2Of = (code: string) => ({ response_code: code, data: { message: expect.any(String) } });

  test.each([
    ['noise', 'hello\r\n\r\n', 400, v1Of(400)],
    ['a head that is too large', `GET / HTTP/1.1\r\nHost: x\r\nX: ${HUGE}\r\n\r\n`, 431, v1Of(431)],
    ['the same of a v2 path', `GET ${CHECK} HTTP/1.1\r\nHost: x\r\nX: ${HUGE}\r\n\r\n`, 431, v2Of('SP012')],
    ['the same of a v2 path with v1 answers', `GET ${V2_PATH} HTTP/1.1\r\nHost: x\r\nX: ${HUGE}\r\n\r\n`, 431, v1Of(431)],
    ['two lengths', `POST ${BALANCE} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx`, 400, v1Of(400)],
    ['no Host', `GET ${BALANCE} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, v1Of(400)],
    ['no Host of a v2 path', `POST ${CHECK} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, v2Of('SP012')],
    ['no Host of a v2 path with v1 answers', `GET ${V2_PATH} HTTP/1.1\r\nConnection: close\r\n\r\n`, 400, v1Of(400)],
    ['no Host of an unknown path', 'GET /api/v2.0/x HTTP/1.1\r\nConnection: close\r\n\r\n', 400, v2Of('SP012')],
    ['no Host in HTTP/1.0, which has none', `GET ${BALANCE} HTTP/1.0\r\n\r\n`, 422, v1Of(422)],
    ['two Hosts', `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\nhost: y\r\nConnection: close\r\n\r\n`, 400, v1Of(400)],
    ['two equal Hosts', `POST ${CHECK} HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n`, 400, v2Of('SP012')],
    [
      'two Hosts of what is served to anyone',
      'GET /docs HTTP/1.1\r\nHost: x\r\nHOST: y\r\nConnection: close\r\n\r\n',
      400,
      v1Of(400),
    ],
    ['two Hosts and a path that is none', 'GET /%zz HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n', 400, v1Of(400)],
    [
      'an expectation that there is not',
      `GET ${BALANCE} HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n`,
      422,
      v1Of(422),
    ],
  ])('%s', async (_what, bytes, status, body) => {
    const answer = read(await talk(bytes));
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject(body);
    expectHeaders(answer.headers);
  });
});

/** What every refusal carries. */
function expectHeaders(headers: Headers) {
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('cache-control')).toBe('no-store');
}

test.each([
  ['GET', '/api/v1.0/%zz', 404, { error: { code: 404 } }],
  ['GET', '/api/v2.0/%zz', 404, { response_code: 'SP014' }],
  ['GET', '/docs/%zz', 404, { error: { code: 404 } }],
  ['GET', '/api/v2.0/payment-link-manage/A/%zz', 404, { error: { code: 404 } }],
  ['PUT', '/api/v2.0/payment-link-manage/A/%zz', 405, { error: { code: 4059901 } }],
  ['POST', '/api/v1.0/balance-inquiry/%zz', 405, { error: { code: 4059901 } }],
  ['POST', '/api/v2.0/qris/status/%zz', 404, { response_code: 'SP014' }],
  ['GET', '/api/v1.0/nowhere', 404, { error: { code: 404 } }],
  ['DELETE', '/api/v2.0/payment-link-manage/A/1', 405, { error: { code: 4059901 } }],
  ['DELETE', '/api/v1.0/disbursement/inquiry-status', 405, { response_code: 'SP012' }],
  ['PUT', '/openapi.json', 405, { error: { code: 4059901 } }],
])('%s %s: %d in the envelope of its route, with the headers of every answer', async (method, path, status, body) => {
  const response = await fetch(edge.url + path, { method });
  expect([response.status, await response.json()]).toMatchObject([status, body]);
  expectHeaders(response.headers);
});

test.each([
  ['/api/v2.0/disbursement/check-beneficiary', { response_code: 'SP012' }],
  ['/api/v1.0/accounts', { error: { code: 413 } }],
])('a body of %s that is too large is 413 in its envelope', async (path, body) => {
  const headers = { ...edge.signedIn(edge.merchant()), 'content-type': 'application/json' };
  const response = await fetch(edge.url + path, { method: 'POST', headers, body: JSON.stringify('x'.repeat(300_000)) });
  expect([response.status, await response.json()]).toMatchObject([413, body]);
  expectHeaders(response.headers);
});

test('what the router cannot decode is logged and counted as other requests are', async () => {
  await fetch(`${edge.url}/%zz`);
  const metrics = async () => (await fetch(`http://127.0.0.1:${edge.service.adminPort}/metrics`)).text();
  expect(await metrics()).toMatch(/gerbang_http_requests_total\{[^}]*route="unknown"[^}]*status="404"[^}]*\} [1-9]/);
});
