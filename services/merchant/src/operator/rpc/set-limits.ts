import { MONEY_OUT_PRODUCTS } from '@gerbang/core';
import type { SetLimitsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

const limit = z
  .object(
    {
      product: field.product,
      minimumSen: field.sen,
      maximumSen: field.sen,
      dailyMaximumSen: field.sen,
      monthlyMaximumSen: field.sen,
    },
    'is missing',
  )
  .superRefine(({ product, minimumSen, maximumSen, dailyMaximumSen, monthlyMaximumSen }, context) => {
    const wrong = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (maximumSen !== 0n && maximumSen < minimumSen) wrong('maximumSen', 'must not be less than the minimum');
    if (monthlyMaximumSen !== 0n && monthlyMaximumSen < dailyMaximumSen)
      wrong('monthlyMaximumSen', 'must not be less than the maximum of a day');
    if (MONEY_OUT_PRODUCTS.some((counted) => counted === product)) return;
    // Of direct debit, what is charged to each binding.
    if (dailyMaximumSen !== 0n && product !== 'direct-debit') wrong('dailyMaximumSen', 'is not counted for this product');
    if (monthlyMaximumSen !== 0n) wrong('monthlyMaximumSen', 'is not counted for this product');
  });

/** Replaces all bounds of a product's payments; money out is counted by day and month, direct debit by day. Refusals: validation, merchant_not_found. */
export async function setLimits(context: Context, request: SetLimitsRequest, call: OperatorCall) {
  const input = parse({ merchantId: field.merchantId, limit }, request);
  const { merchantId } = input;
  await commandMerchant(context, call, { command: 'limit.set', merchantId }, { type: 'set-limit', limit: input.limit });
  return {};
}
