import { refuse } from '@gerbang/core';
import { planSchema, presentPlan } from '@gerbang/present';
import { z } from 'zod';
import { operation } from '../../http/operation.ts';
import { CARD_FIELDS, cardFields, checkCvv } from '../cards/fields.ts';
import { planInPath, TIMEOUT_MS } from './fields.ts';

/** PUT /api/v2.0/recurring/{account_id}/plans/{plan_id}/card (contract §7). Refusals: validation, and those of cards. */
export const replacePlanCard = operation({
  id: 'replacePlanCard',
  summary: 'Replace the card of a subscription',
  description:
    'Later cycles are charged to this card. Where a cycle has failed it is charged at once, with `payment_url` where the issuer wants ' +
    'the customer to be authenticated; success makes a plan that was past due active again, and a decline is SP001.',
  input: z.object({ params: planInPath, body: z.object(cardFields).superRefine(checkCvv) }),
  data: planSchema,
  secretFields: CARD_FIELDS,
  refusals: ['transaction_not_found', 'account_limit', 'frozen'],
  failures: ['transaction_failed'],
  async handle({ plans }, { caller, address, params, body }) {
    const own = { merchantId: caller.merchantId, accountId: params.account_id, planId: params.plan_id };
    const card = {
      number: body.card_number,
      expiry: body.card_expiry,
      cvv: body.card_cvv,
      holderName: body.card_holder_name,
    };
    const { plan, declinedReason } = await plans.replaceCard(
      { ...own, card, callerAddress: address() ?? '' },
      { timeoutMs: TIMEOUT_MS },
    );
    if (plan === undefined) throw new Error('cards answered no plan');
    const failure = declinedReason === '' ? {} : { failure: refuse('transaction_failed', { message: declinedReason }) };
    return { data: presentPlan(plan), ...failure };
  },
});
