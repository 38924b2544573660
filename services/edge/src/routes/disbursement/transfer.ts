import { presentTransfer, transferSchema } from '@gerbang/present';
import { z } from 'zod';
import { accountId, moneyAmount, numberAmount, optionalProse } from '../../http/fields.ts';
import { type Operation, operation } from '../../http/operation.ts';
import { bankAccountNumber, bankCode, referenceNumber } from '../money-out-fields.ts';
import { failureOf } from '../transfer-failure.ts';

/** money-out answers after 3 s at the most, when the bank has not; the rest is for the ledger and the road. */
const TIMEOUT_MS = 10_000;

const order = {
  account_id: accountId,
  reference_number: referenceNumber,
  bank_code: bankCode,
  bank_account_number: bankAccountNumber,
  bank_account_name: optionalProse(100).meta({ description: 'The name of the beneficiary.' }),
  description: optionalProse(100).meta({ description: 'What the transfer is for.' }),
};
const bodyV2 = z.object({ ...order, amount: moneyAmount });
const bodyV1 = z.object({ ...order, amount: numberAmount });

/** POST /api/v2.0/disbursement/transfer (contract §6). Refusals: validation, and those of money-out. */
export const transferV2 = transferWith('transferDisbursement', bodyV2);

/** POST /api/v1.0/disbursement/transfer: the amount is a JSON number. */
export const transferV1 = transferWith('transferDisbursementV1', bodyV1);

function transferWith(id: string, body: typeof bodyV1 | typeof bodyV2): Operation {
  return operation({
    id,
    summary: 'Transfer to a bank account',
    description:
      'Holds amount and fee, then asks the bank. Answers when the bank has answered, or after 3 seconds with status 03 ' +
      '(Pending); the webhook `disbursement` brings the outcome. The same reference with the same content ' +
      'answers the existing transaction.',
    input: z.object({ body }),
    data: transferSchema,
    creates: true,
    links: {
      showDisbursementV1: { account_id: '$request.body#/account_id', transaction_id: '$response.body#/data/transaction_id' },
    },
    refusals: ['insufficient_balance', 'duplicate_reference', 'account_limit', 'frozen', 'vendor_inactive'],
    failures: ['transaction_failed', 'beneficiary_not_found', 'beneficiary_limit'],
    async handle({ disbursements }, { caller, body: ordered, idempotencyKey }) {
      const { transfer, replayed } = await disbursements.transfer(
        {
          merchantId: caller.merchantId,
          accountId: ordered.account_id,
          referenceNumber: ordered.reference_number,
          bankCode: ordered.bank_code,
          bankAccountNumber: ordered.bank_account_number,
          bankAccountName: ordered.bank_account_name,
          amountSen: ordered.amount,
          description: ordered.description,
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        },
        { timeoutMs: TIMEOUT_MS },
      );
      if (transfer === undefined) throw new Error('money-out answered no transfer');
      const failure = failureOf(transfer);
      return { data: presentTransfer(transfer), replayed, ...(failure !== undefined && { failure }) };
    },
  });
}
