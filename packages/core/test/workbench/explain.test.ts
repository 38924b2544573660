import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { tokenSignature } from '../../src/index.ts';
import { CAUSE_NAMES } from '../../src/workbench/causes.ts';
import { explainSignature, presentExplanation, type Received } from '../../src/workbench/index.ts';

const SECRET = 'vW3c-9hQx_demo-secret-0123456789abcdefghijk';
const NOW_MS = Date.parse('2026-11-21T17:30:00.250Z');
const TIMESTAMP = String(Math.floor(NOW_MS / 1_000));
const TOKEN = 'aaa.bbb.ccc';
const PARTNER = 'pk_123';
const PATH = '/api/v2.0/disbursement/transfer?b=2&a=%20x';
const BODY = '{"reference_number":"r 1","amount":{"value":"1.00","currency":"IDR"},"data":{"b":1,"a":2}}';
const SORTED = '{"amount":{"currency":"IDR","value":"1.00"},"data":{"a":2,"b":1},"reference_number":"r 1"}';

const named = new Set<string>();

const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Uint8Array, text: string, algorithm = 'sha512') => createHmac(algorithm, key).update(text).digest();

type Signed = {
  method?: string;
  path?: string;
  token?: string;
  /** What is hashed in place of the normalized JSON. */
  text?: string | Uint8Array;
  hash?: string;
  timestamp?: string;
  key?: string | Uint8Array;
  separator?: string;
};

/** The string to sign and signature of a request, written from the specification, with nothing of the code under test. */
function sign(signed: Signed = {}): { text: string; hex: string } {
  const { method = 'POST', path = PATH, token = TOKEN, text = SORTED, timestamp = TIMESTAMP, key = SECRET } = signed;
  const all = [method, path, token, signed.hash ?? sha256(text), timestamp].join(signed.separator ?? ':');
  return { text: all, hex: hmac(key, all).toString('hex') };
}

type Over = Partial<Received> & { ownString?: string; secret?: string };

/** Explains what was received with a signature; gives the causes. */
function explain(signature: string, over: Over = {}) {
  const headers = {
    Host: 'api.example',
    'X-Partner-Id': PARTNER,
    AUTHORIZATION: `Bearer ${TOKEN}`,
    'x-timestamp': TIMESTAMP,
    'X-Signature': signature,
    ...over.headers,
  };
  const received = { method: over.method ?? 'POST', url: over.url ?? PATH, headers, body: over.body ?? BODY };
  const secret = over.secret ?? SECRET;
  const explanation = explainSignature(received, secret, { nowMs: NOW_MS, ownString: over.ownString });
  for (const { cause } of explanation.differences) named.add(cause);
  expect(JSON.stringify(presentExplanation(explanation))).not.toContain(SECRET);
  return explanation;
}

const causesOf = (explanation: ReturnType<typeof explain>) => explanation.differences.map(({ cause }) => cause);

/** A body, and how somebody has written it before hashing. */
const bodies: [cause: string | string[], body: string, hashed: string | Uint8Array][] = [
  ['keys_not_sorted', BODY, BODY],
  ['keys_sorted_outermost_only', '{"b":{"d":1,"c":2},"a":1}', '{"a":1,"b":{"d":1,"c":2}}'],
  ['keys_sorted_without_case', '{"b":1,"B":2,"a":3}', '{"a":3,"b":1,"B":2}'],
  ['keys_sorted_by_code_point', '{"😀":1,"ﬁ":2}', '{"ﬁ":2,"😀":1}'],
  ['white_space', BODY, SORTED.replaceAll(',', ', ').replaceAll(':', ': ')],
  ['white_space', BODY, JSON.stringify(JSON.parse(SORTED), undefined, 4)],
  [['keys_not_sorted', 'white_space'], BODY, JSON.stringify(JSON.parse(BODY), undefined, 2)],
  ['unicode_escaped', '{"a":"é😀"}', '{"a":"\\u00e9\\ud83d\\ude00"}'],
  ['slashes_escaped', '{"a":"/x"}', '{"a":"\\/x"}'],
  [['unicode_escaped', 'slashes_escaped'], '{"a":"é/"}', '{"a":"\\u00e9\\/"}'],
  ['html_escaped', '{"a":"<&>"}', '{"a":"\\u003c\\u0026\\u003e"}'],
  ['escapes_as_received', '{"b":"\\u0041","a":1}', '{"a":1,"b":"\\u0041"}'],
  ['numbers_as_received', '{"b":1.50,"a":1e3}', '{"a":1e3,"b":1.50}'],
  ['numbers_as_floats', '{"b":1.00,"a":1e3}', '{"a":1000.0,"b":1.0}'],
  ['body_as_received', '{ "b":1,\n\n"a":[ ] }', '{ "b":1,\n\n"a":[ ] }'],
  ['trailing_newline', BODY, `${SORTED}\n`],
  [['body_as_received', 'trailing_newline'], BODY, `${BODY}\n`],
  ['byte_order_mark', BODY, `\ufeff${SORTED}`],
  ['double_encoded', BODY, JSON.stringify(BODY)],
  ['double_encoded', BODY, JSON.stringify(SORTED)],
  ['sent_double_encoded', JSON.stringify(BODY), SORTED],
  ['data_only', BODY, '{"a":2,"b":1}'],
  ['body_left_out', BODY, ''],
  ['empty_body_not_empty', '', '{}'],
  ['latin1', '{"a":"é"}', Buffer.from('{"a":"é"}', 'latin1')],
];

describe('a mistake in one component is named', () => {
  test.each(bodies)('%j of %s', (cause, body, hashed) => {
    const explanation = explain(sign({ text: hashed }).hex, { body });
    expect(causesOf(explanation)).toEqual([cause].flat());
    expect(explanation.differences.every(({ component }) => component === 'body')).toBe(true);
  });

  test.each<[cause: string, signed: Signed]>([
    ['method_not_upper_case', { method: 'post' }],
    ['method_other', { method: 'PUT' }],
    ['method_left_out', { method: '' }],
    ['path_without_query', { path: '/api/v2.0/disbursement/transfer' }],
    ['path_with_host', { path: `https://api.example${PATH}` }],
    ['path_with_host', { path: 'api.example/api/v2.0/disbursement/transfer' }],
    ['path_without_leading_slash', { path: PATH.slice(1) }],
    ['path_with_other_trailing_slash', { path: PATH.replace('?', '/?') }],
    ['path_decoded', { path: PATH.replace('%20', ' ') }],
    ['path_encoded', { path: encodeURI(PATH) }],
    ['path_query_sorted', { path: '/api/v2.0/disbursement/transfer?a=%20x&b=2' }],
    ['path_left_out', { path: '' }],
    ['token_with_bearer', { token: `Bearer ${TOKEN}` }],
    ['token_with_white_space', { token: `${TOKEN}\n` }],
    ['token_left_out', { token: '' }],
    ['token_is_partner_id', { token: PARTNER }],
    ['hash_in_capitals', { hash: sha256(SORTED).toUpperCase() }],
    ['hash_in_base64', { hash: createHash('sha256').update(SORTED).digest('base64') }],
    ['hash_sha512', { hash: createHash('sha512').update(SORTED).digest('hex') }],
    ['hash_other', { hash: createHash('md5').update(SORTED).digest('hex') }],
    ['hash_keyed', { hash: hmac(SECRET, SORTED, 'sha256').toString('hex') }],
    ['body_not_hashed', { hash: SORTED }],
    ['timestamp_in_milliseconds', { timestamp: `${TIMESTAMP}250` }],
    ['timestamp_in_iso_8601', { timestamp: '2026-11-21T17:30:00.000Z' }],
    ['timestamp_in_iso_8601', { timestamp: '2026-11-22T00:30:00+07:00' }],
    ['timestamp_taken_twice', { timestamp: String(Number(TIMESTAMP) - 2) }],
    ['timestamp_left_out', { timestamp: '' }],
    ['separator', { separator: '|' }],
    ['secret_with_white_space', { key: `${SECRET}\n` }],
    ['secret_quoted', { key: `"${SECRET}"` }],
    ['secret_decoded', { key: Buffer.from(SECRET, 'base64') }],
    ['secret_in_other_case', { key: SECRET.toLowerCase() }],
    ['partner_id_as_secret', { key: PARTNER }],
    ['token_as_secret', { key: TOKEN }],
    ['unexplained', { key: 'another secret' }],
  ])('%s', (cause, signed) => {
    expect(causesOf(explain(sign(signed).hex))).toEqual([cause]);
  });

  test.each<[cause: string, signature: string]>([
    ['hmac_other', hmac(SECRET, sign().text, 'sha256').toString('hex')],
    [
      'not_an_hmac',
      createHash('sha512')
        .update(sign().text + SECRET)
        .digest('hex'),
    ],
    ['key_and_text_swapped', hmac(sign().text, SECRET).toString('hex')],
    ['signature_in_capitals', sign().hex.toUpperCase()],
    ['signature_in_base64', Buffer.from(sign().hex, 'hex').toString('base64')],
    ['signature_in_base64', Buffer.from(sign().hex, 'hex').toString('base64url')],
    ['signature_in_base64', Buffer.from(sign().hex).toString('base64')],
    ['signature_wrapped', `sha512=${sign().hex}`],
    ['signature_wrapped', `"${sign().hex}"`],
    ['signature_cut', sign().hex.slice(0, 127)],
    ['signature_unreadable', 'this is none'],
    ['signature_missing', ''],
  ])('%s', (cause, signature) => {
    expect(causesOf(explain(signature))).toEqual([cause]);
  });

  test('the secret given may be the one with the white space', () => {
    const explanation = explain(sign().hex, { secret: `${SECRET}\n` });
    expect(causesOf(explanation)).toEqual(['secret_with_white_space']);
  });

  test('a path in small letters, a timestamp out of the body', () => {
    expect(causesOf(explain(sign({ path: '/hook/a' }).hex, { url: '/Hook/A' }))).toEqual(['path_in_lower_case']);
    const body = '{"timestamp":"21 Nov 2026 15:30:00"}';
    const signed = { text: body, timestamp: '21 Nov 2026 15:30:00' };
    expect(causesOf(explain(sign(signed).hex, { body }))).toEqual(['timestamp_of_the_body']);
  });
});

test.each([[''], ['Basic YTpi'], [TOKEN], ['Bearer ']])('Authorization: %s has no token', (authorization) => {
  const token = authorization.replace(/^Bearer ?/, '');
  const explanation = explain(sign({ token }).hex, { headers: { AUTHORIZATION: authorization } });
  expect(causesOf(explanation)).toEqual(['token_missing']);
});

test('a body of 256 KiB is no trouble, whatever it is made of', () => {
  const many = (piece: string) => `[${Array.from({ length: Math.floor(262_000 / (piece.length + 1)) }, () => piece).join()}]`;
  const large = [
    JSON.stringify('x'.repeat(262_000)),
    JSON.stringify('\n'.repeat(131_000)),
    many('"é/"'),
    many('1.50'),
    many('{"b":1,"a":{}}'),
  ];
  for (const body of large) {
    expect(explain(sign({ text: 'another' }).hex, { body }).valid).toBe(false);
    expect(causesOf(explain(sign({ text: `${body}\r\n` }).hex, { body }))).toContain('trailing_newline');
  }
});

describe('X-Timestamp', () => {
  test.each<[header: string, signed: string, causes: string[]]>([
    ['', '', ['timestamp_missing']],
    [`${TIMESTAMP}000`, `${TIMESTAMP}000`, ['timestamp_not_unix_seconds']],
    [`${TIMESTAMP}000`, TIMESTAMP, ['timestamp_not_unix_seconds', 'timestamp_in_seconds']],
    ['2026-11-21T17:30:00Z', '2026-11-21T17:30:00Z', ['timestamp_not_unix_seconds']],
  ])('%j with %j signed', (header, timestamp, causes) => {
    expect(causesOf(explain(sign({ timestamp }).hex, { headers: { 'x-timestamp': header } }))).toEqual(causes);
  });

  test('out of the window is noted, in seconds', () => {
    const timestamp = String(Number(TIMESTAMP) - 400);
    const explanation = explain(sign({ timestamp }).hex, { headers: { 'x-timestamp': timestamp } });
    expect(explanation.valid).toBe(true);
    expect(explanation.notes).toEqual([expect.stringContaining('400 s ago')]);
  });
});

test('a body of another length than Content-Length says is noted', () => {
  const length = Buffer.byteLength(BODY);
  expect(explain(sign().hex, { headers: { 'Content-Length': String(length) } }).notes).toEqual([]);
  expect(explain(sign().hex, { headers: { 'Content-Length': String(length - 1) } }).notes).toEqual([
    `Content-Length is ${length - 1}, but the body has ${length} bytes: it is not the body that was sent`,
  ]);
});

describe('two mistakes are both named', () => {
  test.each<[causes: string[], signed: Signed, signature?: (hex: string) => string]>([
    [['keys_not_sorted', 'path_without_query'], { text: BODY, path: '/api/v2.0/disbursement/transfer' }],
    [['token_with_bearer', 'timestamp_in_milliseconds'], { token: `Bearer ${TOKEN}`, timestamp: `${TIMESTAMP}000` }],
    [['keys_not_sorted', 'secret_with_white_space'], { text: BODY, key: `${SECRET}\n` }],
    [['keys_not_sorted', 'signature_in_capitals'], { text: BODY }, (hex) => hex.toUpperCase()],
  ])('%j', (causes, signed, written = (hex) => hex) => {
    expect(causesOf(explain(written(sign(signed).hex)))).toEqual(causes);
  });
});

describe('with the string that was signed', () => {
  test.each<[causes: string[], signed: Signed]>([
    [['body_differs'], { text: '{"quite":"another"}' }],
    [['path_differs'], { path: '/quite/another:path' }],
    [['token_differs', 'timestamp_differs'], { token: 'other', timestamp: '1' }],
    [['method_differs'], { method: 'BREW' }],
    [
      ['body_differs', 'token_with_bearer', 'path_without_query'].reverse(),
      { text: 'x', token: `Bearer ${TOKEN}`, path: '/api/v2.0/disbursement/transfer' },
    ],
    [['secret_other'], { key: 'another secret' }],
    [['body_differs', 'secret_other'], { text: 'x', key: 'another secret' }],
  ])('%j', (causes, signed) => {
    const { hex, text } = sign(signed);
    expect(causesOf(explain(hex))).toEqual(['unexplained']);
    expect(causesOf(explain(hex, { ownString: `${text}\n` }))).toEqual(causes);
  });

  test('that is none', () => {
    const other = hmac(SECRET, 'something').toString('hex');
    expect(causesOf(explain(other, { ownString: 'something' }))).toEqual(['string_unlike']);
  });
});

describe('a body that the gateway does not read', () => {
  test.each([['{"a":'], ['{"a":1,"a":2}'], [`${'['.repeat(65)}${']'.repeat(65)}`], ['a=1&b=2']])('%s', (body) => {
    const explanation = explain(sign({ text: body }).hex, { body });
    expect(causesOf(explanation)).toEqual(['body_not_json']);
    expect(explanation.canonicalJson).toBeUndefined();
  });
});

describe('an access token request', () => {
  const CLIENT = 'ck_1';
  const token = (text: string, key = SECRET) => hmac(key, text).toString('hex');
  const ask = (signature: string, secret = SECRET) =>
    explain(signature, {
      url: '/api/v1.1/access-token/b2b',
      headers: { 'X-CLIENT-ID': CLIENT },
      body: '{"grant_type":"client_credentials"}',
      secret,
    });

  test('is good, and its string to sign hides the secret', () => {
    const explanation = ask(tokenSignature(CLIENT, SECRET, NOW_MS));
    expect(explanation).toMatchObject({ kind: 'access token', valid: true, stringToSign: `${CLIENT}_********_20261122` });
  });

  test.each<[cause: string, signature: string]>([
    ['day_of_utc', token(`${CLIENT}_${SECRET}_20261121`)],
    ['day_other', token(`${CLIENT}_${SECRET}_20261123`)],
    ['day_with_dashes', token(`${CLIENT}_${SECRET}_2026-11-22`)],
    ['client_id_is_partner_id', token(`${PARTNER}_${SECRET}_20261122`)],
    ['secret_with_white_space', token(`${CLIENT}_${SECRET}\n_20261122`, `${SECRET}\n`)],
    ['separator', token(`${CLIENT}:${SECRET}:20261122`)],
    ['hmac_other', hmac(SECRET, `${CLIENT}_${SECRET}_20261122`, 'sha256').toString('hex')],
    ['unexplained', token(`${CLIENT}_other_20261122`, 'other')],
  ])('%s', (cause, signature) => expect(causesOf(ask(signature))).toEqual([cause]));
});

type Vector = {
  name: string;
  client_secret: string;
  now: number;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  canonical_json: string;
  body_sha256: string;
  string_to_sign: string;
  signature: string;
  valid: boolean;
};

describe('the vectors of docs/signature-vectors.json', () => {
  const file = path.join(import.meta.dirname, '../../../../docs/signature-vectors.json');
  const { signatures }: { signatures: Vector[] } = JSON.parse(readFileSync(file, 'utf8'));

  test.each(signatures)('$about: $name', (vector) => {
    const { method, path: url, headers, body } = vector;
    const explanation = explainSignature({ method, url, headers, body }, vector.client_secret, { nowMs: vector.now * 1_000 });
    expect(explanation.valid && explanation.notes.length === 0).toBe(vector.valid);
    expect(explanation).toMatchObject({
      canonicalJson: vector.canonical_json,
      bodySha256: vector.body_sha256,
      stringToSign: vector.string_to_sign,
      expectedSignature: vector.signature,
    });
  });
});

afterAll(() =>
  expect(
    CAUSE_NAMES.filter((cause) => !named.has(cause)),
    'causes without a test',
  ).toEqual([]),
);
