import { type BankTransferRail, openSnapBankTransfer, openSnapQrisPayment, type QrisPaymentRail } from '@gerbang/rails';
import type { Closeable } from '@gerbang/runtime';
import { z } from 'zod';
import { createDisbursement } from './disbursement/disbursement.ts';
import { createQrisPayment } from './qris-payment/qris-payment.ts';

/** The rails that pay money out. */
export type Rails = { bankTransfer: BankTransferRail; qrisPayment: QrisPaymentRail };

/** How each rail is reached, by its variables. */
export const railsShape = {
  RAIL_BANK_TRANSFER_URL: z.url(),
  RAIL_BANK_TRANSFER_CLIENT_KEY: z.string().min(1),
  RAIL_BANK_TRANSFER_CLIENT_SECRET: z.string().min(1),
  RAIL_BANK_TRANSFER_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_BANK_TRANSFER_PARTNER_ID: z.string().min(1),
  RAIL_BANK_TRANSFER_CHANNEL_ID: z.string().min(1),
  RAIL_QRIS_ISSUER_URL: z.url(),
  RAIL_QRIS_ISSUER_CLIENT_KEY: z.string().min(1),
  RAIL_QRIS_ISSUER_CLIENT_SECRET: z.string().min(1),
  RAIL_QRIS_ISSUER_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_QRIS_ISSUER_PARTNER_ID: z.string().min(1),
  RAIL_QRIS_ISSUER_CHANNEL_ID: z.string().min(1),
  RAIL_QRIS_ISSUER_MERCHANT_ID: z.string().min(1),
};

type RailsConfig = z.output<z.ZodObject<typeof railsShape>>;
type Closing = { push(name: string, close: Closeable['close']): void };

/** Opens every rail; `closing` is given each. */
export function openRails({ config, closing }: { config: RailsConfig; closing: Closing }): Rails {
  const bankTransfer = openSnapBankTransfer({
    url: config.RAIL_BANK_TRANSFER_URL,
    clientKey: config.RAIL_BANK_TRANSFER_CLIENT_KEY,
    clientSecret: config.RAIL_BANK_TRANSFER_CLIENT_SECRET,
    privateKey: config.RAIL_BANK_TRANSFER_PRIVATE_KEY,
    partnerId: config.RAIL_BANK_TRANSFER_PARTNER_ID,
    channelId: config.RAIL_BANK_TRANSFER_CHANNEL_ID,
  });
  closing.push('bank transfer rail', () => bankTransfer.close());
  const qrisPayment = openSnapQrisPayment({
    url: config.RAIL_QRIS_ISSUER_URL,
    clientKey: config.RAIL_QRIS_ISSUER_CLIENT_KEY,
    clientSecret: config.RAIL_QRIS_ISSUER_CLIENT_SECRET,
    privateKey: config.RAIL_QRIS_ISSUER_PRIVATE_KEY,
    partnerId: config.RAIL_QRIS_ISSUER_PARTNER_ID,
    channelId: config.RAIL_QRIS_ISSUER_CHANNEL_ID,
    merchantId: config.RAIL_QRIS_ISSUER_MERCHANT_ID,
  });
  closing.push('QRIS payment rail', () => qrisPayment.close());
  return { bankTransfer, qrisPayment };
}

/** The products of the transfer saga. */
export type Products = ReturnType<typeof createProducts>;

/** Every product of the transfer saga, over its rail. A further one takes a line here, and its rail above. */
export function createProducts(rails: Rails) {
  return {
    disbursement: createDisbursement(rails.bankTransfer),
    qrisPayment: createQrisPayment(rails.qrisPayment),
  };
}
