import { callWithin } from '@gerbang/rails';
import type { RefundResult } from '@gerbang/rails/direct-debit';
import type { Context } from '../context.ts';
import { changeCharge } from './change.ts';
import type { StoredCharge } from './document.ts';
import { postRefund, postReturn } from './postings.ts';
import { mayResend, readRefundRequest } from './request.ts';
import type { ChargeCommand, Refund } from './state.ts';

/** One step of a refund; gives the charge as it then stands. What the bank does not answer is left to the charge's timer. */
export async function advanceRefund(context: Context, charge: StoredCharge, refund: Refund): Promise<StoredCharge> {
  const { id, stage } = refund;
  const write = async (command: ChargeCommand) => (await changeCharge(context, charge, command)).charge;
  switch (stage.status) {
    case 'reserving':
      if (!(await postRefund(context, charge.order, refund))) return write({ type: 'drop-refund', id });
      return sendRefund(context, charge, refund, 0);
    case 'sending':
      return inquireRefund(context, charge, refund, stage.sends);
    case 'returning':
      await postReturn(context, charge.order, refund, stage);
      return write({ type: 'refund-returned', id });
    case 'succeeded':
    case 'failed':
      return charge;
    default:
      return stage satisfies never;
  }
}

/** Sends it under the same reference every time. That it goes is written before; only the first answer's refusal is final. */
async function sendRefund(context: Context, charge: StoredCharge, refund: Refund, after: number): Promise<StoredCharge> {
  const { id } = refund;
  const marked = await changeCharge(context, charge, { type: 'send-refund', id, after });
  if (!marked.isChanged) return marked.charge;
  const send = after + 1;
  const said = await callWithin(context.railTimeoutMs, (signal) =>
    context.rail.refund(readRefundRequest(refund.request), { signal, firstSend: send === 1 }),
  );
  return writeResult(context, marked.charge, refund, said, send);
}

async function inquireRefund(context: Context, charge: StoredCharge, refund: Refund, sends: number): Promise<StoredCharge> {
  const request = readRefundRequest(refund.request);
  const said = await callWithin(context.railTimeoutMs, (signal) => context.rail.inquireRefund(request, { signal }));
  if (said.outcome !== 'not_found') return writeResult(context, charge, refund, said, undefined);
  if (mayResend(request, Date.now())) return sendRefund(context, charge, refund, sends);
  const waitingFor = 'the bank does not know it, and it is too late to send it again';
  return (await changeCharge(context, charge, { type: 'refund-wait', id: refund.id, waitingFor })).charge;
}

/** `send`: which send this answers; undefined where it is the answer to an inquiry. */
async function writeResult(
  context: Context,
  charge: StoredCharge,
  { id }: Refund,
  said: RefundResult,
  send: number | undefined,
): Promise<StoredCharge> {
  const write = async (command: ChargeCommand) => (await changeCharge(context, charge, command)).charge;
  switch (said.outcome) {
    case 'succeeded':
      return write({ type: 'refund-succeeded', id, railReference: said.railReference });
    case 'failed':
      return write({ type: 'refund-refused', id, code: said.code, reason: said.reason, send });
    case 'pending':
      return write({ type: 'refund-wait', id, waitingFor: 'pending at the bank' });
    case 'unknown':
      return write({ type: 'refund-wait', id, waitingFor: said.reason });
    default:
      return said satisfies never;
  }
}
