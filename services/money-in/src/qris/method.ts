import type { Method } from '../payment-request/method.ts';
import { generateCode } from './generate-code.ts';
import { QRIS } from './qris.ts';

/** A code to scan, without a tip. */
export const qrisMethod: Method = {
  group: 'QRIS',
  product: QRIS,
  async issue(context, { reference, amountSen, expiresAtMs, merchantName }) {
    const asked = { reference, amountSen, tip: undefined, merchantName: await merchantName(), expiresAtMs };
    return (await generateCode(context, asked)).payload;
  },
  heldBy: ({ reference, amountSen }) => ({ rail: QRIS, reference, amountSen }),
};
