import { parseAmount } from '@gerbang/core';
import { z } from 'zod';
import type { NotFoundOutcome, UnknownOutcome } from '../rail-call.ts';

/** A chargeback as its acquirer has it. `reference` is ours, of the payment; reason and code are the card network's. */
export type AcquirerChargeback = {
  caseId: string;
  reference: string;
  /** Whole number of sen. */
  amountSen: string;
  reasonCode: string;
  reason: string;
  /** Until when evidence has to be there. */
  respondByMs: number | undefined;
  stage: 'chargeback' | 'pre-arbitration';
  /** The acquirer has taken it back. */
  isWithdrawn: boolean;
};

export type ChargebackInquiry = { outcome: 'found'; chargeback: AcquirerChargeback } | NotFoundOutcome | UnknownOutcome;

const shape = z.object({
  case_id: z.string(),
  reference: z.string().min(1).max(64),
  amount: z.object({ value: z.string(), currency: z.literal('IDR') }).transform(({ value }, problem) => {
    const sen = parseAmount(value);
    if (sen !== undefined) return sen.toString();
    problem.addIssue('expected an amount');
    return z.NEVER;
  }),
  reason: z.object({ code: z.string().max(16).default(''), text: z.string().max(128).default('') }).optional(),
  respond_by: z.iso.datetime().optional(),
  stage: z.enum(['chargeback', 'pre-arbitration']).default('chargeback'),
  status: z.enum(['open', 'withdrawn']),
});

/** What GET /v1/chargebacks/{case_id} has answered; anything but the case that was asked for is no answer. */
export function readChargeback({ httpStatus, json }: { httpStatus: number; json: unknown }, caseId: string): ChargebackInquiry {
  if (httpStatus === 404 && z.object({ error: z.object({ code: z.string() }) }).safeParse(json).success)
    return { outcome: 'not_found' };
  if (httpStatus !== 200) return { outcome: 'unknown', reason: `HTTP ${httpStatus}` };
  const { success, data } = shape.safeParse(json);
  if (!success) return { outcome: 'unknown', reason: 'the answer can not be read' };
  if (data.case_id !== caseId) return { outcome: 'unknown', reason: 'the answer is of another case' };
  const { reference, amount: amountSen, reason, respond_by, stage, status } = data;
  const chargeback = {
    caseId,
    reference,
    amountSen,
    reasonCode: reason?.code ?? '',
    reason: reason?.text ?? '',
    respondByMs: respond_by === undefined ? undefined : Date.parse(respond_by),
    stage,
    isWithdrawn: status === 'withdrawn',
  };
  return { outcome: 'found', chargeback };
}
