import { RefusalError, refuseField } from '@gerbang/core';
import { type Keys, type KeysConfig, openKeys as openKeysOf, type Purpose } from '@gerbang/keys';
import { KeyService } from '@gerbang/proto/gerbang/keys/v1/keys';
import { implement } from '@gerbang/rpc';
import type { AuditLog } from '@gerbang/store';
import type { Foundation } from './foundation.ts';
import type { PlaceWalk } from './sealed-place.ts';

export { type PlaceWalk, type SealedField, type SealedPlace, walkOf } from './sealed-place.ts';

/** Opens the keys of a service's own purposes. */
export function openKeys<P extends Purpose>({ config, log }: Foundation<KeysConfig>, purposes: readonly P[]): Promise<Keys<P>> {
  return openKeysOf(purposes, config, log);
}

/** Serves operators what lies under which key, and resealing, for the places where a service keeps sealed things. */
export function implementKeys(walks: readonly PlaceWalk[], audit: AuditLog) {
  const mustFind = (place: string): PlaceWalk => {
    const found = walks.find(({ name }) => name === place);
    if (found === undefined) throw new RefusalError(refuseField('place', 'is unknown'));
    return found;
  };
  return implement(
    KeyService,
    {
      async listPlaces() {
        const places = walks.map(async ({ name, purpose, newestKid }) => ({ name, purpose, newestKid: await newestKid() }));
        return { places: await Promise.all(places) };
      },
      async countSealed({ place, after }) {
        const { counts, next } = await mustFind(place).count(after);
        return { counts: [...counts].map(([kid, count]) => ({ kid, count: BigInt(count) })), next };
      },
      async reseal({ operator, place, after }) {
        if (operator === '') throw new RefusalError(refuseField('operator', 'is required'));
        const walk = mustFind(place);
        // The first page stands for the whole walk.
        if (after === '') await audit.append(begun(operator, walk, await walk.newestKid()), Date.now());
        const { resealed, overtaken, failed, next } = await walk.reseal(after);
        return { resealed: BigInt(resealed), overtaken: BigInt(overtaken), failed: BigInt(failed), next };
      },
    },
    ['gerbang'],
  );
}

function begun(operator: string, { name, purpose }: PlaceWalk, kid: string) {
  return { operator, command: 'keys.reseal', target: name, before: null, after: { purpose, kid } };
}
