import type { Payer } from '../payment/order.ts';
import type { PaymentRequestState } from './payment-request.ts';

/** What a merchant asked for; never changes. Times in Unix milliseconds of business time. */
export type PaymentRequestOrder = {
  /** "<kind>:<ULID>". */
  id: string;
  /** What merchants call it: a ULID, or a number as text. */
  publicId: string;
  merchantId: string;
  partition: string;
  accountId: string;
  merchantReffNo: string;
  createdAtMs: number;
};

/** What only one kind has; each kind extends this with its own fields, and narrows to them. */
export type Details = { readonly kind: string };

/** The one payment of a request that is paid once: what its resource shows of it. */
export type ShownPayment = {
  amountSen: bigint;
  tipSen: bigint;
  feeSen: bigint;
  netSen: bigint;
  vendorFeeSen: bigint;
  ourMarginSen: bigint;
  basisPoints: number;
  paidAtMs: number;
  settleAtMs: number;
  settledAtMs: number | undefined;
  railReference: string;
  payer: Payer | undefined;
};

/** Something that a customer can pay: what was ordered, and how it stands. */
export type PaymentRequest = {
  order: PaymentRequestOrder;
  state: PaymentRequestState;
  details: Details;
  payment: ShownPayment | undefined;
  /** How often its rail has been asked what has become of it, and has not said, since it was due; absent: never. */
  asked?: number | undefined;
  updatedAtMs: number;
  eventsCount: number;
};

/** Gives details as those of one kind; throws where they are of another one, which is a programmer's error. */
export function narrowTo<D extends Details>(kind: D['kind']): (details: Details) => D {
  const isOne = (details: Details): details is D => details.kind === kind;
  return (details) => {
    if (!isOne(details)) throw new Error(`a payment request is of ${details.kind} where ${kind} was expected`);
    return details;
  };
}
