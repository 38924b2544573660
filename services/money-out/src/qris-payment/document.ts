import { z } from 'zod';
import type { DetailFields } from '../transfer/document.ts';
import type { QrisPaymentDetails } from './content.ts';

const schema = z.object({ qr_data: z.string(), code_amount_sen: z.bigint(), tip_sen: z.bigint() });
const withReceipt = z.object({ receipt: z.object({ rrn: z.string().default('') }).optional() });

/** The payment's own fields of a transfer's document. */
export function toDetailFields({ qrData, amountSen, tipSen }: QrisPaymentDetails): DetailFields {
  return { qr_data: qrData, code_amount_sen: amountSen, tip_sen: tipSen };
}

/** The details in a document or in its own fields; throws when there are none. */
export function readDetails(document: object): QrisPaymentDetails {
  const { qr_data: qrData, code_amount_sen: amountSen, tip_sen: tipSen } = schema.parse(document);
  return { qrData, amountSen, tipSen };
}

/** The retrieval reference number that a document has kept, also of a payment that came back since; empty before it is paid. */
export function readRrn(document: object): string {
  return withReceipt.parse(document).receipt?.rrn ?? '';
}
