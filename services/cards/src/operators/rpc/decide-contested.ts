import { RefusalError, refuse, refuseField } from '@gerbang/core';
import { ContestedDecision, type DecideContestedRequest } from '@gerbang/proto/gerbang/cards/v1/operators';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import type { ContestedChoice } from '../../payment/state.ts';
import { carryOut, decisionOf } from '../decide.ts';
import { findPayment, readEvidence } from '../find.ts';

/**
 * Two operators decide who bears a payment that the acquirer has taken back while the balance was short. Refusals: validation
 * (decision, evidence), transaction_not_found, bad_request, insufficient_balance (it stays contested), unavailable.
 */
export async function decideContested(context: Context, request: DecideContestedRequest, call: OperatorCall) {
  const choice = readChoice(request.decision);
  const evidence = readEvidence(request.evidence);
  const found = await findPayment(context, request.id);
  const decision = decisionOf(call, { outcome: choice, evidence });
  const { state } = await carryOut(context, found, { type: 'decide-contested', choice, decision }, call);
  if (state.status === 'contested') throw new RefusalError(refuse('insufficient_balance'));
  return { state: state.status };
}

function readChoice(decision: ContestedDecision): ContestedChoice {
  switch (decision) {
    case ContestedDecision.WITHDRAW:
      return 'withdraw';
    case ContestedDecision.WRITE_OFF:
      return 'write-off';
    case ContestedDecision.DISMISS:
      return 'dismiss';
    case ContestedDecision.UNSPECIFIED:
      throw new RefusalError(refuseField('decision', 'is required'));
    default:
      return decision satisfies never;
  }
}
