import { RefusalError, refuse } from '@gerbang/core';
import { type GetAccessRequest, MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { Context } from '../../context.ts';
import { openSecret } from '../client-secret.ts';
import type { StoredMerchant } from '../store.ts';

/**
 * What the edge needs to authenticate a merchant, secrets included; disabled credentials too, so that their tokens are told
 * apart. Refusals: merchant_not_found, unavailable.
 */
export async function getAccess(context: Context, { by }: GetAccessRequest) {
  const stored = await findBy(context, by);
  if (stored === undefined) throw new RefusalError(refuse('merchant_not_found'));
  const { id, version, merchant } = stored;
  return {
    access: {
      merchantId: id,
      partnerId: merchant.partnerId,
      status: merchant.frozen ? MerchantStatus.FROZEN : MerchantStatus.ACTIVE,
      version,
      credentials: await Promise.all(
        merchant.credentials.map(async (credential) => ({
          clientId: credential.clientId,
          clientSecret: await openSecret(context.keys, id, credential),
          active: credential.active,
          generation: BigInt(credential.generation),
          ipWhitelist: [...credential.ipWhitelist],
          createdAtMs: BigInt(credential.createdAtMs),
        })),
      ),
      ipWhitelist: [...merchant.ipWhitelist],
      products: [...merchant.products],
    },
  };
}

async function findBy({ merchants }: Context, by: GetAccessRequest['by']): Promise<StoredMerchant | undefined> {
  switch (by.case) {
    case 'clientId':
      return merchants.findByClientId(by.value);
    case 'merchantId':
      return merchants.find(by.value);
    case undefined:
      return undefined;
    default:
      return by satisfies never;
  }
}
