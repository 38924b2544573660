import type { MerchantDirectory } from '@gerbang/neighbours';
import type { Logger, SecurityEvents } from '@gerbang/runtime';
import type { LimitMetrics } from '@gerbang/service';
import type { Clients } from './clients.ts';
import type { AccessCache } from './http/access-cache.ts';
import type { CsvStreams } from './http/csv-stream.ts';
import type { TrustedProxies } from './http/ip-whitelist.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { TokenFailures } from './http/token-failures.ts';
import type { TokenVerifier } from './http/token-verifier.ts';
import type { UnfinishedBodies } from './http/unfinished-bodies.ts';
import type { Metrics } from './metrics.ts';

/** The service's dependencies as one plain object. */
export type Context = Clients & {
  /** Aborted when the edge is told to stop: answers end their connections from then on. */
  draining: AbortSignal;
  /** Accounts and ledger partitions of merchants. */
  directory: MerchantDirectory;
  /** Credentials and whitelists of merchants. */
  access: AccessCache;
  tokens: TokenVerifier;
  merchantLimit: RateLimit;
  tokenLimit: RateLimit;
  retailLimit: RateLimit;
  tokenFailures: TokenFailures;
  csvStreams: CsvStreams;
  /** An unknown caller cannot take the room of merchants. */
  unfinishedBodies: { ofMerchants: UnfinishedBodies; ofUnknown: UnfinishedBodies };
  limitMetrics: LimitMetrics;
  trustedProxies: TrustedProxies;
  /** Whether the reference pages are there. */
  showsDocs: boolean;
  /** Real time: authentication never goes by the business clock (contract §11). */
  realNow: () => number;
  metrics: Metrics;
  log: Logger;
  security: SecurityEvents;
};
