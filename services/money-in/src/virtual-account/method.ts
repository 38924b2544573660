import { isVaBankCode, newVaNumber, randomDigits, type VaSeries } from '@gerbang/core';
import type { Method } from '../payment-request/method.ts';
import { VA_RAIL, VIRTUAL_ACCOUNT } from './virtual-account.ts';

/** A transfer to a number of a bank that has given us numbers. */
export function vaMethod(vaSeries: VaSeries): Method {
  return {
    group: 'VA',
    product: VIRTUAL_ACCOUNT,
    isOffered: (channel) => isVaBankCode(channel) && vaSeries[channel] !== undefined,
    issue({ claims, clock }, { channel, requestId }) {
      if (!isVaBankCode(channel)) return undefined;
      return claims.claim(VA_RAIL, () => newVaNumber(vaSeries, channel, randomDigits), requestId, clock.now());
    },
  };
}
