import { createClock } from '@gerbang/core';
import type { ListSettlementsRequest } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { describe, expect, it } from 'vitest';
import {
  ACCOUNT,
  balances,
  credit,
  expectIntact,
  MERCHANT,
  OTHER_ACCOUNT,
  payIn,
  refusalOf,
  type Statements,
  settle,
  useLedgerService,
} from './harness.ts';

const service = useLedgerService();

/** A ledger in which 1,000 sen are pending in each of two accounts, and in one of another merchant. */
async function prepare(clock = createClock()) {
  const running = await service.start({ database: service.newDatabase(), clock });
  for (const more of [{}, { accountId: OTHER_ACCOUNT }, { merchantId: 'other' }]) await running.ledger.post(payIn(1_000n, more));
  return running;
}

type Filter = Partial<Omit<ListSettlementsRequest, '$typeName' | '$unknown'>>;

async function settlements(statements: Statements, more: Filter = {}) {
  const found = [];
  let cursor = '';
  do {
    const page = await statements.listSettlements({ merchantId: MERCHANT, partition: 'p0', limit: 2, ...more, cursor });
    expect(page.settlements.length).toBeLessThanOrEqual(2);
    found.push(...page.settlements);
    cursor = page.nextCursor;
  } while (cursor !== '');
  return found;
}

describe('settle', () => {
  it('moves money from pending to available, and is an entry of the statement', async () => {
    const { ledger, statements } = await prepare(createClock(() => 1_800_000_000_000));
    const request = settle(600n, { feeSen: 5n });
    expect((await ledger.post(request)).availableAfterSen).toBe(600n);
    expect(await balances(ledger)).toEqual([600n, 0n, 400n]);
    const { entries } = await statements.listEntries({ merchantId: MERCHANT, partition: 'p0', accountId: ACCOUNT, limit: 9 });
    expect(entries).toMatchObject([{ amountSen: 600n, feeSen: 0n, balanceAfterSen: 600n, product: 'qris' }]);
    const { transactionId, referenceNumber } = request;
    expect(await settlements(statements)).toMatchObject([
      {
        id: entries[0]?.id,
        accountId: ACCOUNT,
        product: 'qris',
        transactionId,
        referenceNumber,
        amountSen: 605n,
        feeSen: 5n,
        netAmountSen: 600n,
        settledAtMs: 1_800_000_000_000n,
      },
    ]);
    await expectIntact(ledger);
  });

  it('of more than is pending is an error of ours, and is not listed', async () => {
    const { ledger, statements } = await prepare();
    expect(await refusalOf(ledger.post(settle(1_001n)))).toBe('internal');
    expect(await balances(ledger)).toEqual([0n, 0n, 1_000n]);
    expect(await settlements(statements)).toEqual([]);
    await expectIntact(ledger);
  });
});

describe('the settlement listing', () => {
  it('is over all accounts of the merchant, newest first, filtered by account, product and time', async () => {
    let nowMs = 1_000;
    const { ledger, statements } = await prepare(createClock(() => nowMs));
    const requests = [
      settle(1n),
      settle(2n, { accountId: OTHER_ACCOUNT }),
      settle(3n, { product: 'virtual-account' }),
      settle(4n, { merchantId: 'other' }),
      settle(5n),
      credit(6n),
    ];
    for (const request of requests) {
      await ledger.post(request);
      nowMs += 1_000;
    }
    const amounts = async (more: Filter = {}) =>
      (await settlements(statements, more)).map(({ netAmountSen }) => Number(netAmountSen));
    expect(await amounts()).toEqual([5, 3, 2, 1]);
    expect(await amounts({ accountId: ACCOUNT })).toEqual([5, 3, 1]);
    expect(await amounts({ accountId: OTHER_ACCOUNT })).toEqual([2]);
    expect(await amounts({ product: 'virtual-account' })).toEqual([3]);
    expect(await amounts({ merchantId: 'other' })).toEqual([4]);
    expect(await amounts({ fromMs: 2_000n, toMs: 3_000n })).toEqual([3, 2]);
    expect(await amounts({ accountId: 'unknown' })).toEqual([]);
    await expect(statements.listSettlements({ merchantId: MERCHANT, partition: 'p0', cursor: 'x' })).rejects.toMatchObject({
      refusal: { errors: { cursor: expect.anything() } },
    });
  });

  it('pages through without a miss or a repeat while money settles', async () => {
    const { ledger, statements } = await prepare();
    const load = Promise.all(Array.from({ length: 60 }, (_, i) => ledger.post(settle((BigInt(i + 1) % 9n) + 1n))));
    const early = (await settlements(statements)).map(({ id }) => id);
    await load;
    const found = await settlements(statements);
    expect(found.map(({ id }) => id).slice(60 - early.length)).toEqual(early);
    expect(new Set(found.map(({ id }) => id)).size).toBe(60);
    expect(found.reduce((sum, { netAmountSen }) => sum + netAmountSen, 0n)).toBe((await balances(ledger))[0]);
  });
});
