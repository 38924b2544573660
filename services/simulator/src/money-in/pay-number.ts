import { setTimeout as sleep } from 'node:timers/promises';
import { newUlid, parseAmountNumber } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { ControlError, read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import type { PaymentRequest } from '../payment-request/payment-request.ts';
import { forcedOf, type PayAnswer } from './forced.ts';
import { VA_INQUIRY } from './gateway.ts';
import { billFields } from './notification.ts';
import { bookAndTell } from './notifier.ts';
import { snapMoment } from './snap-time.ts';

/** How long a customer stands before the machine while the gateway does not answer the inquiry. */
const INQUIRY_PATIENCE_MS = 10_000;
const INQUIRY_PAUSE_MS = 500;

export const paidAmount = z.number().transform((value, problem) => {
  const sen = parseAmountNumber(value);
  if (sen !== undefined) return sen;
  problem.addIssue('expected rupiah, at most two decimals');
  return z.NEVER;
});

const body = z.object({ amount: paidAmount });
const vaParams = z.object({ number: z.string().regex(/^\d{5,28}$/) });
const retailParams = z.object({ payment_code: z.string().regex(/^\d{5,28}$/) });

/** POST /sandbox/virtual-accounts/{number}/pay `{amount}` → `{accepted, reason?}`: a customer pays at the bank (contract §11). */
export const payVirtualAccount: Handler = async (context, request) => {
  const { number } = known(vaParams.safeParse(request.params).data);
  return payNumber(context, 'va', number, read(body, readJson(request)).amount);
};

/** POST /sandbox/retail/{payment_code}/pay `{amount}` → `{accepted, reason?}`: the cashier confirms (contract §11). */
export const payRetailCode: Handler = async (context, request) => {
  const { payment_code: code } = known(retailParams.safeParse(request.params).data);
  return payNumber(context, 'retail', code, read(body, readJson(request)).amount);
};

/**
 * The bank knows a number that it holds itself; for every other one it asks the gateway what is to be paid. Then it asks the
 * gateway to take the payment. Where that is not answered the customer has paid all the same, and the bank says so again until it
 * is acknowledged.
 */
async function payNumber(context: Context, rail: 'va' | 'retail', number: string, amountSen: bigint): Promise<PayAnswer> {
  const forced = await forcedOf(context, rail);
  if ('refused' in forced) return forced.refused;
  const held = await context.paymentRequests.findByNumber(rail, number);
  const problem = held === undefined ? await inquire(context, rail, number) : await whyNot(context, held, amountSen);
  if (problem !== undefined) return { accepted: false, reason: problem };

  const booking = {
    rail,
    railReference: newUlid(Date.now()),
    requestReference: held?.reference ?? '',
    number,
    amountSen,
    tipSen: 0n,
    paidAtMs: context.clock.now(),
    status: 'pending' as const,
    reason: '',
  };
  const booked = await bookAndTell(context, booking, forced.tellAfterMs);
  switch (booked.outcome) {
    case 'done':
      return { accepted: true };
    case 'refused':
      return { accepted: false, reason: booked.message };
    case 'later':
    case 'unanswered':
      return { accepted: true, reason: 'The gateway has not acknowledged it yet; the bank will tell it again' };
    case 'taken':
      throw new Error('a new reference is taken');
    default:
      return booked satisfies never;
  }
}

/** What the gateway has against a payment of the number; undefined when nothing. */
async function inquire(context: Context, rail: 'va' | 'retail', number: string): Promise<string | undefined> {
  const deadlineMs = Date.now() + INQUIRY_PATIENCE_MS;
  for (;;) {
    const answer = await context.gateway.call(rail, VA_INQUIRY, {
      ...billFields(number),
      inquiryRequestId: newUlid(Date.now()),
      trxDateInit: snapMoment(context.clock.now()),
    });
    if (answer.outcome === 'done') return undefined;
    if (answer.outcome === 'refused') return answer.message;
    if (Date.now() + INQUIRY_PAUSE_MS > deadlineMs || context.stopping.aborted) {
      return `The gateway does not answer: ${answer.reason}`;
    }
    await sleep(INQUIRY_PAUSE_MS, undefined, { signal: context.stopping }).catch(() => {});
  }
}

/** What the bank itself has against a payment of a number that it holds; undefined when nothing. */
async function whyNot({ receipts, clock }: Context, held: PaymentRequest, amountSen: bigint): Promise<string | undefined> {
  if (held.canceled) return 'The number is not active';
  if (held.expiresAtMs !== undefined && clock.now() >= held.expiresAtMs) return 'The number has expired';
  if (held.amountSen !== undefined && amountSen !== held.amountSen) return 'Invalid Amount';
  if (held.bounds !== undefined && (amountSen < held.bounds.minSen || amountSen > held.bounds.maxSen)) return 'Invalid Amount';
  if (held.usageMax !== undefined && (await receipts.countUses(held.rail, held.reference)) >= held.usageMax) return 'Paid Bill';
  return undefined;
}

function known<T>(params: T | undefined): T {
  if (params === undefined) throw new ControlError(404, 'That is no number');
  return params;
}
