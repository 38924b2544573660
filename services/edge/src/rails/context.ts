import type { AcquirerReportService } from '@gerbang/proto/gerbang/cards/v1/cards';
import type { BankReportService } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { RailService } from '@gerbang/proto/gerbang/money_in/v1/rail';
import type { RailReportService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { RpcClient } from '@gerbang/rpc';
import type { Logger, Permits, SecurityEvents } from '@gerbang/runtime';
import type { LimitMetrics } from '@gerbang/service';
import type { TrustedProxies } from '../http/ip-whitelist.ts';
import type { TokenFailures } from '../http/token-failures.ts';
import type { UnfinishedBodies } from '../http/unfinished-bodies.ts';
import type { Metrics } from '../metrics.ts';
import type { RailMetrics } from './metrics.ts';
import type { RailPartners } from './partners.ts';

/** What the rails listener depends on, as one plain object. */
export type RailsContext = {
  moneyIn: RpcClient<typeof RailService>;
  moneyOut: RpcClient<typeof RailReportService>;
  directDebit: RpcClient<typeof BankReportService>;
  cards: RpcClient<typeof AcquirerReportService>;
  partners: RailPartners;
  /** Real time: authentication never goes by the business clock (contract §11). */
  realNow: () => number;
  trustedProxies: TrustedProxies;
  /** Calls under way, by partner. */
  callPermits: Permits;
  /** This listener's own: they count before a caller is known. */
  unfinishedBodies: UnfinishedBodies;
  tokenFailures: TokenFailures;
  limitMetrics: LimitMetrics;
  metrics: Metrics;
  railMetrics: RailMetrics;
  log: Logger;
  security: SecurityEvents;
};
