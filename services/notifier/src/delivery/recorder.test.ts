import { expect, test } from 'vitest';
import type { Claims, Outcome } from './claims.ts';
import { type Attempt, newDelivery } from './delivery.ts';
import type { StoredDelivery } from './document.ts';
import { createRecorder } from './recorder.ts';

const stored = (
  version: number,
  { redeliverAtMs, awaited = false }: { redeliverAtMs?: number; awaited?: boolean } = {},
): StoredDelivery => ({
  delivery: {
    id: 'a',
    merchantId: 'm',
    event: 'disbursement',
    url: 'http://e',
    endpoint: 'e',
    body: '{}',
    bodyHash: '',
    signed: true,
    traceparent: '',
    atMs: 1,
    aggregate: 'a',
    seq: 1n,
    state: { ...newDelivery(1), redeliverAtMs },
    attempts: [],
    redeliveries: [],
  },
  document: { _id: 'a', schema: 1, status: 'pending', version, service: 's', ...(awaited && { awaited }) },
});
const made: Attempt = { atMs: 5, httpStatus: 200, durationMs: 1, answer: '', error: undefined };
const policy = { sandbox: true, chance: () => 0.5 };

/** A recorder over a delivery that stands as told, undefined for one that somebody else has claimed; the versions that were written over. */
function open(current: StoredDelivery | undefined) {
  const written: (number | undefined)[] = [];
  const claims: Pick<Claims, 'record' | 'findClaimed'> = {
    async record({ stored: { document } }: Outcome) {
      const isSame = document.version === current?.document.version;
      if (isSame) written.push(document.version);
      return isSame;
    },
    findClaimed: async () => current,
  };
  return { record: createRecorder(claims, 'us', policy), written };
}

test('what has not changed is written as it was decided', async () => {
  const { record, written } = open(stored(1));
  expect(await record(stored(1), made, 6)).toMatchObject({ state: { status: 'delivered' }, awaited: false });
  expect(written).toEqual([1]);
});

test('what has changed meanwhile is decided anew: a wish stays, and what waits is told of', async () => {
  const { record, written } = open(stored(2, { redeliverAtMs: 100, awaited: true }));
  expect(await record(stored(1), made, 6)).toMatchObject({ state: { status: 'delivered', redeliverAtMs: 100 }, awaited: true });
  expect(written).toEqual([2]);
});

test('what somebody else has claimed is not written', async () => {
  const { record, written } = open(undefined);
  expect(await record(stored(1), made, 6)).toBeUndefined();
  expect(written).toEqual([]);
});

test('a write that fails rejects', async () => {
  const failing = { record: () => Promise.reject(new Error('no database')), findClaimed: async () => undefined };
  await expect(createRecorder(failing, 'us', policy)(stored(1), made, 6)).rejects.toThrow('no database');
});
