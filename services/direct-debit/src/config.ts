import { parseAmount } from '@gerbang/core';
import { keysShape } from '@gerbang/keys';
import { settlementFromConfig, settlementShape } from '@gerbang/neighbours';
import { railVariables } from '@gerbang/rails';
import { tlsFromConfig } from '@gerbang/rpc';
import { busShape, commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  ...busShape,
  ...keysShape,
  ...settlementShape,
  RPC_PORT: env.port(9106),
  ADMIN_PORT: env.port(9208),
  MERCHANT_RPC: env.address(),
  LEDGER_RPC: env.addresses(),
  RAIL_TIMEOUT_MS: env.integer(5_000, 1),
  PAY_URL: z.url().transform((url) => url.replace(/\/+$/, '')),
  /** Rupiah; what is more needs an OTP of the customer. */
  DIRECT_DEBIT_OTP_ABOVE: z
    .string()
    .default('500000')
    .transform((text, problem) => {
      if (text === '0') return 0n;
      const sen = parseAmount(text);
      if (sen !== undefined) return sen;
      problem.addIssue('expected an amount in rupiah');
      return z.NEVER;
    }),
  DIRECT_DEBIT_BINDING_SECONDS: env.integer(1_800, 60),
  /** Whether the bank wants an OTP of the customer before a binding ends. */
  DIRECT_DEBIT_UNBIND_OTP: z.enum(['on', 'off']).default('on'),
  /** OTPs that a customer may be sent, and attempts at them, in a day. */
  DIRECT_DEBIT_OTPS_PER_DAY: env.integer(30, 1),
  ...railVariables('DIRECT_DEBIT'),
  RAIL_DIRECT_DEBIT_MERCHANT_ID: z.string().min(1),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, settlesAt: settlementFromConfig(config), tls: tlsFromConfig(config) };
}
