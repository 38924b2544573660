import { createHash } from 'node:crypto';
import { canonicalJson } from '@gerbang/core';
import { ACCOUNT_TRANSFER } from './account-transfer.ts';

/** What makes two orders under one reference of a source the same one: the validated content (contract §2). */
export type AccountTransferContent = { destinationAccountId: string; amountSen: bigint; note: string };

/** SHA-256 of the content, lowercase hex. */
export function contentHash({ destinationAccountId, amountSen, note }: AccountTransferContent): string {
  const json = { product: ACCOUNT_TRANSFER, destinationAccountId, amountSen: amountSen.toString(), note };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}
