import { RefusalError, refuse } from '@gerbang/core';
import type { ListWebhookSettingsRequest } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { openSecret } from '../../merchant/client-secret.ts';
import { newestActiveCredential } from '../../merchant/merchant.ts';
import { settingsAt } from '../callback-settings.ts';
import { toMessage } from '../message.ts';

const QUERIES_MAX = 1_000;

/**
 * For each query: the settings as they were at the event's time, and the secret that signs a webhook now (contract §10). An
 * unknown merchant has an empty id in its answer. Refusals: validation (too many at once), unavailable.
 */
export async function listWebhookSettings({ merchants, keys }: Context, { queries }: ListWebhookSettingsRequest) {
  if (queries.length > QUERIES_MAX) throw new RefusalError(refuse('validation', { message: 'queries: too many' }));
  const found = await merchants.findMany([...new Set(queries.map((query) => query.merchantId))]);
  // Many events of one merchant come together, and opening a secret is what an answer costs.
  const known = found.map(async ({ id, merchant }) => {
    const credential = newestActiveCredential(merchant);
    return [id, { merchant, clientSecret: credential === undefined ? '' : await openSecret(keys, id, credential) }] as const;
  });
  const byId = new Map(await Promise.all(known));
  const items = queries.map(({ merchantId, atMs }) => {
    const known = byId.get(merchantId);
    if (known === undefined) return {};
    const { merchant, clientSecret } = known;
    const settings = toMessage(settingsAt(merchant.callbacks, Number(atMs)));
    return { merchantId, partnerId: merchant.partnerId, settings, clientSecret };
  });
  return { items };
}
