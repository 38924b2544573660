import { RefusalError, refuseField } from '@gerbang/core';
import {
  ChargebackOutcome,
  ChargebackStatus,
  type EndCaseRequest,
  type ListCasesRequest,
  type ShowCaseRequest,
} from '@gerbang/proto/gerbang/cards/v1/chargebacks';
import type { OperatorCall } from '@gerbang/service/operators';
import type { Context } from '../../context.ts';
import { advanceChargeback } from '../advance.ts';
import { changeChargeback } from '../change.ts';
import { storedStatusesOf, toCaseMessage } from '../message.ts';
import { mustFindChargeback } from '../own.ts';
import type { Outcome } from '../state.ts';

const LIMIT_MAX = 1_000;

/** Chargebacks of all merchants that are open, the oldest first; `all`: those that have ended too. */
export async function listCases({ chargebacks }: Context, { limit, all }: ListCasesRequest) {
  const statuses = storedStatusesOf(all ? ChargebackStatus.UNSPECIFIED : ChargebackStatus.OPEN);
  const found = await chargebacks.listCases({ statuses, limit: Math.min(Math.max(limit, 1), LIMIT_MAX) });
  return { cases: found.map(toCaseMessage) };
}

/** Refusals: transaction_not_found. */
export async function showCase(context: Context, { id }: ShowCaseRequest) {
  return { case: toCaseMessage(await mustFindChargeback(context, id)) };
}

/**
 * Ends a chargeback: won, its reserve goes back to the account; lost, to the acquirer. Answers when the money has moved.
 * Refusals: validation, transaction_not_found, bad_request (it was ended otherwise), unavailable.
 */
export async function endCase(context: Context, { id, outcome: wanted }: EndCaseRequest, { record }: OperatorCall) {
  const outcome = outcomeOf(wanted);
  const found = await mustFindChargeback(context, id);
  record({ target: `card-chargeback:${id}`, before: { step: found.state.status }, after: { outcome } });
  const ending = await changeChargeback(context, found, { type: 'end', outcome });
  return { case: toCaseMessage(await advanceChargeback(context, ending)) };
}

function outcomeOf(wanted: ChargebackOutcome): Outcome {
  switch (wanted) {
    case ChargebackOutcome.WON:
      return 'won';
    case ChargebackOutcome.LOST:
      return 'lost';
    case ChargebackOutcome.UNSPECIFIED:
      throw new RefusalError(refuseField('outcome', 'is required'));
    default:
      return wanted satisfies never;
  }
}
