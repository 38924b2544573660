import { RefusalError, refuse } from '@gerbang/core';
import type { CheckVersionsRequest, Version } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import { traced } from '@gerbang/store';
import { ACCOUNTS } from '../../account/store.ts';
import type { Context } from '../../context.ts';
import { MERCHANTS } from '../store.ts';

/** Merchants or accounts that a cache may ask after at once: a little more than it keeps. */
const VERSIONS_MAX = 60_000;
const CHUNK = 5_000;

/** Which of these have another version than the one given, or are unknown. Refusals: validation (too many at once). */
export async function checkVersions(context: Context, { merchants, accounts }: CheckVersionsRequest) {
  if (merchants.length > VERSIONS_MAX || accounts.length > VERSIONS_MAX) {
    throw new RefusalError(refuse('validation', { message: 'versions: too many' }));
  }
  const [changedMerchantIds, changedAccountIds] = await Promise.all([
    changed(context, MERCHANTS, merchants),
    changed(context, ACCOUNTS, accounts),
  ]);
  return { changedMerchantIds, changedAccountIds };
}

async function changed({ store }: Context, name: string, known: readonly Version[]): Promise<string[]> {
  const collection = store.collection<{ _id: string; version: bigint }>(name);
  const versions = new Map<string, bigint>();
  for (let i = 0; i < known.length; i += CHUNK) {
    const ids = known.slice(i, i + CHUNK).map(({ id }) => id);
    const found = await traced('find', name, () =>
      collection.find({ _id: { $in: ids } }, { projection: { version: 1 } }).toArray(),
    );
    for (const { _id, version } of found) versions.set(_id, version);
  }
  return known.filter(({ id, version }) => versions.get(id) !== version).map(({ id }) => id);
}
