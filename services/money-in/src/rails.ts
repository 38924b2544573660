import { type EwalletRail, openSnapEwallet, openSnapQris, type QrisRail, type SnapCredentials } from '@gerbang/rails';
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
    qris: openSnapQris({ ...credentialsOf(config, 'QRIS'), merchantId: config.RAIL_QRIS_MERCHANT_ID }),
    ewallet: openSnapEwallet(credentialsOf(config, 'EWALLET')),
    acquirerName: config.RAIL_QRIS_ACQUIRER_NAME,
    merchantCity: config.RAIL_QRIS_MERCHANT_CITY,
    callbackPartnerIds: { qris: config.RAIL_QRIS_CALLBACK_PARTNER_ID, ewallet: config.RAIL_EWALLET_CALLBACK_PARTNER_ID },
  };
}

/** Where a rail is reached, and what it knows us by: the variables that begin with `RAIL_` and its name. */
export function credentialsOf(config: Config, rail: 'QRIS' | 'EWALLET'): SnapCredentials {
  return {
    url: config[`RAIL_${rail}_URL` as const],
    clientKey: config[`RAIL_${rail}_CLIENT_KEY` as const],
    clientSecret: config[`RAIL_${rail}_CLIENT_SECRET` as const],
    privateKey: config[`RAIL_${rail}_PRIVATE_KEY` as const],
    partnerId: config[`RAIL_${rail}_PARTNER_ID` as const],
    channelId: config[`RAIL_${rail}_CHANNEL_ID` as const],
  };
}
