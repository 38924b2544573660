import { hostname } from 'node:os';
import { tlsFromConfig } from '@gerbang/rpc';
import { commonShape, env, loadConfig, rpcShape, storeShape } from '@gerbang/runtime';
import { z } from 'zod';
import type { AcceptedBatches } from './partition/proof.ts';

const shape = {
  ...commonShape,
  ...rpcShape,
  ...storeShape,
  RPC_PORT: env.port(9102),
  ADMIN_PORT: env.port(9202),
  /** Who knows the operators. */
  MERCHANT_RPC: env.address(),
  /** Who this instance is. It survives a restart and no two running instances share it; host name and port unless told. */
  LEDGER_INSTANCE: z
    .string()
    .regex(/^[A-Za-z0-9._:-]{1,120}$/, 'expected letters, digits, dots, dashes, colons')
    .optional(),
  /**
   * Where clients and the other instances reach this one; RPC_HOST (the host's name when it is a wildcard) and RPC_PORT unless
   * told.
   */
  LEDGER_ADDRESS: env.address().optional(),
  /** How long others wait for this instance when it is silent. */
  LEDGER_LEASE_MS: env.integer(3_000, 500),
  /** Posting keys kept in memory; older ones are looked up. */
  LEDGER_RECENT_KEYS: env.integer(100_000),
  /** Unprojected postings at which new ones are refused. */
  LEDGER_PROJECTOR_LAG: env.integer(50_000, 1),
  /** Keys of the journal's chain; the first links, all of them check. */
  CHAIN_KEYS: env.keyRing(),
  /** How often a journal that grows gets a signed checkpoint in the log. */
  LEDGER_CHECKPOINT_MS: env.integer(10_000, 100),
  /**
   * Batches that are served although the chain does not prove them, such as p0:120-140, more of them after commas; or `unlinked`:
   * all that carry no link.
   */
  LEDGER_ACCEPT_BATCHES: z
    .string()
    .regex(
      /^(unlinked|[a-z0-9-]+:\d{1,16}-\d{1,16}(,[a-z0-9-]+:\d{1,16}-\d{1,16})*)?$/,
      'expected unlinked, or p0:120-140, more of them after commas',
    )
    .default('')
    .transform(acceptedBatches),
};

export type Config = ReturnType<typeof readConfig>;

/** The only reader of the environment. Throws ConfigError. */
export function readConfig(environment: NodeJS.ProcessEnv) {
  const config = loadConfig(shape, environment);
  return { ...config, host: hostname(), tls: tlsFromConfig(config) };
}

function acceptedBatches(text: string): AcceptedBatches[] {
  if (text === 'unlinked') return [text];
  return [...text.matchAll(/([a-z0-9-]+):(\d+)-(\d+)/g)].map(([, partition = '', first = '', last = '']) => ({
    partition,
    firstSeq: BigInt(first),
    lastSeq: BigInt(last),
  }));
}

/** Who this instance is: as configured, else by the host's name and where it listens: several may run on one host. */
export function instanceOf(config: Pick<Config, 'LEDGER_INSTANCE' | 'RPC_HOST' | 'host'>, port: number): string {
  return config.LEDGER_INSTANCE ?? `${config.host}/${config.RPC_HOST}:${port}`;
}

/** Where clients and other instances reach this one: as configured, else by its host and the port it listens on. */
export function addressOf(config: Pick<Config, 'LEDGER_ADDRESS' | 'RPC_HOST' | 'host'>, port: number): string {
  return config.LEDGER_ADDRESS ?? `${isWildcard(config.RPC_HOST) ? config.host : config.RPC_HOST}:${port}`;
}

/** Whether a host means every address of the machine, which no client can call. */
function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
