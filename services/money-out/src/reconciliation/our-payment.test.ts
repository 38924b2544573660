import { newUlid } from '@gerbang/core';
import { expect, it } from 'vitest';
import { createDisbursement } from '../disbursement/disbursement.ts';
import { fromDocument, newDocument, type StoredTransfer, type StoredTransferDocument } from '../transfer/document.ts';
import type { TransferState } from '../transfer/state.ts';
import { toOurPayment } from './our-payment.ts';

const unused = () => Promise.reject(new Error('not part of this test'));
const product = createDisbursement({ transfer: unused, inquireTransfer: unused });
const DETAILS = {
  bank_code: '014',
  rail_bank_code: '014',
  bank_name: 'B',
  bank_account_number: '1234567890',
  bank_account_name: '',
};
const ENDED = { possibleDuplicateOf: undefined, processedAtMs: 2_000, compensations: 0, proposal: undefined };
const FAILURE = { code: '4031805', reason: 'no', cause: 'other' } as const;

function transfer(state: TransferState): StoredTransfer {
  const order = {
    transactionId: newUlid(1_000),
    merchantId: 'm',
    partition: 'p0',
    accountId: 'a',
    referenceNumber: 'ref-1',
    partnerReference: 'PARTNER',
    contentHash: 'h',
    amountSen: 10_000_00n,
    feeSen: 2_500_00n,
    quota: undefined,
    description: 'gaji',
    createdAtMs: 1_000,
  };
  const document: StoredTransferDocument = {
    ...newDocument(product, order, DETAILS, '{}'),
    _id: 'a:ref-1',
    schema: 1,
    version: 1n,
    incarnation: 'i',
    last_seq: 0n,
    merchant_id: 'm',
    tail: [],
  };
  return { ...fromDocument(product, document), state };
}

const HELD = {
  balanceAfterSen: 0n,
  request: '{}',
  inquiries: 1,
  pendingReason: '',
  receipt: {},
  unresolvedAtMs: undefined,
  proposal: undefined,
  possibleDuplicateOf: undefined,
};

const PAID = { balanceAfterSen: 0n, railReference: 'R', receipt: {}, refund: undefined };

it.each<[TransferState, string, number]>([
  [{ status: 'created', request: '{}' }, 'open', 9_000],
  [{ status: 'sent', ...HELD }, 'open', 9_000],
  [{ status: 'canceling', cancelReason: 'expired', ...HELD }, 'open', 9_000],
  [{ status: 'succeeded', ...PAID, returned: undefined, ...ENDED }, 'done', 2_000],
  [{ status: 'succeeded', ...PAID, returned: { reason: 'r' }, ...ENDED }, 'open', 2_000],
  [{ status: 'failed', failure: FAILURE, paid: undefined, ...ENDED }, 'not-done', 2_000],
  [{ status: 'canceled', cancelReason: 'expired', paid: undefined, ...ENDED }, 'not-done', 2_000],
  [{ status: 'refunded', balanceAfterSen: 0n, railReference: '', reason: '', paid: undefined, ...ENDED }, 'returned', 2_000],
])('stands as its rail sees it (%#)', (state, standing, toMs) => {
  expect(toOurPayment(transfer(state), { keys: ['1234567890'], text: 'gaji' }, 9_000)).toMatchObject({
    standing,
    status: state.status,
    amountSen: 10_000_00n,
    fromMs: 1_000,
    toMs,
    openUntilMs: 1_000 + 86_400_000,
    reference: 'ref-1',
  });
});
