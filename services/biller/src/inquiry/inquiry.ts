/** How long a merchant has to pay at the price of an inquiry (contract §9). */
export const INQUIRY_LIFE_MS = 15 * 60_000;

/**
 * A price that a merchant was promised for a customer, with all that a purchase needs of the product: later versions of it change
 * nothing here. Amounts in sen, times in Unix milliseconds of business time.
 */
export type Inquiry = {
  referenceNumber: string;
  merchantId: string;
  command: string;
  productCode: string;
  railCode: string;
  givesToken: boolean;
  customerId: string;
  customerName: string;
  amountSen: bigint;
  adminSen: bigint;
  createdAtMs: number;
};

export function expiresAtMs({ createdAtMs }: Inquiry): number {
  return createdAtMs + INQUIRY_LIFE_MS;
}
