import { type Refusal, refuse } from '@gerbang/core';
import { type DirectDebitTransactionJson, directDebitTransactionSchema, presentDirectDebitTransaction } from '@gerbang/present';
import { z } from 'zod';
import { accountId, moneyAmount, optionalProse, text } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { ownReference, TIMEOUT_MS } from './fields.ts';

const body = z.object({
  account_id: accountId,
  binding_id: text.meta({ description: 'An active binding of the account.' }),
  reference_number: ownReference("The merchant's reference, unique per account over its charges."),
  amount: moneyAmount,
  description: optionalProse(100).meta({ description: 'What the charge is for.' }),
});

/** POST /api/v2.0/direct-debit/charge (contract §8). Refusals: validation, and those of direct-debit. */
export const charge = operation({
  id: 'chargeDirectDebit',
  summary: 'Charge a bound bank account',
  description:
    'Above the OTP limit (IDR 500,000 in the sandbox) `requires_otp` is true and the status PENDING_OTP: the customer gives the ' +
    "bank's OTP to you, and you give it to verify-otp within 5 minutes. Else it answers when the bank has, or after 3 seconds with " +
    'status PENDING. The webhooks `direct-debit.charge.succeeded` and `.failed` bring the outcome. The same reference with the ' +
    'same content answers the existing charge.',
  input: z.object({ body }),
  data: directDebitTransactionSchema,
  creates: true,
  links: { showDirectDebitTransaction: { transaction_id: '$response.body#/data/transaction_id' } },
  refusals: ['duplicate_reference', 'account_limit', 'frozen', 'transaction_not_found'],
  failures: ['transaction_failed'],
  async handle({ directDebits }, { caller, body: ordered, idempotencyKey }) {
    const { transaction, replayed } = await directDebits.charge(
      {
        merchantId: caller.merchantId,
        accountId: ordered.account_id,
        bindingId: ordered.binding_id,
        referenceNumber: ordered.reference_number,
        amountSen: ordered.amount,
        description: ordered.description,
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (transaction === undefined) throw new Error('direct-debit answered no charge');
    const data = presentDirectDebitTransaction(transaction);
    const failure = chargeFailure(data);
    return { data, replayed, ...(failure !== undefined && { failure }) };
  },
});

/** A charge that has ended without success. */
export function chargeFailure({ status, failed_reason }: DirectDebitTransactionJson): Refusal | undefined {
  if (status !== 'FAILED' && status !== 'EXPIRED') return undefined;
  return refuse('transaction_failed', { message: failed_reason ?? 'The charge has failed' });
}
