import { type BankTransferRail, openSnapBankTransfer } from '@gerbang/rails';
import type { Closeable } from '@gerbang/runtime';
import type { Config } from './config.ts';

/** The rails that pay money out. */
export type Rails = { bankTransfer: BankTransferRail };

type Closing = { push(name: string, close: Closeable['close']): void };

/** Opens every rail; `closing` is given each. */
export function openRails({ config, closing }: { config: Config; closing: Closing }): Rails {
  const bankTransfer = openSnapBankTransfer({
    url: config.RAIL_BANK_TRANSFER_URL,
    clientKey: config.RAIL_BANK_TRANSFER_CLIENT_KEY,
    clientSecret: config.RAIL_BANK_TRANSFER_CLIENT_SECRET,
    privateKey: config.RAIL_BANK_TRANSFER_PRIVATE_KEY,
    partnerId: config.RAIL_BANK_TRANSFER_PARTNER_ID,
    channelId: config.RAIL_BANK_TRANSFER_CHANNEL_ID,
  });
  closing.push('bank transfer rail', () => bankTransfer.close());
  return { bankTransfer };
}
