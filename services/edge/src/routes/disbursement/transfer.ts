import { type Refusal, refuse } from '@gerbang/core';
import { presentTransfer } from '@gerbang/present';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { accountId, moneyAmount, numberAmount, optionalText } from '../../http/fields.ts';
import { idempotencyKeyOf } from '../../http/idempotency.ts';
import type { Handler } from '../../http/route.ts';
import { validate } from '../../http/validation.ts';
import { bankAccountNumber, bankCode, referenceNumber } from '../money-out-fields.ts';

/** money-out answers after 3 s at the most, when the bank has not; the rest is for the ledger and the road. */
const TIMEOUT_MS = 10_000;

const order = {
  account_id: accountId,
  reference_number: referenceNumber,
  bank_code: bankCode,
  bank_account_number: bankAccountNumber,
  bank_account_name: optionalText(100),
  description: optionalText(100),
};
const bodyV2 = z.object({ ...order, amount: moneyAmount });
const bodyV1 = z.object({ ...order, amount: numberAmount });

/** POST /api/v2.0/disbursement/transfer (contract §6). Refusals: validation, and those of money-out. */
export const transferV2: Handler = transferWith(bodyV2);

/** POST /api/v1.0/disbursement/transfer: the amount is a JSON number. */
export const transferV1: Handler = transferWith(bodyV1);

function transferWith(body: typeof bodyV1 | typeof bodyV2): Handler {
  return async ({ disbursements }, call) => {
    const idempotencyKey = idempotencyKeyOf(call);
    const ordered = validate(body, call.body);
    const { transfer, replayed } = await disbursements.transfer(
      {
        merchantId: call.caller.merchantId,
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
  };
}

/** What a transfer that has failed means for the order's answer (contract §6); undefined while it may succeed, or has. */
function failureOf({ status, beneficiaryUnknown, failedReason }: Transfer): Refusal | undefined {
  switch (status) {
    case TransferStatus.SUCCESS:
    case TransferStatus.INITIATED:
    case TransferStatus.PAYING:
    case TransferStatus.PENDING:
      return undefined;
    case TransferStatus.FAILED:
    case TransferStatus.CANCELED:
    case TransferStatus.REFUNDED: {
      const code = beneficiaryUnknown ? 'beneficiary_not_found' : 'transaction_failed';
      return refuse(code, failedReason === '' ? {} : { message: failedReason });
    }
    case TransferStatus.UNSPECIFIED:
      throw new Error('money-out answered a transfer without a status');
    default:
      return status satisfies never;
  }
}
