import { type BankTransferRail, openSnapBankTransfer } from '@gerbang/rails';
import type { Foundation } from '@gerbang/service';
import type { Config } from './config.ts';

/** Opens the bank that transfers go through. */
export function openRail({ config, closing }: Foundation<Config>): BankTransferRail {
  const rail = openSnapBankTransfer({
    url: config.RAIL_BANK_TRANSFER_URL,
    clientKey: config.RAIL_BANK_TRANSFER_CLIENT_KEY,
    clientSecret: config.RAIL_BANK_TRANSFER_CLIENT_SECRET,
    privateKey: config.RAIL_BANK_TRANSFER_PRIVATE_KEY,
    partnerId: config.RAIL_BANK_TRANSFER_PARTNER_ID,
    channelId: config.RAIL_BANK_TRANSFER_CHANNEL_ID,
  });
  closing.push('rail', () => rail.close());
  return rail;
}
