import { newUlid, RefusalError, refuse } from '@gerbang/core';
import { ReportedOutcome, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoredTransferDocument } from '../src/transfer/document.ts';
import { partnerReferenceOf } from '../src/transfer/rail-reference.ts';
import type { StateFields } from '../src/transfer/state-document.ts';
import { type OperatorName, refusalOf, useMoneyOut } from './harness.ts';

const world = useMoneyOut();
const AMOUNT_SEN = 1_000n;

afterEach(() => {
  delete world.scripted.post;
});

/** A service whose bank is away, and a disbursement that stays pending there. */
async function aPendingTransfer() {
  const database = world.newDatabase();
  const service = await world.start(database);
  const { merchantId, source: accountId } = world.newMerchant({}, 5_000n);
  const referenceNumber = 'ref-1';
  const order = { merchantId, accountId, referenceNumber, bankCode: '014', bankAccountNumber: '1234567890' };
  const { transfer } = await service.disbursements.transfer({ ...order, amountSen: AMOUNT_SEN });
  const transactionId = transfer?.transactionId ?? '';
  const partnerReference = partnerReferenceOf(accountId, referenceNumber);
  const report = (outcome: ReportedOutcome, over: object = {}) =>
    service.reports.reportTransfer({
      rail: 'bank-transfer',
      transactionId: partnerReference,
      outcome,
      reason: 'closed account',
      ...over,
    });
  const show = async () => {
    const by = { case: 'transactionId', value: transactionId } as const;
    return (await service.disbursements.getTransfer({ merchantId, accountId, by })).transfer;
  };
  const resolve = (operator: OperatorName | undefined, outcome: string, over: object = {}) =>
    service.as(operator).resolution.resolve({ merchantId, accountId, referenceNumber, outcome, ...over });
  const unresolved = async () => (await service.as('dewi').resolution.listUnresolved({ limit: 10 })).items;
  const available = () => world.available.get(accountId);
  const open = () => world.openTransfers(database);
  return { ...service, report, show, resolve, unresolved, available, order, accountId, transactionId, open };
}

const { SUCCEEDED, FAILED, RETURNED, CANCELED } = ReportedOutcome;

describe('a rail’s report', () => {
  test('ends an open transfer, once, and shows it', async () => {
    const { report, show, available } = await aPendingTransfer();
    expect((await show())?.status).toBe(TransferStatus.PENDING);
    const answers = await Promise.all([1, 2, 3].map(() => report(SUCCEEDED, { railReference: 'r1', amountSen: AMOUNT_SEN })));
    expect(answers.map(({ status }) => status)).toEqual([1, 2, 3].map(() => TransferStatus.SUCCESS));
    expect(await show()).toMatchObject({ status: TransferStatus.SUCCESS, balanceAfterSen: 4_000n });
    expect(available()).toBe(4_000n);
  });

  test('finds an order of an earlier version, which the rail knows by its transaction id', async () => {
    const { report, transactionId, accountId, open } = await aPendingTransfer();
    const transfers = (await open()).collection<{ _id: string }>('transfers');
    await transfers.updateOne({ _id: `${accountId}:ref-1` }, { $unset: { partner_reference: '', payment_hash: '' } });
    expect(await refusalOf(report(SUCCEEDED, { railReference: 'r1' }))).toEqual(['transaction_not_found', []]);
    expect((await report(SUCCEEDED, { railReference: 'r1', transactionId })).status).toBe(TransferStatus.SUCCESS);
  });

  test('of a return days later gives the money back, and the merchant sees it as refunded', async () => {
    const { report, show, available, disbursements, order, accountId, clock } = await aPendingTransfer();
    await report(SUCCEEDED, { railReference: 'r1' });
    clock.setOffset(3 * 86_400_000);
    for (let i = 0; i < 2; i++) expect((await report(RETURNED, { railReference: 'r1' })).status).toBe(TransferStatus.REFUNDED);
    expect(await show()).toMatchObject({ status: TransferStatus.REFUNDED, balanceAfterSen: 4_000n });
    expect(available()).toBe(5_000n);
    const list = async (status: TransferStatus) =>
      (await disbursements.listTransfers({ merchantId: order.merchantId, accountId, limit: 10, status })).transfers.length;
    expect([await list(TransferStatus.REFUNDED), await list(TransferStatus.SUCCESS)]).toEqual([1, 0]);
    // The success was reported before; its repetition comes late.
    expect((await report(SUCCEEDED, { railReference: 'r1' })).status).toBe(TransferStatus.REFUNDED);
  });

  test.each([
    [FAILED, TransferStatus.FAILED],
    [CANCELED, TransferStatus.CANCELED],
  ])('of a payment after %i waits for two operators, and then is one', async (first, status) => {
    const { report, show, resolve, unresolved, available, accountId } = await aPendingTransfer();
    await report(first);
    expect(available()).toBe(5_000n);
    expect((await report(SUCCEEDED, { railReference: 'r1' })).status).toBe(status);
    expect(await unresolved()).toMatchObject([{ product: 'disbursement', reason: 'The rail says that it has paid' }]);

    world.available.set(accountId, 10n);
    expect(await resolve('ana', 'succeeded')).toMatchObject({ decided: false });
    expect(await resolve('ana', 'succeeded')).toMatchObject({ decided: false });
    expect(await refusalOf(resolve('budi', 'succeeded'))).toEqual(['insufficient_balance', []]);
    expect(await unresolved()).toMatchObject([{ proposedBy: 'ana', proposedOutcome: 'succeeded' }]);
    world.available.set(accountId, 5_000n);
    expect(await resolve('budi', 'succeeded')).toMatchObject({ decided: true });
    expect(await unresolved()).toEqual([]);
    expect(await show()).toMatchObject({ status: TransferStatus.SUCCESS, balanceAfterSen: 4_000n });
    expect(available()).toBe(4_000n);
  });

  test('of a return, decided by operators where the rail has only said it', async () => {
    const { report, show, resolve, available } = await aPendingTransfer();
    await report(SUCCEEDED, { railReference: 'r1' });
    expect(await refusalOf(resolve('ana', 'succeeded'))).toEqual(['bad_request', []]);
    expect(await resolve('ana', 'failed')).toMatchObject({ decided: false });
    expect((await show())?.status).toBe(TransferStatus.SUCCESS);
    expect(await resolve('budi', 'failed')).toMatchObject({ decided: true });
    expect((await show())?.status).toBe(TransferStatus.REFUNDED);
    expect(available()).toBe(5_000n);
  });

  test('of a transfer that is not accepted yet is refused, and the rail comes again', async () => {
    const database = world.newDatabase();
    const { disbursements, reports } = await world.start(database);
    const { merchantId, source: accountId } = world.newMerchant({}, 5_000n);
    const order = { merchantId, accountId, referenceNumber: 'ref-1', bankCode: '014', bankAccountNumber: '1', amountSen: 1n };
    world.scripted.post = () => Promise.reject(new RefusalError(refuse('timeout')));
    expect(await refusalOf(disbursements.transfer(order))).toEqual(['timeout', []]);
    const transfers = (await world.openTransfers(database)).collection<{ _id: string; transaction_id: string }>('transfers');
    const stored = await transfers.findOne({ _id: `${accountId}:ref-1` });
    const report = { rail: 'bank-transfer', transactionId: stored?.transaction_id ?? '', outcome: SUCCEEDED };
    // The client would ask again until its deadline, which then cuts off an attempt or falls between two.
    expect(await refusalOf(reports.reportTransfer(report, { retry: false }))).toEqual(['unavailable', []]);
  });

  test.each<[string, object, [string, string[]]]>([
    ['of an unknown transfer', { transactionId: newUlid(0) }, ['transaction_not_found', []]],
    ['of another rail', { rail: 'qris' }, ['transaction_not_found', []]],
    ['with another amount', { amountSen: 999n }, ['validation', ['amount']]],
    ['without an outcome', { outcome: ReportedOutcome.UNSPECIFIED }, ['validation', ['outcome']]],
  ])('%s is refused', async (_what, over, refusal) => {
    const { report, show } = await aPendingTransfer();
    expect(await refusalOf(report(SUCCEEDED, over))).toEqual(refusal);
    expect((await show())?.status).toBe(TransferStatus.PENDING);
  });
});

describe('a decision of operators', () => {
  const aSucceededTransfer = async () => {
    const service = await aPendingTransfer();
    await service.report(SUCCEEDED, { railReference: 'r1' });
    const transfers = (await service.open()).collection<StoredTransferDocument>('transfers');
    const _id = `${service.accountId}:ref-1`;
    return {
      ...service,
      stored: () => transfers.findOne({ _id }),
      change: ($set: Partial<StateFields>) => transfers.updateOne({ _id }, { $set }),
    };
  };

  test('is for those whose key and role may give it; a read too needs a key', async () => {
    const { as, resolve, available } = await aSucceededTransfer();
    expect(await refusalOf(resolve(undefined, 'failed'))).toEqual(['unauthorized', []]);
    expect(await refusalOf(resolve('dewi', 'failed'))).toEqual(['forbidden', []]);
    expect(await refusalOf(as().resolution.listUnresolved({ limit: 1 }))).toEqual(['unauthorized', []]);
    expect(await refusalOf(as().limits.listLimits({ merchantId: 'm' }))).toEqual(['unauthorized', []]);
    expect(available()).toBe(4_000n);
  });

  test('is made once, by two keys; a second name in the request is no second person', async () => {
    const { resolve, available, transactionId } = await aSucceededTransfer();
    const target = `transfer:${transactionId}`;
    for (const operator of ['ana', ' Ana', 'budi']) {
      expect(await resolve('ana', 'failed', { operator })).toMatchObject({ decided: false });
    }
    expect(available()).toBe(4_000n);
    expect(await resolve('budi', 'failed', { operator: 'ana' })).toMatchObject({ decided: true });
    expect(await refusalOf(resolve('budi', 'failed'))).toEqual(['bad_request', []]);
    expect(available()).toBe(5_000n);
    const logged = world.commands
      .filter((one) => one.target === target)
      .map(({ operator, after }) => [operator, JSON.parse(after)]);
    const proposed = ['ana', { outcome: 'failed', step: 'proposed' }];
    expect(logged).toEqual([proposed, proposed, proposed, ['budi', { outcome: 'failed', step: 'approved' }]]);
  });

  test('does not count what somebody proposed under a name of his own choice, before operators had keys', async () => {
    const { resolve, available, stored, change } = await aSucceededTransfer();
    await change({ correction_proposed_by: 'Budi S.', correction_proposed_outcome: 'failed' });
    expect(await resolve('budi', 'failed')).toMatchObject({ decided: false });
    expect(available()).toBe(4_000n);
    const now = await stored();
    expect([now?.correction_proposed_by, now?.correction_proposed_operator]).toEqual([undefined, 'budi']);
    expect(await resolve('ana', 'failed')).toMatchObject({ decided: true });
    expect(available()).toBe(5_000n);
  });
});
