import type { GetBindPageRequest } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import type { Context } from '../../context.ts';
import { toPage } from '../page.ts';
import { findByPageToken } from '../page-token.ts';

/** Refusals: transaction_not_found. */
export async function getBindPage(context: Context, { token }: GetBindPageRequest) {
  return { page: await toPage(context, await findByPageToken(context, token)) };
}
