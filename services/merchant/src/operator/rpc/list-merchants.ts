import { MerchantStatus } from '@gerbang/proto/gerbang/merchant/v1/merchant';
import type { ListMerchantsRequest } from '@gerbang/proto/gerbang/merchant/v1/operator';
import { z } from 'zod';
import { toMessage } from '../../account/message.ts';
import type { Context } from '../../context.ts';
import { field, parse } from '../input.ts';

const LIMIT = 100;
const LIMIT_MAX = 500;

/** A page of merchants with their accounts, in the order of creation; no secrets. Refusals: validation. */
export async function listMerchants(context: Context, request: ListMerchantsRequest) {
  const { limit, after } = parse(
    {
      limit: z.int().min(0, 'must not be negative').max(LIMIT_MAX, `must be at most ${LIMIT_MAX}`),
      after: z.union([z.literal(''), field.merchantId]),
    },
    request,
  );
  const size = limit === 0 ? LIMIT : limit;
  const page = await context.merchants.list(after, size + 1);
  const shown = page.slice(0, size);
  const accounts = await context.accounts.listOf(shown.map(({ id }) => id));
  return {
    merchants: shown.map(({ id, merchant }) => ({
      merchantId: id,
      name: merchant.name,
      partnerId: merchant.partnerId,
      status: merchant.frozen ? MerchantStatus.FROZEN : MerchantStatus.ACTIVE,
      clientIds: merchant.credentials.filter(({ active }) => active).map(({ clientId }) => clientId),
      accounts: accounts
        .filter(({ merchantId }) => merchantId === id)
        .map((stored) => toMessage(stored.id, id, stored.version, stored.account)),
    })),
    nextAfter: page.length > size ? (shown.at(-1)?.id ?? '') : '',
  };
}
