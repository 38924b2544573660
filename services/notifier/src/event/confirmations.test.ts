import { eventually, testLog } from '@gerbang/testkit';
import { expect, test } from 'vitest';
import { createConfirmations } from './confirmations.ts';

type Call = readonly { aggregateId: string; upToSeq: bigint }[];

/** An owner that records its calls. The first `failures` of them fail. */
function owner(failures = 0) {
  const calls: Call[] = [];
  const confirm = async ({ confirmations = [] }: { confirmations?: { aggregateId?: string; upToSeq?: bigint }[] }) => {
    calls.push(confirmations.map(({ aggregateId = '', upToSeq = 0n }) => ({ aggregateId, upToSeq })));
    if (calls.length <= failures) throw new Error('not now');
    return { $typeName: 'gerbang.events.v1.ConfirmResponse' as const };
  };
  return { calls, confirmations: createConfirmations({ confirm }, testLog()) };
}

const of = (aggregateId: string, upToSeq = 1n) => ({ aggregateType: 'transfers', aggregateId, upToSeq });

test('confirmations that come close together go in one call, each aggregate with its highest number', async () => {
  const { calls, confirmations } = owner();
  confirmations.add([of('a', 2n), of('b')]);
  confirmations.add([of('a', 1n), of('c')]);
  await eventually('the call', () => calls.length > 0);
  expect(calls).toEqual([
    [
      { aggregateId: 'a', upToSeq: 2n },
      { aggregateId: 'b', upToSeq: 1n },
      { aggregateId: 'c', upToSeq: 1n },
    ],
  ]);
  await confirmations.close();
});

test('no call carries more than the owner takes', async () => {
  const { calls, confirmations } = owner();
  confirmations.add(Array.from({ length: 2_500 }, (_, i) => of(`${i}`)));
  await confirmations.close();
  expect(calls.map((call) => call.length)).toEqual([1_000, 1_000, 500]);
});

test('closing sends at once what is left', async () => {
  const { calls, confirmations } = owner();
  confirmations.add([of('a')]);
  await confirmations.close();
  expect(calls).toHaveLength(1);
});

test('a call that fails is given up, and the next one goes', async () => {
  const { calls, confirmations } = owner(1);
  confirmations.add([of('a')]);
  await eventually('the first call', () => calls.length === 1);
  confirmations.add([of('b')]);
  await eventually('the second call', () => calls.length === 2);
  expect(calls[1]).toEqual([{ aggregateId: 'b', upToSeq: 1n }]);
  await confirmations.close();
});
