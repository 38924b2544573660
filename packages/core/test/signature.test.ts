import { createHash, createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bodyHash,
  canonicalJson,
  isTimestampInWindow,
  type Json,
  jakartaDay,
  jakartaTimestamp,
  signRequest,
  tokenSignature,
  verifyRequestSignature,
} from '../src/index.ts';

const json = fc.jsonValue() as fc.Arbitrary<Json>;

/** The same value with the keys of every object in another order. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

describe('normalized JSON', () => {
  test('the order of keys does not matter, and the value survives', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test.each([
    [{ b: 1, a: [3, { d: null, c: true }] }, '{"a":[3,{"c":true,"d":null}],"b":1}'],
    [{ é: '/', '\u2028': '“x”' }, '{"é":"/","\u2028":"“x”"}'],
    [{ '\ud83d\ude00': 1, '\uffff': 2 }, '{"\ud83d\ude00":1,"\uffff":2}'],
    [{ z: 1e21, y: 1.5, x: -0 }, '{"x":0,"y":1.5,"z":1e+21}'],
    [{ 10: 1, 9: 2 }, '{"10":1,"9":2}'],
  ] as [Json, string][])('%j', (value, expected) => expect(canonicalJson(value)).toBe(expected));
});

describe('request signature', () => {
  const request = { method: 'post', path: '/api/v2.0/x?y=1', accessToken: 'tok', body: { b: 1, a: 2 }, timestamp: '1700000000' };
  const expected = createHmac('sha512', 's3cret')
    .update(`POST:/api/v2.0/x?y=1:tok:${createHash('sha256').update('{"a":2,"b":1}').digest('hex')}:1700000000`)
    .digest('hex');

  test('is the one of the specification', () => {
    expect(signRequest(request, 's3cret')).toBe(expected);
    expect(verifyRequestSignature(request, 's3cret', expected)).toBe(true);
    expect(bodyHash(undefined)).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });

  test.each([
    ['another secret', request, 'other', expected],
    ['another body', { ...request, body: { a: 2, b: 2 } }, 's3cret', expected],
    ['another path', { ...request, path: '/api/v2.0/x' }, 's3cret', expected],
    ['upper case', request, 's3cret', expected.toUpperCase()],
    ['a cut one', request, 's3cret', expected.slice(0, 127)],
    ['none', request, 's3cret', ''],
  ])('refuses %s', (_what, changed, secret, signature) => expect(verifyRequestSignature(changed, secret, signature)).toBe(false));

  test('the window is 300 s either side', () => {
    const nowMs = 1_700_000_000_000;
    for (const seconds of [-300, 0, 300]) expect(isTimestampInWindow(String(1_700_000_000 + seconds), nowMs)).toBe(true);
    for (const text of ['1699999699', '1700000301', '1700000000000', '', 'x', '-1700000000', '1700000000.0', ' 1700000000']) {
      expect(isTimestampInWindow(text, nowMs)).toBe(false);
    }
  });
});

test('the token signature is of the Jakarta day', () => {
  const beforeMidnight = Date.UTC(2026, 10, 21, 16, 59, 59);
  expect(jakartaDay(beforeMidnight)).toBe('20261121');
  expect(jakartaDay(beforeMidnight + 1_000)).toBe('20261122');
  expect(tokenSignature('id', 'sec', beforeMidnight)).toBe(createHmac('sha512', 'sec').update('id_sec_20261121').digest('hex'));
  expect(jakartaTimestamp(beforeMidnight)).toBe('21 Nov 2026 23:59:59');
});
