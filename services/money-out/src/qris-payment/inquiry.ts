import { isDuplicateKey, type Store, traced } from '@gerbang/store';
import { referenceId } from '../transfer/reference.ts';

/**
 * A code that an account has asked about under a reference; no money is held for it, so it is no transfer. The payment takes its
 * transaction id, under which the acquirer has decoded the code.
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
  /** Whether the acquirer has decoded the code under this transaction id. */
  isDecoded: boolean;
};

type Whose = Pick<Inquiry, 'merchantId' | 'accountId' | 'referenceNumber'>;

/**
 * One document for an account's reference, for a day. It claims nothing: the reference is used when a transfer has it, so the
 * inquiry of a reference that another product uses meanwhile is worth nothing.
 */
export type Inquiries = {
  find(whose: Whose): Promise<Inquiry | undefined>;
  /** Records it; gives the one that the reference has already, where another request was faster. */
  record(inquiry: Inquiry): Promise<Inquiry>;
  /** Notes that the acquirer has decoded the code under the inquiry's transaction id. */
  setDecoded(inquiry: Inquiry): Promise<Inquiry>;
  /**
   * Gives it another transaction id, under which the code has yet to be decoded: the ledger has refused the hold under this one,
   * and refuses it for ever. Does nothing where that has been done.
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
  /** The transaction id under which the acquirer has decoded the code. */
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
  const change = (filter: { _id: string; transaction_id: string }, set: Partial<InquiryDocument>) =>
    traced('updateOne', COLLECTION, () => inquiries.updateOne(filter, { $set: set }));
  const read = async (_id: string) => {
    const document = await traced('findOne', COLLECTION, () => inquiries.findOne({ _id }, { readConcern: 'linearizable' }));
    return document === null ? undefined : fromDocument(document);
  };
  return {
    async find({ merchantId, accountId, referenceNumber }) {
      const found = await read(referenceId(accountId, referenceNumber));
      return found?.merchantId === merchantId ? found : undefined;
    },
    async record(inquiry) {
      for (;;) {
        try {
          await traced('insertOne', COLLECTION, () => inquiries.insertOne(toDocument(inquiry)));
          return inquiry;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
        }
        const known = await read(nameOf(inquiry)._id);
        // Else it was removed meanwhile: its day is over.
        if (known !== undefined) return known;
      }
    },
    async setDecoded(inquiry) {
      await change(nameOf(inquiry), { decoded_as: inquiry.transactionId });
      return { ...inquiry, isDecoded: true };
    },
    async renew(inquiry, transactionId) {
      await change(nameOf(inquiry), { transaction_id: transactionId });
    },
  };
}

function nameOf({ accountId, referenceNumber, transactionId }: Inquiry) {
  return { _id: referenceId(accountId, referenceNumber), transaction_id: transactionId };
}

function toDocument(inquiry: Inquiry): InquiryDocument {
  return {
    ...nameOf(inquiry),
    schema: SCHEMA,
    merchant_id: inquiry.merchantId,
    account_id: inquiry.accountId,
    reference_number: inquiry.referenceNumber,
    decoded_as: inquiry.isDecoded ? inquiry.transactionId : '',
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
    isDecoded: document.decoded_as === document.transaction_id,
  };
}
