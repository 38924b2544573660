import { isRefusal, RefusalError, refuse, refuseField } from '@gerbang/core';
import { type DecideDiscrepancyRequest, DiscrepancyDecision } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { OperatorCall } from '@gerbang/service/operators';
import { mustFindCharge } from '../../charge/change.ts';
import { feesFor } from '../../charge/fees.ts';
import { isCharged } from '../../charge/state.ts';
import type { Context } from '../../context.ts';
import { advanceDiscrepancy } from '../advance.ts';
import { changeDiscrepancy } from '../change.ts';
import { type Choice, decideDiscrepancy as decide, type Sums } from '../discrepancy.ts';
import type { StoredDiscrepancy } from '../document.ts';

/**
 * An operator decides what the money of a discrepancy is, once a second one has approved it. Refusals: validation, transaction_not_found,
 * bad_request, insufficient_balance (it waits for a decision again), unavailable.
 */
export async function decideDiscrepancy(context: Context, { id, decision }: DecideDiscrepancyRequest, call: OperatorCall) {
  const choice = readChoice(decision);
  const found = await context.discrepancies.find(id);
  if (found === undefined) throw new RefusalError(refuse('transaction_not_found'));
  const command = { type: 'decide', decision: { choice, sums: await sumsFor(context, found, choice) } } as const;
  const events = decide(found.state, command, context.clock.now());
  if (isRefusal(events)) throw new RefusalError(events);
  const before = { status: found.state.status, amount_sen: found.order.amountSen.toString() };
  call.record({ target: `discrepancy:${found.order.id}`, before, after: { decision: choice } });
  const { discrepancy } = await changeDiscrepancy(context, found, command);
  const { state } = await advanceDiscrepancy(context, discrepancy);
  if (state.status === 'open') throw new RefusalError(refuse('insufficient_balance'));
  if (!('decision' in state)) throw new Error(`discrepancy ${id} is ${state.status} after its decision`);
  const { netSen, feeSen } = state.decision.sums;
  return { netSen, feeSen };
}

/** What the account gets or gives: a charge with its fee, as it was or as it is now; a refund without one. */
async function sumsFor(context: Context, { order }: StoredDiscrepancy, choice: Choice): Promise<Sums> {
  if (choice === 'refund' || choice === 'bear') return { netSen: 0n, feeSen: 0n, vendorFeeSen: 0n };
  if (order.refundId !== undefined) return { netSen: order.amountSen, feeSen: 0n, vendorFeeSen: 0n };
  const charge = await mustFindCharge(context, order.chargeId);
  const fees = isCharged(charge.state) ? charge.state.fees : await feesFor(context, charge.order, context.clock.now());
  const { netSen, feeSen, vendorFeeSen } = fees;
  return { netSen, feeSen, vendorFeeSen };
}

function readChoice(decision: DiscrepancyDecision): Choice {
  switch (decision) {
    case DiscrepancyDecision.CREDIT:
      return 'credit';
    case DiscrepancyDecision.REFUND:
      return 'refund';
    case DiscrepancyDecision.WITHDRAW:
      return 'withdraw';
    case DiscrepancyDecision.BEAR:
      return 'bear';
    case DiscrepancyDecision.UNSPECIFIED:
      throw new RefusalError(refuseField('decision', 'is required'));
    default:
      return decision satisfies never;
  }
}
