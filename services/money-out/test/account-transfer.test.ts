import { fromBinary } from '@bufbuild/protobuf';
import { createClock, newUlid, RefusalError, refuse } from '@gerbang/core';
import { Intent } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { AccountStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { AccountTransferFinishedSchema, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { eventually } from '@gerbang/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import { refusalOf, useMoneyOut } from './harness.ts';

const world = useMoneyOut();
afterEach(() => {
  delete world.scripted.post;
});

type Merchant = ReturnType<typeof world.newMerchant>;

let references = 0;
const orderOf = ({ merchantId, source, destination }: Merchant) => ({
  merchantId,
  sourceAccountId: source,
  destinationAccountId: destination,
  amountSen: 1_050n,
  referenceNumber: `ref-${++references}`,
  note: 'stok',
});

/** What the collection has under a reference of the source. */
async function stored(database: string, order: { sourceAccountId: string; referenceNumber: string }) {
  const transfers = (await world.openTransfers(database)).collection<{
    _id: string;
    tail: { event: string; payload: { value(): Uint8Array } }[];
  }>('transfers');
  return transfers.findOne({ _id: `${order.sourceAccountId}:${order.referenceNumber}` });
}

describe('an account transfer', () => {
  test('is one posting, shown by its id and in the timeline', async () => {
    const database = world.newDatabase();
    const { accountTransfers } = await world.start(database);
    const merchant = world.newMerchant();
    const order = orderOf(merchant);
    const { accountTransfer, replayed } = await accountTransfers.createAccountTransfer(order);
    expect(replayed).toBe(false);
    const { idempotencyKey: _none, ...shown } = { ...order, idempotencyKey: undefined };
    expect(accountTransfer).toMatchObject({ ...shown, status: TransferStatus.SUCCESS, balanceAfterSen: 98_950n });
    const transactionId = accountTransfer?.transactionId ?? '';
    expect(world.results.get(`${transactionId}:transfer`)?.request).toMatchObject({
      merchantId: merchant.merchantId,
      partition: 'p7',
      intent: Intent.TRANSFER,
      accountId: merchant.source,
      destinationAccountId: merchant.destination,
      amountSen: 1_050n,
      feeSen: 0n,
      product: 'account-transfer',
      transactionId,
      referenceNumber: order.referenceNumber,
      description: 'stok',
    });
    expect(world.available.get(merchant.destination)).toBe(1_050n);
    const found = await accountTransfers.getAccountTransfer({ merchantId: merchant.merchantId, transactionId });
    expect(found.accountTransfer).toEqual(accountTransfer);

    const tail = (await stored(database, order))?.tail ?? [];
    expect(tail.map(({ event }) => event)).toEqual(['account-transfer.succeeded']);
    const payload = Uint8Array.from(tail[0]?.payload.value() ?? []);
    expect(fromBinary(AccountTransferFinishedSchema, payload).accountTransfer).toEqual(accountTransfer);
  });

  test('is made once, however often it is asked for at once; other content is refused', async () => {
    const { accountTransfers } = await world.start(world.newDatabase());
    const merchant = world.newMerchant();
    const order = orderOf(merchant);
    const all = await Promise.all(Array.from({ length: 20 }, () => accountTransfers.createAccountTransfer(order)));
    expect(new Set(all.map(({ accountTransfer }) => accountTransfer?.transactionId)).size).toBe(1);
    expect(all.every(({ accountTransfer }) => accountTransfer?.status === TransferStatus.SUCCESS)).toBe(true);
    expect(world.available.get(merchant.destination)).toBe(1_050n);
    for (const other of [{ amountSen: 1n }, { note: 'x' }]) {
      expect(await refusalOf(accountTransfers.createAccountTransfer({ ...order, ...other }))).toEqual([
        'duplicate_reference',
        [],
      ]);
    }
  });

  test('by an Idempotency-Key is replayed, over a restart too', async () => {
    const database = world.newDatabase();
    const before = await world.start(database);
    const merchant = world.newMerchant();
    const idempotencyKey = { key: 'k', route: 'POST /api/v1.0/account-transfers', bodyHash: 'h' };
    const order = { ...orderOf(merchant), idempotencyKey };
    const first = await before.accountTransfers.createAccountTransfer(order);
    await before.close();
    const { accountTransfers } = await world.start(database);
    const again = await accountTransfers.createAccountTransfer(order);
    expect([again.replayed, again.accountTransfer]).toEqual([true, first.accountTransfer]);
    const reused = { ...order, idempotencyKey: { ...idempotencyKey, bodyHash: 'other' } };
    expect(await refusalOf(accountTransfers.createAccountTransfer(reused))).toEqual(['idempotency_key_reused', []]);
  });

  test('without the balance leaves nothing, and its reference is free', async () => {
    const database = world.newDatabase();
    const { accountTransfers } = await world.start(database);
    const merchant = world.newMerchant({}, 10n);
    const order = orderOf(merchant);
    expect(await refusalOf(accountTransfers.createAccountTransfer(order))).toEqual(['insufficient_balance', []]);
    expect(await stored(database, order)).toBeNull();
    world.available.set(merchant.source, 5_000n);
    expect((await accountTransfers.createAccountTransfer(order)).accountTransfer?.balanceAfterSen).toBe(3_950n);
  });

  test.each(['lost answer', 'lost request'])(
    'whose process died (%s) is taken up by its timer, and moves the money once',
    async (lost) => {
      const database = world.newDatabase();
      const clock = createClock();
      const { accountTransfers } = await world.start(database, clock);
      const merchant = world.newMerchant();
      const order = orderOf(merchant);
      let failures = 1;
      world.scripted.post = async (_request, post) => {
        if (lost === 'lost answer') await post();
        if (failures-- > 0) throw new RefusalError(refuse('timeout'));
        return post();
      };
      expect(await refusalOf(accountTransfers.createAccountTransfer(order))).toEqual(['timeout', []]);
      expect(await stored(database, order)).toMatchObject({ status: 'created' });
      clock.setOffset(60_000);
      await eventually('its end', async () => Object(await stored(database, order)).status === 'succeeded');
      expect(await stored(database, order)).not.toHaveProperty('due_at');
      expect([world.available.get(merchant.source), world.available.get(merchant.destination)]).toEqual([98_950n, 1_050n]);
      const again = await accountTransfers.createAccountTransfer(order);
      expect(again.accountTransfer?.status).toBe(TransferStatus.SUCCESS);
      expect(world.available.get(merchant.destination)).toBe(1_050n);
    },
  );

  test('whose process died and that lacks the balance is removed by its timer', async () => {
    const database = world.newDatabase();
    const clock = createClock();
    const { accountTransfers } = await world.start(database, clock);
    const order = orderOf(world.newMerchant({}, 10n));
    let failures = 1;
    world.scripted.post = async (_request, post) => {
      if (failures-- > 0) throw new RefusalError(refuse('timeout'));
      return post();
    };
    expect(await refusalOf(accountTransfers.createAccountTransfer(order))).toEqual(['timeout', []]);
    clock.setOffset(60_000);
    await eventually('its removal', async () => (await stored(database, order)) === null);
  });
});

describe('a reference', () => {
  test('is used once per account over all products', async () => {
    const { accountTransfers, disbursements } = await world.start(world.newDatabase());
    const merchant = world.newMerchant();
    const { merchantId, source: accountId } = merchant;
    const disbursement = { merchantId, accountId, bankCode: '014', bankAccountNumber: '1234567890', amountSen: 1_000n };
    const first = orderOf(merchant);
    const { accountTransfer } = await accountTransfers.createAccountTransfer(first);
    const { referenceNumber } = first;
    expect(await refusalOf(disbursements.transfer({ ...disbursement, referenceNumber }))).toEqual(['duplicate_reference', []]);

    const second = orderOf(merchant);
    const sent = await disbursements.transfer({ ...disbursement, referenceNumber: second.referenceNumber });
    expect(sent.transfer?.status).toBe(TransferStatus.PENDING);
    expect(await refusalOf(accountTransfers.createAccountTransfer(second))).toEqual(['duplicate_reference', []]);

    const transfers = await disbursements.listTransfers({ merchantId, accountId, limit: 10 });
    expect(transfers.transfers.map((one) => one.referenceNumber)).toEqual([second.referenceNumber]);
    const listed = await accountTransfers.listAccountTransfers({ merchantId, limit: 10 });
    expect(listed.accountTransfers).toEqual([accountTransfer]);
    const transactionId = accountTransfer?.transactionId ?? '';
    for (const by of [
      { case: 'transactionId', value: transactionId } as const,
      { case: 'referenceNumber', value: referenceNumber } as const,
    ]) {
      expect(await refusalOf(disbursements.getTransfer({ merchantId, accountId, by }))).toEqual(['transaction_not_found', []]);
    }
    const ofDisbursement = { merchantId, transactionId: sent.transfer?.transactionId ?? '' };
    expect(await refusalOf(accountTransfers.getAccountTransfer(ofDisbursement))).toEqual(['transaction_not_found', []]);
    const back = { ...first, sourceAccountId: merchant.destination, destinationAccountId: merchant.source };
    expect((await accountTransfers.createAccountTransfer(back)).accountTransfer?.status).toBe(TransferStatus.SUCCESS);
  });
});

describe('a list', () => {
  test('has the merchant’s own, newest first, page by page, filtered', async () => {
    const clock = createClock();
    const { accountTransfers } = await world.start(world.newDatabase(), clock);
    const merchant = world.newMerchant();
    const { merchantId, source, destination } = merchant;
    const other = world.newMerchant();
    await accountTransfers.createAccountTransfer(orderOf(other));
    const made: string[] = [];
    for (let i = 0; i < 4; i++) {
      clock.setOffset(clock.offsetMs() + 3_600_000);
      const order = orderOf(merchant);
      const back = { ...order, sourceAccountId: destination, destinationAccountId: source, amountSen: 1n };
      await accountTransfers.createAccountTransfer(i === 3 ? back : order);
      made.unshift(order.referenceNumber);
    }
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await accountTransfers.listAccountTransfers({ merchantId, limit: 2, cursor });
      expect(page.accountTransfers.length).toBeLessThanOrEqual(2);
      seen.push(...page.accountTransfers.map(({ referenceNumber }) => referenceNumber));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(seen).toEqual(made);
    const list = async (filter: Parameters<typeof accountTransfers.listAccountTransfers>[0]) => {
      const found = await accountTransfers.listAccountTransfers({ merchantId, limit: 100, ...filter });
      return found.accountTransfers.map(({ referenceNumber }) => referenceNumber);
    };
    const [newest = '', third = '', ...older] = made;
    expect(await list({ accountId: destination })).toEqual([newest]);
    expect(await list({ accountId: source })).toEqual([third, ...older]);
    expect(await list({ referenceNumber: third })).toEqual([third]);
    const now = BigInt(clock.now());
    expect(await list({ fromMs: now - 5_400_000n, toMs: now - 1_800_000n })).toEqual([third]);
    expect(await list({ status: TransferStatus.SUCCESS })).toEqual(made);
    expect(await list({ status: TransferStatus.FAILED })).toEqual([]);
    const { accountTransfers: all } = await accountTransfers.listAccountTransfers({ merchantId, limit: 1 });
    const foreign = { merchantId: other.merchantId, transactionId: all[0]?.transactionId ?? '' };
    expect(await refusalOf(accountTransfers.getAccountTransfer(foreign))).toEqual(['transaction_not_found', []]);
    expect(await refusalOf(accountTransfers.listAccountTransfers({ merchantId, cursor: 'zz' }))).toEqual([
      'validation',
      ['cursor'],
    ]);
    expect(await refusalOf(accountTransfers.listAccountTransfers({ merchantId, accountId: other.source }))).toEqual([
      'account_of_other_merchant',
      [],
    ]);
  });
});

describe('is refused, and the ledger is not asked:', () => {
  const cases: [string, string, string[], (merchant: Merchant, other: Merchant) => object][] = [
    ['the same account twice', 'validation', ['destination_account_id'], (m) => ({ destinationAccountId: m.source })],
    ['an unknown source', 'account_not_found', [], () => ({ sourceAccountId: newUlid(0) })],
    ['an unknown destination', 'account_not_found', [], () => ({ destinationAccountId: 'x' })],
    ['a source of another merchant', 'account_of_other_merchant', [], (_, other) => ({ sourceAccountId: other.source })],
    [
      'a destination of another merchant',
      'account_of_other_merchant',
      [],
      (_, other) => ({ destinationAccountId: other.source }),
    ],
    [
      'a frozen destination',
      'frozen',
      [],
      (m) => {
        m.accounts.set(m.destination, AccountStatus.FROZEN);
        return {};
      },
    ],
    [
      'an inactive source',
      'frozen',
      [],
      (m) => {
        m.accounts.set(m.source, AccountStatus.INACTIVE);
        return {};
      },
    ],
    [
      'no product, which comes before the account',
      'product_not_allowed',
      [],
      (m) => {
        m.products.length = 0;
        return { sourceAccountId: 'x' };
      },
    ],
    [
      'too much for its limit',
      'account_limit',
      [],
      (m) => {
        m.limits.push({ product: 'account-transfer', minimumSen: 0n, maximumSen: 1_000n });
        return {};
      },
    ],
  ];

  test.each(cases)('%s', async (_what, code, fields, change) => {
    const { accountTransfers } = await world.start(world.newDatabase());
    const merchant = world.newMerchant({ limits: [] });
    const order = { ...orderOf(merchant), ...change(merchant, world.newMerchant()) };
    expect(await refusalOf(accountTransfers.createAccountTransfer(order))).toEqual([code, fields]);
    expect([...world.results.values()].some(({ request }) => request.referenceNumber === order.referenceNumber)).toBe(false);
  });
});
