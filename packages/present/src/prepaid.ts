import { fromBinary } from '@bufbuild/protobuf';
import { jakartaDateTime } from '@gerbang/core';
import {
  type Inquiry,
  type Product,
  type Purchase,
  PurchaseFinishedSchema,
  PurchaseStatus,
} from '@gerbang/proto/gerbang/biller/v1/biller';
import { z } from 'zod';
import { moneyOutResultFields } from './money-out-webhook.ts';
import { JakartaDateTime, Ulid } from './schemas.ts';
import { textOrNull } from './text.ts';
import { carried, type DomainEvent, renderedBy } from './webhook-event.ts';

const SEN_PER_RUPIAH = 100n;

/** The legacy API writes amounts as whole rupiah in a string (merchant-api.md, prepaid inquiry data). */
const Rupiah = z
  .string()
  .regex(/^[0-9]{1,12}$/)
  .meta({ id: 'RupiahText', description: 'Whole rupiah as a text of digits.', examples: ['50000'] });

const CustomerId = z.string().meta({
  description: "The customer's number at the biller: of the meter, of the phone.",
  examples: ['12345678901'],
});
const PrepaidReference = Ulid.meta({
  id: 'PrepaidReference',
  description: 'The reference of an inquiry. It can be paid once, within 15 minutes.',
});
const price = { description: 'What is debited: amount and admin fee.' };

export const prepaidInquirySchema = z
  .strictObject({
    amount: Rupiah.meta({ description: 'What the customer gets.' }),
    customer_name: z.string().meta({ description: 'The name at the biller, to be shown to the customer before the payment.' }),
    customer_id: CustomerId,
    reference_number: PrepaidReference,
    price: Rupiah.meta(price),
    created_at: JakartaDateTime,
  })
  .meta({ id: 'PrepaidInquiry', description: 'The price of a prepaid product for a customer, for 15 minutes.' });

export type PrepaidInquiryJson = z.output<typeof prepaidInquirySchema>;

/** An inquiry as merchant-api.md shows it. */
export function presentPrepaidInquiry(inquiry: Inquiry): PrepaidInquiryJson {
  return {
    amount: rupiah(inquiry.amountSen),
    customer_name: inquiry.customerName,
    customer_id: inquiry.customerId,
    reference_number: inquiry.referenceNumber,
    price: rupiah(inquiry.amountSen + inquiry.adminSen),
    created_at: jakartaDateTime(Number(inquiry.createdAtMs)),
  };
}

export const PrepaidStatus = z.enum(['pending', 'success', 'failed']).meta({
  id: 'PrepaidStatus',
  description: 'pending: the biller has not answered yet; the price is held, and the webhook biller-payment brings the end.',
});

export const prepaidPaymentSchema = z
  .strictObject({
    reference_number: PrepaidReference,
    transaction_id: Ulid,
    account_id: Ulid.meta({ description: 'The account that is debited.' }),
    product_code: z.string(),
    customer_id: CustomerId,
    customer_name: z.string(),
    amount: Rupiah.meta({ description: 'What the customer gets.' }),
    admin_fee: Rupiah,
    price: Rupiah.meta(price),
    token: z
      .string()
      .regex(/^[0-9]{20}$/)
      .nullable()
      .meta({ description: 'What the customer types into the meter; null until the payment has succeeded, and without one.' }),
    serial_number: z.string().nullable().meta({ description: "The biller's receipt number; null until it is known." }),
    status: PrepaidStatus,
    created_at: JakartaDateTime,
    processed_at: JakartaDateTime.nullable().meta({ description: 'When it came to its final status; null until then.' }),
    failed_reason: z.string().optional().meta({ description: 'Why it has failed; of a failed one only.' }),
  })
  .meta({ id: 'PrepaidPayment', description: 'A payment of a prepaid product.' });

export type PrepaidPaymentJson = z.output<typeof prepaidPaymentSchema>;

/** A payment; `token` is empty where there is none. */
export function presentPrepaidPayment(purchase: Purchase, token: string): PrepaidPaymentJson {
  const { status, processedAtMs } = purchase;
  return {
    reference_number: purchase.referenceNumber,
    transaction_id: purchase.transactionId,
    account_id: purchase.accountId,
    product_code: purchase.productCode,
    customer_id: purchase.customerId,
    customer_name: purchase.customerName,
    amount: rupiah(purchase.amountSen),
    admin_fee: rupiah(purchase.adminSen),
    price: rupiah(purchase.amountSen + purchase.adminSen),
    token: textOrNull(token),
    serial_number: textOrNull(purchase.serialNumber),
    status: wordFor(status),
    created_at: jakartaDateTime(Number(purchase.createdAtMs)),
    processed_at: processedAtMs === undefined ? null : jakartaDateTime(Number(processedAtMs)),
    ...(status === PurchaseStatus.FAILED && { failed_reason: purchase.failedReason }),
  };
}

function wordFor(status: PurchaseStatus): PrepaidPaymentJson['status'] {
  switch (status) {
    case PurchaseStatus.PENDING:
      return 'pending';
    case PurchaseStatus.SUCCESS:
      return 'success';
    case PurchaseStatus.FAILED:
      return 'failed';
    case PurchaseStatus.UNSPECIFIED:
      throw new Error('a purchase has no status');
    default:
      return status satisfies never;
  }
}

const prepaidProductSchema = z
  .strictObject({
    command: z.string().meta({ description: 'What kind of product: the `command` of its inquiry.', examples: ['plntok'] }),
    product_code: z.string().meta({ examples: ['PLN50'] }),
    name: z.string(),
    amount: Rupiah.meta({ description: 'What the customer gets.' }),
    admin_fee: Rupiah,
    price: Rupiah.meta(price),
    customer_id_min_length: z.int().min(1).max(20),
    customer_id_max_length: z.int().min(1).max(20),
    customer_id_prefix: z.string().meta({ description: 'How the number begins; empty where it may begin with any digit.' }),
  })
  .meta({ id: 'PrepaidProduct', description: 'A prepaid product that can be bought now.' });

export const prepaidProductsSchema = z
  .strictObject({ items: z.array(prepaidProductSchema).meta({ description: 'By command, then amount.' }) })
  .meta({ id: 'PrepaidProducts', description: 'What can be bought now.' });

export type PrepaidProductsJson = z.output<typeof prepaidProductsSchema>;

export function presentPrepaidProducts(products: readonly Product[]): PrepaidProductsJson {
  return {
    items: products.map((product) => ({
      command: product.command,
      product_code: product.code,
      name: product.name,
      amount: rupiah(product.amountSen),
      admin_fee: rupiah(product.adminSen),
      price: rupiah(product.amountSen + product.adminSen),
      customer_id_min_length: product.customerDigitsMin,
      customer_id_max_length: product.customerDigitsMax,
      customer_id_prefix: product.customerPrefix,
    })),
  };
}

/** Products cost whole rupiah (contract §9). */
function rupiah(sen: bigint): string {
  if (sen % SEN_PER_RUPIAH !== 0n) throw new Error('a prepaid product costs a fraction of a rupiah');
  return (sen / SEN_PER_RUPIAH).toString();
}

const EVENT = 'biller-payment';

const bodySchema = z
  .strictObject({ ...moneyOutResultFields, event: z.literal(EVENT), data: prepaidPaymentSchema })
  .meta({ id: 'BillerPaymentWebhook', description: 'The end of a payment of a prepaid product.' });

/** The end of a payment (contract §10). Its token is sealed until the webhook is sent. */
export const billerPaymentWebhook = renderedBy(
  {
    event: EVENT,
    setting: 'disbursement_notif_url',
    description: 'A payment of a prepaid product has succeeded, with its token if it has one, or has failed.',
    body: bodySchema,
  },
  (event) => {
    const { purchase } = finished(event);
    return { ...resultOf(purchase.status), event: EVENT, data: presentPrepaidPayment(purchase, '') };
  },
  (event) => {
    const { purchase, sealedToken } = finished(event);
    return sealedToken === '' ? undefined : { referenceNumber: purchase.referenceNumber, text: sealedToken };
  },
);

function finished(event: DomainEvent) {
  const { purchase, sealedToken } = fromBinary(PurchaseFinishedSchema, event.payload);
  return { purchase: carried(event, purchase), sealedToken };
}

function resultOf(status: PurchaseStatus): Pick<z.output<typeof bodySchema>, 'response_code' | 'response_message'> {
  return status === PurchaseStatus.SUCCESS
    ? { response_code: 'SP000', response_message: 'Success' }
    : { response_code: 'SP001', response_message: 'Transaction failure' };
}
