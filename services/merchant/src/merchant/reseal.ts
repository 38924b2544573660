import type { Context } from '../context.ts';
import { changeMerchant } from './change-merchant.ts';
import { openSecret, sealSecret } from './client-secret.ts';

const BATCH = 100;

/**
 * Seals client secrets again that lie under another key-encryption key than the current one. Runs at every start, beside the
 * service.
 *
 * So a key-encryption key is rotated without a gap: first every replica learns the new key as the second one
 * (`GERBANG_KEKS=old:…,new:…`), then it is put first (`new:…,old:…`), which re-seals; when `gerbang_secrets_under_old_key` is 0,
 * the old key is taken away.
 */
export async function resealSecrets(
  context: Pick<Context, 'merchants' | 'signingKeys' | 'clock' | 'keyRing' | 'metrics' | 'log'>,
) {
  const { merchants, keyRing, metrics, log } = context;
  // Not a number until all has been looked at: 0 must never be told by a process that could not.
  metrics.sealedUnderOldKey(Number.NaN);
  let resealed = await context.signingKeys.reseal();
  for (;;) {
    const stale = await merchants.findSealedUnderOtherKey(keyRing.currentKid, BATCH);
    metrics.sealedUnderOldKey(stale.length);
    if (stale.length === 0) break;
    for (const { id, merchant } of stale) {
      for (const credential of merchant.credentials) {
        if (credential.secret.kid === keyRing.currentKid) continue;
        const secret = sealSecret(keyRing, id, credential.clientId, openSecret(keyRing, id, credential));
        await changeMerchant(context, id, () => ({
          type: 'reseal-secret',
          clientId: credential.clientId,
          from: credential.secret,
          secret,
        }));
        resealed++;
      }
    }
  }
  metrics.resealed(resealed);
  if (resealed > 0) log.info({ resealed, kid: keyRing.currentKid }, 'sealed secrets again under the current key');
}
