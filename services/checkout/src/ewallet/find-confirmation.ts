import { RefusalError, refuse } from '@gerbang/core';
import type { EwalletConfirmation, EwalletStatus } from '@gerbang/proto/gerbang/money_in/v1/money_in';
import { z } from 'zod';
import type { Context } from '../context.ts';

const parameters = z.object({ transaction: z.string().regex(/^88[0-9A-HJKMNP-TV-Z]{26}$/) });

/** An e-wallet checkout as its customer sees it. */
export type Confirmation = EwalletConfirmation & { status: EwalletStatus };

/**
 * The checkout that a path names. Anyone who knows its transaction id, which can't be guessed, counts as its customer, and can
 * only pay it. Refusals: transaction_not_found.
 */
export async function findConfirmation({ checkout }: Pick<Context, 'checkout'>, path: unknown): Promise<Confirmation> {
  const parsed = parameters.safeParse(path);
  if (!parsed.success) throw new RefusalError(refuse('transaction_not_found'));
  const { ewalletConfirmation: found } = await checkout.getEwalletConfirmation({ transactionId: parsed.data.transaction });
  if (found?.status === undefined) throw new Error('an e-wallet checkout has come without its status');
  return { ...found, status: found.status };
}
