import { type Keys, prepaidToken } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { PURCHASES } from './store.ts';

type WithTokens = { _id: string; sealed_token?: string; proposed_token?: string };

/** The tokens of purchases, for operators. */
export function purchaseTokens(parts: { store: Store; keys: Keys<'prepaid-token'>; log: Logger }): PlaceWalk {
  return walkOf(parts, {
    collection: PURCHASES,
    purpose: 'prepaid-token',
    paths: ['sealed_token', 'proposed_token'],
    fieldsOf: (document: WithTokens) =>
      (['sealed_token', 'proposed_token'] as const).flatMap((path) => {
        const sealed = document[path];
        return sealed === undefined ? [] : [{ path, sealed, secret: prepaidToken(document._id) }];
      }),
  });
}
