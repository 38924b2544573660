import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import { partnerReferenceOf } from '../transfer/rail-reference.ts';
import { referenceId } from '../transfer/reference.ts';

/**
 * A code that an account has asked about, or wants to pay, under a reference; no money is held for it, so it is no transfer. The
 * payment takes its transaction id.
 */
export type Inquiry = {
  transactionId: string;
  merchantId: string;
  accountId: string;
  referenceNumber: string;
  qrData: string;
  /** Sen, without tip, as the request named it. */
  amountSen: bigint | undefined;
  createdAtMs: number;
  /** Whether the acquirer has decoded the code under what it knows the reference by. */
  isDecoded: boolean;
  /** Whether it has decoded the code at all; in documents of earlier versions, under the transaction id. */
  isAnswered: boolean;
};

/** What is claimed: the acquirer has not been asked yet. */
export type NewInquiry = Omit<Inquiry, 'isDecoded' | 'isAnswered'>;

type Whose = Pick<Inquiry, 'merchantId' | 'accountId' | 'referenceNumber'>;

/**
 * One document for an account's reference, for a day. It claims the reference for one code before the acquirer is asked, which
 * knows one code by it. It claims nothing over products: the reference is used when a transfer has it, so the inquiry of a
 * reference that another product uses meanwhile is worth nothing.
 */
export type Inquiries = {
  find(whose: Whose): Promise<Inquiry | undefined>;
  /** Claims the reference for the code; gives the inquiry that the reference has already, where another request was faster. */
  claim(inquiry: NewInquiry): Promise<Inquiry>;
  /** Notes that the acquirer has decoded the code. */
  setDecoded(inquiry: Inquiry): Promise<Inquiry>;
  /** Removes one whose code the acquirer has refused, unless it has decoded it for another request. */
  forget(inquiry: Inquiry): Promise<void>;
  /**
   * Gives a decoded one another transaction id: the ledger has refused the hold under this one, and refuses it for ever. Does
   * nothing where that has been done.
   */
  renew(inquiry: Inquiry, transactionId: string): Promise<void>;
};

type InquiryDocument = {
  _id: string;
  schema: number;
  merchant_id: string;
  account_id: string;
  reference_number: string;
  transaction_id: string;
  /** The reference under which the acquirer has decoded the code; earlier versions took the transaction id. Empty before. */
  decoded_as: string;
  qr_data: string;
  amount_sen?: bigint;
  /** Business time. */
  created_at: Date;
  /** Real time. */
  remove_at: Date;
};

const COLLECTION = 'qris_inquiries';
const SCHEMA = 1;
/** After this, real time, a payment needs the code again. */
const LIFE_MS = 24 * 3_600_000;

export async function openInquiries(store: Store): Promise<Inquiries> {
  const inquiries = store.collection<InquiryDocument>(COLLECTION);
  await inquiries.createIndex({ remove_at: 1 }, { name: 'removal', expireAfterSeconds: 0 });
  const change = (inquiry: Inquiry, set: Partial<InquiryDocument>) => {
    const decoded = { ...set, decoded_as: partnerReferenceOf(inquiry.accountId, inquiry.referenceNumber) };
    return traced('updateOne', COLLECTION, () => inquiries.updateOne(nameOf(inquiry), { $set: decoded }));
  };
  const read = async (_id: string) => {
    const document = await traced('findOne', COLLECTION, () => inquiries.findOne({ _id }, { readConcern: 'linearizable' }));
    return document === null ? undefined : fromDocument(document);
  };
  return {
    async find({ merchantId, accountId, referenceNumber }) {
      const found = await read(referenceId(accountId, referenceNumber));
      return found?.merchantId === merchantId ? found : undefined;
    },
    async claim(inquiry) {
      for (;;) {
        try {
          await traced('insertOne', COLLECTION, () => inquiries.insertOne(toDocument(inquiry)));
          return { ...inquiry, isDecoded: false, isAnswered: false };
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        const known = await read(nameOf(inquiry)._id);
        // Else it was removed meanwhile: its code was refused, or its day is over.
        if (known !== undefined) return known;
      }
    },
    async setDecoded(inquiry) {
      await change(inquiry, {});
      return { ...inquiry, isDecoded: true, isAnswered: true };
    },
    async forget(inquiry) {
      const unanswered = { ...nameOf(inquiry), decoded_as: '' };
      await traced('deleteOne', COLLECTION, () => inquiries.deleteOne(unanswered));
    },
    async renew(inquiry, transactionId) {
      await change(inquiry, { transaction_id: transactionId });
    },
  };
}

function nameOf({ accountId, referenceNumber, transactionId }: NewInquiry) {
  return { _id: referenceId(accountId, referenceNumber), transaction_id: transactionId };
}

function toDocument(inquiry: NewInquiry): InquiryDocument {
  return {
    ...nameOf(inquiry),
    schema: SCHEMA,
    merchant_id: inquiry.merchantId,
    account_id: inquiry.accountId,
    reference_number: inquiry.referenceNumber,
    decoded_as: '',
    qr_data: inquiry.qrData,
    ...(inquiry.amountSen !== undefined && { amount_sen: inquiry.amountSen }),
    created_at: new Date(inquiry.createdAtMs),
    remove_at: new Date(Date.now() + LIFE_MS),
  };
}

function fromDocument(document: InquiryDocument): Inquiry {
  return {
    transactionId: document.transaction_id,
    merchantId: document.merchant_id,
    accountId: document.account_id,
    referenceNumber: document.reference_number,
    qrData: document.qr_data,
    amountSen: document.amount_sen,
    createdAtMs: document.created_at.getTime(),
    isDecoded: document.decoded_as === partnerReferenceOf(document.account_id, document.reference_number),
    isAnswered: document.decoded_as !== '',
  };
}
