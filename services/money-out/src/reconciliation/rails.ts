import { type Clock, decodeQris, isRefusal } from '@gerbang/core';
import { type HistoryStyle, openSnapHistory, railFromConfig } from '@gerbang/rails';
import type { ReconciledRail } from '@gerbang/reconciliation';
import type { Logger } from '@gerbang/runtime';
import { z } from 'zod';
import { readDetails as readCardless } from '../cardless-withdrawal/document.ts';
import { readDetails as readDisbursement } from '../disbursement/document.ts';
import { readDetails as readTopup } from '../ewallet-topup/document.ts';
import type { Products, railsShape } from '../products.ts';
import { readDetails as readQris, readRrn } from '../qris-payment/document.ts';
import type { TransferStore } from '../transfer/store.ts';
import { type Reconciled, readTransfers } from './transfers.ts';

/** Our account at each rail, whose history is compared; a rail without one is not reconciled. */
export const historyShape = {
  RAIL_BANK_TRANSFER_HISTORY_ACCOUNT: z.string().max(32).default(''),
  RAIL_EWALLET_TOPUP_HISTORY_ACCOUNT: z.string().max(32).default(''),
  RAIL_CARDLESS_HISTORY_ACCOUNT: z.string().max(32).default(''),
  RAIL_QRIS_ISSUER_HISTORY_ACCOUNT: z.string().max(32).default(''),
  HISTORY_TIMEOUT_MS: z.coerce.number().int().min(1).default(30_000),
};

type HistoryConfig = z.output<z.ZodObject<typeof historyShape & typeof railsShape>>;
type RailVariable = 'BANK_TRANSFER' | 'EWALLET_TOPUP' | 'CARDLESS' | 'QRIS_ISSUER';

type Options = {
  config: HistoryConfig;
  products: Products;
  transfers: TransferStore;
  clock: Clock;
  log: Logger;
};

/** A rail of ours: its name in reconciliation, its variables, how it tells its history, and its product's transfers. */
type Row = Reconciled & { name: string; variable: RailVariable; style: HistoryStyle };

/** Every rail of money out that has a history to compare. A further product takes a line here. */
export function openReconciledRails({ config, products, transfers, clock, log }: Options): ReconciledRail[] {
  return rowsOf(products).flatMap((row) => {
    const account = config[`RAIL_${row.variable}_HISTORY_ACCOUNT` as const];
    if (account === '') {
      log.warn({ rail: row.name }, 'a rail is not reconciled: its history account is not configured');
      return [];
    }
    const history = openSnapHistory({
      ...railFromConfig(config, row.variable),
      style: row.style,
      account,
      moves: 'out',
      pageTimeoutMs: config.HISTORY_TIMEOUT_MS,
    });
    return [
      {
        name: row.name,
        moves: 'out' as const,
        history,
        payments: (period, filter) => readTransfers({ transfers, nowMs: clock.now }, row, period, filter?.amountsSen),
      },
    ];
  });
}

function rowsOf({ disbursement, ewalletTopup, cardlessWithdrawal, qrisPayment }: Products): Row[] {
  return [
    {
      name: 'bank-transfer',
      variable: 'BANK_TRANSFER',
      style: 'bank-statement',
      product: disbursement,
      idPrefix: '',
      cluesOf: (document) => ({ keys: [readDisbursement(document).bankAccountNumber], text: descriptionIn(document) }),
    },
    {
      name: 'ewallet-topup',
      variable: 'EWALLET_TOPUP',
      style: 'transaction-history',
      product: ewalletTopup,
      idPrefix: '88',
      cluesOf: (document) => ({ keys: phoneKeys(readTopup(document).railPhoneNumber), text: descriptionIn(document) }),
    },
    {
      name: 'cardless',
      variable: 'CARDLESS',
      style: 'bank-statement',
      product: cardlessWithdrawal,
      idPrefix: '',
      cluesOf: (document) => ({ keys: phoneKeys(readCardless(document).phoneNumber), text: '' }),
    },
    {
      name: 'qris-issuer',
      variable: 'QRIS_ISSUER',
      style: 'transaction-history',
      product: qrisPayment,
      idPrefix: '66',
      cluesOf: (document) => ({ keys: [readRrn(document)], text: merchantNameIn(readQris(document).qrData) }),
    },
  ];
}

const described = z.object({ description: z.string() });

function descriptionIn(document: object): string {
  return described.parse(document).description;
}

/** With the country code, and as it is dialled at home. */
function phoneKeys(phoneNumber: string): string[] {
  const digits = phoneNumber.replaceAll(/\D/g, '');
  const national = digits.replace(/^(62|0)/, '');
  return [digits, `0${national}`, `62${national}`, national];
}

function merchantNameIn(qrData: string): string {
  const code = decodeQris(qrData);
  return isRefusal(code) ? '' : code.merchantName;
}
