import { toMoney } from '@gerbang/core';
import type { EwalletCheckout } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { EWALLET_WORDS, statusWord } from './payable-status.ts';
import { iso, isoOrNull } from './time.ts';

/** An e-wallet checkout as the merchant's API shows it (contract §5); fee and net amount are null until paid. */
export function presentEwalletCheckout(checkout: EwalletCheckout): object {
  const { figures } = checkout;
  return {
    transaction_id: checkout.transactionId,
    account_id: checkout.accountId,
    channel: checkout.channel,
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

function textOrNull(text: string): string | null {
  return text === '' ? null : text;
}
