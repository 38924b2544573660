import type { Kind } from '../payment-request/kind.ts';
import { narrowTo } from '../payment-request/request.ts';
import { asRetail, RETAIL, type RetailDetails } from './retail.ts';

/** The details as they are stored. */
type RetailDocument = { kind: typeof RETAIL; retail_code: string; payment_code: string; customer_name: string };

const asStored = narrowTo<RetailDocument>(RETAIL);

export const codec: Kind['codec'] = {
  toDocument(details): RetailDocument {
    const { kind, retailCode, paymentCode, customerName } = asRetail(details);
    return { kind, retail_code: retailCode, payment_code: paymentCode, customer_name: customerName };
  },
  fromDocument(document): RetailDetails {
    const { kind, retail_code, payment_code, customer_name } = asStored(document);
    return { kind, retailCode: retail_code, paymentCode: payment_code, customerName: customer_name };
  },
};
