import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { commonShape, env, loadConfig, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import { MONEY_IN_RAILS } from './money-in/rail.ts';

const shape = {
  ...commonShape,
  ...storeShape,
  GERBANG_ENV: z.literal('sandbox', 'the simulator runs in the sandbox only'),
  ADMIN_PORT: env.port(9205),
  SIMULATOR_HOST: env.host(),
  SIMULATOR_PORT: env.port(8070),
  /** Where the acquirer of cards also speaks ISO 8583; absent: it does not. */
  SIMULATOR_ISO8583_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  SIMULATOR_PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SIMULATOR_CLIENT_KEY: z.string().min(1),
  SIMULATOR_CLIENT_SECRET: z.string().min(1),
  SIMULATOR_PUBLIC_KEY: z.base64().transform(toPublicKey),
  SIMULATOR_RAILS_URL: z.url().default('http://127.0.0.1:8082'),
  SIMULATOR_PRIVATE_KEY: z.base64().transform(toPrivateKey),
  SIMULATOR_RAIL_SECRET: z.string().min(32),
  SIMULATOR_HMAC_RAILS: z.string().default('').transform(toRails),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError; the sandbox's bank has no place in production. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  const { SIMULATOR_CLIENT_KEY: clientKey, SIMULATOR_CLIENT_SECRET: clientSecret, SIMULATOR_PUBLIC_KEY: publicKey } = config;
  return { ...config, partner: { clientKey, clientSecret, publicKey } };
}

function toPublicKey(base64: string, context: z.RefinementCtx): KeyObject {
  try {
    return createPublicKey(Buffer.from(base64, 'base64'));
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a public key in PEM, base64-encoded' });
    return z.NEVER;
  }
}

function toPrivateKey(base64: string, context: z.RefinementCtx): KeyObject {
  try {
    return createPrivateKey(Buffer.from(base64, 'base64'));
  } catch {
    context.addIssue({ code: 'custom', message: 'expected a private key in PEM, base64-encoded' });
    return z.NEVER;
  }
}

function toRails(text: string, context: z.RefinementCtx): ReadonlySet<string> {
  const rails = text.split(',').filter((rail) => rail !== '');
  const isKnown = rails.every((rail) => MONEY_IN_RAILS.some((known) => known === rail));
  if (!isKnown) context.addIssue(`expected some of ${MONEY_IN_RAILS.join(', ')}, separated by commas`);
  return new Set(rails);
}
