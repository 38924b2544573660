import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { asPaymentLink, PAYMENT_LINK, type PaymentLinkDetails } from './payment-link.ts';

/** The details as they are stored. */
type PaymentLinkDocument = {
  kind: typeof PAYMENT_LINK;
  title: string;
  description: string;
  required_customer_detail: boolean;
  success_redirect_url: string;
  payment_methods: readonly string[];
  payment_url: string;
  /** Absent until one has held a use. */
  holders?: readonly { session: string; network: string; at: Date }[];
};

const asStored = narrowTo<PaymentLinkDocument>(PAYMENT_LINK);

export const codec: Kind['codec'] = {
  toDocument(given): PaymentLinkDocument {
    const details = asPaymentLink(given);
    return {
      kind: details.kind,
      title: details.title,
      description: details.description,
      required_customer_detail: details.requiredCustomerDetail,
      success_redirect_url: details.successRedirectUrl,
      payment_methods: details.paymentMethods,
      payment_url: details.paymentUrl,
      ...(details.holders.length > 0 && {
        holders: details.holders.map(({ session, network, atMs }) => ({ session, network, at: new Date(atMs) })),
      }),
    };
  },
  fromDocument(document): PaymentLinkDetails {
    const stored = asStored(document);
    return {
      kind: stored.kind,
      title: stored.title,
      description: stored.description,
      requiredCustomerDetail: stored.required_customer_detail,
      successRedirectUrl: stored.success_redirect_url,
      paymentMethods: stored.payment_methods,
      paymentUrl: stored.payment_url,
      holders: (stored.holders ?? []).map(({ session, network, at }) => ({ session, network, atMs: at.getTime() })),
    };
  },
};
