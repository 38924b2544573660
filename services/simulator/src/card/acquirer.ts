import { isLuhn, parseAmount, toMoney } from '@gerbang/core';
import { z } from 'zod';
import type { Context } from '../context.ts';
import { type Authorisation, declineOf, statusOf } from './authorisations.ts';
import { bookCapture, bookRefund, bookVoid, newAuthorisation } from './bookkeeping.ts';
import { verdictOf } from './issuer.ts';
import { cardAcquirerOf } from './open.ts';
import { type AcquirerAnswer, refusal, signed } from './signed.ts';
import { authenticate, challengeFields, type FirstWord } from './three-ds/server.ts';

const money = z.object({ value: z.string(), currency: z.literal('IDR') }).transform(({ value }, problem) => {
  const sen = parseAmount(value);
  if (sen !== undefined) return sen;
  problem.addIssue('expected an amount');
  return z.NEVER;
});
const reference = z.string().regex(/^[A-Za-z0-9-]{1,40}$/);

const authorising = z
  .object({
    reference,
    amount: money,
    installment_months: z.number().int().min(1).max(60),
    merchant_name: z.string().max(200),
    return_url: z.url(),
    /** The merchant charges a card that it has kept: no customer is authenticated. */
    initiated_by: z.literal('merchant').optional(),
    network_transaction_id: z.string().max(64).optional(),
    card: z.object({
      number: z
        .string()
        .regex(/^[0-9]{12,19}$/)
        .refine(isLuhn),
      expiry: z.string().regex(/^(?:0[1-9]|1[0-2])\/[0-9]{2}$/),
      cvv: z
        .string()
        .regex(/^[0-9]{3,4}$/)
        .optional(),
      holder_name: z.string(),
    }),
  })
  .refine(({ initiated_by, card }) => (card.cvv === undefined) === (initiated_by === 'merchant'));
const capturing = z.object({ amount: money });
const refunding = z.object({ refund_reference: reference, amount: money });

const UNKNOWN = refusal(404, 'not_found', 'There is no such authorisation');

/** POST /card/v1/authorisations: authenticates the customer where the issuer wants that, and has the issuer authorise. */
export const authorise = signed(authorising, async (context, { body, forced }) => {
  const { authorisations } = await cardAcquirerOf(context);
  if ((await authorisations.find(body.reference)) !== undefined)
    return refusal(409, 'duplicate_reference', 'The reference was used before');
  const verdict = verdictOf(body.card.number, forced);
  const asked = { amountSen: body.amount, merchantName: body.merchant_name, returnUrl: body.return_url };
  const firstWord: FirstWord =
    forced === undefined && body.initiated_by === undefined
      ? await authenticate(context, body.card, asked)
      : { outcome: 'authenticated' };
  const isRefused = firstWord.outcome === 'refused';
  const authorisation = newAuthorisation(context, body.card.number, {
    ...asked,
    reference: body.reference,
    decline: isRefused ? { code: '3DS', reason: 'The customer was not authenticated' } : verdict.decline,
    answersAtMs: context.clock.now() + verdict.afterMs,
    authentication: firstWord.outcome === 'open' ? firstWord.authentication : undefined,
    initiatedBy: body.initiated_by ?? 'customer',
    networkTransactionId: body.network_transaction_id,
  });
  if (!(await authorisations.add(authorisation))) return refusal(409, 'duplicate_reference', 'The reference was used before');
  return verdict.isSilent ? 'silence' : show(context, authorisation, 201);
});

/** GET /card/v1/authorisations/{reference}: how it stands. A forced outcome changes nothing here. */
export const inquire = signed(z.object({}), async (context, call) => {
  const found = await (await cardAcquirerOf(context)).authorisations.find(call.reference);
  return found === undefined ? UNKNOWN : show(context, found);
});

/** POST …/capture: takes the amount. Again: the same answer. */
export const capture = signed(capturing, async (context, { body, reference: of, forced }) => {
  if (forced === 'failed') return refusal(422, 'refused', 'The capture is refused');
  const changed = await bookCapture(context, of, body.amount);
  return answerTo(context, changed, { as: ['captured', 'refunded'], forced });
});

/** POST …/void: gives up what is not captured, also while the customer is being authenticated. Again: the same answer. */
export const voidAuthorisation = signed(z.object({}), async (context, { reference: of, forced }) => {
  if (forced === 'failed') return refusal(422, 'refused', 'The void is refused');
  const changed = await bookVoid(context, of);
  return answerTo(context, changed, { as: ['voided'], forced });
});

/** POST …/refund: gives all of it back, once. The same reference again: the same answer. */
export const refund = signed(refunding, async (context, { body, reference: of, forced }) => {
  if (forced === 'failed') return refusal(422, 'refused', 'The refund is refused');
  const refundReference = body.refund_reference;
  const changed = await bookRefund(context, { reference: of, refundReference, amountSen: body.amount });
  if (changed?.refund !== undefined && changed.refund.reference !== refundReference)
    return refusal(422, 'refunded', 'It was refunded before');
  return answerTo(context, changed, { as: ['refunded'], forced });
});

/** The authorisation where it stands as was asked; else the acquirer's no. A forced timeout has done it and keeps silent. */
function answerTo(
  context: Context,
  changed: Authorisation | undefined,
  { as, forced }: { as: readonly string[]; forced: string | undefined },
): AcquirerAnswer {
  if (changed === undefined) return UNKNOWN;
  if (forced === 'timeout') return 'silence';
  const status = statusOf(changed, context.clock.now());
  return as.includes(status) ? show(context, changed) : refusal(422, 'wrong_status', `It is ${status}`);
}

function show(context: Context, authorisation: Authorisation, http = 200): AcquirerAnswer {
  const status = statusOf(authorisation, context.clock.now());
  const { authentication } = authorisation;
  const isApproved = status === 'authorised' || status === 'captured' || status === 'refunded';
  return {
    http,
    body: {
      reference: authorisation.reference,
      acquirer_reference: authorisation.acquirerReference,
      amount: toMoney(authorisation.amountSen),
      status,
      issuer: authorisation.issuer,
      ...(isApproved && {
        approval_code: authorisation.approvalCode,
        network_transaction_id: authorisation.networkTransactionId,
        authorised_at: new Date(authorisation.answersAtMs).toISOString(),
      }),
      ...(status === 'challenge' && authentication && challengeFields(context, authentication)),
      ...(status === 'declined' && { decline: declineOf(authorisation, context.clock.now()) }),
    },
  };
}
