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
  const bankTransfer = openSnapBankTransfer(credentialsOf(config, 'BANK_TRANSFER'));
  closing.push('bank transfer rail', () => bankTransfer.close());
  const ewalletTopup = openSnapEwalletTopup(credentialsOf(config, 'EWALLET_TOPUP'));
  closing.push('e-wallet top-up rail', () => ewalletTopup.close());
  const cardless = openSnapCardless(credentialsOf(config, 'CARDLESS'));
  closing.push('cardless rail', () => cardless.close());
  const merchantId = config.RAIL_QRIS_ISSUER_MERCHANT_ID;
  const qrisPayment = openSnapQrisPayment({ ...credentialsOf(config, 'QRIS_ISSUER'), merchantId });
  closing.push('QRIS payment rail', () => qrisPayment.close());
  return { bankTransfer, ewalletTopup, cardless, qrisPayment };
}

/** Where a rail is reached, and what it knows us by: the variables that begin with `RAIL_` and its name. */
export function credentialsOf(config: RailsConfig, rail: 'BANK_TRANSFER' | 'EWALLET_TOPUP' | 'CARDLESS' | 'QRIS_ISSUER') {
  return {
    url: config[`RAIL_${rail}_URL` as const],
    clientKey: config[`RAIL_${rail}_CLIENT_KEY` as const],
    clientSecret: config[`RAIL_${rail}_CLIENT_SECRET` as const],
    privateKey: config[`RAIL_${rail}_PRIVATE_KEY` as const],
    partnerId: config[`RAIL_${rail}_PARTNER_ID` as const],
    channelId: config[`RAIL_${rail}_CHANNEL_ID` as const],
  };
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
