import type { Keys } from '@gerbang/keys';
import type { Logger } from '@gerbang/runtime';
import { type PlaceWalk, type SealedField, walkOf } from '@gerbang/service/keys';
import type { Store } from '@gerbang/store';
import { BINDINGS } from './binding/store.ts';
import { CHARGES } from './charge/store.ts';
import { customerData, type Kind } from './seal.ts';

/** Every sealed field of a binding; of a nested one the names of all fields on the way. */
const BINDING_FIELDS = {
  phone: 'customer-phone',
  page_token: 'bind-page',
  auth_code: 'auth-code',
  'otp.charge_token': 'charge-token',
  'link.account_token': 'account-token',
  'tokens.access_token': 'customer-token',
  'tokens.refresh_token': 'customer-token',
  'unbinding.otp.charge_token': 'charge-token',
  'leftover.link.account_token': 'account-token',
  'leftover.tokens.access_token': 'customer-token',
  'leftover.tokens.refresh_token': 'customer-token',
} as const satisfies Record<string, Kind>;

const CHARGE_FIELDS = {
  charge_token: 'charge-token',
  'otp.charge_token': 'charge-token',
} as const satisfies Record<string, Kind>;

/** Where this service keeps sealed things, for operators. */
export function sealedPlaces(parts: { store: Store; keys: Keys<'customer-data'>; log: Logger }): PlaceWalk[] {
  const placeOf = (collection: string, fields: Readonly<Record<string, Kind>>) =>
    walkOf(parts, {
      collection,
      purpose: 'customer-data',
      paths: Object.keys(fields),
      fieldsOf: (document: { _id: string }) =>
        Object.entries(fields).flatMap(([path, kind]): SealedField<'customer-data'>[] => {
          const sealed = valueAt(document, path);
          return typeof sealed === 'string' ? [{ path, sealed, secret: customerData(kind, document._id) }] : [];
        }),
    });
  return [placeOf(BINDINGS, BINDING_FIELDS), placeOf(CHARGES, CHARGE_FIELDS)];
}

function valueAt(document: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, name) => (typeof at === 'object' && at !== null ? Reflect.get(at, name) : undefined), document);
}
