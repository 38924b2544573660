import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { type DecideReversalRequest, ReversalDecision } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { decideByOperator, findToDecide } from '../../payment/decide-by-operator.ts';
import type { PaymentCommand } from '../../payment/state.ts';

/**
 * Decides a reversal that could not be booked: the account gives the money now, or suspense does, or the payment stands.
 * Refusals: validation, transaction_not_found, bad_request (it is decided otherwise), insufficient_balance (the account still has
 * too little; it stays open).
 */
export async function decideReversal(context: Context, { id, decision }: DecideReversalRequest, call: OperatorCall) {
  const { command, outcome } = commandOf(decision);
  const contested = await findToDecide(context, id);
  const decided = await decideByOperator(context, contested, { call, command, after: { outcome } });
  if (decided.state.status === 'contested') throw new RefusalError(refuse('insufficient_balance'));
  return {};
}

function commandOf(decision: ReversalDecision): { command: PaymentCommand; outcome: string } {
  switch (decision) {
    case ReversalDecision.WITHDRAW:
      return { command: { type: 'withdraw', from: 'account' }, outcome: 'withdrawn' };
    case ReversalDecision.BEAR:
      return { command: { type: 'withdraw', from: 'suspense' }, outcome: 'borne' };
    case ReversalDecision.DISMISS:
      return { command: { type: 'dismiss' }, outcome: 'dismissed' };
    case ReversalDecision.UNSPECIFIED:
      throw new RefusalError(refuseField('decision', 'is required'));
    default:
      return decision satisfies never;
  }
}
