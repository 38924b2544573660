import { type EwalletRail, openSnapEwallet, openSnapQris, type QrisRail } from '@gerbang/rails';
import type { Config } from './config.ts';

/** Acquirers that make what customers pay by; banks and shops ask for numbers when they are paid. */
export type Rails = {
  qris: QrisRail;
  ewallet: EwalletRail;
  acquirerName: string;
  merchantCity: string;
  /** By which the edge knows who calls for them: partner ids by the rail's name. */
  callbackPartnerIds: Readonly<Record<string, string>>;
};

/** Opens the acquirers that make what customers pay by. */
export function openRails(config: Config): Rails {
  return {
    qris: openSnapQris({
      url: config.RAIL_QRIS_URL,
      clientKey: config.RAIL_QRIS_CLIENT_KEY,
      clientSecret: config.RAIL_QRIS_CLIENT_SECRET,
      privateKey: config.RAIL_QRIS_PRIVATE_KEY,
      partnerId: config.RAIL_QRIS_PARTNER_ID,
      channelId: config.RAIL_QRIS_CHANNEL_ID,
      merchantId: config.RAIL_QRIS_MERCHANT_ID,
    }),
    ewallet: openSnapEwallet({
      url: config.RAIL_EWALLET_URL,
      clientKey: config.RAIL_EWALLET_CLIENT_KEY,
      clientSecret: config.RAIL_EWALLET_CLIENT_SECRET,
      privateKey: config.RAIL_EWALLET_PRIVATE_KEY,
      partnerId: config.RAIL_EWALLET_PARTNER_ID,
      channelId: config.RAIL_EWALLET_CHANNEL_ID,
    }),
    acquirerName: config.RAIL_QRIS_ACQUIRER_NAME,
    merchantCity: config.RAIL_QRIS_MERCHANT_CITY,
    callbackPartnerIds: { qris: config.RAIL_QRIS_CALLBACK_PARTNER_ID, ewallet: config.RAIL_EWALLET_CALLBACK_PARTNER_ID },
  };
}
