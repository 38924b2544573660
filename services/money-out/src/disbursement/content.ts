import { createHash } from 'node:crypto';
import { type Bank, canonicalJson, findBank, RefusalError, refuseField } from '@gerbang/core';

/** What makes two orders under one reference the same one: the validated content (contract §2). */
export type DisbursementContent = {
  bankCode: string;
  bankAccountNumber: string;
  bankAccountName: string;
  amountSen: bigint;
  description: string;
};

/** SHA-256 of the content, lowercase hex. */
export function contentHash(content: DisbursementContent): string {
  const { bankCode, bankAccountNumber, bankAccountName, amountSen, description } = content;
  const json = {
    product: 'disbursement',
    bankCode,
    bankAccountNumber,
    bankAccountName,
    amountSen: amountSen.toString(),
    description,
  };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** The bank of a national or SWIFT code. Refusals: validation of bank_code. */
export function mustFindBank(code: string): Bank {
  const bank = findBank(code);
  if (bank === undefined) throw new RefusalError(refuseField('bank_code', 'is not the code of a known bank'));
  return bank;
}
