import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { asSession, type CardAttempt, type Issued, SESSION, type SessionDetails } from './session.ts';

/** The details as they are stored. */
type SessionDocument = {
  kind: typeof SESSION;
  link: string;
  link_number: bigint;
  ip_address: string;
  payment_method: string;
  payment_method_value: string;
  issued: readonly Issued[];
  /** Absent until one is declined. */
  declined?: readonly string[];
  /** Absent until a card is tried. */
  card?: { attempt: number; payment_id: string; status: CardAttempt['status'] };
  customer_name: string;
  customer_email: string;
  customer_phone: string;
};

const asStored = narrowTo<SessionDocument>(SESSION);

export const codec: Kind['codec'] = {
  toDocument(given): SessionDocument {
    const details = asSession(given);
    return {
      kind: details.kind,
      link: details.linkId,
      link_number: details.linkNumber,
      ip_address: details.ipAddress,
      payment_method: details.paymentMethod,
      payment_method_value: details.paymentMethodValue,
      issued: details.issued,
      ...(details.declined.length > 0 && { declined: details.declined }),
      ...(details.card && {
        card: { attempt: details.card.attempt, payment_id: details.card.paymentId, status: details.card.status },
      }),
      customer_name: details.customerName,
      customer_email: details.customerEmail,
      customer_phone: details.customerPhone,
    };
  },
  fromDocument(document): SessionDetails {
    const stored = asStored(document);
    return {
      kind: stored.kind,
      linkId: stored.link,
      linkNumber: stored.link_number,
      ipAddress: stored.ip_address,
      paymentMethod: stored.payment_method,
      paymentMethodValue: stored.payment_method_value,
      issued: stored.issued,
      declined: stored.declined ?? [],
      card: stored.card && { attempt: stored.card.attempt, paymentId: stored.card.payment_id, status: stored.card.status },
      customerName: stored.customer_name,
      customerEmail: stored.customer_email,
      customerPhone: stored.customer_phone,
    };
  },
};
