import { callWithin } from '@gerbang/rails';
import type { ChargeState as RailState } from '@gerbang/rails/direct-debit';
import { changeBinding, mustFindBinding } from '../binding/change.ts';
import type { StoredBinding } from '../binding/document.ts';
import { checkBinding } from '../binding/refresh.ts';
import type { Context } from '../context.ts';
import { reportDiscrepancy } from '../discrepancy/report.ts';
import { customerOf } from '../otp/ask.ts';
import { askOtp } from './ask-otp.ts';
import { changeCharge } from './change.ts';
import { contradicts } from './charge.ts';
import type { StoredCharge } from './document.ts';
import { chargedAtMs, feesFor } from './fees.ts';
import { mayResend, readChargeRequest } from './request.ts';

/** Cases by which the bank says that it does not know the account, or does not take its token, any more. */
const BINDING_CASES: ReadonlySet<string> = new Set(['404/11', '403/18', '401/02', '401/04']);

/**
 * Sends a charge to the bank, under the same reference every time. That it goes is written before; only who has written the first
 * one takes a refusal as final.
 */
export async function sendCharge(context: Context, charge: StoredCharge): Promise<StoredCharge> {
  const after = charge.state.status === 'sending' ? charge.state.sends : 0;
  const marked = await changeCharge(context, charge, { type: 'send', after });
  const { order, state } = marked.charge;
  if (!marked.isChanged || state.status !== 'sending') return marked.charge;
  const send = state.sends;
  const binding = await mustFindBinding(context, order.bindingId);
  if (binding.state.status !== 'active') {
    const ended = { code: '', reason: 'The binding has ended' };
    return wait(context, marked.charge, send === 1 ? { type: 'fail', ...ended, send } : ended.reason);
  }
  const request = readChargeRequest(order, state);
  const chargeToken = state.chargeToken && (await context.sealing.open('charge-token', order.id, state.chargeToken));
  const by = { customer: await customerOf(context, binding.order.id, binding.state), chargeToken };
  const said = await callWithin(context.railTimeoutMs, (signal) =>
    context.rail.charge(request, by, { signal, firstSend: send === 1 }),
  );
  switch (said.outcome) {
    case 'accepted':
      return inquireCharge(context, marked.charge, { isAccepted: true });
    case 'pending':
      return wait(context, marked.charge, 'pending at the bank');
    case 'otp':
      return state.chargeToken === undefined
        ? askOtp(context, marked.charge, 'ask-otp')
        : wait(context, marked.charge, 'the bank wants another OTP');
    case 'unauthorized': {
      const { reason } = said;
      await changeBinding(context, binding, { type: 'want-refresh' });
      return (await changeCharge(context, marked.charge, { type: 'take-back', send, waitingFor: reason })).charge;
    }
    case 'failed': {
      const { code, reason } = said;
      suspectBinding(context, binding, code);
      return (await changeCharge(context, marked.charge, { type: 'fail', code, reason, send })).charge;
    }
    case 'unknown':
      return wait(context, marked.charge, said.reason);
    default:
      return said satisfies never;
  }
}

/**
 * Asks the bank how a charge stands that it may have. One that it does not know is sent again while it can tell a repetition.
 * `isAccepted`: the bank has taken it just now, so its books are only late.
 */
export async function inquireCharge(
  context: Context,
  charge: StoredCharge,
  { isAccepted = false }: { isAccepted?: boolean } = {},
): Promise<StoredCharge> {
  const { order, state } = charge;
  const request = readChargeRequest(order, state);
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.inquireCharge(request, { signal }));
  if (said.outcome !== 'not_found') return settleCharge(context, charge, said);
  if (isAccepted) return wait(context, charge, 'the bank has accepted it, and does not know it yet');
  if (mayResend(request, Date.now())) return sendCharge(context, charge);
  return wait(context, charge, 'the bank does not know it, and it is too late to send it again');
}

type Said = Exclude<RailState, { outcome: 'not_found' }>;

/** Writes what the bank says of a charge that it may have. */
async function settleCharge(context: Context, charge: StoredCharge, said: Said): Promise<StoredCharge> {
  switch (said.outcome) {
    case 'succeeded': {
      const atMs = chargedAtMs(context, said.paidAtMs, charge.order, context.clock.now());
      const fees = await feesFor(context, charge.order, atMs);
      const { railReference } = said;
      const charged = await changeCharge(context, charge, { type: 'charged', railReference, chargedAtMs: atMs, fees });
      // It was decided otherwise while the bank was asked.
      if (contradicts(charged.charge.state)) await reportDiscrepancy(context, charged.charge, undefined, 'surplus');
      return charged.charge;
    }
    case 'failed': {
      const { code, reason } = said;
      return (await changeCharge(context, charge, { type: 'fail', code, reason, send: undefined })).charge;
    }
    case 'pending':
      return wait(context, charge, 'pending at the bank');
    case 'unknown':
      return wait(context, charge, said.reason);
    default:
      return said satisfies never;
  }
}

async function wait(
  context: Context,
  charge: StoredCharge,
  command: string | { type: 'fail'; code: string; reason: string; send: number },
): Promise<StoredCharge> {
  const waiting = typeof command === 'string' ? ({ type: 'wait', waitingFor: command } as const) : command;
  return (await changeCharge(context, charge, waiting)).charge;
}

/** The bank may have ended the binding: it is asked. The charge has failed with any answer. */
function suspectBinding(context: Context, binding: StoredBinding, code: string): void {
  if (!BINDING_CASES.has(`${code.slice(0, 3)}/${code.slice(5)}`)) return;
  const asking = checkBinding(context, binding, 'bank').catch((error: unknown) =>
    context.log.warn({ err: error, binding_id: binding.order.id }, 'a binding could not be checked'),
  );
  context.background.add(asking);
}
