import type { MONEY_OUT_RAILS } from '@gerbang/core';
import type { Keys } from '@gerbang/keys';
import { railFromConfig } from '@gerbang/rails';
import type { Closeable } from '@gerbang/runtime';
import type { z } from 'zod';
import { createCardlessWithdrawal } from './cardless-withdrawal/cardless-withdrawal.ts';
import { cardlessHistory, cardlessVariables, openCardless } from './cardless-withdrawal/rail.ts';
import { createDisbursement } from './disbursement/disbursement.ts';
import { bankTransferHistory, bankTransferVariables, openBankTransfer } from './disbursement/rail.ts';
import { createEwalletTopup } from './ewallet-topup/ewallet-topup.ts';
import { ewalletTopupHistory, ewalletTopupVariables, openEwalletTopup } from './ewallet-topup/rail.ts';
import { createQrisPayment } from './qris-payment/qris-payment.ts';
import { openQrisPayment, qrisPaymentHistory, qrisPaymentVariables } from './qris-payment/rail.ts';
import type { HistoryRow, ToldHistory } from './reconciliation/rails.ts';
import type { Product } from './transfer/product.ts';

/** How each rail is reached, by its variables. */
export const railsShape = {
  ...bankTransferVariables,
  ...ewalletTopupVariables,
  ...cardlessVariables,
  ...qrisPaymentVariables,
};

type RailsConfig = z.output<z.ZodObject<typeof railsShape>>;
type Closing = { push(name: string, close: Closeable['close']): void };

/** The rails that pay money out. */
export type Rails = ReturnType<typeof connect>;

function connect(config: RailsConfig) {
  return {
    bankTransfer: openBankTransfer(config),
    ewalletTopup: openEwalletTopup(config),
    cardless: openCardless(config),
    qrisPayment: openQrisPayment(config),
  };
}

/** Opens every rail; `closing` is given each. Throws ConfigError where a provider needs a variable that is not set. */
export function openRails({ config, closing }: { config: RailsConfig; closing: Closing }): Rails {
  const rails = connect(config);
  for (const [name, rail] of Object.entries(rails)) closing.push(`rail ${name}`, () => rail.close());
  return rails;
}

/** The products of the transfer saga. */
export type Products = ReturnType<typeof createProducts>;

/**
 * Every product of the transfer saga, over its rail. A further one takes a line here; its rail is declared in its folder, and takes
 * a line in each list above.
 */
export function createProducts(rails: Rails, { keys }: { keys: Keys<'withdrawal-code'> }) {
  return {
    disbursement: createDisbursement(rails.bankTransfer),
    ewalletTopup: createEwalletTopup(rails.ewalletTopup),
    cardlessWithdrawal: createCardlessWithdrawal(rails.cardless, keys),
    qrisPayment: createQrisPayment(rails.qrisPayment),
  };
}

/** What each rail tells of its product's transfers. */
export function historiesOf(config: RailsConfig, products: Products): HistoryRow[] {
  const rowOf = (rail: (typeof MONEY_OUT_RAILS)[number], told: ToldHistory, product: Product): HistoryRow => ({
    ...told,
    product,
    credentials: railFromConfig(config, rail),
    account: config[`RAIL_${rail}_HISTORY_ACCOUNT` as const],
  });
  return [
    rowOf('BANK_TRANSFER', bankTransferHistory, products.disbursement),
    rowOf('EWALLET_TOPUP', ewalletTopupHistory, products.ewalletTopup),
    rowOf('CARDLESS', cardlessHistory, products.cardlessWithdrawal),
    rowOf('QRIS_ISSUER', qrisPaymentHistory, products.qrisPayment),
  ];
}
