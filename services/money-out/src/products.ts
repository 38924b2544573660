import type { KeyRing } from '@gerbang/core';
import {
  type BankTransferRail,
  type CardlessRail,
  type EwalletTopupRail,
  openSnapBankTransfer,
  openSnapCardless,
  openSnapEwalletTopup,
  openSnapQrisPayment,
  type QrisPaymentRail,
} from '@gerbang/rails';
import { type Closeable, env } from '@gerbang/runtime';
import { z } from 'zod';
import { createCardlessWithdrawal } from './cardless-withdrawal/cardless-withdrawal.ts';
import { createDisbursement } from './disbursement/disbursement.ts';
import { createEwalletTopup } from './ewallet-topup/ewallet-topup.ts';
import { createQrisPayment } from './qris-payment/qris-payment.ts';

/** The rails that pay money out. */
export type Rails = {
  bankTransfer: BankTransferRail;
  ewalletTopup: EwalletTopupRail;
  cardless: CardlessRail;
  qrisPayment: QrisPaymentRail;
};

/** How each rail is reached, by its variables. */
export const railsShape = {
  RAIL_BANK_TRANSFER_URL: z.url(),
  RAIL_BANK_TRANSFER_CLIENT_KEY: z.string().min(1),
  RAIL_BANK_TRANSFER_CLIENT_SECRET: z.string().min(1),
  RAIL_BANK_TRANSFER_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_BANK_TRANSFER_PARTNER_ID: z.string().min(1),
  RAIL_BANK_TRANSFER_CHANNEL_ID: z.string().min(1),
  RAIL_EWALLET_TOPUP_URL: z.url(),
  RAIL_EWALLET_TOPUP_CLIENT_KEY: z.string().min(1),
  RAIL_EWALLET_TOPUP_CLIENT_SECRET: z.string().min(1),
  RAIL_EWALLET_TOPUP_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_EWALLET_TOPUP_PARTNER_ID: z.string().min(1),
  RAIL_EWALLET_TOPUP_CHANNEL_ID: z.string().min(1),
  RAIL_CARDLESS_URL: z.url(),
  RAIL_CARDLESS_CLIENT_KEY: z.string().min(1),
  RAIL_CARDLESS_CLIENT_SECRET: z.string().min(1),
  RAIL_CARDLESS_PRIVATE_KEY: z.base64().transform((text) => Buffer.from(text, 'base64').toString()),
  RAIL_CARDLESS_PARTNER_ID: z.string().min(1),
  RAIL_CARDLESS_CHANNEL_ID: z.string().min(1),
  /** What codes are sealed with. */
  GERBANG_KEKS: env.keyRing(),
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
  const ewalletTopup = openSnapEwalletTopup({
    url: config.RAIL_EWALLET_TOPUP_URL,
    clientKey: config.RAIL_EWALLET_TOPUP_CLIENT_KEY,
    clientSecret: config.RAIL_EWALLET_TOPUP_CLIENT_SECRET,
    privateKey: config.RAIL_EWALLET_TOPUP_PRIVATE_KEY,
    partnerId: config.RAIL_EWALLET_TOPUP_PARTNER_ID,
    channelId: config.RAIL_EWALLET_TOPUP_CHANNEL_ID,
  });
  closing.push('e-wallet top-up rail', () => ewalletTopup.close());
  const cardless = openSnapCardless({
    url: config.RAIL_CARDLESS_URL,
    clientKey: config.RAIL_CARDLESS_CLIENT_KEY,
    clientSecret: config.RAIL_CARDLESS_CLIENT_SECRET,
    privateKey: config.RAIL_CARDLESS_PRIVATE_KEY,
    partnerId: config.RAIL_CARDLESS_PARTNER_ID,
    channelId: config.RAIL_CARDLESS_CHANNEL_ID,
  });
  closing.push('cardless rail', () => cardless.close());
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
  return { bankTransfer, ewalletTopup, cardless, qrisPayment };
}

/** The products of the transfer saga. */
export type Products = ReturnType<typeof createProducts>;

/** Every product of the transfer saga, over its rail. A further one takes a line here, and its rail above. */
export function createProducts(rails: Rails, { keyRing }: { keyRing: KeyRing }) {
  return {
    disbursement: createDisbursement(rails.bankTransfer),
    ewalletTopup: createEwalletTopup(rails.ewalletTopup),
    cardlessWithdrawal: createCardlessWithdrawal(rails.cardless, keyRing),
    qrisPayment: createQrisPayment(rails.qrisPayment),
  };
}
