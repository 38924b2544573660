import { expect, test } from 'vitest';
import type { Outcome, Unwritten } from './claims.ts';
import { type Attempt, newDelivery } from './delivery.ts';
import type { StoredDelivery } from './document.ts';
import { createRecorder } from './recorder.ts';

const stored = (id: string, redeliverAtMs?: number): StoredDelivery => ({
  delivery: {
    id,
    merchantId: 'm',
    event: 'disbursement',
    url: 'http://e',
    endpoint: 'e',
    body: '{}',
    bodyHash: '',
    signed: true,
    traceparent: '',
    atMs: 1,
    aggregate: id,
    seq: 1n,
    state: { ...newDelivery(1), redeliverAtMs },
    attempts: [],
    redeliveries: [],
  },
  document: { _id: id, schema: 1, status: 'pending', version: 1, service: 's' },
});
const made: Attempt = { atMs: 5, httpStatus: 200, durationMs: 1, answer: '', error: undefined };
const policy = { sandbox: true, chance: () => 0.5 };

/** A recorder over a store that answers one after the other; the ids of each write. */
function open(...answers: (Unwritten | Error)[]) {
  const writes: string[][] = [];
  const recorder = createRecorder(async (outcomes: readonly Outcome[]) => {
    writes.push(outcomes.map((outcome) => outcome.stored.delivery.id));
    const answer = answers.shift() ?? { changed: [], lost: new Set() };
    if (answer instanceof Error) throw answer;
    return answer;
  }, policy);
  return { recorder, writes };
}

test('what ends together is written together', async () => {
  const { recorder, writes } = open();
  const recorded = await Promise.all(['a', 'b', 'c'].map((id) => recorder.record(stored(id), made, 6)));
  expect(writes).toEqual([['a', 'b', 'c']]);
  expect(recorded.map((each) => each?.state.status)).toEqual(['delivered', 'delivered', 'delivered']);
  await Promise.all(Array.from({ length: 600 }, (_, i) => recorder.record(stored(String(i)), made, 6)));
  expect(writes.slice(1).map(({ length }) => length)).toEqual([250, 250, 100]);
});

test('what has changed meanwhile is decided anew and written again; what was lost is told', async () => {
  const { recorder, writes } = open({ changed: [stored('a', 100)], lost: new Set(['b']) });
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((id) => recorder.record(stored(id), made, 6)));
  expect(writes).toEqual([['a', 'b', 'c'], ['a']]);
  expect(a?.state).toEqual({ status: 'delivered', redeliverAtMs: 100 });
  expect([b, c?.state.status]).toEqual([undefined, 'delivered']);
});

test('a write that fails rejects its attempts and no others', async () => {
  const { recorder, writes } = open(new Error('no database'));
  await expect(recorder.record(stored('a'), made, 6)).rejects.toThrow('no database');
  expect((await recorder.record(stored('b'), made, 6))?.state.status).toBe('delivered');
  expect(writes).toEqual([['a'], ['b']]);
});
