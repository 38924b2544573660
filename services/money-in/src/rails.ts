import { type EwalletRail, openSnapEwallet, openSnapQris, type QrisRail, railFromConfig, railVariables } from '@gerbang/rails';
import { z } from 'zod';

/** Acquirers that make what customers pay by; banks and shops ask for numbers when they are paid. */
export type Rails = {
  qris: QrisRail;
  ewallet: EwalletRail;
  acquirerName: string;
  merchantCity: string;
  /** By which the edge knows who calls for them: partner ids by the rail's name. */
  callbackPartnerIds: Readonly<Record<string, string>>;
};

/** How each is reached, what it knows us by, and what its codes say. */
export const railsShape = {
  ...railVariables('QRIS'),
  RAIL_QRIS_CALLBACK_PARTNER_ID: z.string().min(1),
  RAIL_QRIS_MERCHANT_ID: z.string().min(1),
  RAIL_QRIS_ACQUIRER_NAME: z.string().default(''),
  RAIL_QRIS_MERCHANT_CITY: z.string().default('Jakarta'),
  ...railVariables('EWALLET'),
  RAIL_EWALLET_CALLBACK_PARTNER_ID: z.string().min(1),
};

/** Opens the acquirers that make what customers pay by. Throws ConfigError where a provider needs a variable that is not set. */
export function openRails(config: z.output<z.ZodObject<typeof railsShape>>): Rails {
  return {
    qris: openSnapQris({ ...railFromConfig(config, 'QRIS'), merchantId: config.RAIL_QRIS_MERCHANT_ID }),
    ewallet: openSnapEwallet(railFromConfig(config, 'EWALLET')),
    acquirerName: config.RAIL_QRIS_ACQUIRER_NAME,
    merchantCity: config.RAIL_QRIS_MERCHANT_CITY,
    callbackPartnerIds: { qris: config.RAIL_QRIS_CALLBACK_PARTNER_ID, ewallet: config.RAIL_EWALLET_CALLBACK_PARTNER_ID },
  };
}
