import { harmlessText, RefusalError, refuse, ulidFrom } from '@gerbang/core';
import { callWithin } from '@gerbang/rails';
import type { AcquirerChargeback } from '@gerbang/rails/card';
import type { Context } from '../context.ts';
import { isPaymentId } from '../payment/own.ts';
import { advanceChargeback } from './advance.ts';
import { changeChargeback } from './change.ts';
import type { StoredChargeback } from './document.ts';
import type { ChargebackOrder } from './state.ts';

/**
 * An acquirer reports a chargeback, once or often. Its report is a hint where the acquirer can be asked for the case; else it is
 * believed, since it is signed. One of an unknown payment is kept for operators. Refusals: transaction_not_found (the acquirer
 * does not know the case), unavailable (it does not answer, or what it has withdrawn is not reserved yet).
 */
export async function takeReport(context: Context, reported: AcquirerChargeback): Promise<StoredChargeback> {
  const said = await confirmed(context, reported);
  const { chargeback, created } = await context.chargebacks.insertOrFind(await orderOf(context, said));
  if (created) noteNew(context, chargeback);
  else noteMismatch(context, chargeback, said);
  const advanced = await advanceChargeback(context, chargeback);
  return said.isWithdrawn ? endWithdrawn(context, advanced) : advanced;
}

/** What the acquirer says of the case when it is asked. */
async function confirmed({ rail, railTimeoutMs }: Context, reported: AcquirerChargeback): Promise<AcquirerChargeback> {
  const { inquireChargeback } = rail;
  if (inquireChargeback === undefined) return reported;
  const { caseId } = reported;
  const said = await callWithin(railTimeoutMs, (signal) => inquireChargeback({ caseId }, { signal }));
  switch (said.outcome) {
    case 'found':
      return said.chargeback;
    case 'not_found':
      throw new RefusalError(refuse('transaction_not_found'), new Error('the acquirer does not know this case'));
    case 'unknown':
      throw new RefusalError(refuse('unavailable', { retryAfterMs: 1_000 }), new Error(said.reason));
    default:
      return said satisfies never;
  }
}

async function orderOf({ payments, clock }: Context, said: AcquirerChargeback): Promise<ChargebackOrder> {
  const { caseId, reference, stage } = said;
  const payment = isPaymentId(reference) ? await payments.find(reference) : undefined;
  const order = payment?.order;
  return {
    id: ulidFrom(order?.createdAtMs ?? 0, `card-chargeback:${reference}:${caseId}:${stage}`),
    merchantId: order?.merchantId ?? '',
    accountId: order?.accountId ?? '',
    partition: order?.partition ?? '',
    merchantReffNo: order?.merchantReffNo ?? '',
    reference,
    caseId,
    stage,
    amountSen: BigInt(said.amountSen),
    reasonCode: harmlessText(said.reasonCode),
    reason: harmlessText(said.reason),
    respondByMs: said.respondByMs,
    createdAtMs: clock.now(),
  };
}

function noteNew({ log, metrics }: Context, { order, state }: StoredChargeback): void {
  if (state.status !== 'unmatched') return;
  metrics.chargeback('unmatched', order.reasonCode);
  log.error(
    { chargeback_id: order.id, reference: order.reference, alert: 'chargeback-unknown-payment' },
    'an acquirer has opened a chargeback of a payment that is not known; an operator looks',
  );
}

function noteMismatch({ log }: Context, { order }: StoredChargeback, said: AcquirerChargeback): void {
  if (order.amountSen === BigInt(said.amountSen)) return;
  log.error(
    { chargeback_id: order.id, transaction_id: order.reference, alert: 'chargeback-mismatch' },
    'an acquirer repeats a chargeback with another amount; the first one stands',
  );
}

/** One that the acquirer has taken back is won, unless it is lost already: then it contradicts what an operator was told. */
async function endWithdrawn(context: Context, chargeback: StoredChargeback): Promise<StoredChargeback> {
  const { order, state } = chargeback;
  if (state.status === 'lost' || state.status === 'forfeiting') {
    context.metrics.contradicted('chargeback-withdrawn');
    context.log.error(
      { chargeback_id: order.id, transaction_id: order.reference, alert: 'rail-contradiction' },
      'an acquirer withdraws a chargeback that was lost',
    );
    return chargeback;
  }
  return advanceChargeback(context, await changeChargeback(context, chargeback, { type: 'end', outcome: 'won' }));
}
