import { EVENT_CATALOGUE, presentEvent, type Webhook } from '@gerbang/present';
import { PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { CancelType, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackStatus } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { CycleStatus, PlanStatus } from '@gerbang/proto/gerbang/cards/v1/plans';
import { BindingStatus, ChargeStatus, RefundStatus } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { PayableStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { TransferStatus } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { bodyWithToken } from '../../src/delivery/with-token.ts';
import { deliveryOf } from './delivery.ts';
import {
  billerPayment,
  cardlessWithdrawal,
  cardPayment,
  chargeback,
  cycle,
  directDebitBinding,
  directDebitCharge,
  directDebitRefund,
  disbursement,
  ewallet,
  ewalletTopup,
  history,
  linkExpired,
  plan,
  qris,
  qrisPayment,
  retail,
  SAMPLE_MS,
  vaExpired,
  vaPaid,
} from './sample-payloads.ts';

/** An event of a service as it comes from the bus, and what docs/webhooks.md says about it. */
export type Sample = { service: string; type: string; payload: Uint8Array; when: string };

const { COMPLETED, EXPIRED, FAILED, ACTIVE, REVERSED } = PayableStatus;

/** Every event that has a webhook, in the order of the page. */
export const SAMPLES: readonly Sample[] = [
  {
    service: 'money-out',
    type: 'disbursement.succeeded',
    payload: disbursement({ status: TransferStatus.SUCCESS, balanceAfterSen: 9_984_750_000n }),
    when: 'a disbursement has reached the beneficiary',
  },
  {
    service: 'money-out',
    type: 'disbursement.failed',
    payload: disbursement({
      status: TransferStatus.FAILED,
      failedCode: '4031805',
      failedReason: 'Do Not Honor',
    }),
    when: 'a disbursement has failed; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'disbursement.canceled',
    payload: disbursement({ status: TransferStatus.CANCELED }),
    when: 'the bank will not pay a disbursement any more; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'disbursement.refunded',
    payload: disbursement({
      status: TransferStatus.REFUNDED,
      balanceAfterSen: 9_984_750_000n,
      failedCode: '04',
      failedReason: 'Refunded',
    }),
    when: 'a disbursement that had reached the beneficiary came back, maybe days later; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'cardless-withdrawal.succeeded',
    payload: cardlessWithdrawal({ status: TransferStatus.SUCCESS, balanceAfterSen: 9_979_750_000n }),
    when: 'the customer has drawn the cash',
  },
  {
    service: 'money-out',
    type: 'cardless-withdrawal.canceled',
    payload: cardlessWithdrawal({ status: TransferStatus.CANCELED, expired: true }),
    when: 'a cardless withdrawal has expired, or was canceled; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'cardless-withdrawal.failed',
    payload: cardlessWithdrawal({ status: TransferStatus.FAILED, failedCode: '4039105', failedReason: 'Do Not Honor' }),
    when: 'the bank has given no code; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'cardless-withdrawal.refunded',
    payload: cardlessWithdrawal({ status: TransferStatus.REFUNDED, balanceAfterSen: 9_979_750_000n }),
    when: 'the money of a cardless withdrawal came back after the bank had said that it was drawn',
  },
  {
    service: 'money-out',
    type: 'qris-issuer.succeeded',
    payload: qrisPayment({ status: TransferStatus.SUCCESS, balanceAfterSen: 9_980_550_000n }),
    when: 'a QRIS code was paid',
  },
  {
    service: 'money-out',
    type: 'qris-issuer.failed',
    payload: qrisPayment({ status: TransferStatus.FAILED, failedCode: '4045014', failedReason: 'Paid Bill' }),
    when: 'the payment of a QRIS code has failed; amount, tip and fee are available again',
  },
  {
    service: 'money-out',
    type: 'qris-issuer.canceled',
    payload: qrisPayment({ status: TransferStatus.CANCELED }),
    when: 'the acquirer will not make the payment of a QRIS code any more; amount, tip and fee are available again',
  },
  {
    service: 'money-out',
    type: 'qris-issuer.refunded',
    payload: qrisPayment({
      status: TransferStatus.REFUNDED,
      balanceAfterSen: 9_980_550_000n,
      failedCode: '04',
      failedReason: 'Refunded',
    }),
    when: 'the payment of a QRIS code came back, maybe days later; amount, tip and fee are available again',
  },
  { service: 'money-in', type: 'va-transaction.paid', payload: vaPaid(), when: 'a virtual account was paid' },
  { service: 'money-in', type: 'qris.paid', payload: qris(COMPLETED), when: 'a QRIS code was paid' },
  {
    service: 'money-in',
    type: 'qris.reversed',
    payload: qris(REVERSED),
    when: 'the acquirer has taken a QRIS payment back, maybe days later; the money is taken from the account again',
  },
  {
    service: 'money-in',
    type: 'ewallet-checkout.paid',
    payload: ewallet(COMPLETED),
    when: 'the customer has paid in the e-wallet',
  },
  {
    service: 'money-in',
    type: 'ewallet-checkout.failed',
    payload: ewallet(FAILED),
    when: 'the customer has declined, or the e-wallet has',
  },
  {
    service: 'money-in',
    type: 'ewallet-checkout.reversed',
    payload: ewallet(FAILED),
    when: 'the e-wallet has taken a payment back, maybe days later; the money is taken from the account again',
  },
  { service: 'money-in', type: 'retail.paid', payload: retail(COMPLETED), when: 'the cashier has taken the money' },
  {
    service: 'money-in',
    type: 'payment-link-history.paid',
    payload: history(COMPLETED),
    when: 'a payment link was paid, by any method',
  },
  {
    service: 'money-in',
    type: 'payment-link-history.reversed',
    payload: history(FAILED),
    when: 'the rail has taken the payment of a link back, maybe days later; the money is taken from the account again',
  },
  {
    service: 'money-in',
    type: 'virtual-account.expired',
    payload: vaExpired(),
    when: 'a virtual account has expired',
  },
  { service: 'money-in', type: 'qris.expired', payload: qris(EXPIRED), when: 'a QRIS code has expired' },
  { service: 'money-in', type: 'ewallet-checkout.expired', payload: ewallet(EXPIRED), when: 'an e-wallet checkout has expired' },
  { service: 'money-in', type: 'retail.expired', payload: retail(EXPIRED), when: 'a retail payment code has expired' },
  { service: 'money-in', type: 'payment-link.expired', payload: linkExpired(), when: 'a payment link has expired' },
  {
    service: 'money-in',
    type: 'payment-link-history.opened',
    payload: history(ACTIVE),
    when: 'a customer has opened a payment link',
  },
  {
    service: 'money-in',
    type: 'payment-link-history.expired',
    payload: history(EXPIRED),
    when: 'the session of a customer who had opened it has ended without a payment',
  },
  {
    service: 'money-out',
    type: 'ewallet-topup.succeeded',
    payload: ewalletTopup({ status: TransferStatus.SUCCESS, balanceAfterSen: 9_995_000_000n, name: 'Budi Santoso' }),
    when: 'an e-wallet top-up has reached the customer',
  },
  {
    service: 'money-out',
    type: 'ewallet-topup.failed',
    payload: ewalletTopup({
      status: TransferStatus.FAILED,
      failedCode: '4033802',
      failedReason: 'Exceeds Transaction Amount Limit',
    }),
    when: 'an e-wallet top-up has failed; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'ewallet-topup.canceled',
    payload: ewalletTopup({ status: TransferStatus.CANCELED }),
    when: 'the e-wallet will not pay a top-up any more; the amount and the fee are available again',
  },
  {
    service: 'money-out',
    type: 'ewallet-topup.refunded',
    payload: ewalletTopup({ status: TransferStatus.REFUNDED, balanceAfterSen: 9_995_000_000n }),
    when: 'a top-up that had reached the customer came back; the amount and the fee are available again',
  },
  {
    service: 'biller',
    type: 'biller-payment.succeeded',
    payload: billerPayment({ status: PurchaseStatus.SUCCESS, serialNumber: '5DM2NVBBAHFPEQ9R' }, '94054692097392091445'),
    when: 'a prepaid product was bought; of electricity the token is in it',
  },
  {
    service: 'biller',
    type: 'biller-payment.failed',
    payload: billerPayment({ status: PurchaseStatus.FAILED, failedCode: '4039618', failedReason: 'The meter is blocked' }),
    when: 'the biller has refused a prepaid product; the price is available again',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.binding.succeeded',
    payload: directDebitBinding(BindingStatus.ACTIVE),
    when: 'a customer has bound a bank account',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.binding.failed',
    payload: directDebitBinding(BindingStatus.FAILED, { failedReason: 'declined' }),
    when: 'a bank account was not bound',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.binding.expired',
    payload: directDebitBinding(BindingStatus.EXPIRED),
    when: 'the customer has not finished a binding in time',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.unbinding.succeeded',
    payload: directDebitBinding(BindingStatus.UNBOUND, { unboundBy: 'bank' }),
    when: 'a binding has ended, also where the bank has ended it',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.unbinding.failed',
    payload: directDebitBinding(BindingStatus.ACTIVE),
    when: 'a binding that was to end is still active',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.charge.succeeded',
    payload: directDebitCharge(ChargeStatus.SUCCESS),
    when: 'a charge has succeeded; its net amount is pending',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.charge.failed',
    payload: directDebitCharge(ChargeStatus.FAILED, { failedCode: '4035414', failedReason: 'Insufficient Funds' }),
    when: 'a charge has failed, or its OTP was not given in time',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.refund.succeeded',
    payload: directDebitRefund(RefundStatus.SUCCESS),
    when: 'a refund is with the customer',
  },
  {
    service: 'direct-debit',
    type: 'direct-debit.refund.failed',
    payload: directDebitRefund(RefundStatus.FAILED, { failedCode: '4035815', failedReason: 'Transaction Not Permitted' }),
    when: 'a refund has failed; its amount is back',
  },
  {
    service: 'cards',
    type: 'card-transaction.succeeded',
    payload: cardPayment(PaymentStatus.SUCCESS),
    when: 'a payment by card has succeeded; it is captured later, and pending from then on',
  },
  {
    service: 'cards',
    type: 'card-transaction.failed',
    payload: cardPayment(PaymentStatus.FAILED, { failedCode: '51', failedReason: 'Insufficient funds' }),
    when: 'a payment by card was declined, or its customer was not authenticated',
  },
  {
    service: 'cards',
    type: 'card-transaction.cancelled',
    payload: cardPayment(PaymentStatus.CANCELLED, { cancelType: CancelType.VOID }),
    when: 'a payment by card was voided before its capture',
  },
  {
    service: 'cards',
    type: 'card-transaction.refunded',
    payload: cardPayment(PaymentStatus.REFUNDED, { cancelType: CancelType.REFUND }),
    when: 'a payment by card was refunded after its capture, or the acquirer has taken it back',
  },
  {
    service: 'cards',
    type: 'subscription.activated',
    payload: plan(PlanStatus.ACTIVE),
    when: 'the first charge of a subscription has succeeded',
  },
  {
    service: 'cards',
    type: 'subscription.charge.succeeded',
    payload: cycle(CycleStatus.SUCCESS),
    when: 'a cycle of a subscription was charged',
  },
  {
    service: 'cards',
    type: 'subscription.charge.failed',
    payload: cycle(CycleStatus.RETRYING, {
      failedCode: '51',
      failedReason: 'Insufficient funds',
      nextRetryAtMs: BigInt(SAMPLE_MS) + 86_400_000n,
    }),
    when: 'a charge of a cycle has failed; where it is tried again, next_retry_at says when',
  },
  {
    service: 'cards',
    type: 'subscription.past_due',
    payload: plan(PlanStatus.PAST_DUE),
    when: 'all charges of a cycle have failed; the subscription waits for another card',
  },
  {
    service: 'cards',
    type: 'subscription.cancelled',
    payload: plan(PlanStatus.CANCELLED, { endedReason: 'merchant' }),
    when: 'a subscription was cancelled; ended_reason says why',
  },
  {
    service: 'cards',
    type: 'subscription.completed',
    payload: plan(PlanStatus.COMPLETED, { totalCycles: 12, paidCycles: 12, endedReason: 'completed' }),
    when: 'the last cycle of a subscription is over',
  },
  {
    service: 'cards',
    type: 'subscription.card_expiring',
    payload: plan(PlanStatus.ACTIVE),
    when: 'the card of a subscription expires within 30 days',
  },
  {
    service: 'cards',
    type: 'card-chargeback.opened',
    payload: chargeback(ChargebackStatus.OPEN),
    when: 'a card holder disputes a payment; its amount is reserved',
  },
  {
    service: 'cards',
    type: 'card-chargeback.won',
    payload: chargeback(ChargebackStatus.WON),
    when: 'a chargeback was won, or withdrawn; its reserve is available again',
  },
  {
    service: 'cards',
    type: 'card-chargeback.lost',
    payload: chargeback(ChargebackStatus.LOST),
    when: 'a chargeback was lost',
  },
];

/** The webhook of a sample, rendered as the notifier does, with its token as it goes out. */
export function webhookOf({ service, type, payload }: Sample): Webhook {
  const presented = presentEvent(EVENT_CATALOGUE, service, { type, schema: 1, payload, atMs: SAMPLE_MS });
  if (presented.outcome !== 'webhook') throw new Error(`${type} is no webhook: ${presented.reason}`);
  const { webhook } = presented;
  const { sealedToken } = webhook;
  if (sealedToken === undefined) return webhook;
  const delivery = deliveryOf('e', 'https://shop.example/', JSON.stringify(webhook.body), SAMPLE_MS);
  return { ...webhook, body: JSON.parse(bodyWithToken(delivery, sealedToken.text).body) };
}
