import type { Keys } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { FINGERPRINT_KEY, type SecretDocument, VAULT_SECRETS } from './fingerprint.ts';
import { cardNumber, TOKENS } from './vault.ts';

/** What the vault has sealed, for operators. */
export function sealedPlaces(parts: { store: Store; keys: Keys<'card-number'>; log: Logger }): PlaceWalk[] {
  return [
    walkOf(parts, {
      collection: TOKENS,
      purpose: 'card-number',
      paths: ['merchant_id', 'sealed'],
      fresh: true,
      fieldsOf: ({ _id, merchant_id, sealed }: { _id: string; merchant_id: string; sealed: string }) => [
        { path: 'sealed', sealed, secret: cardNumber({ merchantId: merchant_id, token: _id }) },
      ],
    }),
    walkOf(parts, {
      collection: VAULT_SECRETS,
      purpose: 'card-number',
      paths: ['sealed'],
      fresh: true,
      fieldsOf: ({ sealed }: SecretDocument) => [{ path: 'sealed', sealed, secret: FINGERPRINT_KEY }],
    }),
  ];
}
