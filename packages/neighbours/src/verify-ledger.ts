import type { LedgerService, RoutingService, UnlinkedBatches, VerifiedBalance } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import type { RpcClient } from '@gerbang/rpc';

/** For a page; a server answers it within about a second, after a takeover if there is one. */
const PAGE_TIMEOUT_MS = 30_000;

/**
 * What verifying the whole ledger has come to; the sum of all accounts is zero, always. `checkpoints`: how many of those given
 * the journals agree with.
 */
export type LedgerVerification = {
  partitions: number;
  postings: bigint;
  accounts: number;
  sumSen: bigint;
  differences: number;
  checkpoints: bigint;
};

/** Batches of a partition's journal that carry no link of its chain. */
export type Unlinked = { partition: string; firstSeq: bigint; lastSeq: bigint };

export type VerifyOptions = {
  /** Of each partition, as lines of the ledger's log have them; at most 1,000. */
  checkpoints?: ReadonlyMap<string, readonly string[]>;
  /** Whether batches without a link are known to be of a version before the chain. Else each run of them is a difference. */
  isAccepted?: (run: Unlinked) => boolean;
};

/**
 * Rebuilds every partition from its journal and compares it with what is stored, with its chain and with the checkpoints.
 * Differences (one line each), accepted batches without a link and balances are reported as they come, in memory bounded by a
 * page. Batches without a link are accepted where a journal begins with them: it is older than the chain. Throws RefusalError:
 * unavailable when a partition moves to another instance meanwhile, after which it is begun again by hand.
 */
export async function verifyLedger(
  clients: {
    ledger: Pick<RpcClient<typeof LedgerService>, 'verify'>;
    routing: Pick<RpcClient<typeof RoutingService>, 'listPartitions'>;
  },
  tell: {
    difference?: (line: string) => void;
    unlinked?: (run: Unlinked) => void;
    balance?: (balance: VerifiedBalance) => void;
  },
  options: VerifyOptions = {},
): Promise<LedgerVerification> {
  const { partitions } = await clients.routing.listPartitions({});
  // One that the checkpoints know is there, also where the database no longer says so.
  const names = new Set([...partitions.map(({ name }) => name), ...(options.checkpoints?.keys() ?? [])]);
  const total = { partitions: names.size, postings: 0n, accounts: 0, sumSen: 0n, differences: 0, checkpoints: 0n };
  const differ = (line: string) => {
    total.differences++;
    tell.difference?.(line);
  };
  const take = (run: Unlinked) => {
    if (run.firstSeq === 1n || options.isAccepted?.(run)) tell.unlinked?.(run);
    else differ(`${run.partition}: batches ${run.firstSeq} to ${run.lastSeq} carry no link of the chain`);
  };
  for (const name of names) {
    let cursor = '';
    do {
      const checkpoints = cursor === '' ? [...(options.checkpoints?.get(name) ?? [])] : [];
      const page = await clients.ledger.verify({ partition: name, cursor, checkpoints }, { timeoutMs: PAGE_TIMEOUT_MS });
      for (const line of page.differences) differ(line);
      for (const run of page.unlinked) take(runOf(name, run));
      for (const balance of page.balances) tell.balance?.(balance);
      total.postings += page.postings;
      total.sumSen += page.sumSen;
      total.accounts += page.balances.length;
      total.checkpoints += page.checkpoints;
      cursor = page.nextCursor;
    } while (cursor !== '');
  }
  return total;
}

function runOf(partition: string, { firstSeq, lastSeq }: UnlinkedBatches): Unlinked {
  return { partition, firstSeq, lastSeq };
}
