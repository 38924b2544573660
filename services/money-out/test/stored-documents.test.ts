import { newUlid } from '@gerbang/core';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { expect, test } from 'vitest';
import { createDisbursement } from '../src/disbursement/disbursement.ts';
import { fromDocument, type StoredTransferDocument } from '../src/transfer/document.ts';
import { toMessage } from '../src/transfer/message.ts';
import { toStateFields } from '../src/transfer/state-document.ts';

const unused = async () => {
  throw new Error('not part of this test');
};
const disbursement = createDisbursement({ transfer: unused, inquireTransfer: unused });
const request = '{"partnerReference":"01K"}';

/** A document as versions before corrections wrote it. */
const before: StoredTransferDocument & Record<string, unknown> = {
  _id: 'a:ref-1',
  schema: 1,
  version: 3n,
  incarnation: 'i',
  last_seq: 2n,
  merchant_id: 'm1',
  tail: [],
  transaction_id: newUlid(0),
  partition: 'p0',
  account_id: 'a',
  reference_number: 'ref-1',
  content_hash: 'h',
  product: 'disbursement',
  amount_sen: 1_000n,
  fee_sen: 250n,
  bank_code: 'CENAIDJA',
  rail_bank_code: '014',
  bank_name: 'Bank Central Asia',
  bank_account_number: '1234567890',
  bank_account_name: 'Budi',
  description: 'stok',
  created_at: new Date(1_000),
  status: 'created',
  request,
};
const sent = { ...before, status: 'sent', balance_after_sen: 5n, inquiries: 2, pending_reason: 'timeout' } as const;
const proposed = { proposed_by: 'ana', proposed_outcome: 'succeeded' } as const;

const rows: [string, StoredTransferDocument, object, object][] = [
  ['created', before, { status: 'created', request }, { status: TransferStatus.INITIATED }],
  [
    'sent',
    { ...sent, unresolved_at: new Date(2_000), ...proposed },
    // A proposal by a name that its proposer gave counts no more.
    { status: 'sent', inquiries: 2, unresolvedAtMs: 2_000, proposal: undefined },
    { status: TransferStatus.PENDING, balanceAfterSen: 5n },
  ],
  [
    'succeeded',
    { ...sent, ...proposed, status: 'succeeded', rail_reference: 'r', processed_at: new Date(3_000) },
    {
      status: 'succeeded',
      railReference: 'r',
      receipt: {},
      returned: undefined,
      refund: undefined,
      compensations: 0,
      proposal: undefined,
    },
    { status: TransferStatus.SUCCESS, balanceAfterSen: 5n, processedAtMs: 3_000n },
  ],
  [
    'failed',
    {
      ...sent,
      ...{ status: 'failed', failed_code: '4041811', failed_reason: 'no', processed_at: new Date(3_000) },
      ...{ beneficiary_unknown: true },
    },
    { status: 'failed', failure: { code: '4041811', reason: 'no', cause: 'recipient_unknown' }, paid: undefined },
    { status: TransferStatus.FAILED, beneficiaryUnknown: true, failedCode: '4041811', failedReason: 'no' },
  ],
];

test.each(rows)('a document of before that is %s opens, and is shown as it was', (_status, document, state, shown) => {
  const read = fromDocument(disbursement, document);
  expect(read.state).toMatchObject(state);
  expect(toMessage(read)).toMatchObject({
    ...shown,
    transactionId: document.transaction_id,
    bankCode: 'CENAIDJA',
    bankName: 'Bank Central Asia',
    bankAccountNumber: '1234567890',
    bankAccountName: 'Budi',
    description: 'stok',
  });
});

test('a version before can still read how a transfer has failed', () => {
  const read = fromDocument(disbursement, rows[3]?.[1] ?? before);
  const { set, unset } = toStateFields(disbursement, read.state, { ...sent, ...proposed });
  expect(set).toMatchObject({ status: 'failed', failed_code: '4041811', failed_reason: 'no', beneficiary_unknown: true });
  expect(unset).toEqual(['proposed_outcome', 'proposed_by']);
});

test('a transfer keeps that it was over the beneficiary’s limit; a version before reads a failure', () => {
  const failure = { code: '4031802', reason: 'Exceeds Transaction Amount Limit', cause: 'recipient_limit' } as const;
  const ended = { processedAtMs: 3_000, compensations: 0, possibleDuplicateOf: undefined, proposal: undefined, paid: undefined };
  const { set } = toStateFields(disbursement, { status: 'failed', failure, ...ended }, sent);
  expect(set).toMatchObject({ failed_code: '4031802', beneficiary_unknown: false });
  const read = fromDocument(disbursement, { ...sent, ...set });
  expect(read.state).toMatchObject({ failure });
  expect(toMessage(read)).toMatchObject({ beneficiaryOverLimit: true, beneficiaryUnknown: false });
});
