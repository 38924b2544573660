import { RefusalError, refuse } from '@gerbang/core';
import type { BindPage } from '@gerbang/proto/gerbang/direct_debit/v1/direct_debit';
import { z } from 'zod';

const parameters = z.object({ token: z.string().regex(/^[0-9a-f]{32}[A-Za-z0-9_-]{43}$/) });

/** The token that a path names, which opens one binding. Refusals: transaction_not_found. */
export function tokenOf(path: unknown): string {
  const parsed = parameters.safeParse(path);
  if (!parsed.success) throw new RefusalError(refuse('transaction_not_found'));
  return parsed.data.token;
}

/** The page that the direct-debit service answers. */
export async function findPage(ask: () => Promise<{ page?: BindPage | undefined }>): Promise<BindPage> {
  const { page } = await ask();
  if (page === undefined) throw new Error('direct-debit has answered no page');
  return page;
}
