import type { LedgerService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { AccountService, MerchantService } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type {
  EwalletCheckoutService,
  PaymentLinkService,
  QrisService,
  RetailService,
  VirtualAccountService,
} from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { AccountTransferService, DisbursementService } from '@gerbang/proto/gerbang/money_out/v1/money_out';
import type { DeliveryService } from '@gerbang/proto/gerbang/notifier/v1/notifier';
import type { MerchantDirectory, RpcClient } from '@gerbang/rpc';
import type { Logger } from '@gerbang/runtime';
import type { AccessCache } from './http/access-cache.ts';
import type { TrustedProxies } from './http/ip-whitelist.ts';
import type { RateLimit } from './http/rate-limit.ts';
import type { TokenVerifier } from './http/token-verifier.ts';
import type { Metrics } from './metrics.ts';

/** The service's dependencies as one plain object. */
export type Context = {
  merchants: RpcClient<typeof MerchantService>;
  accounts: RpcClient<typeof AccountService>;
  ledger: RpcClient<typeof LedgerService>;
  statements: RpcClient<typeof StatementService>;
  disbursements: RpcClient<typeof DisbursementService>;
  accountTransfers: RpcClient<typeof AccountTransferService>;
  virtualAccounts: RpcClient<typeof VirtualAccountService>;
  qris: RpcClient<typeof QrisService>;
  ewalletCheckouts: RpcClient<typeof EwalletCheckoutService>;
  retail: RpcClient<typeof RetailService>;
  paymentLinks: RpcClient<typeof PaymentLinkService>;
  deliveries: RpcClient<typeof DeliveryService>;
  /** Accounts and ledger partitions of merchants. */
  directory: MerchantDirectory;
  /** Credentials and whitelists of merchants. */
  access: AccessCache;
  tokens: TokenVerifier;
  merchantLimit: RateLimit;
  tokenLimit: RateLimit;
  retailLimit: RateLimit;
  trustedProxies: TrustedProxies;
  /** Real time: authentication never goes by the business clock (contract §11). */
  realNow: () => number;
  metrics: Metrics;
  log: Logger;
};
