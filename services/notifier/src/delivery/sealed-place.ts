import { type Keys, prepaidToken } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { DELIVERIES } from './document.ts';

type WithToken = { _id: string; sealed_token?: { reference_number: string; text: string } };

/** The tokens of webhooks, for operators. */
export function deliveredTokens(parts: { store: Store; keys: Keys<'prepaid-token'>; log: Logger }): PlaceWalk {
  return walkOf(parts, {
    collection: DELIVERIES,
    purpose: 'prepaid-token',
    paths: ['sealed_token'],
    fieldsOf: ({ sealed_token: token }: WithToken) =>
      token === undefined
        ? []
        : [{ path: 'sealed_token.text', sealed: token.text, secret: prepaidToken(token.reference_number) }],
  });
}
