import type { QrisRail } from '@gerbang/rails';
import { expect, test } from 'vitest';
import { qrisRail } from '../src/qris/rail.ts';
import { createAskRail } from '../src/rail/ask.ts';
import type { Rails } from '../src/rails.ts';

const unused = () => Promise.reject(new Error('not part of this test'));
const ewallet = { createPayment: unused, inquirePayment: unused, cancelPayment: unused, refundPayment: unused, close: unused };
const railsWith = (query: QrisRail['query']): Rails => ({
  qris: { generate: unused, query, cancel: unused, close: unused },
  ewallet,
  acquirerName: '',
  merchantCity: '',
  callbackPartnerIds: {},
});
const question = { rail: 'qris', reference: '66X', amountSen: 1n } as const;

test('a silent rail is left alone for a while, then one question finds out whether it answers again', async () => {
  let nowMs = 0;
  let calls = 0;
  let outcome: 'unknown' | 'pending' = 'unknown';
  const query = async () => {
    calls++;
    return outcome === 'unknown' ? ({ outcome, reason: 'silence' } as const) : ({ outcome } as const);
  };
  const ask = createAskRail([qrisRail], railsWith(query), { timeoutMs: 1_000, now: () => nowMs });
  const many = async (count: number) =>
    (await Promise.all(Array.from({ length: count }, () => ask(question)))).map((answer) => answer.outcome);
  for (let i = 0; i < 8; i++) expect(await many(1)).toEqual(['unknown']);
  expect(await many(3)).toEqual(['unasked', 'unasked', 'unasked']);
  expect(calls).toBe(8);
  nowMs += 2_001;
  expect((await many(5)).sort()).toEqual(['unasked', 'unasked', 'unasked', 'unasked', 'unknown']);
  nowMs += 2_001;
  outcome = 'pending';
  expect(await many(1)).toEqual(['pending']);
  expect(await many(3)).toEqual(['pending', 'pending', 'pending']);
});

test('no more than 64 questions are under way at one rail', async () => {
  let underWay = 0;
  let most = 0;
  const query = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setImmediate(resolve));
    underWay--;
    return { outcome: 'pending' } as const;
  };
  const ask = createAskRail([qrisRail], railsWith(query), { timeoutMs: 1_000 });
  await Promise.all(Array.from({ length: 200 }, () => ask(question)));
  expect(most).toBe(64);
});
