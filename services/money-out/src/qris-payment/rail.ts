import { openSnapQrisPayment, type RailConfig, railFromConfig, railVariables } from '@gerbang/rails';
import { z } from 'zod';

/** How the acquirer, or switch, over which codes are paid is reached, and what it knows us by as the payer. */
export const qrisPaymentVariables = {
  ...railVariables('QRIS_ISSUER'),
  RAIL_QRIS_ISSUER_MERCHANT_ID: z.string().min(1),
};

export const openQrisPayment = (config: RailConfig<'QRIS_ISSUER'> & { RAIL_QRIS_ISSUER_MERCHANT_ID: string }) =>
  openSnapQrisPayment({ ...railFromConfig(config, 'QRIS_ISSUER'), merchantId: config.RAIL_QRIS_ISSUER_MERCHANT_ID });
