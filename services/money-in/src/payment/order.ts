import type { PaymentState } from './state.ts';

/** What a rail has reported of a payment, and its merchant; never changes. Sen, Unix milliseconds of business time. */
export type PaymentOrder = {
  /** "<rail>:<partner>:<the rail's reference>": a payment is one, however often it is notified. */
  id: string;
  /** ULID: what merchants call it, and what the settlement names. */
  publicId: string;
  /** The rail's name, as in the ledger and in the control API (contract §11). */
  rail: string;
  railReference: string;
  /** The number, code or reference that was paid. */
  paidTo: string;
  amountSen: bigint;
  tipSen: bigint;
  /** By the rail's clock: what decides whether it was in time. */
  paidAtMs: number;
  receivedAtMs: number;
  /** The rail has the money already, and does not wait for our answer. */
  moneyTaken: boolean;
  payer: Payer | undefined;
  /** The product that is settled and charged for. */
  product: string;
  /** The payment request; with the fields of its owner it is empty where the number belongs to none. */
  requestId: string;
  merchantId: string;
  accountId: string;
  /** Of the merchant; of money without an owner the one that suspense is kept in. */
  partition: string;
  merchantReffNo: string;
  /** Where each payment is a resource of its own: what it shows of the number that was paid. */
  paidNumber: PaidNumber | undefined;
  /** An operator has credited it: the partition whose suspense it comes from. It counts as no use of its payment request. */
  fromSuspense: string | undefined;
};

/** A number that is paid more than once, and the public id of its payment request. */
export type PaidNumber = { id: string; number: string; bankCode: string };

/** What a rail reports of who has paid. */
export type Payer = {
  issuerName: string;
  /** National numbering system. */
  issuerNns: string;
  customerPan: string;
  customerName: string;
  customerAccountType: string;
  /** Issuer and acquirer are the same institution. */
  onUs: boolean;
  /** Retrieval reference number. */
  rrn: string;
};

/** A payment that a rail has reported, and how it stands. */
export type Payment = { order: PaymentOrder; state: PaymentState };
