import { PAYMENT_METHODS } from '@gerbang/core';
import { type HistoryJson, type PaymentLinkJson, presentHistory, presentPaymentLink } from '@gerbang/present';
import type { PaymentLink, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { inAccount, numberAmount, numberInPath, orAbsent, prose, unixMs, webUrl } from '../../http/fields.ts';
import { maxUsage } from '../money-in-fields.ts';

const METHODS_MAX = 50;
const codes = PAYMENT_METHODS.map(({ code }) => code);

/** Parameters of a path that names a link. */
export const linkParams = inAccount({ payment_link_id: numberInPath('`id` of the payment link.') });

/** What a link is made of, and what of it may be changed (contract §5). */
export const linkFields = {
  title: prose(40).meta({ description: 'The heading of the page.' }),
  description: orAbsent(prose(255, { min: 0 })).meta({ description: 'A text below the heading.' }),
  amount: numberAmount,
  max_usage: orAbsent(maxUsage).meta({ description: 'How often it may be paid; a link without it, any number of times.' }),
  required_customer_detail: z
    .boolean('must be true or false')
    .meta({ description: 'Whether customers must give name, e-mail address and phone.' }),
  expired_at: orAbsent(unixMs).meta({
    description: 'When it expires: Unix milliseconds in the future. A link without it never expires.',
  }),
  success_redirect_url: orAbsent(webUrl).meta({
    description: 'Where the customer goes after the payment, with `reff_no` of the opening added to the query.',
  }),
  payment_methods: orAbsent(
    z
      .array(z.enum(codes, 'must be codes of payment methods'), 'must be a list of codes')
      .min(1, 'must name at least one method')
      .max(METHODS_MAX, `must name at most ${METHODS_MAX} methods`)
      .transform((codes) => [...new Set(codes)]),
  ).meta({
    description:
      'What customers may choose from, of `available_codes` of `listPaymentMethods`; a link made without it offers them all.',
  }),
};

/** The link of an answer. */
export function dataOfLink(link: PaymentLink | undefined): PaymentLinkJson {
  if (link === undefined) throw new Error('money-in answered no payment link');
  return presentPaymentLink(link);
}

/** The history of an answer. */
export function dataOfHistory(history: PaymentLinkHistory | undefined): HistoryJson {
  if (history === undefined) throw new Error('money-in answered no payment link history');
  return presentHistory(history);
}
