import { type Store, traced } from '@gerbang/store';
import type { Inquiry } from './inquiry.ts';

/** One document for each reference number that was given, for a day. */
export type Inquiries = {
  record(inquiry: Inquiry): Promise<void>;
  find(referenceNumber: string): Promise<Inquiry | undefined>;
};

type InquiryDocument = {
  _id: string;
  schema: number;
  merchant_id: string;
  command: string;
  product_code: string;
  rail_code: string;
  gives_token: boolean;
  customer_id: string;
  customer_name: string;
  amount_sen: bigint;
  admin_sen: bigint;
  /** Business time. */
  created_at: Date;
  /** Real time. */
  remove_at: Date;
};

const COLLECTION = 'inquiries';
const SCHEMA = 1;
/** Long after it has expired: until then the merchant is told that it has. */
const KEPT_MS = 24 * 3_600_000;

export async function openInquiries(store: Store): Promise<Inquiries> {
  const inquiries = store.collection<InquiryDocument>(COLLECTION);
  await inquiries.createIndex({ remove_at: 1 }, { name: 'removal', expireAfterSeconds: 0 });
  return {
    async record(inquiry) {
      await traced('insertOne', COLLECTION, () => inquiries.insertOne(toDocument(inquiry)));
    },
    async find(referenceNumber) {
      const found = await traced('findOne', COLLECTION, () => inquiries.findOne({ _id: referenceNumber }));
      return found === null ? undefined : fromDocument(found);
    },
  };
}

function toDocument(inquiry: Inquiry): InquiryDocument {
  return {
    _id: inquiry.referenceNumber,
    schema: SCHEMA,
    merchant_id: inquiry.merchantId,
    command: inquiry.command,
    product_code: inquiry.productCode,
    rail_code: inquiry.railCode,
    gives_token: inquiry.givesToken,
    customer_id: inquiry.customerId,
    customer_name: inquiry.customerName,
    amount_sen: inquiry.amountSen,
    admin_sen: inquiry.adminSen,
    created_at: new Date(inquiry.createdAtMs),
    remove_at: new Date(Date.now() + KEPT_MS),
  };
}

function fromDocument(document: InquiryDocument): Inquiry {
  return {
    referenceNumber: document._id,
    merchantId: document.merchant_id,
    command: document.command,
    productCode: document.product_code,
    railCode: document.rail_code,
    givesToken: document.gives_token,
    customerId: document.customer_id,
    customerName: document.customer_name,
    amountSen: document.amount_sen,
    adminSen: document.admin_sen,
    createdAtMs: document.created_at.getTime(),
  };
}
