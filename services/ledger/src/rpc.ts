import { LedgerService, RoutingService, StatementService } from '@gerbang/proto/gerbang/ledger/v1/ledger';
import { implement } from '@gerbang/rpc';
import { forOperators, VIEWERS } from '@gerbang/service/operators';
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
        verify: forOperators(context.gate, LedgerService.method.verify, {
          roles: VIEWERS,
          handler: (request, call) => verify(context, request, call.context.signal),
        }),
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
        listPartitions: forOperators(context.gate, RoutingService.method.listPartitions, {
          roles: VIEWERS,
          handler: () => listPartitions(context),
        }),
      },
      // The operators' commands are routed too.
      { locate: ['edge', 'merchant', 'money-out', 'cli', ...PRODUCTS], listPartitions: ['cli'] },
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
