import type { Keys } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { TRANSFERS } from '../transfer/reference.ts';
import { withdrawalCode } from './cardless-withdrawal.ts';
import { readRequest } from './rail-request.ts';

type WithCode = { _id: string; request?: string; receipt?: { withdrawal_code?: string } };

/** The codes of withdrawals, for operators. */
export function withdrawalCodes(parts: { store: Store; keys: Keys<'withdrawal-code'>; log: Logger }): PlaceWalk {
  return walkOf(parts, {
    collection: TRANSFERS,
    purpose: 'withdrawal-code',
    paths: ['request', 'receipt.withdrawal_code'],
    fieldsOf({ request, receipt }: WithCode) {
      if (request === undefined || receipt?.withdrawal_code === undefined) return [];
      const secret = withdrawalCode(readRequest(request).partnerReference);
      return [{ path: 'receipt.withdrawal_code', sealed: receipt.withdrawal_code, secret }];
    },
  });
}
