import { jakartaIso, toMoney } from '@gerbang/core';
import { z } from 'zod';
import { ControlError, read } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { TRANSFER_NOTIFY } from '../money-in/gateway.ts';
import type { BookEntry } from './books.ts';
import { STATUS } from './transfer-status.ts';

const params = z.object({ transaction_id: z.string().min(1).max(64) });

/** What a reversal comes to; `told`: the gateway has acknowledged the notification. */
type Reversed = { reversed: boolean; told: boolean; reason?: string };

/**
 * POST /sandbox/transfers/{transaction_id}/reverse → `{reversed, told, reason?}`: the beneficiary's bank sends back a transfer
 * that was paid. From then on its status is 04, and the gateway is notified; a repetition of this call notifies it again.
 */
export const reverseTransfer: Handler = async ({ books, gateway }, request): Promise<Reversed> => {
  const entry = await books.reverse('bank-transfer', read(params, request.params).transaction_id);
  if (entry === undefined) throw new ControlError(404, 'The bank has no such transfer');
  if (entry.status !== 'reversed') return { reversed: false, told: false, reason: `The transfer is ${entry.status}` };
  const answer = await gateway.call('bank-transfer', TRANSFER_NOTIFY, notificationOf(entry));
  switch (answer.outcome) {
    case 'done':
      return { reversed: true, told: true };
    case 'refused':
      return { reversed: true, told: false, reason: answer.message };
    case 'unanswered':
      return { reversed: true, told: false, reason: answer.reason };
    default:
      return answer satisfies never;
  }
};

function notificationOf(entry: BookEntry): object {
  return {
    originalReferenceNo: entry.referenceNo,
    originalPartnerReferenceNo: entry.partnerReference,
    ...STATUS[entry.status],
    amount: toMoney(entry.amountSen),
    beneficiaryAccountNo: entry.accountNumber,
    beneficiaryBankCode: entry.bankCode,
    transactionDate: jakartaIso(entry.bookedAtMs),
  };
}
