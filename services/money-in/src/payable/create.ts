import { isUlid, newUlid, RefusalError, refuse } from '@gerbang/core';
import type { IdempotencyKey } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import type { Context } from '../context.ts';
import type { PayableState } from './payable.ts';
import { type Details, type Kind, productOf } from './product.ts';
import type { PayableOrder, StoredPayable } from './stored-payable.ts';

/** What a merchant asks for, of any product. */
export type Creation = { merchantId: string; accountId: string; idempotencyKey?: IdempotencyKey | undefined };

/**
 * Runs a creation once for its Idempotency-Key and answers it again for every other request with the key; without one, just runs it. `id` is the payable's,
 * "<kind>:<ULID>", the same one after a crash. Refusals: idempotency_key_reused, idempotency_key_running, and those of the work.
 */
export async function createOnce(
  context: Pick<Context, 'idempotencyKeys' | 'clock'>,
  kind: Kind,
  { merchantId, accountId, idempotencyKey }: Creation,
  work: (id: string) => Promise<Uint8Array>,
): Promise<{ response: Uint8Array; replayed: boolean }> {
  const allocate = () => `${kind}:${newUlid(context.clock.now())}`;
  // What names no account is refused before anything of it is kept.
  if (idempotencyKey === undefined || !isUlid(accountId)) return { response: await work(allocate()), replayed: false };
  const { key, route, bodyHash } = idempotencyKey;
  return context.idempotencyKeys.run({ merchantId, route, key, bodyHash }, allocate, work);
}

/** A new payable, or the one that an interrupted creation has made under this id already. */
export async function insertOnce(
  context: Pick<Context, 'payables' | 'metrics'>,
  order: PayableOrder,
  state: PayableState,
  details: Details,
): Promise<StoredPayable> {
  const inserted = await context.payables.insert(order, state, details, []);
  if (inserted !== undefined) {
    context.metrics.created(productOf(details.kind));
    return inserted;
  }
  const known = await context.payables.find(order.id);
  if (known === undefined) throw new Error(`payable ${order.id} has vanished`);
  return known;
}

/** One of the merchant's own payables. Refusals: product_not_allowed, those of the account, transaction_not_found. */
export async function ownPayable(
  context: Pick<Context, 'payables' | 'merchants'>,
  kind: Kind,
  { merchantId, accountId, publicId }: { merchantId: string; accountId: string; publicId: string },
): Promise<StoredPayable> {
  await context.merchants.admitProduct(merchantId, productOf(kind));
  await context.merchants.account(merchantId, accountId);
  const found = await context.payables.findByPublicId(kind, accountId, publicId);
  if (found === undefined || found.order.merchantId !== merchantId) throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

/** The same, to change it. Refusals: frozen too. */
export async function ownPayableToChange(
  context: Pick<Context, 'payables' | 'merchants'>,
  kind: Kind,
  key: { merchantId: string; accountId: string; publicId: string },
): Promise<StoredPayable> {
  await context.merchants.admit(key.merchantId, productOf(kind), key.accountId);
  return ownPayable(context, kind, key);
}
