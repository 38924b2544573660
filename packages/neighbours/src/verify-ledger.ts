import type { LedgerService, RoutingService, VerifiedBalance } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcClient } from '@gerbang/rpc';

/** For a page; a server answers it within about a second, after a takeover if there is one. */
const PAGE_TIMEOUT_MS = 30_000;

/** What verifying the whole ledger has come to; the sum of all accounts is zero, always. */
export type LedgerVerification = { partitions: number; postings: bigint; accounts: number; sumSen: bigint; differences: number };

/**
 * Rebuilds every partition from its journal and compares it with what is stored. Differences (one line each) and balances are
 * reported as they come, in memory bounded by a page. Throws RefusalError: unavailable when a partition moves to another instance
 * meanwhile, after which it is begun again by hand.
 */
export async function verifyLedger(
  clients: {
    ledger: Pick<RpcClient<typeof LedgerService>, 'verify'>;
    routing: Pick<RpcClient<typeof RoutingService>, 'listPartitions'>;
  },
  tell: { difference?: (line: string) => void; balance?: (balance: VerifiedBalance) => void },
): Promise<LedgerVerification> {
  const { partitions } = await clients.routing.listPartitions({});
  const total = { partitions: partitions.length, postings: 0n, accounts: 0, sumSen: 0n, differences: 0 };
  for (const { name } of partitions) {
    let cursor = '';
    do {
      const page = await clients.ledger.verify({ partition: name, cursor }, { timeoutMs: PAGE_TIMEOUT_MS });
      for (const line of page.differences) tell.difference?.(line);
      for (const balance of page.balances) tell.balance?.(balance);
      total.postings += page.postings;
      total.sumSen += page.sumSen;
      total.accounts += page.balances.length;
      total.differences += page.differences.length;
      cursor = page.nextCursor;
    } while (cursor !== '');
  }
  return total;
}
