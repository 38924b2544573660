import { RefusalError, refuse } from '@gerbang/core';
import type { CheckWalletRequest } from '@gerbang/proto/gerbang/money_out/v1/ewallet_topup';
import { callWithin, type UnknownOutcome } from '@gerbang/rails';
import type { Context } from '../../context.ts';
import { EWALLET_TOPUP, mustFindChannel } from '../content.ts';
import { normalizePhoneNumber } from '../phone-number.ts';

/**
 * Asks the wallet whose phone number this is. Refusals: validation (channel, phone_number), product_not_allowed, not_found,
 * beneficiary_limit, vendor_inactive.
 */
export async function checkWallet(context: Context, { merchantId, channel: name, phoneNumber }: CheckWalletRequest) {
  const channel = mustFindChannel(name);
  const wallet = { channel, phoneNumber: normalizePhoneNumber(phoneNumber) };
  await context.merchants.admitProduct(merchantId, EWALLET_TOPUP);
  const found = await callWithin(context.railTimeoutMs, (signal) => context.rails.ewalletTopup.inquireWallet(wallet, { signal }));
  switch (found.outcome) {
    case 'found':
      return { channel, phoneNumber, name: found.name };
    case 'not_found':
      throw new RefusalError(refuse('not_found', { message: 'The e-wallet could not be verified' }));
    case 'over_limit':
      throw new RefusalError(refuse('beneficiary_limit', { message: 'The e-wallet takes no more money at the moment' }));
    case 'unknown':
      throw noAnswer(context, found, channel);
    default:
      return found satisfies never;
  }
}

function noAnswer({ log }: Context, { reason, needsOperator }: UnknownOutcome, channel: string): RefusalError {
  if (needsOperator) log.error({ reason, channel }, 'the e-wallet refuses our inquiries');
  return new RefusalError(refuse('vendor_inactive', { message: 'The e-wallet does not answer; try again later' }));
}
