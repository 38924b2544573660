import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, type Json, verifyRequestSignature } from '@gerbang/core';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseJson } from '../src/http/json-body.ts';
import { type Edge, orderOf, startEdge, transferOf } from './edge-harness.ts';

const REAL_NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const NOW = REAL_NOW_MS / 1_000;
const PATH = '/api/v2.0/disbursement/transfer';

describe('over the wire', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge({}, { realNow: () => REAL_NOW_MS });
    edge.fakes.disbursement.transfer = async () => ({ transfer: transferOf() });
  });
  afterAll(() => edge.close());

  const good = (path: string) => ({ ...(path.includes('v1.0') && { amount: 150_000 }) });

  test.each([PATH, '/api/v1.0/disbursement/transfer'])('%s is signed', async (path) => {
    const merchant = edge.merchant();
    const order = { ...orderOf(merchant), ...good(path) };
    expect((await edge.sendSigned(merchant, 'POST', path, order)).http).toBe(200);
    expect((await edge.send('POST', path, { headers: edge.signedIn(merchant), body: order })).http).toBe(401);
    expect((await edge.sendSigned(merchant, 'POST', path, order, { secret: `${merchant.clientSecret}x` })).http).toBe(401);
  });

  test.each([
    ['300 s ago', { timestamp: String(NOW - 300) }, 200],
    ['301 s ago', { timestamp: String(NOW - 301) }, 401],
    ['in 300 s', { timestamp: String(NOW + 300) }, 200],
    ['in 301 s', { timestamp: String(NOW + 301) }, 401],
    ['in milliseconds', { timestamp: String(NOW * 1_000) }, 401],
    ['as a fraction', { timestamp: `${NOW}.0` }, 401],
    ['in ISO 8601', { timestamp: '2026-11-21T12:00:00Z' }, 401],
    ['with another path', { signedPath: '/api/v2.0/disbursement' }, 401],
    ['with a query that was not sent', { signedPath: `${PATH}?a=1` }, 401],
    ['without X-Timestamp', { headers: { 'x-timestamp': '' } }, 401],
    ['without X-Signature', { headers: { 'x-signature': '' } }, 401],
    ['in upper case', { headers: { 'x-signature': 'A'.repeat(128) } }, 401],
  ])('signed %s', async (_what, over, http) => {
    const merchant = edge.merchant();
    const reply = await edge.sendSigned(merchant, 'POST', PATH, orderOf(merchant), over);
    expect([reply.http, reply.json.response_code]).toEqual([http, http === 200 ? 'SP000' : 'SP016']);
  });

  test('the query belongs to what is signed', async () => {
    const merchant = edge.merchant();
    const path = `${PATH}?b=2&a=%20x`;
    expect((await edge.sendSigned(merchant, 'POST', path, orderOf(merchant))).http).toBe(200);
    expect((await edge.sendSigned(merchant, 'POST', path, orderOf(merchant), { signedPath: PATH })).http).toBe(401);
  });

  test('the signature of another token or another merchant is none', async () => {
    const [merchant, other] = [edge.merchant(), edge.merchant()];
    const headers = { authorization: `Bearer ${edge.fakes.token(merchant)}` };
    expect((await edge.sendSigned(merchant, 'POST', PATH, orderOf(merchant), { headers })).http).toBe(401);
    expect((await edge.sendSigned(merchant, 'POST', PATH, orderOf(merchant), { secret: other.clientSecret })).http).toBe(401);
  });

  test('numbers, white space and escapes may be written in any way', async () => {
    const merchant = edge.merchant();
    const order = {
      ...orderOf(merchant),
      description: 'é / “x” \u2028',
      extra: { z: [3, { b: 1, a: 2 }], f: 1.5, n: null, big: 1e21 },
    };
    const raw = JSON.stringify(order, null, 2).replace('1.5', '15.0e-1').replace('é', '\\u00e9').replace('/', '\\/');
    const token = edge.fakes.token(merchant);
    const hashed = createHash('sha256').update(canonicalOf(order)).digest('hex');
    const signature = createHmac('sha512', merchant.clientSecret).update(`POST:${PATH}:${token}:${hashed}:${NOW}`).digest('hex');
    const reply = await edge.send('POST', PATH, {
      headers: {
        authorization: `Bearer ${token}`,
        'x-partner-id': merchant.partnerId,
        'x-timestamp': String(NOW),
        'x-signature': signature,
      },
      raw,
    });
    expect(reply.http).toBe(200);
  });

  test('an empty body is hashed as the empty string', async () => {
    const merchant = edge.merchant();
    const reply = await edge.sendSigned(merchant, 'POST', PATH, undefined);
    expect(reply.json.response_code).toBe('SP018');
  });
});

/** Written from the specification, with nothing of packages/core. */
function canonicalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalOf).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalOf(Reflect.get(value, key))}`).join()}}`;
}

describe('of any JSON', () => {
  const anyJson = fc.jsonValue({ maxDepth: 5 }).map((value): Json => JSON.parse(JSON.stringify(value)));
  const secret = 'secret';
  const requestOf = (body: Json) => ({ method: 'POST', path: PATH, accessToken: 'a.b.c', body, timestamp: '1' });
  const signatureOf = (body: unknown) =>
    createHmac('sha512', secret)
      .update(`POST:${PATH}:a.b.c:${createHash('sha256').update(canonicalOf(body)).digest('hex')}:1`)
      .digest('hex');

  test('keys in any order, white space anywhere: the signature holds', () => {
    fc.assert(
      fc.property(anyJson, fc.infiniteStream(fc.nat()), fc.nat(4), (body, dice, indent) => {
        const text = JSON.stringify(shuffled(body, dice), null, indent);
        expect(verifyRequestSignature(requestOf(parseJson(text)), secret, signatureOf(body))).toBe(true);
      }),
    );
  });

  test('any value changed: it does not', () => {
    fc.assert(
      fc.property(anyJson, fc.infiniteStream(fc.nat()), anyJson, (body, dice, other) => {
        const changed = withOneChange(body, dice, other);
        fc.pre(canonicalJson(changed) !== canonicalJson(body));
        expect(verifyRequestSignature(requestOf(changed), secret, signatureOf(body))).toBe(false);
      }),
    );
  });
});

function roll(dice: Iterator<number>, sides: number): number {
  return (dice.next().value ?? 0) % sides;
}

function shuffled(value: Json, dice: Iterator<number>): Json {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, dice));
  if (typeof value !== 'object' || value === null) return value;
  const rest = Object.entries(value);
  const entries: [string, Json][] = [];
  while (rest.length > 0) {
    for (const [key, item] of rest.splice(roll(dice, rest.length), 1)) entries.push([key, shuffled(item, dice)]);
  }
  return Object.fromEntries(entries);
}

/** Goes down a random path and puts `other` where it ends. */
function withOneChange(value: Json, dice: Iterator<number>, other: Json): Json {
  if (Array.isArray(value) && value.length > 0) {
    const at = roll(dice, value.length);
    return value.map((item, i) => (i === at ? withOneChange(item, dice, other) : item));
  }
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) {
    const entries = Object.entries(value);
    const at = roll(dice, entries.length);
    return Object.fromEntries(entries.map(([key, item], i) => [key, i === at ? withOneChange(item, dice, other) : item]));
  }
  return other;
}
