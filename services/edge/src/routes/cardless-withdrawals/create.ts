import { type Refusal, VA_BANK_CODES } from '@gerbang/core';
import { cardlessWithdrawalWithCodeSchema, presentCardlessWithdrawalWithCode } from '@gerbang/present';
import { type Transfer, TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { z } from 'zod';
import { numberAmountAs, ofAccount, oneOf, orAbsent, text, unixMs } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { referenceNumber } from '../money-out-fields.ts';
import { failureOf } from '../transfer-failure.ts';

/** money-out answers after 3 s at the most, when the bank has not; the rest is for the ledger and the road. */
const TIMEOUT_MS = 10_000;

const AMOUNT_STEP_SEN = 50_000_00n;
const AMOUNT_MAX_SEN = 5_000_000_00n;

const body = z.object({
  reference_number: referenceNumber,
  bank_code: oneOf(VA_BANK_CODES),
  phone_number: text
    .regex(/^\+?[0-9]{8,15}$/, 'must be a phone number of 8 to 15 digits')
    .meta({ description: "The customer's phone number.", examples: ['081234567890'] }),
  amount: numberAmountAs({
    description: 'Rupiah, a multiple of 50,000, at most 5,000,000: machines give no smaller notes.',
    override: { type: 'number', format: 'double', minimum: 50_000, maximum: 5_000_000, multipleOf: 50_000 },
  }).refine((sen) => sen % AMOUNT_STEP_SEN === 0n && sen <= AMOUNT_MAX_SEN, 'must be a multiple of 50000, at most 5000000'),
  expired_at: orAbsent(unixMs).meta({ description: 'In the future. Two hours from now if it is left out.' }),
});

/** POST cardless-withdrawals/{account_id} (contract §6). Refusals: validation, and those of money-out. */
export const createCardlessWithdrawal = operation({
  id: 'createCardlessWithdrawal',
  summary: 'Create a code to draw cash with',
  description:
    "Holds amount and fee, then asks the bank for a code with which the customer draws the cash at one of the bank's machines. " +
    'Answers when the bank has answered, or after 3 seconds with status pending and no code: show has the code as soon as the ' +
    'bank has given it. The webhook `cardless-withdrawal` brings the end. The same reference with the same content answers the ' +
    'existing withdrawal. The code is in this answer and in that of show only, never in lists and webhooks.',
  input: z.object({ params: ofAccount, body }),
  data: cardlessWithdrawalWithCodeSchema,
  status: 201,
  creates: true,
  links: {
    showCardlessWithdrawal: {
      account_id: '$request.path.account_id',
      transaction_id: '$response.body#/data/transaction_id',
    },
    cancelCardlessWithdrawal: {
      account_id: '$request.path.account_id',
      transaction_id: '$response.body#/data/transaction_id',
    },
  },
  refusals: ['insufficient_balance', 'duplicate_reference', 'account_limit', 'frozen'],
  failures: ['transaction_failed', 'beneficiary_not_found'],
  async handle({ cardlessWithdrawals }, { caller, params, body: ordered, idempotencyKey }) {
    const { transfer, withdrawalCode, replayed } = await cardlessWithdrawals.createCardlessWithdrawal(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        referenceNumber: ordered.reference_number,
        bankCode: ordered.bank_code,
        phoneNumber: ordered.phone_number,
        amountSen: ordered.amount,
        ...(ordered.expired_at !== undefined && { expiredAtMs: ordered.expired_at }),
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (transfer === undefined) throw new Error('money-out answered no cardless withdrawal');
    const failure = failureOfOrder(transfer);
    const data = presentCardlessWithdrawalWithCode(transfer, withdrawalCode);
    return { data, replayed, ...(failure !== undefined && { failure }) };
  },
});

/** What a withdrawal for which the bank gives no code means for the answer (contract §6); an order may be one of before. */
function failureOfOrder(transfer: Transfer): Refusal | undefined {
  return transfer.status === TransferStatus.FAILED ? failureOf(transfer) : undefined;
}
