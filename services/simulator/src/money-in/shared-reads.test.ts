import { expect, test } from 'vitest';
import { shareReads } from './shared-reads.ts';

type Document = { _id: string };

test('those who ask while a read is under way share the next one, and each gets its own', async () => {
  const reads: string[][] = [];
  const read = shareReads<Document>(async (ids) => {
    reads.push(ids);
    await new Promise((resolve) => setImmediate(resolve));
    return ids.filter((id) => id !== 'unknown').map((_id) => ({ _id }));
  });
  const answers = await Promise.all(['a', 'b', 'unknown', 'b'].map(read));
  expect(answers).toEqual([{ _id: 'a' }, { _id: 'b' }, undefined, { _id: 'b' }]);
  expect(reads).toEqual([['a'], ['b', 'unknown', 'b']]);
  expect(await read('c')).toEqual({ _id: 'c' });
});

test('a read that fails fails for all who share it, and not for the next', async () => {
  let isBroken = true;
  const read = shareReads<Document>(async (ids) => {
    if (isBroken) throw new Error('no database');
    return ids.map((_id) => ({ _id }));
  });
  const failed = await Promise.allSettled([read('a'), read('b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await read('a')).toEqual({ _id: 'a' });
});
