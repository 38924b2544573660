import { LedgerService, RoutingService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { implement } from '@gerbang/rpc';
import { getBalance } from './balance/rpc/get-balance.ts';
import type { Context } from './context.ts';
import { listPartitions } from './partition/rpc/list-partitions.ts';
import { locate } from './partition/rpc/locate.ts';
import { post } from './posting/rpc/post.ts';
import { listEntries } from './statement/rpc/list-entries.ts';
import { listSettlements } from './statement/rpc/list-settlements.ts';
import { verify } from './verify/rpc/verify.ts';

/** Other services whose money goes through the ledger. */
const PRODUCTS = ['money-in', 'direct-debit', 'biller', 'cards'];

/** Everything that others may call, and who may. */
export function implementations(context: Context) {
  return [
    implement(
      LedgerService,
      {
        post: (request, call) => post(context, request, call),
        getBalance: (request, { signal }) => getBalance(context, request, signal),
        verify: (request, { signal }) => verify(context, request, signal),
      },
      {
        post: ['money-out', 'merchant', ...PRODUCTS],
        getBalance: ['edge', 'merchant', 'money-out', ...PRODUCTS],
        verify: ['cli'],
      },
    ),
    implement(
      RoutingService,
      {
        locate: (request) => locate(context, request),
        listPartitions: () => listPartitions(context),
      },
      ['edge', 'merchant', 'money-out', 'cli', ...PRODUCTS],
    ),
    implement(
      StatementService,
      {
        listEntries: (request, { signal }) => listEntries(context, request, signal),
        listSettlements: (request, { signal }) => listSettlements(context, request, signal),
      },
      ['edge'],
    ),
  ];
}
