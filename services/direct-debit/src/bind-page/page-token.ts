import { createHash, randomBytes } from 'node:crypto';
import { equalsInConstantTime, RefusalError, refuse } from '@gerbang/core';
import type { BindingOrder, StoredBinding } from '../binding/document.ts';
import type { Context } from '../context.ts';

const SECRET_BYTES = 32;
const TOKEN = /^([0-9a-f]{32})([A-Za-z0-9_-]{43})$/;

/**
 * What opens a customer's page: 256 random bits behind the binding's id, by which it is found. Only a hash of them is compared; the
 * token itself is sealed, for the merchant's repeated request.
 */
export async function newPageToken(
  sealing: Context['sealing'],
  bindingId: string,
): Promise<Pick<BindingOrder, 'pageHash' | 'pageToken'>> {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { pageHash: hashOf(secret), pageToken: await sealing.seal('bind-page', bindingId, secret) };
}

/** webview_url of a binding (contract §8). */
export async function pageUrl(
  { payUrl, sealing }: Pick<Context, 'payUrl' | 'sealing'>,
  { id, pageToken }: BindingOrder,
): Promise<string> {
  return `${payUrl}/bind/${id.replaceAll('-', '')}${await sealing.open('bind-page', id, pageToken)}`;
}

/** The binding that a page's token opens. Refusals: transaction_not_found. */
export async function findByPageToken({ bindings }: Pick<Context, 'bindings'>, token: string): Promise<StoredBinding> {
  const [, hex = '', secret = ''] = TOKEN.exec(token) ?? [];
  const found = hex === '' ? undefined : await bindings.find(uuidOf(hex));
  if (found === undefined || !equalsInConstantTime(hashOf(secret), found.order.pageHash))
    throw new RefusalError(refuse('transaction_not_found'));
  return found;
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
