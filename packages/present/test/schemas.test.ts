import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { isUlid, PAYMENT_METHOD_CODES, toMoney } from '@gerbang/core';
import { type Purchase, PurchaseFinishedSchema, PurchaseStatus } from '@gerbang/proto/gerbang/biller/v1/biller';
import { CardTransactionEventSchema } from '@gerbang/proto/gerbang/cards/v1/cards';
import { ChargebackEventSchema } from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import { CycleEventSchema, PlanEventSchema } from '@gerbang/proto/gerbang/cards/v1/plans';
import {
  BindingChangedSchema,
  ChargeFinishedSchema,
  RefundFinishedSchema,
} from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import {
  EwalletCheckoutEventSchema,
  PayableStatus as Payable,
  type PayableStatus,
  PaymentLinkEventSchema,
  PaymentLinkHistoryEventSchema,
  QrisEventSchema,
  type QrisTransaction,
  RetailEventSchema,
  VaTransactionEventSchema,
  VirtualAccountEventSchema,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { CardlessWithdrawalFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/cardless_withdrawal';
import { EwalletTopupFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { DisbursementFinishedSchema, type Transfer } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import { QrisPaymentFinishedSchema } from '@gerbang/proto/gerbang/money_out/v1/qris_payment';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import * as present from '../src/index.ts';
import * as cards from './card-protos.ts';
import * as debits from './direct-debit-protos.ts';
import * as protos from './protos.ts';

const few = { numRuns: 30 };

type Case = { name: string; schema: z.ZodType; answers: fc.Arbitrary<object> };

/** What a presentation makes of any message. */
function anyOf<Message>(
  name: string,
  schema: z.ZodType,
  presentation: (message: Message) => object,
  messages: fc.Arbitrary<Message>,
): Case {
  return { name, schema, answers: messages.map(presentation) };
}

/** The same for each status. */
function eachOf<Status, Message>(
  name: string,
  schema: z.ZodType,
  presentation: (message: Message) => object,
  { statuses, messages }: { statuses: readonly Status[]; messages: (status: Status) => fc.Arbitrary<Message> },
): Case[] {
  return statuses.map((status) => anyOf(`${name}, status ${status}`, schema, presentation, messages(status)));
}

const payable = <Message>(messages: (status: PayableStatus) => fc.Arbitrary<Message>) => ({
  statuses: protos.PAYABLE_STATUSES,
  messages,
});

const ofTransfer = { statuses: protos.TRANSFER_STATUSES, messages: protos.transfer };
const ofQrisPayment = { statuses: protos.TRANSFER_STATUSES, messages: protos.qrisPayment };

const ofCardlessWithdrawal = { statuses: protos.TRANSFER_STATUSES, messages: protos.cardlessWithdrawal };

const CASES: readonly Case[] = [
  anyOf('access token', present.accessTokenSchema, present.presentAccessToken, protos.issuedToken),
  anyOf('account', present.accountSchema, present.presentAccount, protos.account),
  anyOf('balance', present.balanceSchema, present.presentBalance, protos.balance),
  anyOf('beneficiary', present.beneficiarySchema, present.presentBeneficiary, protos.beneficiary),
  anyOf('disbursement fee', present.disbursementFeeSchema, present.presentDisbursementFee, protos.fee),
  anyOf('callback settings', present.callbackSettingsSchema, present.presentCallbackSettings, protos.callbackSettings),
  anyOf('webhook delivery', present.deliverySchema, present.presentDelivery, protos.delivery),
  anyOf('statement entry', present.entrySchema, present.presentEntry, protos.entry),
  anyOf('settlement', present.settlementSchema, present.presentSettlement, protos.settlement),
  anyOf('VA transaction', present.vaTransactionSchema, present.presentVaTransaction, protos.vaTransaction),
  anyOf('payment methods', present.paymentMethodsSchema, present.presentPaymentMethods, fc.constant(PAYMENT_METHOD_CODES)),
  ...eachOf('virtual account', present.virtualAccountSchema, present.presentVirtualAccount, payable(protos.virtualAccount)),
  ...eachOf('QRIS', present.qrisTransactionSchema, present.presentQrisTransaction, payable(protos.qrisTransaction)),
  ...eachOf('e-wallet checkout', present.ewalletCheckoutSchema, present.presentEwalletCheckout, payable(protos.ewalletCheckout)),
  ...eachOf('retail', present.retailTransactionSchema, present.presentRetailTransaction, payable(protos.retailTransaction)),
  ...eachOf('payment link', present.paymentLinkSchema, present.presentPaymentLink, payable(protos.paymentLink)),
  ...eachOf('payment link history', present.historySchema, present.presentHistory, payable(protos.history)),
  ...eachOf('disbursement', present.transferSchema, present.presentTransfer, ofTransfer),
  ...eachOf('disbursement of a webhook', present.transferForWebhookSchema, present.presentTransferForWebhook, ofTransfer),
  anyOf('wallet', present.walletSchema, present.presentWallet, protos.wallet),
  ...eachOf('e-wallet top-up', present.ewalletTopupSchema, present.presentEwalletTopup, {
    statuses: protos.TRANSFER_STATUSES,
    messages: protos.ewalletTopup,
  }),
  ...eachOf('cardless withdrawal', present.cardlessWithdrawalSchema, present.presentCardlessWithdrawal, ofCardlessWithdrawal),
  ...eachOf(
    'cardless withdrawal with its code',
    present.cardlessWithdrawalWithCodeSchema,
    (withdrawal: Transfer) => present.presentCardlessWithdrawalWithCode(withdrawal, '123456789012'),
    ofCardlessWithdrawal,
  ),
  ...eachOf(
    'cardless withdrawal without its code',
    present.cardlessWithdrawalWithCodeSchema,
    (withdrawal: Transfer) => present.presentCardlessWithdrawalWithCode(withdrawal, ''),
    ofCardlessWithdrawal,
  ),
  anyOf('prepaid inquiry', present.prepaidInquirySchema, present.presentPrepaidInquiry, protos.prepaidInquiry),
  anyOf(
    'prepaid products',
    present.prepaidProductsSchema,
    present.presentPrepaidProducts,
    fc.array(protos.prepaidProduct, { maxLength: 3 }),
  ),
  ...['12345678901234567890', ''].flatMap((token) =>
    eachOf(
      `prepaid payment with the token "${token}"`,
      present.prepaidPaymentSchema,
      (purchase: Purchase) => present.presentPrepaidPayment(purchase, token),
      { statuses: protos.PURCHASE_STATUSES, messages: protos.prepaidPurchase },
    ),
  ),
  ...eachOf('QRIS payment', present.qrisPaymentSchema, present.presentQrisPayment, ofQrisPayment),
  ...eachOf('status of a QRIS payment', present.qrisPaymentSchema, present.presentQrisPaymentStatus, ofQrisPayment),
  ...eachOf(
    'QRIS payment of a webhook',
    present.qrisPaymentForWebhookSchema,
    present.presentQrisPaymentForWebhook,
    ofQrisPayment,
  ),
  ...eachOf(
    'QRIS money in as a payment',
    present.qrisPaymentSchema,
    (transaction: QrisTransaction) => present.presentAcquiredQris(transaction, 'order-1'),
    payable(protos.qrisTransaction),
  ),
  ...eachOf('direct debit binding', present.directDebitBindingSchema, present.presentDirectDebitBinding, {
    statuses: debits.BINDING_STATUSES,
    messages: debits.binding,
  }),
  ...eachOf('direct debit transaction', present.directDebitTransactionSchema, present.presentDirectDebitTransaction, {
    statuses: debits.CHARGE_STATUSES,
    messages: debits.transaction,
  }),
  ...eachOf('card transaction', present.cardTransactionSchema, present.presentCardTransaction, {
    statuses: cards.PAYMENT_STATUSES,
    messages: cards.payment,
  }),
  ...eachOf('chargeback', present.chargebackSchema, present.presentChargeback, {
    statuses: cards.CHARGEBACK_STATUSES,
    messages: cards.chargeback,
  }),
  ...eachOf('plan', present.planSchema, present.presentPlan, { statuses: cards.PLAN_STATUSES, messages: cards.plan }),
  ...eachOf('cycle of a plan', present.cycleSchema, present.presentCycle, {
    statuses: cards.CYCLE_STATUSES,
    messages: cards.cycle,
  }),
  ...eachOf('account transfer', present.accountTransferSchema, present.presentAccountTransfer, {
    statuses: protos.TRANSFER_STATUSES,
    messages: protos.accountTransfer,
  }),
];

/** The JSON as a client reads it. */
const sent = (body: object): Record<string, unknown> => JSON.parse(JSON.stringify(body));

describe.each(CASES)('$name', ({ schema, answers }) => {
  test('is as its schema says', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        expect(schema.parse(sent(answer))).toEqual(answer);
      }),
      few,
    );
  });

  test('has no field that the schema does not know', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        expect(schema.safeParse({ ...sent(answer), surprise: 1 }).success).toBe(false);
      }),
      few,
    );
  });
});

const { COMPLETED, EXPIRED, FAILED, ACTIVE, REVERSED } = Payable;

function payload<Schema extends DescMessage>(schema: Schema, fields: fc.Arbitrary<MessageInitShape<Schema>>) {
  return fields.map((init) => toBinary(schema, create(schema, init)));
}

const transfers = payload(
  DisbursementFinishedSchema,
  fc.record({ transfer: fc.oneof(...protos.TRANSFER_STATUSES.map(protos.transfer)) }),
);
const topups = payload(
  EwalletTopupFinishedSchema,
  fc.record({ transfer: fc.oneof(...protos.TRANSFER_STATUSES.map(protos.ewalletTopup)) }),
);
const withdrawals = payload(
  CardlessWithdrawalFinishedSchema,
  fc.record({ transfer: fc.oneof(...protos.TRANSFER_STATUSES.map(protos.cardlessWithdrawal)) }),
);
const qrisPayments = payload(
  QrisPaymentFinishedSchema,
  fc.record({ transfer: fc.oneof(...protos.TRANSFER_STATUSES.map(protos.qrisPayment)) }),
);
const purchases = (status: PurchaseStatus) =>
  payload(
    PurchaseFinishedSchema,
    fc.record({ purchase: protos.prepaidPurchase(status), sealedToken: fc.constantFrom('', 'sealed') }),
  );
const anyBinding = fc.oneof(...debits.BINDING_STATUSES.map(debits.binding));
const anyCharge = fc.oneof(...debits.CHARGE_STATUSES.map(debits.transaction));
const anyRefund = fc.oneof(...debits.REFUND_STATUSES.map(debits.refund));
const bindings = payload(BindingChangedSchema, fc.record({ binding: anyBinding }));
const charges = payload(ChargeFinishedSchema, fc.record({ transaction: anyCharge }));
const refunds = payload(RefundFinishedSchema, fc.record({ transaction: anyCharge, refund: anyRefund }));
const qris = (status: PayableStatus) => payload(QrisEventSchema, fc.record({ qrisTransaction: protos.qrisTransaction(status) }));
const ewallet = (status: PayableStatus) =>
  payload(EwalletCheckoutEventSchema, fc.record({ ewalletCheckout: protos.ewalletCheckout(status) }));
const retail = (status: PayableStatus) =>
  payload(RetailEventSchema, fc.record({ retailTransaction: protos.retailTransaction(status) }));
const history = (status: PayableStatus) =>
  payload(
    PaymentLinkHistoryEventSchema,
    fc.record({ paymentLinkHistory: protos.history(status), paymentLink: protos.paymentLink(ACTIVE) }),
  );

const cardPayments = payload(
  CardTransactionEventSchema,
  fc.record({ payment: fc.oneof(...cards.PAYMENT_STATUSES.map(cards.payment)) }),
);

const plans = payload(PlanEventSchema, fc.record({ plan: fc.oneof(...cards.PLAN_STATUSES.map(cards.plan)) }));
const cycles = payload(CycleEventSchema, fc.record({ cycle: fc.oneof(...cards.CYCLE_STATUSES.map(cards.cycle)) }));

const chargebacks = payload(
  ChargebackEventSchema,
  fc.record({ chargeback: fc.oneof(...cards.CHARGEBACK_STATUSES.map(cards.chargeback)) }),
);

/** Payloads of every event that has a webhook. */
const PAYLOADS: Readonly<Record<string, fc.Arbitrary<Uint8Array>>> = {
  'virtual-account.expired': payload(VirtualAccountEventSchema, fc.record({ virtualAccount: protos.virtualAccount(EXPIRED) })),
  'va-transaction.paid': payload(VaTransactionEventSchema, fc.record({ vaTransaction: protos.vaTransaction })),
  'qris.paid': qris(COMPLETED),
  'qris.reversed': qris(REVERSED),
  'qris.expired': qris(EXPIRED),
  'ewallet-checkout.paid': ewallet(COMPLETED),
  'ewallet-checkout.failed': ewallet(FAILED),
  'ewallet-checkout.reversed': ewallet(REVERSED),
  'ewallet-checkout.expired': ewallet(EXPIRED),
  'retail.paid': retail(COMPLETED),
  'retail.expired': retail(EXPIRED),
  'payment-link.expired': payload(PaymentLinkEventSchema, fc.record({ paymentLink: protos.paymentLink(EXPIRED) })),
  'payment-link-history.opened': history(ACTIVE),
  'payment-link-history.paid': history(COMPLETED),
  'payment-link-history.reversed': history(REVERSED),
  'payment-link-history.expired': history(EXPIRED),
  'disbursement.succeeded': transfers,
  'disbursement.failed': transfers,
  'disbursement.canceled': transfers,
  'disbursement.refunded': transfers,
  'ewallet-topup.succeeded': topups,
  'ewallet-topup.failed': topups,
  'ewallet-topup.canceled': topups,
  'ewallet-topup.refunded': topups,
  'cardless-withdrawal.succeeded': withdrawals,
  'cardless-withdrawal.failed': withdrawals,
  'cardless-withdrawal.canceled': withdrawals,
  'cardless-withdrawal.refunded': withdrawals,
  'qris-issuer.succeeded': qrisPayments,
  'qris-issuer.failed': qrisPayments,
  'qris-issuer.canceled': qrisPayments,
  'qris-issuer.refunded': qrisPayments,
  'biller-payment.succeeded': purchases(PurchaseStatus.SUCCESS),
  'biller-payment.failed': purchases(PurchaseStatus.FAILED),
  'direct-debit.binding.succeeded': bindings,
  'direct-debit.binding.failed': bindings,
  'direct-debit.binding.expired': bindings,
  'direct-debit.unbinding.succeeded': bindings,
  'direct-debit.unbinding.failed': bindings,
  'direct-debit.charge.succeeded': charges,
  'direct-debit.charge.failed': charges,
  'direct-debit.refund.succeeded': refunds,
  'direct-debit.refund.failed': refunds,
  'card-transaction.succeeded': cardPayments,
  'card-transaction.failed': cardPayments,
  'card-transaction.cancelled': cardPayments,
  'card-transaction.refunded': cardPayments,
  'subscription.activated': plans,
  'subscription.charge.succeeded': cycles,
  'subscription.charge.failed': cycles,
  'subscription.past_due': plans,
  'subscription.cancelled': plans,
  'subscription.completed': plans,
  'subscription.card_expiring': plans,
  'card-chargeback.opened': chargebacks,
  'card-chargeback.won': chargebacks,
  'card-chargeback.lost': chargebacks,
};

const ENTRIES = Object.entries(present.EVENT_CATALOGUE).flatMap(([service, entries]) =>
  Object.entries<present.CatalogueEntry>(entries).flatMap(([type, entry]) =>
    'noWebhook' in entry ? [] : [{ service, type, entry }],
  ),
);

describe.each(ENTRIES)('the webhook of $type', ({ service, type, entry }) => {
  const kind = present.WEBHOOKS.find(({ event }) => event === entry.event);
  const bodies = (PAYLOADS[type] ?? fc.constant(new Uint8Array())).map((payload) => {
    const presented = present.presentEvent(present.EVENT_CATALOGUE, service, {
      type,
      schema: 1,
      payload,
      atMs: 1_795_249_800_123,
    });
    if (presented.outcome !== 'webhook') throw new Error(presented.reason);
    return presented.webhook;
  });

  test('is one of those that the document names', () => {
    expect({ setting: entry.setting, body: entry.body }).toEqual({ setting: kind?.setting, body: kind?.body });
    expect(kind?.body).toBe(entry.body);
  });

  test('has the body that its schema says, and no other field', () => {
    fc.assert(
      fc.property(bodies, ({ event, setting, body }) => {
        expect([event, setting]).toEqual([kind?.event, kind?.setting]);
        expect(kind?.body.parse(sent(body))).toEqual(body);
        expect(kind?.body.safeParse({ ...sent(body), surprise: 1 }).success).toBe(false);
        expect(kind?.body.safeParse({ ...sent(body), event: 'another' }).success).toBe(false);
      }),
      few,
    );
  });
});

const SCHEMAS = [...new Set([...CASES.map(({ schema }) => schema), ...present.WEBHOOKS.map(({ body }) => body)])];

test('every schema has a name of its own, and is closed at every depth', () => {
  const names = SCHEMAS.map((schema) => schema.meta()?.id);
  expect(names).not.toContain(undefined);
  expect(new Set(names).size).toBe(SCHEMAS.length);
  for (const schema of SCHEMAS) {
    const document = JSON.stringify(z.toJSONSchema(schema));
    const objects = document.match(/"type":"object"/g)?.length;
    // A record, whose keys are not known, is the only open one.
    expect(document.match(/"additionalProperties":(?:false|\{\})/g)?.length).toBe(objects);
  }
});

test('a page of items has the cursor of the next one, or null', () => {
  const schema = present.pageSchema(present.Ulid);
  expect(schema.safeParse({ items: ['01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B'], next_cursor: null }).success).toBe(true);
  expect(schema.safeParse({ items: [], next_cursor: 'b3BlbiBz' }).success).toBe(true);
  expect(schema.safeParse({ items: ['1'], next_cursor: null }).success).toBe(false);
  expect(schema.safeParse({ items: [], next_cursor: null, total: 0 }).success).toBe(false);
});

test('the pattern of ids is that of core', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0789AIJKLOUZaz'), minLength: 25, maxLength: 27 }), (text) => {
      expect(present.Ulid.safeParse(text).success).toBe(isUlid(text));
    }),
  );
  expect(present.Ulid.safeParse('01KAJ5ZQ2M8R4T6V1X3Y5Z7A9B').success).toBe(true);
});

test('a presentation with a field too many or too few does not compile', () => {
  const some = toMoney(1n);
  const parts = { available_balance: some, held_balance: some, pending_balance: some };
  const tooMany = (): present.BalanceJson => ({
    ...parts,
    balance: some,
    // @ts-expect-error The schema has no such field.
    surprise: some,
  });
  // @ts-expect-error The schema has a field more.
  const tooFew = (): present.BalanceJson => parts;
  const wrongWord = (): present.VirtualAccountJson['status'] =>
    // @ts-expect-error A virtual account is never open.
    'open';
  for (const wrong of [tooMany(), tooFew()]) expect(present.balanceSchema.safeParse(wrong).success).toBe(false);
  expect(present.VirtualAccountStatus.safeParse(wrongWord()).success).toBe(false);
});
