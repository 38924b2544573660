import type { Keys, SealedDocument } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { clientSecret } from './merchant/client-secret.ts';
import { MERCHANTS } from './merchant/store.ts';
import { SIGNING_KEYS, signingKey } from './token/signing-keys.ts';

type Credentials = { _id: string; credentials: { client_id: string; secret: SealedDocument }[] };
type PrivateKey = { _id: number; kid: string; private_key: SealedDocument };

/** Where this service keeps sealed things, for operators. */
export function sealedPlaces(parts: { store: Store; keys: Keys<'client-secret' | 'signing-key'>; log: Logger }): PlaceWalk[] {
  return [
    walkOf(parts, {
      collection: MERCHANTS,
      purpose: 'client-secret',
      paths: ['credentials.client_id', 'credentials.secret'],
      // Credentials are added and changed, never removed, so each keeps its place in the list.
      fieldsOf: ({ _id, credentials }: Credentials) =>
        credentials.map(({ client_id, secret }, at) => ({
          path: `credentials.${at}.secret`,
          sealed: secret,
          secret: clientSecret(_id, client_id),
        })),
    }),
    walkOf(parts, {
      collection: SIGNING_KEYS,
      purpose: 'signing-key',
      paths: ['kid', 'private_key'],
      fieldsOf: ({ kid, private_key }: PrivateKey) => [{ path: 'private_key', sealed: private_key, secret: signingKey(kid) }],
    }),
  ];
}
