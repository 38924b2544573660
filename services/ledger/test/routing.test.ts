import { eventually } from '@gerbang/testkit';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, credit, hold, type Ledger, MERCHANT, type Running, refusalOf, useLedgerService, verified } from './harness.ts';

const service = useLedgerService();
const PARTITIONS = ['p0', 'p1', 'p2', 'p3'];
const LONG_LEASE = { LEDGER_LEASE_MS: '600000' };
const SHORT_LEASE = { LEDGER_LEASE_MS: '900' };

const second = { LEDGER_INSTANCE: 'second' };

/** How many partitions each instance owns. */
async function shares({ routing }: Running): Promise<Record<string, number>> {
  const { partitions } = await routing.listPartitions({});
  const counts: Record<string, number> = {};
  for (const { owner } of partitions) counts[owner] = (counts[owner] ?? 0) + 1;
  return counts;
}

/** Merchants that hold a sen at a time in every partition; each answer of the ledger counts, and no refusal is tolerated. */
function merchantsOn(ledger: Ledger) {
  const answered = new Map(PARTITIONS.map((partition) => [partition, new Set<bigint>()]));
  let finished = false;
  const work = Promise.all(
    PARTITIONS.flatMap((partition) => [partition, partition]).map(async (partition) => {
      while (!finished) {
        answered.get(partition)?.add((await ledger.post(hold(1n, { partition }))).availableAfterSen);
        const { availableSen } = await ledger.getBalance({ merchantId: MERCHANT, partition, accountId: ACCOUNT });
        expect(availableSen).toBeLessThan(1_000_000n);
      }
    }),
  );
  return {
    answers: () => [...answered.values()].reduce((sum, set) => sum + set.size, 0),
    /** Ends them; then every partition holds exactly what was answered. */
    async end(): Promise<void> {
      finished = true;
      await work;
      for (const [partition, set] of answered) {
        const { heldSen } = await ledger.getBalance({ merchantId: MERCHANT, partition, accountId: ACCOUNT });
        expect({ partition, heldSen }).toEqual({ partition, heldSen: BigInt(set.size) });
      }
    },
  };
}

async function fund(ledger: Ledger): Promise<void> {
  for (const partition of PARTITIONS) await ledger.post(credit(1_000_000n, { partition }));
}

describe('any instance', () => {
  it('tells who owns a partition, and a client that begins there finds its way', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: LONG_LEASE });
    await first.ledger.post(credit(100n));
    const other = await service.start({ database, env: { ...LONG_LEASE, ...second } });
    for (const one of [first, other]) {
      const { address, instanceAddresses } = await one.routing.locate({ partition: 'p0' });
      expect(address).toBe(first.address);
      expect([...instanceAddresses].sort()).toEqual([first.address, other.address].sort());
    }
    const { ledger, statements } = service.open(other);
    expect((await ledger.post(hold(1n))).availableAfterSen).toBe(99n);
    const { entries } = await statements.listEntries({ merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT, limit: 9 });
    expect(entries).toHaveLength(2);
    expect(await refusalOf(first.routing.locate({ partition: 'p0:1' }))).toBe('validation');
  });

  it('is where calls about a partition go that nobody owns, to whom has the fewest', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: LONG_LEASE });
    await first.ledger.post(credit(100n));
    const other = await service.start({ database, env: { ...LONG_LEASE, ...second } });
    expect(await first.routing.locate({ partition: 'p1' })).toMatchObject({ address: other.address });
  });
});

describe('partitions', () => {
  it('go to a newcomer until it has its share, while merchants notice nothing', async () => {
    const database = service.newDatabase();
    const first = await service.start({ database, env: SHORT_LEASE });
    const { ledger } = service.open(first);
    await fund(ledger);
    const merchants = merchantsOn(ledger);
    const other = await service.start({ database, env: { ...SHORT_LEASE, ...second } });
    await eventually('each has two', async () => {
      const counts = await shares(first);
      return counts.first === 2 && counts.second === 2;
    });
    const before = merchants.answers();
    await eventually('merchants go on', () => merchants.answers() >= before + 40);
    await merchants.end();
    await other.close();
    await first.close();
  });

  it('are handed over by an instance that closes, while merchants notice nothing', async () => {
    const database = service.newDatabase();
    // Nobody waits for these leases to end.
    const first = await service.start({ database, env: LONG_LEASE });
    await fund(first.ledger);
    const other = await service.start({ database, env: { ...LONG_LEASE, ...second } });
    const { ledger, statements } = service.open(first, other);
    const merchants = merchantsOn(ledger);
    await eventually('merchants are at work', () => merchants.answers() >= 40);
    const ofP0 = { merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT };
    const begun = await statements.listEntries({ ...ofP0, limit: 5 });
    await first.close();
    // A statement that was begun before goes on at the other instance, without a miss or a repeat.
    const rest = await statements.listEntries({ ...ofP0, limit: 1_000, cursor: begun.nextCursor });
    const newest = begun.entries[0]?.balanceAfterSen ?? 0n;
    expect([...begun.entries, ...rest.entries].map(({ balanceAfterSen }) => balanceAfterSen)).toEqual(
      Array.from({ length: Number(1_000_001n - newest) }, (_, i) => newest + BigInt(i)),
    );
    const before = merchants.answers();
    await eventually('merchants go on', () => merchants.answers() >= before + 40);
    expect(await shares(other)).toEqual({ second: 4 });
    await merchants.end();
    const { differences, sumSen } = await verified(other.ledger);
    expect({ differences, sumSen }).toEqual({ differences: [], sumSen: 0n });
  });
});
