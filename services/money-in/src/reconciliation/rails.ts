import { type HistoryStyle, openSnapHistory, type RailConfig, type SnapCredentials, TLS_VERSIONS } from '@gerbang/rails';
import type { ReconciledRail } from '@gerbang/reconciliation';
import { ConfigError, type Logger } from '@gerbang/runtime';
import { z } from 'zod';
import type { PaymentStore } from '../payment/store.ts';
import { readPayments } from './payments.ts';

const account = () => z.string().max(32).default('');
const pem = z.base64().transform((text) => Buffer.from(text, 'base64').toString());
const optional = z.string().min(1).optional();
const tlsMin = () => z.enum(TLS_VERSIONS).default('1.3');

/**
 * Our account at each rail, whose history is compared; a rail without one is not reconciled. Banks and chains of shops are asked
 * for nothing else, so they have variables of their own here.
 */
export const historyShape = {
  RAIL_VA_HISTORY_ACCOUNT: account(),
  RAIL_VA_URL: z.url().optional(),
  RAIL_VA_CLIENT_KEY: optional,
  RAIL_VA_CLIENT_SECRET: optional,
  RAIL_VA_PRIVATE_KEY: pem.optional(),
  RAIL_VA_PARTNER_ID: optional,
  RAIL_VA_CHANNEL_ID: optional,
  RAIL_VA_TLS_MIN: tlsMin(),
  RAIL_RETAIL_HISTORY_ACCOUNT: account(),
  RAIL_RETAIL_URL: z.url().optional(),
  RAIL_RETAIL_CLIENT_KEY: optional,
  RAIL_RETAIL_CLIENT_SECRET: optional,
  RAIL_RETAIL_PRIVATE_KEY: pem.optional(),
  RAIL_RETAIL_PARTNER_ID: optional,
  RAIL_RETAIL_CHANNEL_ID: optional,
  RAIL_RETAIL_TLS_MIN: tlsMin(),
  HISTORY_TIMEOUT_MS: z.coerce.number().int().min(1).default(30_000),
};

type HistoryConfig = z.output<z.ZodObject<typeof historyShape>> & RailConfig<'QRIS' | 'EWALLET'>;
type RailVariable = 'QRIS' | 'EWALLET' | 'VA' | 'RETAIL';
type Credentials = (rail: RailVariable) => SnapCredentials;

/** Every rail that brings money in, and how it tells its history. A further one takes a line here. */
const ROWS: readonly { name: string; variable: RailVariable; style: HistoryStyle }[] = [
  { name: 'va', variable: 'VA', style: 'bank-statement' },
  { name: 'qris', variable: 'QRIS', style: 'transaction-history' },
  { name: 'ewallet', variable: 'EWALLET', style: 'transaction-history' },
  { name: 'retail', variable: 'RETAIL', style: 'transaction-history' },
];

/** Opens the histories of the rails that have an account. */
export function openReconciledRails(options: {
  config: HistoryConfig;
  credentials: Credentials;
  payments: PaymentStore;
  log: Logger;
}): ReconciledRail[] {
  const { config, credentials, payments, log } = options;
  return ROWS.flatMap(({ name, variable, style }) => {
    const history = config[`RAIL_${variable}_HISTORY_ACCOUNT` as const];
    if (history === '') {
      log.warn({ rail: name }, 'a rail is not reconciled: its history account is not configured');
      return [];
    }
    return [
      {
        name,
        moves: 'in' as const,
        history: openSnapHistory({
          ...credentials(variable),
          style,
          account: history,
          moves: 'in',
          pageTimeoutMs: config.HISTORY_TIMEOUT_MS,
        }),
        payments: (period, filter) => readPayments(payments, name, period, filter?.amountsSen),
      },
    ];
  });
}

/** Where a rail is reached that only tells its history. Throws ConfigError where a variable is missing. */
export function historyCredentials(config: HistoryConfig, rail: 'VA' | 'RETAIL'): SnapCredentials {
  const must = (part: 'URL' | 'CLIENT_KEY' | 'CLIENT_SECRET' | 'PRIVATE_KEY' | 'PARTNER_ID' | 'CHANNEL_ID') => {
    const value = config[`RAIL_${rail}_${part}` as const];
    if (value === undefined)
      throw new ConfigError([`RAIL_${rail}_${part} is not set; it is required with RAIL_${rail}_HISTORY_ACCOUNT`]);
    return value;
  };
  return {
    url: must('URL'),
    clientKey: must('CLIENT_KEY'),
    clientSecret: must('CLIENT_SECRET'),
    privateKey: must('PRIVATE_KEY'),
    partnerId: must('PARTNER_ID'),
    channelId: must('CHANNEL_ID'),
    tlsMin: config[`RAIL_${rail}_TLS_MIN` as const],
  };
}
