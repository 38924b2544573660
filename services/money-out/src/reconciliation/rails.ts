import { type HistoryStyle, openSnapHistory, type SnapCredentials } from '@gerbang/rails';
import type { ReconciledRail } from '@gerbang/reconciliation';
import type { Logger } from '@gerbang/runtime';
import { z } from 'zod';
import type { TransferStore } from '../transfer/store.ts';
import { type Reconciled, readTransfers } from './transfers.ts';

export const historyShape = {
  HISTORY_TIMEOUT_MS: z.coerce.number().int().min(1).default(30_000),
};

/** How a rail tells its history, and what its remarks say of a product's transfers. */
export type ToldHistory = Omit<Reconciled, 'product'> & {
  /** The rail's name in reconciliation. */
  name: string;
  style: HistoryStyle;
};

/** `account`: ours at the rail, whose history is compared; empty: the rail is not reconciled. */
export type HistoryRow = ToldHistory & Pick<Reconciled, 'product'> & { credentials: SnapCredentials; account: string };

type Options = { pageTimeoutMs: number; transfers: TransferStore; nowMs: () => number; log: Logger };

/** Opens the histories of the rails that have an account. */
export function openReconciledRails(rows: readonly HistoryRow[], options: Options): ReconciledRail[] {
  const { pageTimeoutMs, transfers, nowMs, log } = options;
  return rows.flatMap(({ name, style, credentials, account, ...row }) => {
    if (account === '') {
      log.warn({ rail: name }, 'a rail is not reconciled: its history account is not configured');
      return [];
    }
    return [
      {
        name,
        moves: 'out' as const,
        history: openSnapHistory({ ...credentials, style, account, moves: 'out', pageTimeoutMs }),
        payments: (period, filter) => readTransfers({ transfers, nowMs }, row, period, filter?.amountsSen),
      },
    ];
  });
}
