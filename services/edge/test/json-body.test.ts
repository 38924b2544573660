import { createHash } from 'node:crypto';
import { bodyHash, canonicalJson, checkStructure, type Json } from '@gerbang/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBody } from '../src/http/json-body.ts';

const parse = (text: string) => parseBody(Buffer.from(text), 'application/json', { takesForm: () => false });
const anyJson = fc.jsonValue({ maxDepth: 5 }).map((value): Json => JSON.parse(JSON.stringify(value)));

describe('the hash of a body', () => {
  test('is that of its normalized JSON, however the body is written', () => {
    const written = fc.oneof(
      anyJson.map((value) => JSON.stringify(value)),
      anyJson.map((value) => JSON.stringify(value, undefined, 1)),
      anyJson.map((value) => canonicalJson(value)),
    );
    fc.assert(
      fc.property(written, (text) => {
        expect(parse(text).hash()).toBe(bodyHash(JSON.parse(text)));
      }),
      { numRuns: 500 },
    );
  });

  test('is made once, of what came: whatever a handler does to the JSON changes it no more', () => {
    const { json, hash } = parse('{"amount": 1}');
    const first = hash();
    if (json === null || typeof json !== 'object' || Array.isArray(json)) throw new Error('no object');
    json.amount = 2;
    expect(hash()).toBe(first);
    expect(first).toBe(bodyHash({ amount: 1 }));
  });

  test('text is taken for its own normalized JSON only where it is', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(1), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        if (checkStructure(text).isCanonical) expect(text).toBe(canonicalJson(value));
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ['{"a":1,"b":{"c":"x","d":[true,null,"é/"]},"é":123456789012345}', true],
    ['{}', true],
    ['[]', true],
    ['{"10":1,"9":2}', true],
    ['{"b":1,"a":2}', false],
    ['{"a":[{"z":1,"y":2}]}', false],
    ['{"a": 1}', false],
    ['{"a":1}\n', false],
    ['{"a":1.0}', false],
    ['{"a":1e3}', false],
    ['{"a":-0}', false],
    ['{"a":12345678901234567890}', false],
    ['{"a":"\\u0041"}', false],
    ['{"a":"\\/"}', false],
  ])('%s: %s', (text, isCanonical) => {
    expect(checkStructure(text)).toEqual({ isCanonical });
    expect(parse(text).hash()).toBe(
      createHash('sha256')
        .update(canonicalJson(JSON.parse(text)))
        .digest('hex'),
    );
  });
});

test.each([
  '{"a":1,"a":2}',
  '{"b":1,"a":1,"b":2}',
  '{"b":1,"a":1,"a":2}',
  '{"x":[{"a":1,"\\u0061":2}]}',
  '{"a":{"b":1,"c":2,"b":3}}',
])('a key twice in one object is refused: %s', (text) => expect(() => parse(text)).toThrow('twice'));

test.each(['{"a":{"a":{"a":1}},"b":{"a":2}}', '[{"a":1},{"a":2}]', '{"a":"{\\"a\\":1,\\"a\\":2}"}'])(
  'the same key in several objects is not: %s',
  (text) => expect(parse(text).json).toEqual(JSON.parse(text)),
);
