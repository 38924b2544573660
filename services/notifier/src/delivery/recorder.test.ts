import { expect, test } from 'vitest';
import type { AttemptOutcome, Claims } from './claims.ts';
import { type Attempt, newDelivery, type StoredDelivery } from './delivery.ts';
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
  version,
  awaited,
});
const made: Attempt = { atMs: 5, httpStatus: 200, durationMs: 1, answer: '', error: undefined };
const policy = { sandbox: true, chance: () => 0.5 };

/**
 * A recorder over a delivery as it is stored, undefined when another replica has claimed it; `written` are the versions that were
 * replaced.
 */
function open(current: StoredDelivery | undefined) {
  const written: number[] = [];
  const claims: Pick<Claims, 'record' | 'findClaimed'> = {
    async record({ stored: { version } }: AttemptOutcome) {
      const isSame = version === current?.version;
      if (isSame) written.push(version);
      return isSame;
    },
    findClaimed: async () => current,
  };
  return { record: createRecorder(claims, 'us', policy), written };
}

test('a delivery that has not changed is written as it was decided', async () => {
  const { record, written } = open(stored(1));
  expect(await record(stored(1), made, 6)).toMatchObject({ state: { status: 'delivered' }, awaited: false });
  expect(written).toEqual([1]);
});

test('a delivery that has changed meanwhile is decided anew: a redelivery request and the mark `awaited` stay', async () => {
  const { record, written } = open(stored(2, { redeliverAtMs: 100, awaited: true }));
  expect(await record(stored(1), made, 6)).toMatchObject({ state: { status: 'delivered', redeliverAtMs: 100 }, awaited: true });
  expect(written).toEqual([2]);
});

test('a delivery that another replica has claimed is not written', async () => {
  const { record, written } = open(undefined);
  expect(await record(stored(1), made, 6)).toBeUndefined();
  expect(written).toEqual([]);
});

test('a write that fails rejects', async () => {
  const failing = { record: () => Promise.reject(new Error('no database')), findClaimed: async () => undefined };
  await expect(createRecorder(failing, 'us', policy)(stored(1), made, 6)).rejects.toThrow('no database');
});

test('a delivery that others always write first is given up as unavailable', async () => {
  const busy = { record: async () => false, findClaimed: async () => stored(1) };
  await expect(createRecorder(busy, 'us', policy)(stored(1), made, 6)).rejects.toMatchObject({
    refusal: { refused: 'unavailable' },
  });
});
