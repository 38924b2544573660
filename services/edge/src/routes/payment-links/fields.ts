import { isPaymentMethod } from '@gerbang/core';
import { presentHistory, presentPaymentLink } from '@gerbang/present';
import type { PaymentLink, PaymentLinkHistory } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import { numberAmount, orAbsent, text, textUpTo, unixMs, webUrl } from '../../http/fields.ts';
import { maxUsage } from '../money-in-fields.ts';

const METHODS_MAX = 50;

/** What a link is made of, and what of it may be changed (contract §5). */
export const linkFields = {
  title: textUpTo(40),
  description: orAbsent(text.refine((value) => [...value].length <= 255, 'must have at most 255 characters')),
  amount: numberAmount,
  max_usage: orAbsent(maxUsage),
  required_customer_detail: z.boolean('must be true or false'),
  expired_at: orAbsent(unixMs),
  success_redirect_url: orAbsent(webUrl),
  payment_methods: orAbsent(
    z
      .array(text.refine(isPaymentMethod, 'must be codes of payment methods'), 'must be a list of codes')
      .min(1, 'must name at least one method')
      .max(METHODS_MAX, `must name at most ${METHODS_MAX} methods`)
      .transform((codes) => [...new Set(codes)]),
  ),
};

/** The link of an answer. */
export function dataOfLink(link: PaymentLink | undefined): object {
  if (link === undefined) throw new Error('money-in answered no payment link');
  return presentPaymentLink(link);
}

/** The history of an answer. */
export function dataOfHistory(history: PaymentLinkHistory | undefined): object {
  if (history === undefined) throw new Error('money-in answered no payment link history');
  return presentHistory(history);
}
