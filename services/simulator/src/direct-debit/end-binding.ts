import { z } from 'zod';
import { read, readJson } from '../control/json.ts';
import type { Handler } from '../handler.ts';
import type { PayAnswer } from '../money-in/forced.ts';
import { UNBINDING_NOTIFY } from '../money-in/gateway.ts';
import { directDebitBankOf } from './open.ts';

const params = z.object({ binding_id: z.string().min(1).max(64) });
const schema = z.strictObject({
  /** Without it the gateway finds out by itself: at the next charge, or when it refreshes the customer's tokens. */
  notify: z.boolean().default(true),
});

/**
 * POST /sandbox/direct-debit/{binding_id}/unbind `{notify?}` → `{accepted, reason?}`: the customer ends the binding at the bank. The
 * gateway is notified before the answer.
 */
export const endBinding: Handler = async (context, request): Promise<PayAnswer> => {
  const { binding_id: reference } = read(params, request.params);
  const { notify } = read(schema, request.body === '' || request.body === undefined ? {} : readJson(request));
  const link = await (await directDebitBankOf(context)).links.find(reference);
  if (link === undefined) return { accepted: false, reason: 'The bank does not know this binding' };
  if (!(await (await directDebitBankOf(context)).links.unbind(reference)))
    return { accepted: false, reason: 'The binding has ended already' };
  if (!notify) return { accepted: true };
  const fields = { originalPartnerReferenceNo: reference, linkId: link.linkId };
  const answer = await context.gateway.call('direct-debit', UNBINDING_NOTIFY, fields);
  if (answer.outcome !== 'done') context.log.warn({ reference, outcome: answer.outcome }, 'the end of a binding was not taken');
  return { accepted: true };
};
