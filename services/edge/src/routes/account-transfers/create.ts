import { z } from 'zod';
import { accountId, numberAmount, optionalText } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
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
    note: optionalText(100),
  })
  .refine((order) => order.source_account_id !== order.destination_account_id, {
    path: ['destination_account_id'],
    message: 'must be another account than source_account_id',
  });

/** POST account-transfers (contract §6). Refusals: validation, and those of money-out. */
export const createAccountTransfer: Handler = async ({ accountTransfers }, call) => {
  const idempotencyKey = idempotencyKeyOf(call);
  const ordered = validate(body, call.body);
  const { accountTransfer, replayed } = await accountTransfers.createAccountTransfer(
    {
      merchantId: call.caller.merchantId,
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
};
