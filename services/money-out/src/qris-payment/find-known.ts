import { RefusalError, refuse } from '@gerbang/core';
import type { Context } from '../context.ts';
import type { StoredTransfer } from '../transfer/document.ts';
import { readCode } from './code.ts';
import { QRIS_ISSUER } from './content.ts';
import { readDetails } from './document.ts';
import type { Inquiry } from './inquiry.ts';

export type Whose = { merchantId: string; accountId: string; referenceNumber: string };

/**
 * What a reference stands for already. `amountSen`, without tip, as it was ordered or asked; undefined where an inquiry has named
 * none.
 */
export type Known = { qrData: string; amountSen: bigint | undefined } & ({ transfer: StoredTransfer } | { inquiry: Inquiry });

/**
 * The payment or the inquiry that has the reference; undefined where nothing has it. Refusals: duplicate_reference (another
 * product's).
 */
export async function findKnown(context: Context, whose: Whose): Promise<Known | undefined> {
  const { transfers, inquiries, products } = context;
  const { accountId, referenceNumber } = whose;
  const transfer = await transfers.find(accountId, referenceNumber, { linearizable: true });
  if (transfer !== undefined) {
    if (transfer.product !== products.qrisPayment) throw new RefusalError(refuse('duplicate_reference'));
    const { qrData, amountSen } = readDetails(transfer.document);
    return { qrData, amountSen, transfer };
  }
  // Products that are not of the saga have references too.
  if (await transfers.references.isOfAnother(whose, QRIS_ISSUER)) throw new RefusalError(refuse('duplicate_reference'));
  const inquiry = await inquiries.find(whose);
  return inquiry && { qrData: inquiry.qrData, amountSen: inquiry.amountSen, inquiry };
}

type Asked = { qrData: string; amountSen?: bigint | undefined };

/**
 * Whether a request asks for what its reference stands for already. An amount that one of them leaves out is the other one's, or
 * the code's.
 */
export function isSame(asked: Asked, known: Asked): boolean {
  if (asked.qrData !== known.qrData) return false;
  const { amountSen: ofCode } = readCode(asked.qrData);
  const [wanted, before] = [asked.amountSen ?? ofCode, known.amountSen ?? ofCode];
  return wanted === undefined || before === undefined || wanted === before;
}
