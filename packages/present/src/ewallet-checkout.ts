import { EWALLET_CHANNELS, toMoney } from '@gerbang/core';
import type { EwalletCheckout } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { EWALLET_WORDS, statusWord } from './payable-status.ts';
import { EwalletChannel, EwalletStatus, EwalletTransactionId, Money, Timestamp, Ulid } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso, isoOrNull } from './time.ts';

export const ewalletCheckoutSchema = z
  .strictObject({
    transaction_id: EwalletTransactionId,
    account_id: Ulid,
    channel: EwalletChannel,
    status: EwalletStatus,
    amount: Money,
    fee: Money.nullable().meta({ description: 'null until paid.' }),
    net_amount: Money.nullable().meta({ description: 'amount minus fee; null until paid.' }),
    customer_phone: z.string().nullable(),
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference." }),
    success_redirect_url: z.string().nullable().meta({ description: 'Where the customer goes after the payment.' }),
    checkout_url: z.url().meta({ description: 'The page from which the customer goes on to the e-wallet.' }),
    expired_at: Timestamp,
    paid_at: Timestamp.nullable(),
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
    settle_at: Timestamp.nullable().meta({ description: 'When it has settled, or will; null until paid.' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'EwalletCheckout', description: 'A payment that the customer confirms in an e-wallet.' });

export type EwalletCheckoutJson = z.output<typeof ewalletCheckoutSchema>;

/** An e-wallet checkout as the merchant's API shows it (contract §5); fee and net amount are null until paid. */
export function presentEwalletCheckout(checkout: EwalletCheckout): EwalletCheckoutJson {
  const { figures } = checkout;
  return {
    transaction_id: checkout.transactionId,
    account_id: checkout.accountId,
    channel: wordOf(EWALLET_CHANNELS, checkout.channel, 'e-wallet'),
    status: statusWord(EWALLET_WORDS, checkout.status),
    amount: toMoney(checkout.amountSen),
    fee: figures === undefined ? null : toMoney(figures.feeSen),
    net_amount: figures === undefined ? null : toMoney(figures.netSen),
    customer_phone: textOrNull(checkout.customerPhone),
    merchant_reff_no: textOrNull(checkout.merchantReffNo),
    success_redirect_url: textOrNull(checkout.successRedirectUrl),
    checkout_url: checkout.checkoutUrl,
    expired_at: iso(checkout.expiredAtMs),
    paid_at: isoOrNull(figures?.paidAtMs),
    has_settle: figures?.settledAtMs !== undefined,
    settle_at: isoOrNull(figures?.settledAtMs ?? figures?.settleAtMs),
    created_at: iso(checkout.createdAtMs),
    updated_at: iso(checkout.updatedAtMs),
  };
}
