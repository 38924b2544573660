import { ewalletTopupSchema, presentEwalletTopup } from '@gerbang/present';
import { z } from 'zod';
import { accountId, moneyAmount, optionalProse } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { failureOf } from '../transfer-failure.ts';
import { channel, phoneNumber } from './fields.ts';

/** money-out answers after 3 s at the most, when the wallet has not; the rest is for the ledger and the transport. */
const TIMEOUT_MS = 10_000;

const body = z.object({
  account_id: accountId,
  reference_number: referenceNumber,
  channel,
  phone_number: phoneNumber,
  amount: moneyAmount,
  note: optionalProse(100).meta({ description: 'What the top-up is for.' }),
});

/** POST /api/v2.0/ewallet/trigger-topup (contract §6). Refusals: validation, and those of money-out. */
export const triggerTopup = operation({
  id: 'triggerEwalletTopup',
  summary: "Top up a customer's e-wallet",
  description:
    'Holds amount and fee, then asks the e-wallet. Answers when the e-wallet has answered, or after 3 seconds with status 03 ' +
    '(Pending); the webhook `ewallet-topup` brings the outcome. The same reference with the same content answers the existing ' +
    'transaction, in any form of the phone number.',
  input: z.object({ body }),
  data: ewalletTopupSchema,
  creates: true,
  refusals: ['insufficient_balance', 'duplicate_reference', 'account_limit', 'frozen'],
  failures: ['transaction_failed', 'beneficiary_not_found', 'beneficiary_limit'],
  async handle({ ewalletTopups }, { caller, body: ordered, idempotencyKey }) {
    const { transfer, replayed } = await ewalletTopups.triggerTopup(
      {
        merchantId: caller.merchantId,
        accountId: ordered.account_id,
        referenceNumber: ordered.reference_number,
        channel: ordered.channel,
        phoneNumber: ordered.phone_number,
        amountSen: ordered.amount,
        note: ordered.note,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (transfer === undefined) throw new Error('money-out answered no e-wallet top-up');
    const failure = failureOf(transfer);
    return { data: presentEwalletTopup(transfer), replayed, ...(failure !== undefined && { failure }) };
  },
});
