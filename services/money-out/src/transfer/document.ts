import type { AggregateDocument, Due } from '@gerbang/store';
import { paymentHash } from './duplicate.ts';
import type { Product, TransferOrder } from './product.ts';
import { fromQuotaFields, type QuotaFields, toQuotaFields } from './quota-document.ts';
import { RESUME_AFTER_MS } from './schedule.ts';
import type { TransferState } from './state.ts';
import { fromStateFields, type StateFields } from './state-document.ts';

/** The fields that every transfer has: snake_case, bigint sen, dates. A product adds its own fields. */
export type TransferDocument = Due &
  StateFields &
  QuotaFields & {
    transaction_id: string;
    partition: string;
    account_id: string;
    reference_number: string;
    /** What the rail knows it by; absent in documents of earlier versions, whose rail knows the transaction id. */
    partner_reference?: string;
    content_hash: string;
    /** Recognizes orders of the same payment; absent in documents of earlier versions. */
    payment_hash?: string;
    product: string;
    amount_sen: bigint;
    fee_sen: bigint;
    description: string;
    created_at: Date;
  };

/** A product's own fields, none of which may have the name of a transfer's. */
export type DetailFields = Readonly<Record<string, unknown>> & { readonly [Field in keyof TransferDocument]?: never };

export type StoredTransferDocument = AggregateDocument<TransferDocument>;

/**
 * A transfer as it was read: what was ordered, how it stands, and the document that the next change is conditional on, in which
 * the product's details are too.
 */
export type StoredTransfer = {
  product: Product;
  order: TransferOrder;
  state: TransferState;
  document: StoredTransferDocument;
};

export function newDocument(product: Product, order: TransferOrder, details: DetailFields, request: string): TransferDocument {
  return {
    ...details,
    transaction_id: order.transactionId,
    partition: order.partition,
    account_id: order.accountId,
    reference_number: order.referenceNumber,
    partner_reference: order.partnerReference,
    content_hash: order.contentHash,
    payment_hash: paymentHash({ ...order, product: product.name, beneficiary: product.beneficiaryOf(details) }),
    product: product.name,
    amount_sen: order.amountSen,
    fee_sen: order.feeSen,
    ...toQuotaFields(order.quota),
    description: order.description,
    created_at: new Date(order.createdAtMs),
    status: 'created',
    request,
    due_at: new Date(order.createdAtMs + RESUME_AFTER_MS),
  };
}

export function fromDocument(product: Product, document: StoredTransferDocument): StoredTransfer {
  const order: TransferOrder = {
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    partition: document.partition,
    accountId: document.account_id,
    referenceNumber: document.reference_number,
    partnerReference: document.partner_reference ?? document.transaction_id,
    contentHash: document.content_hash,
    amountSen: document.amount_sen,
    feeSen: document.fee_sen,
    quota: fromQuotaFields(document),
    description: document.description,
    createdAtMs: document.created_at.getTime(),
  };
  return { product, order, state: fromStateFields(product, order, document), document };
}
