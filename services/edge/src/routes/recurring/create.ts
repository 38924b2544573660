import { refuse } from '@gerbang/core';
import { planIntervalOf, planSchema, presentPlan } from '@gerbang/present';
import { z } from 'zod';
import { moneyAmount, ofAccount, oneOf, orAbsent, prose, text, webUrl } from '../../http/fields.ts';
import { operation } from '../../http/operation.ts';
import { CARD_FIELDS, cardFields, checkCvv, customer } from '../cards/fields.ts';
import { TIMEOUT_MS } from './fields.ts';

const wholeNumber = (maximum: number) =>
  z
    .int({ error: (issue) => (issue.input === undefined ? 'is required' : `must be a whole number from 1 to ${maximum}`) })
    .min(1, `must be a whole number from 1 to ${maximum}`)
    .max(maximum, `must be a whole number from 1 to ${maximum}`);

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})$/;

const startAt = text
  .regex(TIME, 'must be an ISO 8601 date and time with a time zone')
  .refine((value) => !TIME.test(value) || !Number.isNaN(Date.parse(value)), 'must be an ISO 8601 date and time with a time zone')
  .meta({ format: 'date-time', description: 'When the first cycle is charged; left out: now. Cycles keep the date of Jakarta.' });

const body = z
  .object({
    name: prose(100).meta({ description: 'What the customer subscribes to.', examples: ['Gym'] }),
    amount: moneyAmount,
    interval: oneOf(['day', 'week', 'month']),
    interval_count: wholeNumber(365).meta({ description: 'Intervals between two cycles.' }),
    total_cycles: orAbsent(wholeNumber(9_999)).meta({ description: 'Left out: until it is cancelled.' }),
    start_at: orAbsent(startAt),
    customer,
    ...cardFields,
    redirect_url: orAbsent(webUrl).meta({ description: 'Where the customer goes after 3DS.' }),
  })
  .superRefine(checkCvv);

/** POST /api/v2.0/recurring/{account_id}/plans (contract §7). Refusals: validation, and those of cards. */
export const createPlan = operation({
  id: 'createPlan',
  summary: 'Begin a subscription',
  description:
    'Charges the first cycle at once, or at `start_at`. Where the issuer wants the customer to be authenticated, the status is ' +
    'pending and the customer goes to `payment_url`; a plan whose customer is not authenticated within 24 hours is cancelled. A ' +
    'declined first charge is SP001 with status cancelled. Later cycles are charged without the customer. An Idempotency-Key ' +
    'stands for the body without the card.',
  input: z.object({ params: ofAccount, body }),
  data: planSchema,
  creates: true,
  secretFields: CARD_FIELDS,
  links: {
    showPlan: { account_id: '$request.path.account_id', plan_id: '$response.body#/data/plan_id' },
    cancelPlan: { account_id: '$request.path.account_id', plan_id: '$response.body#/data/plan_id' },
  },
  refusals: ['account_limit', 'frozen'],
  failures: ['transaction_failed'],
  async handle({ plans }, { caller, address, params, body: ordered, idempotencyKey }) {
    const { plan, replayed, declinedReason } = await plans.createPlan(
      {
        merchantId: caller.merchantId,
        accountId: params.account_id,
        name: ordered.name,
        amountSen: ordered.amount,
        interval: planIntervalOf(ordered.interval),
        intervalCount: ordered.interval_count,
        totalCycles: ordered.total_cycles ?? 0,
        ...(ordered.start_at !== undefined && { startAtMs: BigInt(Date.parse(ordered.start_at)) }),
        customer: ordered.customer,
        card: {
          number: ordered.card_number,
          expiry: ordered.card_expiry,
          cvv: ordered.card_cvv,
          holderName: ordered.card_holder_name,
        },
        redirectUrl: ordered.redirect_url ?? '',
        callerAddress: address() ?? '',
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    if (plan === undefined) throw new Error('cards answered no plan');
    const failure = declinedReason === '' ? {} : { failure: refuse('transaction_failed', { message: declinedReason }) };
    return { data: presentPlan(plan), replayed, ...failure };
  },
});
