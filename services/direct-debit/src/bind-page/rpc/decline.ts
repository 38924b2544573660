import type { DeclineRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { changeBinding } from '../../binding/change.ts';
import type { Context } from '../../context.ts';
import { toPage } from '../page.ts';
import { findByPageToken } from '../page-token.ts';

/** The customer does not want it. One that is connected already stays as it is. Refusals: transaction_not_found. */
export async function decline(context: Context, { token }: DeclineRequest) {
  const binding = await findByPageToken(context, token);
  const { binding: after } = await changeBinding(context, binding, { type: 'decline' });
  return { page: await toPage(context, after) };
}
