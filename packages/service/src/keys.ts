import { RefusalError, refuseField } from '@gerbang/core';
import { type Keys, type KeysConfig, openKeys as openKeysOf, type Purpose } from '@gerbang/keys';
import { KeyService } from '@gerbang/proto/gerbang/keys/v1/keys';
import type { Foundation } from './foundation.ts';
import { ADMINS, implementForOperators, type OperatorGate, VIEWERS } from './operators.ts';
import type { PlaceWalk } from './sealed-place.ts';

export { type PlaceWalk, type SealedField, type SealedPlace, walkOf } from './sealed-place.ts';

/** Opens the keys of a service's own purposes. */
export function openKeys<P extends Purpose>({ config, log }: Foundation<KeysConfig>, purposes: readonly P[]): Promise<Keys<P>> {
  return openKeysOf(purposes, config, log);
}

/** Serves operators what lies under which key, and resealing, for the places where a service keeps sealed things. */
export function implementKeys(walks: readonly PlaceWalk[], gate: OperatorGate) {
  const mustFind = (place: string): PlaceWalk => {
    const found = walks.find(({ name }) => name === place);
    if (found === undefined) throw new RefusalError(refuseField('place', 'is unknown'));
    return found;
  };
  return implementForOperators(gate, KeyService, {
    listPlaces: {
      roles: VIEWERS,
      async handler() {
        const places = walks.map(async ({ name, purpose, newestKid }) => ({ name, purpose, newestKid: await newestKid() }));
        return { places: await Promise.all(places) };
      },
    },
    countSealed: {
      roles: VIEWERS,
      async handler({ place, after }) {
        const { counts, next } = await mustFind(place).count(after);
        return { counts: [...counts].map(([kid, count]) => ({ kid, count: BigInt(count) })), next };
      },
    },
    reseal: {
      roles: ADMINS,
      async handler({ place, after }, call) {
        const walk = mustFind(place);
        call.record({ target: place, after: { purpose: walk.purpose, kid: await walk.newestKid(), from: after } });
        const { resealed, overtaken, failed, next } = await walk.reseal(after);
        return { resealed: BigInt(resealed), overtaken: BigInt(overtaken), failed: BigInt(failed), next };
      },
    },
  });
}
