import { isRefusal, RefusalError } from '@gerbang/core';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../context.ts';
import { workOn } from '../payment/advance.ts';
import { changePayment } from '../payment/change.ts';
import type { StoredPayment } from '../payment/document.ts';
import { decide } from '../payment/payment.ts';
import type { Decision, PaymentCommand } from '../payment/state.ts';

export type DecisionCommand = Extract<PaymentCommand, { type: 'resolve' | 'decide-contested' }>;

/** The decision of the operator who has approved, and of the one who has proposed. */
export function decisionOf(
  { operator, proposer }: OperatorCall,
  { outcome, evidence }: Pick<Decision, 'outcome' | 'evidence'>,
): Decision {
  if (proposer === undefined) throw new Error('a decision needs two operators');
  return { outcome, evidence, proposer, approver: operator.id };
}

/**
 * Writes what two operators have decided, and takes the payment as far as it goes. What ledger or acquirer do not do just now is left
 * to the payment's timer: the decision stands. Refusals: those of the decider, unavailable.
 */
export async function carryOut(
  context: Context,
  found: StoredPayment,
  command: DecisionCommand,
  call: OperatorCall,
): Promise<StoredPayment> {
  const { outcome, evidence } = command.decision;
  call.record({
    target: `card-payment:${found.order.id}`,
    before: { status: found.state.status },
    after: { outcome, evidence },
  });
  const impossible = decide(found.state, command, context.clock.now());
  if (isRefusal(impossible)) throw new RefusalError(impossible);
  const { payment } = await changePayment(context, found, command);
  return workOn(context, payment);
}
