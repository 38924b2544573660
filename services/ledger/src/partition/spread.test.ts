import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressFor, planMoves, type Topology } from './spread.ts';

function topology(owners: Record<string, string>, instances: string[]): Topology {
  return {
    instances: instances.map((id) => ({ id, address: `${id}:1` })),
    partitions: Object.entries(owners).map(([name, owner]) => ({ name, owner, epoch: 1n })),
  };
}

/** What stands after every instance has had its round, each seeing what those before it did. */
function afterRound({ instances, partitions }: Topology): Topology {
  let owned = partitions;
  for (const { id } of instances) {
    const { hold, give } = planMoves(id, { instances, partitions: owned });
    owned = owned.map((one) => {
      if (hold.includes(one.name)) return { ...one, owner: id };
      return give?.partition === one.name ? { ...one, owner: give.to } : one;
    });
  }
  return { instances, partitions: owned };
}

function countsOf({ instances, partitions }: Topology): number[] {
  return instances.map(({ id }) => partitions.filter(({ owner }) => owner === id).length);
}

describe('how partitions spread', () => {
  it.each<[string, string, Record<string, string>, string[], ReturnType<typeof planMoves>]>([
    ['keeps what it has', 'a', { p0: 'a', p1: 'b' }, ['a', 'b'], { hold: ['p0'], give: undefined }],
    ['takes those of who is gone', 'a', { p0: 'a', p1: 'b' }, ['a'], { hold: ['p0', 'p1'], give: undefined }],
    ['leaves orphans to who has fewer', 'a', { p0: 'a', p1: 'a', p2: 'x' }, ['a', 'b'], { hold: ['p0', 'p1'], give: undefined }],
    [
      'gives one to a newcomer',
      'a',
      { p0: 'a', p1: 'a', p2: 'a' },
      ['a', 'b'],
      { hold: ['p0', 'p1'], give: { partition: 'p2', to: 'b' } },
    ],
    [
      'gives nothing where it evens nothing out',
      'a',
      { p0: 'a', p1: 'a', p2: 'b' },
      ['a', 'b'],
      { hold: ['p0', 'p1'], give: undefined },
    ],
    [
      'leaves the giving to who has the most',
      'b',
      { p0: 'a', p1: 'a', p2: 'a', p3: 'b', p4: 'b' },
      ['a', 'b', 'c'],
      { hold: ['p3', 'p4'], give: undefined },
    ],
    ['holds nothing while its own lease is over', 'a', { p0: 'a' }, ['b'], { hold: [], give: undefined }],
  ])('%s', (_, me, owners, instances, moves) => {
    expect(planMoves(me, topology(owners, instances))).toEqual(moves);
  });

  it('ends even whatever it begins with, and then nothing moves any more', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const start = fc.record({
      owners: fc.array(fc.constantFrom(...ids, 'gone'), { maxLength: 24 }),
      instances: fc.subarray(ids, { minLength: 1 }),
    });
    fc.assert(
      fc.property(start, ({ owners, instances }) => {
        let now = topology(Object.fromEntries(owners.map((owner, i) => [`p${i}`, owner])), instances);
        for (let round = 0; round <= owners.length; round++) now = afterRound(now);
        const counts = countsOf(now);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(owners.length);
        expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
        expect(afterRound(now)).toEqual(now);
      }),
    );
  });
});

describe('where calls about a partition go', () => {
  it.each<[string, Record<string, string>, string[], string | undefined]>([
    ['to its owner', { p0: 'b', p1: 'b', p2: 'b' }, ['a', 'b'], 'b:1'],
    ['to whom the rule gives it when its owner is gone', { p0: 'gone', p1: 'a' }, ['a', 'b'], 'b:1'],
    ['to whom the rule gives it when nobody has had it', { p1: 'a' }, ['a', 'b'], 'b:1'],
    ['nowhere when no instance runs', { p0: 'a' }, [], undefined],
  ])('%s', (_, owners, instances, address) => {
    expect(addressFor('p0', topology(owners, instances))).toBe(address);
  });
});
