import { toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { ControlError, read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import { CHARGEBACK_NOTIFY } from '../money-in/gateway.ts';
import { paidAmount } from '../money-in/pay-number.ts';
import { snapMoment } from '../money-in/snap-time.ts';
import { type Authorisation, type Chargeback, statusOf } from './authorisations.ts';
import { cardAcquirerOf } from './open.ts';
import { refusal, signed } from './signed.ts';

const DAY_MS = 86_400_000;
/** How long a merchant has to bring evidence. */
const RESPOND_DAYS = 14;
/** A case is named after its payment and counted: by its name the payment is found. */
const CASE_ID = /^(.{1,40})-CB([0-9]{1,3})$/;

const params = z.object({ reference: z.string().min(1).max(40) });
const opening = z.strictObject({
  amount: paidAmount.optional(),
  reason: z.string().max(128).default('Other Fraud - Card-Absent Environment'),
  reason_code: z.string().max(16).default('10.4'),
  stage: z.enum(['chargeback', 'pre-arbitration']).default('chargeback'),
  notify: z.boolean().default(true),
});
const withdrawing = z.strictObject({ case_id: z.string().regex(CASE_ID), notify: z.boolean().default(true) });

/**
 * POST /sandbox/card/{id}/chargeback `{amount?, reason?, reason_code?, stage?, notify?}`: the card holder disputes a payment at
 * the bank, all of it or a part. Answers `{accepted, case_id}`.
 */
export const openChargeback: Handler = async (context, request) => {
  const { reference } = read(params, request.params);
  const { notify, amount, reason, reason_code: reasonCode, stage } = read(opening, readJson(request));
  const { authorisations } = await cardAcquirerOf(context);
  const atMs = context.clock.now();
  let opened: Chargeback | undefined;
  const changed = await authorisations.change(reference, (current) => {
    const chargebacks = current.chargebacks ?? [];
    const caseId = `${reference}-CB${chargebacks.length + 1}`;
    const amountSen = (amount ?? current.amountSen).toString();
    opened = { caseId, amountSen, reason, reasonCode, stage, atMs, isWithdrawn: false };
    return { ...current, chargebacks: [...chargebacks, opened] };
  });
  if (changed === undefined || opened === undefined) throw new ControlError(404, 'The acquirer does not know this payment');
  const accepted = !notify || (await notifyChargeback(context, changed, opened));
  return { accepted, case_id: opened.caseId };
};

/** POST /sandbox/card/{id}/chargeback/withdraw `{case_id, notify?}`: the card holder has been mistaken. Answers `{accepted}`. */
export const withdrawChargeback: Handler = async (context, request) => {
  const { reference } = read(params, request.params);
  const { case_id: caseId, notify } = read(withdrawing, readJson(request));
  const { authorisations } = await cardAcquirerOf(context);
  const changed = await authorisations.change(reference, (current) => {
    const chargebacks = current.chargebacks?.map((one) => (one.caseId === caseId ? { ...one, isWithdrawn: true } : one));
    return chargebacks && { ...current, chargebacks };
  });
  const withdrawn = changed?.chargebacks?.find((one) => one.caseId === caseId);
  if (changed === undefined || withdrawn === undefined) throw new ControlError(404, 'The acquirer does not know this case');
  return { accepted: !notify || (await notifyChargeback(context, changed, withdrawn)) };
};

/** GET /card/v1/chargebacks/{case_id}: the case as it stands. */
export const inquireChargeback = signed(z.object({}), async (context, { reference: caseId }) => {
  const reference = CASE_ID.exec(caseId)?.[1] ?? '';
  const authorisation = await (await cardAcquirerOf(context)).authorisations.find(reference);
  const found = authorisation?.chargebacks?.find((one) => one.caseId === caseId);
  if (found === undefined) return refusal(404, 'not_found', 'There is no such chargeback');
  return {
    http: 200,
    body: {
      case_id: caseId,
      reference,
      amount: toMoney(BigInt(found.amountSen)),
      reason: { code: found.reasonCode, text: found.reason },
      respond_by: new Date(respondByMs(found)).toISOString(),
      stage: found.stage,
      status: found.isWithdrawn ? 'withdrawn' : 'open',
    },
  };
});

/** Tells the gateway of a case, once. False where it was not taken. */
async function notifyChargeback({ gateway, clock, log }: Context, of: Authorisation, chargeback: Chargeback): Promise<boolean> {
  const answer = await gateway.call('card', CHARGEBACK_NOTIFY, {
    caseId: chargeback.caseId,
    originalPartnerReferenceNo: of.reference,
    amount: toMoney(BigInt(chargeback.amountSen)),
    reasonCode: chargeback.reasonCode,
    reason: chargeback.reason,
    respondBy: snapMoment(respondByMs(chargeback)),
    stage: chargeback.stage,
    status: chargeback.isWithdrawn ? 'withdrawn' : 'open',
  });
  if (answer.outcome !== 'done')
    log.warn(
      { reference: of.reference, status: statusOf(of, clock.now()), outcome: answer.outcome },
      'a chargeback was not taken by the gateway',
    );
  return answer.outcome === 'done';
}

function respondByMs({ atMs }: Chargeback): number {
  return atMs + RESPOND_DAYS * DAY_MS;
}
