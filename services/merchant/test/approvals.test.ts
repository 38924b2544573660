import { fromBinary } from '@bufbuild/protobuf';
import { RefusalError } from '@gerbang/core';
import { newOperatorKey } from '@gerbang/neighbours';
import { FundRequestSchema } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { ApprovalState, Outcome, Role } from '@gerbang/proto/gerbang/operator/v1/operator';
import { describe, expect, test } from 'vitest';
import { budi, enrolment, newMerchant, refusalOf, sari, useMerchantService } from './harness.ts';

const system = useMerchantService();

/** The id of the approval that a refused call waits for. */
async function approvalOf(call: Promise<unknown>): Promise<string> {
  const error: unknown = await call.catch((reason: unknown) => reason);
  if (!(error instanceof RefusalError)) throw new Error('the call was not refused');
  expect(error.refusal.refused).toBe('approval_needed');
  return error.refusal.echo?.approval_id ?? '';
}

async function startWithMerchant(options: Parameters<typeof system.start>[0] = {}) {
  const running = await system.start(options);
  const { merchantId, accountIds, clientId } = await running.as(budi).operators.createMerchant(newMerchant);
  const credit = { merchantId, accountId: accountIds[0] ?? '', amountSen: 10_000_000n, rail: 'bank-transfer' };
  return { ...running, merchantId, clientId, credit };
}

describe('a command that needs a second operator', () => {
  test('is proposed by the first and carried out by the second, once', async () => {
    const { as, admins, credit } = await startWithMerchant();
    const order = { ...credit, operationId: 'once' };
    const id = await approvalOf(as(budi).operators.fund(order));
    const { approvals } = await admins.listApprovals({});
    expect(approvals).toMatchObject([{ id, state: ApprovalState.OPEN, proposer: 'budi', service: 'merchant' }]);
    expect(fromBinary(FundRequestSchema, approvals[0]?.request ?? new Uint8Array())).toMatchObject(order);
    expect((await as(sari).operators.fund(order)).availableSen).toBe(10_000_000n);
    expect((await admins.getApproval({ id })).approval?.state).toBe(ApprovalState.USED);
    const { lines } = await admins.listAudit({ target: `account:${credit.accountId}` });
    expect(lines).toMatchObject([{ operator: 'sari', proposer: 'budi', outcome: Outcome.DONE }]);
    // Used up: the same command has to be proposed again.
    await approvalOf(as(sari).operators.fund(order));
  });

  test('is not carried out by who has proposed it, also with other names in the request', async () => {
    const { as, credit } = await startWithMerchant();
    const order = { ...credit, operationId: 'alone' };
    const id = await approvalOf(as(budi).operators.fund({ ...order, operator: 'budi' }));
    expect(await approvalOf(as(budi).operators.fund({ ...order, operator: 'budi' }))).toBe(id);
    // The name in the request says nothing: this is another proposal, of the same person.
    expect(await approvalOf(as(budi).operators.fund({ ...order, operator: 'sari ' }))).not.toBe(id);
    expect(system.postings().has('fund:alone')).toBe(false);
  });

  test('is approved for this request only', async () => {
    const { as, credit } = await startWithMerchant();
    await approvalOf(as(budi).operators.fund({ ...credit, operationId: 'small' }));
    await approvalOf(as(sari).operators.fund({ ...credit, operationId: 'small', amountSen: 20_000_000n }));
    expect(system.postings().has('fund:small')).toBe(false);
  });

  test('is refused where it is too large, so that the list of those that wait is never too large to be sent', async () => {
    const { as, admins, credit } = await startWithMerchant();
    const fund = (bytes: number) => refusalOf(as(budi).operators.fund({ ...credit, operationId: 'o'.repeat(bytes) }));
    expect((await fund(4_096)).code).toBe('validation');
    for (let more = 0; more < 100; more++) expect((await fund(3_800 + more)).code).toBe('approval_needed');
    expect((await admins.listApprovals({})).approvals).toHaveLength(100);
  });

  test('of two that approve at once one carries it out', async () => {
    const { as, admins, credit } = await startWithMerchant();
    const dewi = await newOperatorKey('dewi');
    await admins.enrolOperator({ operator: enrolment(dewi), role: Role.FINANCE });
    const order = { ...credit, operationId: 'race' };
    await approvalOf(as(budi).operators.fund(order));
    await Promise.allSettled([as(sari).operators.fund(order), as(dewi).operators.fund(order)]);
    const { lines } = await admins.listAudit({ target: `account:${credit.accountId}` });
    expect(lines.map(({ outcome, proposer }) => [outcome, proposer])).toEqual([[Outcome.DONE, 'budi']]);
  });

  test('ends after a day, and where its proposer is disabled', async () => {
    let now = Date.now();
    const { as, admins, credit } = await startWithMerchant({ realNow: () => now });
    const order = { ...credit, operationId: 'late' };
    await approvalOf(as(budi).operators.fund(order));
    now += 24 * 60 * 60_000;
    await approvalOf(as(sari).operators.fund(order));
    expect((await admins.listApprovals({})).approvals).toMatchObject([{ proposer: 'sari' }]);
    const dewi = await newOperatorKey('dewi');
    await admins.enrolOperator({ operator: enrolment(dewi), role: Role.FINANCE });
    const hers = { ...credit, operationId: 'hers' };
    await approvalOf(as(dewi).operators.fund(hers));
    await admins.disableOperator({ id: 'dewi' });
    await approvalOf(as(budi).operators.fund(hers));
    expect(system.postings().has('fund:late') || system.postings().has('fund:hers')).toBe(false);
  });

  test('can be rejected; a command that has taken it without an end, too', async () => {
    const database = system.newDatabase();
    const { as, credit } = await startWithMerchant({ database });
    const order = { ...credit, operationId: 'no' };
    const id = await approvalOf(as(budi).operators.fund(order));
    await as(sari).admins.rejectApproval({ id });
    await approvalOf(as(sari).operators.fund(order));
    // As a crash between the beginning and the end of a command leaves it.
    const store = await system.openDatabase(database);
    await store.collection<{ _id: string }>('operator_approvals').updateOne({ _id: id }, { $set: { state: 'executing' } });
    expect((await refusalOf(as(budi).operators.fund(order))).code).toBe('approval_used');
    await as(budi).admins.rejectApproval({ id });
    await approvalOf(as(budi).operators.fund(order));
    expect(system.postings().has('fund:no')).toBe(false);
  });
});

describe('a second operator is needed for', () => {
  test('secrets of a merchant', async () => {
    const { as, merchantId, clientId } = await startWithMerchant();
    await approvalOf(as(budi).operators.rotateSecret({ merchantId, clientId }));
    await approvalOf(as(budi).operators.addCredential({ merchantId }));
    await as(budi).operators.disableCredential({ merchantId, clientId });
  });

  test('fees that change by more than the threshold, up or down', async () => {
    const { as, merchantId } = await startWithMerchant({ env: { APPROVAL_FEE_SEN: '50000', APPROVAL_FEE_BASIS_POINTS: '5' } });
    const set = (fixedSen: bigint, basisPoints = 0, channel = '') =>
      as(budi).operators.setFees({
        merchantId,
        fee: { product: basisPoints === 0 ? 'disbursement' : 'qris', channel, fixedSen, basisPoints },
      });
    await set(300_000n);
    await approvalOf(set(350_100n));
    await approvalOf(set(0n));
    await approvalOf(set(100_000n, 0, '014'));
    await set(0n, 75);
    await approvalOf(set(0n, 64));
  });

  test('fees that one operator changes step by step, each within the threshold', async () => {
    const { as, operators, merchantId } = await startWithMerchant();
    const fee = (fixedSen: bigint, more = {}) => ({ merchantId, fee: { product: 'disbursement', fixedSen, ...more } });
    const alone = as(budi).operators;
    await alone.setFees(fee(150_000n));
    await approvalOf(alone.setFees(fee(50_000n)));
    await approvalOf(alone.setFees(fee(50_000n, { channel: '014' })));
    await approvalOf(as(sari).operators.setFees(fee(40_000n)));
    // Two agree on less; from there on it counts anew.
    await operators.setFees(fee(100_000n));
    await alone.setFees(fee(0n));
    // What moved a channel back to the common rule counts too.
    await operators.setFees(fee(300_000n, { channel: '014' }));
    await approvalOf(alone.setFees(fee(300_000n, { channel: '014', effectiveUntilMs: 1n })));
  });

  test('fees that change by when their rule applies', async () => {
    const { as, operators, merchantId } = await startWithMerchant({ env: { APPROVAL_FEE_SEN: '50000' } });
    const product = 'disbursement';
    const far = BigInt(Date.UTC(2090, 0));
    await as(budi).operators.setFees({ merchantId, fee: { product, fixedSen: 300_000n } });
    // The same fee that has ended is none.
    await approvalOf(as(budi).operators.setFees({ merchantId, fee: { product, fixedSen: 300_000n, effectiveUntilMs: 1n } }));
    // A fee that was approved for another time is not for now.
    await operators.setFees({ merchantId, fee: { product, fixedSen: 0n, effectiveFromMs: far } });
    await approvalOf(as(budi).operators.setFees({ merchantId, fee: { product, fixedSen: 0n, effectiveFromMs: 1n } }));
    await as(budi).operators.setFees({ merchantId, fee: { product, fixedSen: 290_000n, effectiveFromMs: 1n } });
  });

  test('limits that are removed, or raised above the threshold', async () => {
    const { as, operators, merchantId } = await startWithMerchant({ env: { APPROVAL_LIMIT_SEN: '1000000' } });
    const set = (maximumSen: bigint, dailyMaximumSen = 0n) =>
      as(budi).operators.setLimits({ merchantId, limit: { product: 'disbursement', maximumSen, dailyMaximumSen } });
    await set(2_000_000n, 5_000_000n);
    await set(500_000n, 5_000_000n);
    await set(900_000n, 5_000_000n);
    await approvalOf(set(1_100_000n, 5_000_000n));
    await approvalOf(set(900_000n, 0n));
    await operators.setLimits({ merchantId, limit: { product: 'disbursement' } });
    await set(3_000_000n);
  });

  test('two admins who leave at once: one of them at most does', async () => {
    const { as, admins } = await system.start();
    const dewi = await newOperatorKey('dewi');
    await admins.enrolOperator({ operator: enrolment(dewi), role: Role.ADMIN });
    const leave = (id: string) => as(budi).admins.setRole({ id, role: Role.VIEWER });
    await approvalOf(leave('sari'));
    await approvalOf(leave('dewi'));
    const approve = (key: typeof dewi, id: string) => as(key).admins.setRole({ id, role: Role.VIEWER });
    await Promise.allSettled([approve(dewi, 'sari'), approve(sari, 'dewi')]);
    const { operators } = await as(budi).admins.listOperators({});
    expect(operators.filter(({ role }) => role === Role.ADMIN).length).toBeGreaterThanOrEqual(2);
  });

  test('operators who can approve payments: giving that role, and taking it from an admin', async () => {
    const { as, admins } = await system.start();
    const [dewi, eka] = [await newOperatorKey('dewi'), await newOperatorKey('eka')];
    const mine = as(budi).admins;
    for (const role of [Role.FINANCE, Role.ADMIN]) await approvalOf(mine.enrolOperator({ operator: enrolment(dewi), role }));
    await mine.enrolOperator({ operator: enrolment(dewi), role: Role.SUPPORT });
    await approvalOf(mine.setRole({ id: 'dewi', role: Role.FINANCE }));
    await approvalOf(mine.setRole({ id: 'sari', role: Role.VIEWER }));
    await approvalOf(mine.disableOperator({ id: 'sari' }));
    expect((await refusalOf(as(sari).admins.disableOperator({ id: 'sari' }))).code).toBe('bad_request');
    await admins.enrolOperator({ operator: enrolment(eka), role: Role.ADMIN });
    await admins.setRole({ id: 'eka', role: Role.VIEWER });
    expect((await admins.listOperators({})).operators.map(({ id, role }) => [id, role])).toEqual([
      ['budi', Role.ADMIN],
      ['dewi', Role.SUPPORT],
      ['eka', Role.VIEWER],
      ['sari', Role.ADMIN],
    ]);
  });
});
