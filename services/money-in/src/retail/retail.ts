import { narrowTo } from '../payment-request/request.ts';

/** The kind, the product and the rail of the chains of shops, on which payment codes are claimed. */
export const RETAIL = 'retail';

export type RetailDetails = {
  kind: typeof RETAIL;
  /** For instance "ALFAMART". */
  retailCode: string;
  paymentCode: string;
  customerName: string;
};

export const asRetail = narrowTo<RetailDetails>(RETAIL);
