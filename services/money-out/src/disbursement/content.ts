import { createHash } from 'node:crypto';
import { type Bank, canonicalJson, findBank, RefusalError, refuseField } from '@gerbang/core';

/** A disbursement's own part of a transfer. */
export type DisbursementDetails = {
  /** As the merchant wrote it, national or SWIFT code. */
  bankCode: string;
  /** The bank's national code. */
  railBankCode: string;
  bankName: string;
  bankAccountNumber: string;
  /** Empty where the merchant gave none. */
  bankAccountName: string;
};

/** The name of the product in documents and in merchants' lists of products, fees and limits. */
export const DISBURSEMENT = 'disbursement';

/** SHA-256 of the validated content, lowercase hex: what makes two orders under one reference the same one (contract §2). */
export function contentHash(details: DisbursementDetails, order: { amountSen: bigint; description: string }): string {
  const { railBankCode: bankCode, bankAccountNumber, bankAccountName } = details;
  const { amountSen, description } = order;
  const json = {
    product: DISBURSEMENT,
    bankCode,
    bankAccountNumber,
    bankAccountName,
    amountSen: amountSen.toString(),
    description,
  };
  return createHash('sha256').update(canonicalJson(json)).digest('hex');
}

/** The bank account, without the name that the merchant gave it. */
export function beneficiaryOf({ railBankCode, bankAccountNumber }: DisbursementDetails): string {
  return `${railBankCode}:${bankAccountNumber}`;
}

/** The bank of a national or SWIFT code. Refusals: validation of bank_code. */
export function mustFindBank(code: string): Bank {
  const bank = findBank(code);
  if (bank === undefined) throw new RefusalError(refuseField('bank_code', 'is not the code of a known bank'));
  return bank;
}
