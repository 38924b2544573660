import { narrowTo } from '../payment-request/request.ts';

/** The kind: an opening of a payment link, which merchants see as an entry of the link's history. Its product is the link's. */
export const SESSION = 'payment-link-history';

export type SessionDetails = {
  kind: typeof SESSION;
  /** The link's id among payment requests, and its public number. */
  linkId: string;
  linkNumber: bigint;
  ipAddress: string;
  /** The code of the method that was chosen last, and what it is paid by; empty until one is chosen. */
  paymentMethod: string;
  paymentMethodValue: string;
  /** What has been issued: all of it can be paid, once. */
  issued: readonly Issued[];
  /** Codes of the methods that the customer has declined, or that have failed. */
  declined: readonly string[];
  /** The last try by card; undefined until there is one. */
  card: CardAttempt | undefined;
  customerName: string;
  customerEmail: string;
  customerPhone: string;
};

/**
 * A try to pay a session by card. There is one at a time: submitting a form twice, or from two pages, is the same try. `accepted`:
 * its payment counts, and has taken the uses; they are yet to be finished.
 */
export type CardAttempt = { attempt: number; paymentId: string; status: 'open' | 'accepted' | 'declined' };

export type Issued = { method: string; value: string };

export const asSession = narrowTo<SessionDetails>(SESSION);

/**
 * The reference of a session: its ULID, which can't be guessed. Customers' pages go by it, and rails that take a reference of
 * ours.
 */
export function sessionReference(requestId: string): string {
  return `PH${requestId.slice(SESSION.length + 1)}`;
}

/** The payment request that a session's reference names; undefined when it is none. */
export function requestOfSessionReference(reference: string): string | undefined {
  return /^PH[0-9A-HJKMNP-TV-Z]{26}$/.test(reference) ? `${SESSION}:${reference.slice(2)}` : undefined;
}

/** The same for a rail's reference, which may have the channel of a method behind it. */
export function requestOfRailReference(reference: string): string | undefined {
  const own = /^(PH[0-9A-HJKMNP-TV-Z]{26})(?:-[A-Z]+)?$/.exec(reference)?.[1];
  return own === undefined ? undefined : requestOfSessionReference(own);
}

/** The details once a method has been issued; customer details that are empty stay as they are. */
export function withMethod(
  details: SessionDetails,
  issued: Issued,
  customer: { name: string; email: string; phone: string },
): SessionDetails {
  const others = details.issued.filter(({ method }) => method !== issued.method);
  return {
    ...details,
    paymentMethod: issued.method,
    paymentMethodValue: issued.value,
    issued: [...others, issued],
    customerName: customer.name === '' ? details.customerName : customer.name,
    customerEmail: customer.email === '' ? details.customerEmail : customer.email,
    customerPhone: customer.phone === '' ? details.customerPhone : customer.phone,
  };
}

/** The details once a method was declined, so that the page says so and offers the others; undefined where that is known. */
export function withDeclined(details: SessionDetails, method: string): SessionDetails | undefined {
  return details.declined.includes(method) ? undefined : { ...details, declined: [...details.declined, method] };
}
