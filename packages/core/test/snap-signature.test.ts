import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalJson,
  messageStringToSign,
  minifyJson,
  signMessage,
  signTokenRequest,
  signTransaction,
  transactionStringToSign,
  verifyMessage,
  verifyTokenRequest,
  verifyTransaction,
} from '../src/index.ts';

const transaction = (body: string) => ({
  method: 'POST',
  path: '/v1.0/transfer-interbank',
  accessToken: 'tok',
  body,
  timestamp: '2026-11-21T15:04:05+07:00',
});

describe('minified JSON', () => {
  test('is what JSON.stringify makes, however the text was indented', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom('\t', '  ', '\n', ' \r\n'), (value, indent) => {
        expect(minifyJson(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('keeps the order of keys, unlike the normalized JSON of merchants’ signatures', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 2, maxLength: 8 }), (keys) => {
        const value = Object.fromEntries(keys.map((key, i) => [key, i]));
        const minified = minifyJson(JSON.stringify(value, null, 2));
        expect(Object.keys(JSON.parse(minified))).toEqual(keys);
        const sorted = [...keys].sort().every((key, i) => key === keys[i]);
        expect(minified === canonicalJson(value)).toBe(sorted);
      }),
    );
  });

  test.each([
    ['{ "a" : "x  y" }', '{"a":"x  y"}'],
    ['{"a": "quote \\" then  space"}', '{"a":"quote \\" then  space"}'],
    ['{"a": "ends in a backslash \\\\" , "b": 1}', '{"a":"ends in a backslash \\\\","b":1}'],
    ['[1.00 , 1e2,\t"\\u0041 "]', '[1.00,1e2,"\\u0041 "]'],
    ['{"b":1,"a":2}', '{"b":1,"a":2}'],
    ['"never ends \\', '"never ends \\'],
    ['', ''],
  ])('%s', (text, minified) => expect(minifyJson(text)).toBe(minified));

  test('text that is made to be slow is not', () => {
    const hostile = `"${'\\"'.repeat(200_000)}\\`;
    const startedMs = performance.now();
    expect(minifyJson(hostile)).toBe(hostile);
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe('the signature of a transaction', () => {
  test('is the HMAC that SNAP writes down, made here by hand', () => {
    const body = '{"b":"2","a":{"value":"10000.00","currency":"IDR"}}';
    const hash = createHash('sha256').update(body).digest('hex');
    const text = `POST:/v1.0/transfer-interbank:tok:${hash}:2026-11-21T15:04:05+07:00`;
    expect(transactionStringToSign(transaction(body))).toBe(text);
    expect(signTransaction(transaction(body), 'secret')).toBe(createHmac('sha512', 'secret').update(text).digest('base64'));
  });

  test('holds for the same body with other white space, and for nothing else', () => {
    const signature = signTransaction(transaction('{"a":1,"b":2}'), 'secret');
    expect(verifyTransaction(transaction('{\n  "a": 1,\n  "b": 2\n}'), 'secret', signature)).toBe(true);
    expect(verifyTransaction(transaction('{"b":2,"a":1}'), 'secret', signature)).toBe(false);
    expect(verifyTransaction(transaction('{"a":1,"b":2}'), 'other', signature)).toBe(false);
    expect(verifyTransaction({ ...transaction('{"a":1,"b":2}'), path: '/v1.0/x' }, 'secret', signature)).toBe(false);
    expect(verifyTransaction(transaction('{"a":1,"b":2}'), 'secret', 'short')).toBe(false);
  });
});

test('the signature of a token request is RSA’s, and nobody else’s', () => {
  const [ours, theirs] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  if (ours === undefined || theirs === undefined) throw new Error('no keys');
  const timestamp = '2026-11-21T15:04:05+07:00';
  const signature = signTokenRequest('client', timestamp, ours.privateKey);
  expect(verifyTokenRequest('client', timestamp, signature, ours.publicKey)).toBe(true);
  expect(verifyTokenRequest('client2', timestamp, signature, ours.publicKey)).toBe(false);
  expect(verifyTokenRequest('client', timestamp, signature, theirs.publicKey)).toBe(false);
  expect(verifyTokenRequest('client', timestamp, 'not base64 ¤', ours.publicKey)).toBe(false);
});

test('the asymmetric signature of a transaction covers method, path, minified body and time', () => {
  const [ours, theirs] = [0, 1].map(() => generateKeyPairSync('rsa', { modulusLength: 2048 }));
  if (ours === undefined || theirs === undefined) throw new Error('no keys');
  const message = {
    method: 'POST',
    path: '/v1.0/transfer-va/payment',
    body: '{ "b": 1 }',
    timestamp: '2026-11-21T15:04:05+07:00',
  };
  const hash = createHash('sha256').update('{"b":1}').digest('hex');
  expect(messageStringToSign(message)).toBe(`POST:/v1.0/transfer-va/payment:${hash}:2026-11-21T15:04:05+07:00`);
  const signature = signMessage(message, ours.privateKey);
  expect(verifyMessage({ ...message, body: '{"b":1}' }, signature, ours.publicKey)).toBe(true);
  expect(verifyMessage(message, signature, theirs.publicKey)).toBe(false);
  for (const other of [{ method: 'PUT' }, { path: '/v1.0/x' }, { body: '{"b":2}' }, { timestamp: '2026-11-21T15:04:06+07:00' }]) {
    expect(verifyMessage({ ...message, ...other }, signature, ours.publicKey)).toBe(false);
  }
});
