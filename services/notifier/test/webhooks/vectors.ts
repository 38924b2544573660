import { createHmac } from 'node:crypto';
import {
  bodyHash,
  canonicalJson,
  hashOfCanonical,
  isTimestampInWindow,
  type Json,
  jakartaDay,
  SIGNATURE_WINDOW_SECONDS,
  signRequest,
  stringToSign,
  tokenSignature,
  verifyRequestSignature,
} from '@gerbang/core';
import { SAMPLE_MS } from './sample-payloads.ts';
import { SAMPLES, webhookOf } from './samples.ts';

/** A request or webhook as received, what its receiver computes, and whether the signature holds. */
export type SignatureVector = {
  name: string;
  about: 'request' | 'webhook';
  client_secret: string;
  /** The receiver's clock, Unix seconds. */
  now: number;
  method: string;
  /** With the query. */
  path: string;
  access_token: string;
  timestamp: string;
  headers: Record<string, string>;
  body: string;
  canonical_json: string;
  body_sha256: string;
  string_to_sign: string;
  signature: string;
  valid: boolean;
  /** What differs from what was signed; null where nothing does. */
  differs: string | null;
};

type Sent = { about: SignatureVector['about']; method: string; path: string; token: string; body: string; timestamp: string };

const SECRET = 'vW3c-9hQx_demo-secret-0123456789abcdefghijk';
const TIMESTAMP = String(Math.floor(SAMPLE_MS / 1_000));
/** Three parts as a JWT has, but no valid token. */
const TOKEN = 'eyJhbGciOiJFZERTQSIsImtpZCI6InRlc3QifQ.eyJzdWIiOiIwMUtBSjRROFYwIn0.c2lnbmF0dXJl';
const TRANSFER = '/api/v2.0/disbursement/transfer';
const HOOK = '/hooks/gerbang?shop=1&y=%20x';

const ordered =
  '{"account_id":"01KAJ4Q8W5T9Y2B7M3C6D1E0FG","amount":{"currency":"IDR","value":"150000.00"},"bank_account_number":"1234567890","bank_code":"014","reference_number":"first-1"}';

/** Bodies that are easily normalized wrongly. */
const BODIES: readonly [name: string, body: string][] = [
  ['a body that is its own normalized JSON', ordered],
  [
    'keys in another order, at every depth',
    '{"reference_number":"first-1","bank_code":"014","amount":{"value":"150000.00","currency":"IDR"},"account_id":"01KAJ4Q8W5T9Y2B7M3C6D1E0FG"}',
  ],
  ['white space and a line feed at the end', '{\r\n\t"b" : [ 1 , 2 ],\n  "a" : "x y"\n}\n'],
  ['letters beyond ASCII as they are', '{"name":"Café Ñandú – “Toko” 東京 😀"}'],
  [
    'the same letters escaped',
    '{"name":"Caf\\u00e9 \\u00D1and\\u00fa \\u2013 \\u201cToko\\u201d \\u6771\\u4eac \\ud83d\\ude00"}',
  ],
  ['a slash, escaped and not', '{"a":"https:\\/\\/shop.example\\/x","b":"https://shop.example/x"}'],
  ['signs of HTML', '{"a":"<b>Tom & \\u003cJerry\\u003e</b>"}'],
  ['control characters', '{"a":"\\u0008\\t\\n\\f\\r\\u0000\\u001F\\u007f","b":"\\"\\\\"}'],
  ['line and paragraph separators', '{"a":"x\\u2028y\\u2029z"}'],
  ['text that looks like an escape', '{"a":"\\\\u00e9 \\\\\\" \\\\/"}'],
  ['keys by UTF-16 code units, not by code points', '{"😀":1,"ﬁ":2,"z":3,"é":4}'],
  ['capitals before small letters, digits as text, an empty key', '{"b":1,"B":2,"10":3,"9":4,"a10":5,"a9":6,"":7,"_":8}'],
  [
    'numbers that have another shortest form',
    '{"a":1.0,"b":150000.00,"c":1e3,"d":1E+2,"e":-0,"f":-0.0,"g":0.10,"h":12.50e1,"i":-1.50}',
  ],
  ['small numbers', '{"a":0.000001,"b":0.0000001,"c":1.5e-7,"d":5e-324,"e":0.1,"f":123e-20}'],
  [
    'large numbers, which lose digits as IEEE doubles',
    '{"a":9007199254740993,"b":123456789012345678901,"c":1e20,"d":1e21,"e":12345678901234567890123,"f":1.7976931348623157e308,"g":100000000000000000000000}',
  ],
  ['no body', ''],
  ['an empty object', '{}'],
  ['empty things, null, booleans', '{"d":null,"c":[],"b":{},"a":[{}],"e":false,"f":true,"g":""}'],
  ['arrays keep their order, objects in them do not', '{"a":[3,1,2,[{"y":1,"x":[true,{"b":1,"a":2}]}]]}'],
  ['an array', '[{"b":1,"a":2},"x"]'],
  ['JSON within JSON stays text', '{"payload":"{\\"b\\": 1, \\"a\\": 2.0}"}'],
];

/** Signs what is sent, as the gateway and its merchants do; `received` replaces what arrives, `now` is the receiver's clock. */
function vector(
  name: string,
  sent: Sent,
  differs: string | null = null,
  received: Partial<Sent & { secret: string; signature: string; now: number; headers: Record<string, string> }> = {},
): SignatureVector {
  const signed = signatureOf(sent, SECRET);
  const { about, method, path, token, body, timestamp, secret = SECRET, now = Number(sent.timestamp) } = { ...sent, ...received };
  const json: Json | undefined = body === '' ? undefined : JSON.parse(body);
  const request = { method, path, accessToken: token, body: json, timestamp };
  const signature = received.signature ?? signed;
  const holds = verifyRequestSignature(request, secret, signature) && isTimestampInWindow(timestamp, now * 1_000);
  if (holds !== (differs === null)) throw new Error(`the vector "${name}" is not what it says`);
  return {
    name,
    about,
    client_secret: secret,
    now,
    method,
    path,
    access_token: token,
    timestamp,
    headers: received.headers ?? { Authorization: `Bearer ${token}`, 'X-Timestamp': timestamp, 'X-Signature': signature },
    body,
    canonical_json: json === undefined ? '' : canonicalJson(json),
    body_sha256: bodyHash(json),
    string_to_sign: stringToSign(request),
    signature: signatureOf({ method, path, token, body, timestamp }, secret),
    valid: holds,
    differs,
  };
}

function signatureOf({ method, path, token, body, timestamp }: Omit<Sent, 'about'>, secret: string): string {
  const json: Json | undefined = body === '' ? undefined : JSON.parse(body);
  return signRequest({ method, path, accessToken: token, body: json, timestamp }, secret);
}

function requests(): SignatureVector[] {
  const base = { about: 'request', method: 'POST', path: TRANSFER, token: TOKEN, timestamp: TIMESTAMP } as const;
  return [
    ...BODIES.map(([name, body]) => vector(name, { ...base, body })),
    vector('the query as it is sent, in its order', { ...base, path: `${TRANSFER}?b=2&a=%20x&a=1&c=%C3%A9+y`, body: ordered }),
    vector('a path that ends in a slash', { ...base, path: `${TRANSFER}/`, body: ordered }),
  ];
}

function webhooks(): SignatureVector[] {
  const base = {
    about: 'webhook',
    method: 'POST',
    path: HOOK,
    token: 'u3Vd0mJ6kR9sQ2xW-5tYbN8pLc1_aZfE7hGiOjKqMvs',
    timestamp: TIMESTAMP,
  } as const;
  const bodies = SAMPLES.map((sample) => ({ type: sample.type, body: JSON.stringify(webhookOf(sample).body) }));
  const sent = { ...base, body: bodies[0]?.body ?? '' };
  const right = signatureOf(sent, SECRET);
  const headers = { Authorization: `Bearer ${base.token}`, 'X-Timestamp': TIMESTAMP, 'X-Signature': right };
  const now = Number(TIMESTAMP);
  return [
    ...bodies.map(({ type, body }) => vector(type, { ...base, body })),
    vector('a URL without a path', { ...sent, path: '/' }),
    vector('300 s old', sent, null, { now: now + 300 }),
    vector('the receiver’s clock is 300 s behind', sent, null, { now: now - 300 }),
    vector('header names in lower case', sent, null, { headers: lowerCase(headers) }),
    vector('white space put in on the way', sent, null, { body: JSON.stringify(JSON.parse(sent.body), undefined, 2) }),
    vector('another amount', sent, 'body', { body: sent.body.replace('"150000.00"', '"950000.00"') }),
    vector('a field more', sent, 'body', { body: sent.body.replace('{', '{"more":1,') }),
    vector('no body any more', sent, 'body', { body: '' }),
    vector('another path', sent, 'path', { path: HOOK.replace('gerbang', 'other') }),
    vector('the path without its query', sent, 'path', { path: '/hooks/gerbang' }),
    vector('the path in capitals', sent, 'path', { path: HOOK.toUpperCase() }),
    vector('another method', sent, 'method', { method: 'PUT' }),
    vector('another token', sent, 'access_token', { token: `${base.token}x` }),
    vector('another timestamp', sent, 'timestamp', { timestamp: String(now + 1) }),
    vector('301 s old', sent, 'timestamp', { now: now + 301 }),
    vector('the receiver’s clock is 301 s behind', sent, 'timestamp', { now: now - 301 }),
    vector('a timestamp in milliseconds', { ...sent, timestamp: `${TIMESTAMP}000` }, 'timestamp', { now }),
    vector('a timestamp in ISO 8601', { ...sent, timestamp: '2026-11-21T08:30:00Z' }, 'timestamp', { now }),
    vector('no timestamp', sent, 'timestamp', { timestamp: '', headers: { ...headers, 'X-Timestamp': '' } }),
    vector('another secret', sent, 'secret', { secret: `${SECRET}x` }),
    vector('the secret with a line feed', sent, 'secret', { secret: `${SECRET}\n` }),
    vector('the signature in capitals', sent, 'signature', { signature: right.toUpperCase() }),
    vector('the signature in Base64', sent, 'signature', { signature: Buffer.from(right, 'hex').toString('base64') }),
    vector('one digit less', sent, 'signature', { signature: right.slice(0, -1) }),
    vector('no signature', sent, 'signature', { signature: '' }),
    vector('HMAC-SHA256', sent, 'algorithm', { signature: createHmac('sha256', SECRET).update(textOf(sent)).digest('hex') }),
    vector('the hash of the body as it was sent', sent, 'body', {
      signature: createHmac('sha512', SECRET).update(rawTextOf(sent)).digest('hex'),
    }),
  ];
}

/** What vectors of the v1.1 token endpoint's signature tell. */
function accessTokens() {
  const client = { client_id: 'ck_7Yq2mX9vR4tB1nL6', client_secret: SECRET };
  return [
    ['in the morning in Jakarta', '2026-11-21T01:00:00Z'],
    ['the last second of the day in Jakarta', '2026-11-21T16:59:59Z'],
    ['the first second of the next day in Jakarta, the day before in UTC', '2026-11-21T17:00:00Z'],
    ['the first day of a year in Jakarta', '2026-12-31T17:00:00Z'],
  ].map(([name = '', at = '']) => {
    const day = jakartaDay(Date.parse(at));
    const text = `${client.client_id}_${SECRET}_${day}`;
    return {
      name,
      ...client,
      now: at,
      day,
      string_to_sign: text,
      signature: tokenSignature(client.client_id, SECRET, Date.parse(at)),
    };
  });
}

/** The content of docs/signature-vectors.json. */
export function signatureVectors() {
  return {
    description:
      'Signatures of requests and webhooks (docs/webhooks.md). Each is as it was received; canonical_json to signature is what the receiver computes, and the X-Signature received is good if valid says so. Texts are UTF-8; body is the exact body.',
    window_seconds: SIGNATURE_WINDOW_SECONDS,
    signatures: [...requests(), ...webhooks()],
    access_token_signatures: accessTokens(),
  };
}

function textOf({ method, path, token, body, timestamp }: Sent): string {
  return stringToSign({ method, path, accessToken: token, body: JSON.parse(body), timestamp });
}

/** The mistake of hashing the body without normalizing it. */
function rawTextOf(sent: Sent): string {
  return textOf(sent).replace(bodyHash(JSON.parse(sent.body)), hashOfCanonical(sent.body));
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
