import { accountTransferSchema } from '@gerbang/present';
import { z } from 'zod';
import { accountId, numberAmount, optionalProse } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { dataOf } from './show.ts';

/** For the ledger, a takeover of its partition included. */
const TIMEOUT_MS = 10_000;

const body = z
  .object({
    source_account_id: accountId,
    destination_account_id: accountId,
    amount: numberAmount,
    reference_number: referenceNumber,
    note: optionalProse(100).meta({ description: 'What the transfer is for.' }),
  })
  .refine((order) => order.source_account_id !== order.destination_account_id, {
    path: ['destination_account_id'],
    message: 'must be another account than source_account_id',
  });

/** POST account-transfers (contract §6). Refusals: validation, and those of money-out. */
export const createAccountTransfer = operation({
  id: 'createAccountTransfer',
  summary: 'Transfer between two accounts of the merchant',
  description: 'Both accounts move in one step, free of charge.',
  input: z.object({ body }),
  data: accountTransferSchema,
  creates: true,
  links: {
    showAccountTransfer: { transaction_id: '$response.body#/data/transaction_id' },
  },
  refusals: ['insufficient_balance', 'duplicate_reference', 'account_limit', 'frozen'],
  async handle({ accountTransfers }, { caller, body: ordered, idempotencyKey }) {
    const { accountTransfer, replayed } = await accountTransfers.createAccountTransfer(
      {
        merchantId: caller.merchantId,
        sourceAccountId: ordered.source_account_id,
        destinationAccountId: ordered.destination_account_id,
        amountSen: ordered.amount,
        referenceNumber: ordered.reference_number,
        note: ordered.note,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    return { data: dataOf(accountTransfer), replayed };
  },
});
