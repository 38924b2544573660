import type { SetFeesRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import type { OperatorCall } from '@gerbang/service/operators';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { commandMerchant } from '../command-merchant.ts';
import { field, parse } from '../input.ts';

const fee = z
  .object(
    {
      product: field.product,
      channel: field.channel,
      fixedSen: field.sen,
      basisPoints: field.basisPoints,
      minimumSen: field.wholeRupiahSen,
      maximumSen: field.wholeRupiahSen,
      vendorFixedSen: field.sen,
      vendorBasisPoints: field.basisPoints,
      effectiveFromMs: field.timeMs,
      effectiveUntilMs: field.timeMs,
    },
    'is missing',
  )
  .refine(({ minimumSen, maximumSen }) => maximumSen === 0n || maximumSen >= minimumSen, {
    path: ['maximumSen'],
    message: 'must not be less than the minimum',
  })
  .refine(({ effectiveFromMs, effectiveUntilMs }) => effectiveUntilMs === 0 || effectiveUntilMs > effectiveFromMs, {
    path: ['effectiveUntilMs'],
    message: 'must be after it comes into effect',
  })
  // Merchants ask for a disbursement's fee without naming an amount (contract §6), so it can't depend on one.
  .refine(({ product, basisPoints }) => product !== 'disbursement' || basisPoints === 0, {
    path: ['basisPoints'],
    message: 'must be 0: the fee of a disbursement is fixed',
  });

/**
 * Replaces the fee rule of the same product, channel and effective time, or adds it. Refusals: validation, merchant_not_found.
 */
export async function setFees(context: Context, request: SetFeesRequest, call: OperatorCall) {
  const input = parse({ merchantId: field.merchantId, fee }, request);
  const { merchantId, fee: rule } = input;
  const isApproved = call.proposer !== undefined;
  await commandMerchant(context, call, { command: 'fee.set', merchantId }, { type: 'set-fee', fee: rule, isApproved });
  return {};
}
