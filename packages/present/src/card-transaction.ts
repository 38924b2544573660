import { CARD_BRANDS, toMoney } from '@gerbang/core';
import { CancelType, type Payment, PaymentStatus } from '@gerbang/proto/gerbang/cards/v1/cards';
import { z } from 'zod';
import { htmlForm, presentForm } from './html-form.ts';
import { Money, Timestamp, Ulid } from './schemas.ts';
import { textOrNull, wordOf } from './text.ts';
import { iso, isoOrNull } from './time.ts';

export const CardTransactionId = z
  .string()
  .regex(/^99[0-7][0-9A-HJKMNP-TV-Z]{25}$/)
  .meta({ id: 'CardTransactionId', description: 'The prefix 99 and a ULID.', examples: ['9901KAJ5Z4D5E6F7G8H9J0K1M2N3'] });

export const CardTransactionStatus = z.enum(['pending', 'processing', 'success', 'failed', 'cancelled', 'refunded']).meta({
  id: 'CardTransactionStatus',
  description:
    'pending: the customer is to be authenticated; processing: the outcome is awaited; cancelled: voided before its capture; ' +
    'refunded: given back after it.',
});

const CANCEL_TYPES = ['void', 'refund'] as const;
const INSTALLMENTS = [1, 2] as const;

export const CardBrand = z.enum(CARD_BRANDS).meta({ id: 'CardBrand' });

export const CardCustomer = z
  .strictObject({ name: z.string(), email: z.string().nullable(), phone: z.string().nullable() })
  .meta({ id: 'CardCustomer' });

export const maskedCard = z
  .string()
  .regex(/^[0-9]{6}\*{6}[0-9]{4}$/)
  .meta({ description: 'The first six digits, six stars, the last four.', examples: ['441111******1118'] });

export const cardTransactionSchema = z
  .strictObject({
    id: CardTransactionId,
    account_id: Ulid,
    status: CardTransactionStatus,
    amount: Money,
    masked_card: maskedCard,
    brand: CardBrand,
    card_holder_name: z.string(),
    installment: z.union(INSTALLMENTS.map((kind) => z.literal(kind))).meta({ description: '1: in full; 2: in installments.' }),
    installment_month: z.int().min(1).meta({ description: '1: in full.' }),
    customer: CardCustomer,
    merchant_reff_no: z.string().nullable().meta({ description: "The merchant's own reference." }),
    redirect_url: z.string().nullable().meta({ description: 'Where the customer goes after 3DS.' }),
    action: z
      .literal('redirect')
      .nullable()
      .meta({ description: 'redirect: the customer has to go to payment_url, or by html_form.' }),
    payment_url: z.string().nullable().meta({ description: 'Where the issuer authenticates the customer (3DS).' }),
    html_form: htmlForm,
    fee: Money.nullable().meta({ description: 'null until it has succeeded.' }),
    net_amount: Money.nullable().meta({ description: 'amount minus fee; null until it has succeeded.' }),
    mdr_percentage: z.number().nullable().meta({ description: 'null until it has succeeded.' }),
    failed_code: z.string().nullable(),
    failed_reason: z.string().nullable(),
    cancel_type: z.enum(CANCEL_TYPES).nullable().meta({ description: 'How it was cancelled; null unless it was.' }),
    has_settle: z.boolean().meta({ description: 'Whether the net amount is available.' }),
    settle_at: Timestamp.nullable().meta({ description: 'When it has settled, or will; null until captured.' }),
    created_at: Timestamp,
    processed_at: Timestamp.nullable().meta({ description: 'When its outcome was known.' }),
    captured_at: Timestamp.nullable(),
    cancelled_at: Timestamp.nullable(),
  })
  .meta({ id: 'CardTransaction', description: 'A payment by card.' });

export const cardCancelSchema = z
  .strictObject({
    id: CardTransactionId,
    status: z.literal('success').meta({ description: 'Of the cancel; the transaction is cancelled or refunded.' }),
    cancel_type: z.enum(CANCEL_TYPES).meta({ description: 'void: before its capture; refund: after it.' }),
  })
  .meta({ id: 'CardCancel', description: 'How a payment was cancelled.' });

export type CardTransactionJson = z.output<typeof cardTransactionSchema>;
export type CardCancelJson = z.output<typeof cardCancelSchema>;

/** A payment by card as the merchant's API shows it (contract §7): no reference of the rail, nothing of the card but its mask. */
export function presentCardTransaction(payment: Payment): CardTransactionJson {
  const { customer, feeSen, netSen, mdrBasisPoints } = payment;
  const hasFee = feeSen !== undefined && netSen !== undefined;
  return {
    id: payment.id,
    account_id: payment.accountId,
    status: statusWord(payment.status),
    amount: toMoney(payment.amountSen),
    masked_card: payment.maskedCard,
    brand: wordOf(CARD_BRANDS, payment.brand, 'brand of cards'),
    card_holder_name: payment.cardHolderName,
    installment: payment.installment === 2 ? 2 : 1,
    installment_month: payment.installmentMonths,
    customer: {
      name: customer?.name ?? '',
      email: textOrNull(customer?.email ?? ''),
      phone: textOrNull(customer?.phone ?? ''),
    },
    merchant_reff_no: textOrNull(payment.merchantReffNo),
    redirect_url: textOrNull(payment.redirectUrl),
    action: payment.paymentUrl === '' && payment.paymentForm === undefined ? null : 'redirect',
    payment_url: textOrNull(payment.paymentUrl),
    html_form: presentForm(payment.paymentForm),
    fee: hasFee ? toMoney(feeSen) : null,
    net_amount: hasFee ? toMoney(netSen) : null,
    mdr_percentage: hasFee ? mdrBasisPoints / 100 : null,
    failed_code: textOrNull(payment.failedCode),
    failed_reason: textOrNull(payment.failedReason),
    cancel_type: cancelWord(payment.cancelType),
    has_settle: payment.hasSettled,
    settle_at: isoOrNull(payment.settleAtMs),
    created_at: iso(payment.createdAtMs),
    processed_at: isoOrNull(payment.processedAtMs),
    captured_at: isoOrNull(payment.capturedAtMs),
    cancelled_at: isoOrNull(payment.cancelledAtMs),
  };
}

/** The answer to a cancel. Throws for a payment that is not cancelled. */
export function presentCardCancel({ id, cancelType }: Payment): CardCancelJson {
  const cancel_type = cancelWord(cancelType);
  if (cancel_type === null) throw new Error(`card payment ${id} is not cancelled`);
  return { id, status: 'success', cancel_type };
}

function statusWord(status: PaymentStatus) {
  return wordOf(CardTransactionStatus.options, PaymentStatus[status].toLowerCase(), 'status of a card payment');
}

function cancelWord(type: CancelType): (typeof CANCEL_TYPES)[number] | null {
  switch (type) {
    case CancelType.VOID:
      return 'void';
    case CancelType.REFUND:
      return 'refund';
    case CancelType.UNSPECIFIED:
      return null;
    default:
      return type satisfies never;
  }
}
