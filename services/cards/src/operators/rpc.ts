import { CardOperatorService } from '@gerbang/proto/gerbang/cards/v1/operators';
import { FINANCE, implementForOperators, type OperatorGate, SUPPORT, VIEWERS } from '@gerbang/service/operators';
import type { Context } from '../context.ts';
import { decideContested } from './rpc/decide-contested.ts';
import { inquirePayment } from './rpc/inquire-payment.ts';
import { listAttention } from './rpc/list-attention.ts';
import { resolvePayment } from './rpc/resolve-payment.ts';
import { showPayment } from './rpc/show-payment.ts';

/** What operators see and decide of card payments. */
export function operatorImplementation(context: Context, gate: OperatorGate) {
  return implementForOperators(gate, CardOperatorService, {
    listAttention: { roles: VIEWERS, handler: (request) => listAttention(context, request) },
    showPayment: { roles: VIEWERS, handler: (request) => showPayment(context, request) },
    inquirePayment: { roles: SUPPORT, handler: (request, call) => inquirePayment(context, request, call) },
    resolvePayment: { roles: FINANCE, approval: () => true, handler: (request, call) => resolvePayment(context, request, call) },
    decideContested: {
      roles: FINANCE,
      approval: () => true,
      handler: (request, call) => decideContested(context, request, call),
    },
  });
}
